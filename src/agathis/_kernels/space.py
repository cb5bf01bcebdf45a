"""Rows as points of the kernel's space.

The points of the linear kernel are the rows, those of the cosine normalised rows, those of other
kernels come from a feature map. Missing values are replaced by the mean of their column.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agathis._kernels.feature_map import FeatureMap, mapped
from agathis._kernels.kernel import Kernel


@dataclass(frozen=True)
class Space:
    """The mapping of rows to points.

    Attributes
    ----------
    kernel : Kernel
    map : FeatureMap or None
        For kernels other than linear and cosine.
    fill : ndarray of shape (n_features,) or None
        Replaces missing values; None if there are none.
    """

    kernel: Kernel
    map: FeatureMap | None = None
    fill: np.ndarray | None = None

    @property
    def is_identity(self) -> bool:
        """Whether points equal the rows, apart from missing values."""
        return self.map is None and self.kernel.metric == "linear" and self.kernel.columns is None

    def points(self, X: np.ndarray, threads: int = 1) -> np.ndarray:
        """The points of some rows, C-contiguous, float32 or float64 as X."""
        X = self.filled(X)
        if self.map is not None:
            return mapped(self.map, X, threads)
        return np.ascontiguousarray(self.kernel.features(X))

    def filled(self, X: np.ndarray) -> np.ndarray:
        """The columns of the kernel, with missing values replaced."""
        X = self.kernel.seen(X)
        if self.fill is None:
            return X
        return np.where(np.isnan(X), self.kernel.seen(self.fill).astype(X.dtype), X)
