"""Sources of kernel rows: a matrix, or the kernel function, block by block.

Both yield ``(block, index, ids)``: the kernel row of sample ``ids[r]`` is ``block[index[r]]``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from agathis._kernels.kernel import Kernel, rows_at_once
from agathis._kernels.tuning import STEPS_AT_ONCE

Block = tuple[np.ndarray, np.ndarray, np.ndarray]


class KernelRows(Protocol):
    """Kernel rows of samples.

    Attributes
    ----------
    half : ndarray of shape (n_samples,)
        Half of the diagonal of the kernel matrix.
    rounding : float
        The relative error of distances due to the rounding of the data.
    points : ndarray of shape (n_samples, n_components) or None
        Points whose inner products are the kernel values, unless there is a matrix.
    """

    half: np.ndarray
    rounding: float
    points: np.ndarray | None

    def blocks(self, ids: np.ndarray, n_features: int) -> Iterator[Block]: ...


class MatrixRows:
    """Rows of a symmetric kernel matrix, used without a copy if possible.

    Parameters
    ----------
    matrix : ndarray of shape (n_samples, n_samples)
        Anything but C-contiguous float64 is converted some rows at a time.
    rounding : float
    keep : ndarray of int, optional
        The samples of positive weight; all by default.
    """

    points: np.ndarray | None = None

    def __init__(
        self, matrix: np.ndarray, rounding: float = 0.0, keep: np.ndarray | None = None
    ) -> None:
        self.matrix, self.rounding, self.keep = matrix, rounding, keep
        diagonal = np.diagonal(matrix) if keep is None else np.diagonal(matrix)[keep]
        self.half = np.asarray(diagonal, dtype=np.float64) / 2
        self.direct = keep is None and matrix.dtype == np.float64 and matrix.flags.c_contiguous

    def blocks(self, ids: np.ndarray, n_features: int) -> Iterator[Block]:
        n = len(self.half)
        step = rows_at_once(n, n_features)
        if self.direct:
            step = max(1, int(STEPS_AT_ONCE / (n * (1 + n_features))))
        for first in range(0, len(ids), step):
            part = ids[first : first + step]
            if self.direct:
                yield self.matrix, part, part
                continue
            rows = self.matrix[part] if self.keep is None else self.matrix[self.keep[part]]
            columns = slice(None) if self.keep is None else self.keep
            yield np.ascontiguousarray(rows[:, columns], dtype=np.float64), _local(part), part


class ComputedRows:
    """Rows computed when needed and not stored: memory is linear in the number of rows.

    Parameters
    ----------
    kernel : Kernel
    X : ndarray of shape (n_samples, n_features)
        Relative to ``Kernel.origin``, for numerical accuracy.
    rounding : float
    threads : int
    """

    def __init__(self, kernel: Kernel, X: np.ndarray, rounding: float, threads: int) -> None:
        self.kernel, self.X, self.rounding, self.threads = kernel, X, rounding, threads
        self.half = kernel.diagonal(X) / 2
        self.points = kernel.features(X) if kernel.has_features else None

    def blocks(self, ids: np.ndarray, n_features: int) -> Iterator[Block]:
        for part, block in self.kernel.blocks(self.X[ids], self.X, self.threads):
            rows, samples = _local(ids[part]), ids[part]
            # Exactly as in ``half``, so that the distance of a row to itself is zero.
            block[rows, samples] = 2 * self.half[samples]
            yield block, rows, samples


def _local(ids: np.ndarray) -> np.ndarray:
    return np.arange(len(ids), dtype=np.int32)
