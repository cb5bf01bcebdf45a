"""Which stocks a fit uses, and how they are made from the data.

A :class:`Request` is all that a fit knows about its data, checked; :func:`choose_engine` says
what ``"auto"`` means, and :func:`build` makes the stocks, together with what the estimator keeps
of the way there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.utils import check_random_state
from sklearn.utils.random import sample_without_replacement

from agathis._growing.binned import BinnedStocks
from agathis._growing.bins import find_bins
from agathis._growing.exact import FeatureStocks
from agathis._growing.kernel_rows import KernelRows, MatrixRows, Rows
from agathis._growing.pairs import PairStocks
from agathis._growing.stores import MemoryStore, StreamStore, take
from agathis._kernels.kernel import Kernel
from agathis._kernels.map_fitting import (
    RESIDUAL_LIMIT,
    FeatureMap,
    components_needed,
    fit_map,
    residual_warning,
)
from agathis._kernels.space import Space
from agathis._support.progress import Progress

# Rows up to which every threshold is looked at by default where the kernel has features.
EXACT_ROWS = 100_000
# Features up to which sums of points are faster than sums over pairs for sure.
NARROW = 50
# Leaves that memory is estimated for where there may be any number: most of many are small.
TYPICAL_LEAVES = 40


@dataclass(frozen=True)
class Request:
    """What stocks are made from.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_features)
    mapped : bool
        Whether X is a file that is mapped, and need not fit in memory.
    ids : ndarray of int32 or None
        The rows of positive weight; ``None`` where it is all of them.
    weight : ndarray of shape (n_rows,) or None
        ``None`` where all weights are 1.
    kernel : Kernel
    matrix : ndarray or None
        The kernel matrix of X, where it is given.
    fill : ndarray of shape (n_features,) or None
        The mean of each column, where values are missing.
    n_clusters, max_leaves : int
    min_leaf : float
    max_bins, subsample : int
    n_components : int or None
    feature_map, landmarks : str
    map_tol : float
    seed : int, numpy.random.RandomState or None
        Of what draws the rows that bins and maps are found from; with ``None`` always the same.
    threads : int
    progress : Progress
    """

    X: np.ndarray
    mapped: bool
    ids: np.ndarray | None
    weight: np.ndarray | None
    kernel: Kernel
    matrix: np.ndarray | None
    fill: np.ndarray | None
    n_clusters: int
    max_leaves: int
    min_leaf: float
    max_bins: int
    subsample: int
    n_components: int | None
    feature_map: str
    landmarks: str
    map_tol: float
    seed: int | np.random.RandomState | None
    threads: int
    progress: Progress

    @cached_property
    def random_state(self) -> np.random.RandomState:
        """Made when it is needed, for that takes a while."""
        return check_random_state(0 if self.seed is None else self.seed)

    @property
    def n_counted(self) -> int:
        """Rows of positive weight."""
        return len(self.X) if self.ids is None else len(self.ids)

    def rows(self) -> np.ndarray:
        """The rows of positive weight, as float64."""
        rows = self.X if self.ids is None else self.X[self.ids]
        return np.asarray(rows, dtype=np.float64)

    def weights(self) -> np.ndarray:
        """Their weights."""
        if self.weight is None:
            return np.ones(self.n_counted)
        return self.weight if self.ids is None else self.weight[self.ids]

    def sample(self) -> tuple[np.ndarray, np.ndarray | None]:
        """Some rows of positive weight in their order, no more than ``subsample``; weights."""
        n = self.n_counted
        if n <= self.subsample:
            ids = np.arange(n) if self.ids is None else self.ids
            rows = self.X if self.ids is None and not self.mapped else take(self.X, ids)
        else:
            places = sample_without_replacement(n, self.subsample, random_state=self.random_state)
            places.sort()
            ids = places if self.ids is None else self.ids[places]
            rows = take(self.X, ids)
        return rows, None if self.weight is None else self.weight[ids]


@dataclass(frozen=True)
class Built:
    """Stocks, and what is kept of the data they were made from.

    Attributes
    ----------
    stocks : PairStocks, FeatureStocks or BinnedStocks
    trace : float
        The sum of w k(x, x) over the rows.
    space : Space or None
        How rows become points, where they do.
    residual : float or None
        The share of the kernel that a feature map leaves out, where it can be told.
    warning : str or None
        What to tell the user of that.
    """

    stocks: Any
    trace: float
    space: Space | None = None
    residual: float | None = None
    warning: str | None = None


def choose_engine(engine: str, request: Request) -> str:
    """The engine that ``"auto"`` means; the table is in the docstring of ``Kauri``."""
    if engine != "auto":
        return engine
    n, d = request.n_counted, request.X.shape[1]
    memory = get_config()["working_memory"] * 2**20
    if request.matrix is not None:
        return "gram"
    matrix_fits = 8 * n**2 <= memory
    if request.kernel.has_features or request.n_components is not None:
        width = request.n_components or d
        if request.n_components is None and d > NARROW and matrix_fits:
            return "gram"
        fits = n * (13 * d + 16 * width) <= memory
        return "features" if fits and n <= EXACT_ROWS else "binned"
    return "gram" if matrix_fits else "blocks"


def memory_warning(chosen: str, request: Request) -> str | None:
    """What to tell the user where the sums of the leaves will take more memory than the data."""
    if chosen not in ("features", "binned"):
        return None
    d = request.X.shape[1]
    width = request.n_components or d
    leaves = min(request.max_leaves, TYPICAL_LEAVES)
    needed = 8 * leaves * d * width * min(request.max_bins, request.n_counted)
    if needed <= 4 * get_config()["working_memory"] * 2**20:
        return None
    return (
        f"X has {d} columns: with engine={chosen!r} the sums of {leaves} leaves take up to "
        f"{needed / 1e9:.0f} GB. Few n_components (for example 64, also with kernel='linear') make "
        "them small, and engine='blocks' needs none."
    )


def build(chosen: str, request: Request) -> Built:
    """The stocks of that name."""
    if chosen in ("gram", "blocks"):
        return _pairs(chosen, request)
    if chosen == "features" and request.n_components is None:
        return _features(request, Space(request.kernel))
    sample, weight = request.sample()
    space = Space(request.kernel, _map(request, sample), request.fill)
    if chosen == "features":
        return _features(request, space)
    return _binned(request, space, sample, weight)


def rows_of_kernel(chosen: str, kernel: Kernel, X: np.ndarray, threads: int) -> Rows:
    """Kernel rows of X, from a matrix (``"gram"``) or computed when needed (``"blocks"``)."""
    settled = X - kernel.origin(X)
    # Data far from their mean were rounded when they were written, more than their spread tells.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        ratio = np.linalg.norm(X) / np.linalg.norm(settled)
    rounding = float(np.finfo(np.float64).eps * ratio) if np.isfinite(ratio) else 0.0
    if chosen == "gram":
        return MatrixRows(kernel.matrix(settled, threads), str(kernel), rounding)
    return KernelRows(kernel, settled, rounding, threads)


def _pairs(chosen: str, request: Request) -> Built:
    X, weight, kernel = request.rows(), request.weights(), request.kernel
    if request.matrix is None:
        rows = rows_of_kernel(chosen, kernel, X, request.threads)
    else:
        rows = MatrixRows(request.matrix, str(kernel), keep=request.ids)
    # The linear kernel's rows are those of X about its mean, its objective is not.
    diagonal = kernel.diagonal(X) if kernel.metric == "linear" else 2 * rows.half
    request.progress.trace = float(diagonal @ weight)
    stocks = PairStocks(
        X,
        weight,
        rows,
        n_clusters=request.n_clusters,
        max_leaves=request.max_leaves,
        min_leaf=request.min_leaf,
        threads=request.threads,
        progress=request.progress,
        positive=kernel.is_positive,
    )
    return Built(stocks, request.progress.trace)


def _map(request: Request, sample: np.ndarray) -> FeatureMap | None:
    if request.n_components is None:
        return None
    return fit_map(
        request.kernel,
        Space(request.kernel, None, request.fill).filled(sample),
        request.n_components,
        method=request.feature_map,
        landmarks=request.landmarks,
        tol=request.map_tol,
        random_state=request.random_state,
    )


def _features(request: Request, space: Space) -> Built:
    X, weight = request.rows(), request.weights()
    phi = space.points(X, request.threads)
    stocks = FeatureStocks(
        X,
        weight,
        phi,
        n_clusters=request.n_clusters,
        min_leaf=request.min_leaf,
        threads=request.threads,
    )
    return _finished(request, stocks, space, X, phi, weight)


def _binned(request: Request, space: Space, sample: np.ndarray, weight: np.ndarray | None) -> Built:
    ids = request.ids
    if ids is None:
        ids = np.arange(len(request.X), dtype=np.int32)
    bins = find_bins(sample, weight, request.max_bins, request.threads)
    phi = space.points(sample, request.threads)
    origin = _means(phi, weight)
    gap = np.zeros(len(origin))
    if space.is_identity and space.fill is not None:
        gap = space.fill - origin
    store_of = StreamStore if request.mapped else MemoryStore
    stocks = BinnedStocks(
        store_of(request.X, bins, space, request.threads),
        bins,
        ids,
        request.weight,
        origin,
        gap,
        n_clusters=request.n_clusters,
        min_leaf=request.min_leaf,
        threads=request.threads,
        progress=request.progress,
    )
    if space.fill is None:  # rows to come may miss values all the same
        space = replace(space, fill=_means(sample, weight))
    return _finished(request, stocks, space, sample, phi, weight)


def _means(rows: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    return np.average(rows.astype(np.float64), axis=0, weights=weight)


def _residual(
    space: Space, rows: np.ndarray, phi: np.ndarray, weight: np.ndarray | None
) -> float | None:
    """The share of the centred kernel of some rows that a map leaves out, where it tells."""
    if space.map is None or not space.map.tells_residual:
        return None
    weights = np.ones(len(rows)) if weight is None else weight
    left_out = float(space.map.residuals(space.filled(rows), phi) @ weights)
    about = phi - _means(phi, weight)
    kept = float(np.einsum("i,ij,ij->", weights, about, about))
    return left_out / (left_out + kept) if left_out > 0 else 0.0


def _finished(
    request: Request,
    stocks: FeatureStocks | BinnedStocks,
    space: Space,
    sample: np.ndarray,
    phi: np.ndarray,
    weight: np.ndarray | None,
) -> Built:
    """Put together what was built, with a word about a map that leaves out too much.

    ``phi`` are the points of ``sample``, rows of these weights.
    """
    request.progress.trace = stocks.trace
    residual, warning = _residual(space, sample, phi, weight), None
    if residual is not None and residual > RESIDUAL_LIMIT:
        needed, reached = components_needed(
            request.kernel, space.filled(sample), RESIDUAL_LIMIT, request.random_state
        )
        warning = residual_warning(
            residual, space.map.n_components, needed, reached, request.kernel
        )
    return Built(stocks, stocks.trace, space, residual, warning)
