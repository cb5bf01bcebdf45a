"""A score that is computed where it is asked for: a Dask array of no dimension.

``float(score)`` and ``score.compute()`` give the number, arithmetic and comparisons with it stay
lazy, and ``dask.compute`` takes several at once. scikit-learn's model selection takes scores that
have ``item``, as scalars of NumPy do.
"""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np

from agathis.dask._waiting import computed


class LazyScore(da.Array):
    """A number that is not computed yet; made by :func:`lazy_score`.

    Waits for it have the limit of the model's: a scheduler that stands still is an error.
    """

    timeout: float | None = None

    def compute(self, **kwargs: Any) -> np.float64:
        """The number."""
        return super().compute(**kwargs) if kwargs else computed([self], self.timeout)[0]

    def item(self) -> float:
        """The number, as Python's."""
        return float(self)


def lazy_score(task: Any, timeout: float) -> LazyScore:
    """The float64 that a delayed task gives, as a Dask array."""
    plain = da.from_delayed(task, shape=(), dtype=np.float64)
    score = LazyScore(plain.dask, plain.name, plain.chunks, dtype=plain.dtype)
    score.timeout = timeout
    return score
