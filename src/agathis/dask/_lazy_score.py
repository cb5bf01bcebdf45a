"""A lazy score: a delayed number.

``float(score)`` and ``score.compute()`` compute it; arithmetic and comparisons stay lazy. Model
selection in scikit-learn requires ``item``, as NumPy scalars have.
"""

from __future__ import annotations

from typing import Any

from dask.delayed import Delayed

from agathis.dask._timeouts import computed


class LazyScore(Delayed):
    """The result of a delayed task, computed with a timeout.

    Parameters
    ----------
    task : Delayed
    timeout : float
        The maximum time in seconds for an answer of the scheduler.
    """

    __slots__ = ("_timeout",)

    def __init__(self, task: Delayed, timeout: float) -> None:
        super().__init__(task.key, task.dask, layer=task.__dask_layers__()[0])
        object.__setattr__(self, "_timeout", timeout)

    def compute(self, **kwargs: Any) -> float:
        """Compute the number."""
        return super().compute(**kwargs) if kwargs else computed([self], self._timeout)[0]

    def item(self) -> float:
        """Compute the number; the name is that of NumPy scalars."""
        return self.compute()

    __float__ = item

    def __reduce__(self) -> tuple[type[Delayed], tuple[Any, ...]]:
        """Without the timeout, for other processes."""
        return Delayed, (self.key, self.dask)
