"""A score that is computed where it is asked for: a delayed number.

``float(score)`` and ``score.compute()`` give the number, arithmetic and comparisons with it stay
lazy, and ``dask.compute`` takes several at once. scikit-learn's model selection takes scores that
have ``item``, as scalars of NumPy do.
"""

from __future__ import annotations

from typing import Any

from dask.delayed import Delayed

from agathis.dask._waiting import computed


class LazyScore(Delayed):
    """The number that a delayed task gives.

    Waits for it have the limit of the model's: a scheduler that stands still is an error.

    Parameters
    ----------
    task : Delayed
    timeout : float
        Seconds that a scheduler may take for an answer.
    """

    __slots__ = ("_timeout",)

    def __init__(self, task: Delayed, timeout: float) -> None:
        super().__init__(task.key, task.dask, layer=task.__dask_layers__()[0])
        object.__setattr__(self, "_timeout", timeout)

    def compute(self, **kwargs: Any) -> float:
        """The number."""
        return super().compute(**kwargs) if kwargs else computed([self], self._timeout)[0]

    def item(self) -> float:
        """The number; of scalars, it is NumPy's name for that."""
        return self.compute()

    __float__ = item

    def __reduce__(self) -> tuple[type[Delayed], tuple[Any, ...]]:
        """Elsewhere it is any delayed number: whoever waits there has limits of its own."""
        return Delayed, (self.key, self.dask)
