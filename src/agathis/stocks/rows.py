"""Where kernel rows come from: a matrix that is there, or the kernel, row block by row block.

Both yield ``(block, index, ids)``: the kernel row of sample ``ids[r]`` is ``block[index[r]]``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from agathis._kernels import Kernel, rows_per_block

# Steps (kernel values times features) after which compiled code comes back to Python, so that
# an interrupt is heard at once.
STEPS_AT_ONCE = 2e8

Block = tuple[np.ndarray, np.ndarray, np.ndarray]


class Rows(Protocol):
    """Kernel rows of samples, half of the kernel's diagonal, and the kernel's name."""

    half: np.ndarray
    name: str

    def blocks(self, ids: np.ndarray, n_features: int) -> Iterator[Block]: ...


def _at_once(n_samples: int, n_features: int) -> int:
    return max(1, int(STEPS_AT_ONCE / (n_samples * (1 + n_features))))


class MatrixRows:
    """Rows of a symmetric kernel matrix, used where it lies.

    Parameters
    ----------
    matrix : ndarray of shape (n_samples, n_samples)
        Anything but C-contiguous float64 is converted some rows at a time.
    name : str
        What the matrix is of, for messages.
    keep : ndarray of int, optional
        The samples of the matrix that count; all by default.
    """

    def __init__(self, matrix: np.ndarray, name: str, keep: np.ndarray | None = None) -> None:
        self.matrix, self.name, self.keep = matrix, name, keep
        diagonal = np.diagonal(matrix) if keep is None else np.diagonal(matrix)[keep]
        self.half = np.asarray(diagonal, dtype=np.float64) / 2
        self.direct = keep is None and matrix.dtype == np.float64 and matrix.flags.c_contiguous

    def blocks(self, ids: np.ndarray, n_features: int) -> Iterator[Block]:
        n = len(self.half)
        step = _at_once(n, n_features)
        if not self.direct:
            step = min(step, rows_per_block(n))
        for first in range(0, len(ids), step):
            part = ids[first : first + step]
            if self.direct:
                yield self.matrix, part, part
            elif self.keep is None:
                yield self._converted(self.matrix[part]), _local(part), part
            else:
                rows = self.matrix[self.keep[part]][:, self.keep]
                yield self._converted(rows), _local(part), part

    @staticmethod
    def _converted(rows: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(rows, dtype=np.float64)


class KernelRows:
    """Rows computed when they are needed, and forgotten: memory stays linear in n.

    Parameters
    ----------
    kernel : Kernel
    X : ndarray of shape (n_samples, n_features)
        About the place where the kernel is computed best (``Kernel.origin``).
    threads : int
    """

    def __init__(self, kernel: Kernel, X: np.ndarray, threads: int) -> None:
        self.kernel, self.X, self.threads = kernel, X, threads
        self.name = str(kernel)
        self.half = kernel.diagonal(X) / 2

    def blocks(self, ids: np.ndarray, n_features: int) -> Iterator[Block]:
        n = len(self.X)
        step = min(_at_once(n, n_features), rows_per_block(n))
        # A few rows are there sooner than a second thread is.
        threads = self.threads if len(ids) > step else 1
        for part, block in self.kernel.blocks(self.X[ids], self.X, threads, step):
            yield block, _local(ids[part]), ids[part]


def _local(ids: np.ndarray) -> np.ndarray:
    return np.arange(len(ids), dtype=np.int32)
