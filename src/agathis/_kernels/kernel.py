"""Kernels: which one, and its values between rows.

A :class:`Kernel` is a name that scikit-learn knows or a callable, with its parameters. The
linear, rbf and Laplacian kernels give the same tree wherever the origin is, so that data far from
it need not lose their digits (:meth:`Kernel.origin`).
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
    """The limit of BLAS threads is one for the whole process: who holds it is counted."""

    lock = threading.Lock()
    users = 0
    limit: Any = None


_BLAS = _Blas()


# Lengths whose squares have all their digits.
SHORT, LONG = 1e-140, 1e140


@dataclass(frozen=True)
class Kernel:
    """A kernel with its parameters.

    Parameters
    ----------
    metric : str or callable
        A name in ``KERNELS``, or a function of two rows.
    params : dict
    columns : tuple of int, optional
        The columns of the data that the kernel sees, all by default. Whoever computes values of
        whole rows takes :meth:`seen` of them first.
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
        """Whether it is known to be positive, or conditionally so, on any rows."""
        return traits(self.metric).positive

    @property
    def _has_unit_diagonal(self) -> bool:
        return traits(self.metric).unit_diagonal

    @property
    def has_features(self) -> bool:
        """Whether the kernel is the inner product of :meth:`features`."""
        return isinstance(self.metric, str) and self.metric in ("linear", "cosine")

    def seen(self, X: np.ndarray) -> np.ndarray:
        """Of whole rows, or of one, the columns that the kernel sees."""
        return X if self.columns is None else np.ascontiguousarray(X[..., list(self.columns)])

    def n_seen(self, n_features: int) -> int:
        """How many columns it sees."""
        return n_features if self.columns is None else len(self.columns)

    def features(self, X: np.ndarray) -> np.ndarray:
        """The rows as points of the kernel's space, where that is small."""
        return directions(X) if self.metric == "cosine" else X

    def origin(self, X: np.ndarray) -> np.ndarray:
        """Where the kernel of X is computed best: the mean, unless that makes another kernel.

        It is zero too where values are made of differences of rows: beside a row that is far away
        the others would lose their digits to the mean.
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
        """X, about its mean where the kernel does not depend on the origin."""
        return X - X.mean(axis=0) if traits(self.metric).origin_free else X

    def between(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """Kernel values between the rows of X and of Y, C-contiguous."""
        if self.metric == "cosine":
            points = directions(X)
            others = points if X is Y else directions(Y)
            return np.ascontiguousarray(points @ others.T, dtype=np.float64)
        if self.metric == "rbf":
            return rbf_values(X, Y, self.gamma(X.shape[1]))
        # Whether the values are finite is looked at by whoever sums them.
        with config_context(assume_finite=True), np.errstate(over="ignore", invalid="ignore"):
            values = pairwise_kernels(X, Y, metric=self.metric, filter_params=True, **self.params)
        return np.ascontiguousarray(values, dtype=np.float64)

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
        # From inner products a row may be at some distance from itself.
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
        """Kernel values between the rows of X and all of Y, some rows at a time.

        Threads work on the next blocks while the caller works on one. A callable may be
        anything, so it is called by one thread.
        """
        at_once = rows_at_once(*Y.shape)
        # A few rows are there sooner than a second thread is.
        if callable(self.metric) or len(X) <= at_once:
            threads = 1
        return in_threads(
            lambda rows: self.between(X[rows], Y), gen_batches(len(X), at_once), threads
        )


def directions(X: np.ndarray) -> np.ndarray:
    """The rows at length one, whatever their length was; only a row of zeros has none.

    scikit-learn's ``normalize`` leaves rows shorter than some 2e-15 as they are, so that the tree
    would depend on units.
    """
    length = np.sqrt(np.einsum("ij,ij->i", X, X, dtype=np.float64))
    odd = np.flatnonzero(~((length > SHORT) & (length < LONG)))
    if len(odd):
        # By a power of two, which loses nothing.
        most = np.abs(X[odd]).max(axis=1, initial=0.0).astype(np.float64)
        power = np.where(most > 0, np.frexp(most)[1], 0)
        rows = np.ldexp(X[odd].astype(np.float64), -power[:, None])
        short = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        out = (X / length[:, None]).astype(X.dtype, copy=False)
    if len(odd):
        out[odd] = rows / np.where(short > 0, short, 1.0)[:, None]
    return out


def in_threads(
    work: Callable[[slice], T], batches: Iterable[slice], threads: int
) -> Iterator[tuple[slice, T]]:
    """Batches in their order with what ``work`` makes of each; threads work ahead.

    BLAS has one thread whatever ``threads`` is: with some of its releases (that of NumPy 1.26)
    the last digit of a product depends on how many it has.
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
    """Limit BLAS to one thread; the last of several threads to leave lifts the limit."""
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
    """A context in which libraries with threads of their own use no more than these."""
    return _thread_pools().limit(limits=threads)


@cache
def _thread_pools() -> ThreadpoolController:
    """The libraries with threads of their own; to find them takes a while."""
    return ThreadpoolController()


def rows_at_once(n_columns: int, n_features: int) -> int:
    """Rows of a block: so many that it fits, and that an interrupt is seen soon."""
    soon = STEPS_AT_ONCE / (n_columns * (1 + n_features))
    return max(1, int(min(soon, BLOCK_BYTES / (8 * n_columns))))
