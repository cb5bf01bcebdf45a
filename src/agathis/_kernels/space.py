"""Rows as points of the kernel's space: what stands between the data and sums of points.

The linear kernel's points are the rows, the cosine's are rows of length one, other kernels' come
from a feature map. Where rows may miss values, the mean of their column stands for these.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agathis._kernels.kernel import Kernel
from agathis._kernels.map_fitting import FeatureMap, mapped


@dataclass(frozen=True)
class Space:
    """How rows become points.

    Attributes
    ----------
    kernel : Kernel
    map : FeatureMap or None
        For kernels whose points are not made of the rows directly.
    fill : ndarray of shape (n_features,) or None
        What stands for missing values; ``None`` where there are none.
    """

    kernel: Kernel
    map: FeatureMap | None = None
    fill: np.ndarray | None = None

    @property
    def is_identity(self) -> bool:
        """Whether points are the rows as they are, missing values aside."""
        return self.map is None and self.kernel.metric == "linear" and self.kernel.columns is None

    def points(self, X: np.ndarray, threads: int = 1) -> np.ndarray:
        """The points of some rows, C-contiguous, float32 or float64 as X."""
        X = self.filled(X)
        if self.map is not None:
            return mapped(self.map, X, threads)
        return np.ascontiguousarray(self.kernel.features(X))

    def filled(self, X: np.ndarray) -> np.ndarray:
        """The columns that the kernel sees, without missing values."""
        X = self.kernel.seen(X)
        if self.fill is None:
            return X
        return np.where(np.isnan(X), self.kernel.seen(self.fill).astype(X.dtype), X)
