"""Kernels and their values between rows.

A :class:`Kernel` is a kernel name of scikit-learn or a callable, with its parameters. Trees of the
linear, rbf and Laplacian kernels do not depend on the origin, so data far from it are shifted to
keep their precision (:meth:`Kernel.origin`).
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

import numpy as np
from sklearn import config_context
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils import gen_batches
from threadpoolctl import ThreadpoolController

from agathis._kernels.names import traits
from agathis._kernels.rbf import far_out, rbf_values
from agathis._kernels.tuning import BLOCK_BYTES, STEPS_AT_ONCE

T = TypeVar("T")


class _Blas:
    """Counts the users of the limit of BLAS threads, which holds for the whole process."""

    lock = threading.Lock()
    users = 0
    limit: Any = None


_BLAS = _Blas()


@dataclass(frozen=True)
class Kernel:
    """A kernel with its parameters.

    Parameters
    ----------
    metric : str or callable
        A name in ``KERNELS``, or a function of two rows.
    params : dict
    columns : tuple of int, optional
        The columns of the data that the kernel uses, all by default. Apply :meth:`seen` to entire
        rows first.
    """

    metric: str | Callable[..., float]
    params: dict[str, Any] = field(default_factory=dict)
    columns: tuple[int, ...] | None = None

    def __str__(self) -> str:
        return f"kernel={self.metric!r}"

    @property
    def needs_non_negative(self) -> bool:
        return traits(self.metric).non_negative

    @property
    def is_positive(self) -> bool:
        """Whether it is known to be (conditionally) positive semi-definite."""
        return traits(self.metric).positive

    @property
    def _has_unit_diagonal(self) -> bool:
        return traits(self.metric).unit_diagonal

    @property
    def has_features(self) -> bool:
        """Whether the kernel is the inner product of :meth:`features`."""
        return isinstance(self.metric, str) and self.metric in ("linear", "cosine")

    def seen(self, X: np.ndarray) -> np.ndarray:
        """The columns that the kernel uses, of rows or of one row."""
        return X if self.columns is None else np.ascontiguousarray(X[..., list(self.columns)])

    def n_seen(self, n_features: int) -> int:
        """The number of columns that the kernel uses."""
        return n_features if self.columns is None else len(self.columns)

    def features(self, X: np.ndarray) -> np.ndarray:
        """The rows as points of the kernel's space, for linear and cosine."""
        return directions(X) if self.metric == "cosine" else X

    def origin(self, X: np.ndarray) -> np.ndarray:
        """The origin for which kernel values are most precise: the mean, or zero.

        Zero if the kernel depends on the origin, or if it is computed from differences of rows, as
        subtracting a mean with outliers would cost precision.
        """
        if self.metric == "linear":
            return X.mean(axis=0)
        if self.metric == "rbf":
            with np.errstate(over="ignore", invalid="ignore"):
                mean = X.mean(axis=0)
                if not far_out(X - mean, self.gamma(X.shape[1])):
                    return mean
        return np.zeros(X.shape[1])

    def about_mean(self, X: np.ndarray) -> np.ndarray:
        """X, centred if the kernel does not depend on the origin."""
        return X - X.mean(axis=0) if traits(self.metric).origin_free else X

    def between(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """Kernel values between the rows of X and of Y, C-contiguous."""
        if self.metric == "cosine":
            points = directions(X)
            others = points if X is Y else directions(Y)
            return np.ascontiguousarray(points @ others.T, dtype=np.float64)
        if self.metric == "rbf":
            return rbf_values(X, Y, self.gamma(X.shape[1]))
        # The caller checks whether values are finite.
        with config_context(assume_finite=True), np.errstate(over="ignore", invalid="ignore"):
            values = pairwise_kernels(X, Y, metric=self.metric, filter_params=True, **self.params)
        return np.ascontiguousarray(values, dtype=np.float64)

    def check_finite(self, values: np.ndarray | float) -> None:
        """Raise ValueError if some kernel values are not finite."""
        if not np.isfinite(values).all():
            raise ValueError(
                f"{self} gives NaN or infinity for some rows of X; every kernel value must be "
                "finite. Is X very large, or the kernel not defined on it?"
            )

    def gamma(self, n_features: int) -> float:
        """Gamma, with scikit-learn's default."""
        given = self.params.get("gamma")
        return 1.0 / n_features if given is None else float(given)

    def matrix(self, X: np.ndarray, threads: int = 1) -> np.ndarray:
        """Kernel values between all rows of X."""
        if rows_at_once(*X.shape) >= len(X):
            with one_blas_thread():
                out = self.between(X, X)
        else:
            out = np.empty((len(X), len(X)))
            for rows, values in self.blocks(X, X, threads):
                out[rows] = values
        # Inner products round, so set the diagonal exactly.
        if self._has_unit_diagonal:
            np.fill_diagonal(out, 1.0)
        return out

    def diagonal(self, X: np.ndarray) -> np.ndarray:
        """Kernel value of each row with itself."""
        if self._has_unit_diagonal:
            return np.ones(len(X))
        if self.metric == "linear":
            with np.errstate(over="ignore"):
                return np.einsum("ij,ij->i", X, X)
        out = np.empty(len(X))
        for rows in gen_batches(len(X), 32):
            out[rows] = np.diagonal(self.between(X[rows], X[rows]))
        return out

    def blocks(
        self, X: np.ndarray, Y: np.ndarray, threads: int = 1
    ) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield kernel values between blocks of rows of X and all rows of Y.

        Threads compute the next blocks while the caller uses one. A callable may not be
        thread-safe, so it is called by one thread.
        """
        at_once = rows_at_once(*Y.shape)
        # Starting threads takes longer than a single block.
        if callable(self.metric) or len(X) <= at_once:
            threads = 1
        return in_threads(
            lambda rows: self.between(X[rows], Y), gen_batches(len(X), at_once), threads
        )


def directions(X: np.ndarray) -> np.ndarray:
    """Rows normalised to length one, except rows of zeros.

    scikit-learn's ``normalize`` does not change rows shorter than about 2e-15, so that the tree
    would depend on units.
    """
    # Scaled by a power of two, which is exact, so that squares neither underflow nor overflow.
    power = np.frexp(np.abs(X).max(axis=1, initial=0.0))[1]
    rows = np.ldexp(X, -power[:, None])
    length = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    return (rows / np.where(length > 0, length, 1.0)[:, None]).astype(X.dtype, copy=False)


def in_threads(
    work: Callable[[slice], T], batches: Iterable[slice], threads: int
) -> Iterator[tuple[slice, T]]:
    """Yield batches in order with the result of ``work``; threads compute ahead.

    BLAS uses one thread, because with some releases (that of NumPy 1.26) the last digit of a
    product depends on their number.
    """
    if threads == 1:
        with one_blas_thread():
            for rows in batches:
                yield rows, work(rows)
        return
    pool = ThreadPoolExecutor(threads)
    try:
        with one_blas_thread():
            ahead: deque[tuple[slice, Future[T]]] = deque()
            for rows in batches:
                ahead.append((rows, pool.submit(work, rows)))
                if len(ahead) > threads:
                    done, result = ahead.popleft()
                    yield done, result.result()
            for done, result in ahead:
                yield done, result.result()
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread; the last of several users restores the limit."""
    with _BLAS.lock:
        if _BLAS.users == 0:
            _BLAS.limit = _thread_pools().limit(limits=1, user_api="blas")
        _BLAS.users += 1
    try:
        yield
    finally:
        with _BLAS.lock:
            _BLAS.users -= 1
            if _BLAS.users == 0:
                _BLAS.limit.restore_original_limits()


def at_most(threads: int) -> Any:
    """A context that limits the threads of native libraries."""
    return _thread_pools().limit(limits=threads)


@cache
def _thread_pools() -> ThreadpoolController:
    """The native libraries with threads; cached, since detection is slow."""
    return ThreadpoolController()


def rows_at_once(n_columns: int, n_features: int) -> int:
    """Rows of a block, limited by memory and by the time between interrupts."""
    soon = STEPS_AT_ONCE / (n_columns * (1 + n_features))
    return max(1, int(min(soon, BLOCK_BYTES / (8 * n_columns))))
