"""The registry of engines, which selects and builds the engine of a fit.

:func:`choose_engine` resolves ``"auto"``. A new engine is a class and an entry in ``REGISTRY``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from sklearn import get_config
from sklearn.utils import check_random_state

from agathis._checks.engines import AUTO, BINNED, ENGINES, Engine
from agathis._dataset.bins import find_bins
from agathis._dataset.fixed_point import Grid, rounded_origin
from agathis._dataset.memory import InMemory
from agathis._dataset.protocol import Dataset
from agathis._dataset.row_stores import Plan
from agathis._growth.approximation import Approximation
from agathis._growth.engines.binned import BinnedEngine
from agathis._growth.engines.exact import ExactPointEngine
from agathis._growth.engines.kernel_rows import ComputedRows, KernelRows, MatrixRows
from agathis._growth.engines.pairwise import PairwiseEngine
from agathis._growth.engines.pairwise_points import PairwisePointEngine
from agathis._growth.engines.protocol import GainEngine
from agathis._growth.engines.tuning import EXACT_ROWS, NARROW, TYPICAL_LEAVES
from agathis._growth.limits import Limits
from agathis._kernels.feature_map import FeatureMap
from agathis._kernels.kernel import Kernel
from agathis._kernels.kernel_approximation import fit_map, residual_warning
from agathis._kernels.space import Space
from agathis._kernels.tuning import MAP_TOL, RESIDUAL_LIMIT
from agathis._utils.progress import Progress


@dataclass(frozen=True)
class Built:
    """An engine, with the quality of its approximation.

    Attributes
    ----------
    gain_engine : GainEngine
    n_components : int or None
        The number of components of the feature map, if any.
    residual : float or None
        The fraction of the kernel that the feature map leaves out, if known.
    warnings : tuple of str
        Messages for the user.
    """

    gain_engine: GainEngine
    n_components: int | None = None
    residual: float | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Workload:
    """The size of a fit, which decides how fast an engine is and what it stores.

    Attributes
    ----------
    n_rows : int
        The number of rows of positive weight.
    n_columns : int
    width : int
        The number of components of a point.
    has_points : bool
        Whether samples are points in the kernel's feature space.
    is_wide : bool
        Whether tables of sums of points would be slower than prefix sums.
    """

    n_rows: int
    n_columns: int
    width: int
    has_points: bool
    is_wide: bool

    @classmethod
    def of(cls, data: Dataset, approximation: Approximation) -> Workload:
        n_columns, n_components = data.features.n_features, approximation.n_components
        width = n_components or data.kernel.n_seen(n_columns)
        has_points = data.kernel.has_features or n_components is not None
        is_wide = has_points and n_components is None and width > NARROW
        return cls(data.n_counted, n_columns, width, has_points, is_wide)


@dataclass(frozen=True)
class EngineEntry:
    """How an engine is chosen and built; what it accepts is in ``agathis._checks.engines``.

    Attributes
    ----------
    is_fastest : callable
        Whether it is the fastest for a workload, of the engines that accept it and that come later
        in ``REGISTRY``.
    n_bytes : callable
        The memory that it needs for a workload.
    build : callable
        Builds it; the parameters are those of :func:`build`.
    """

    is_fastest: Callable[[Workload], bool]
    n_bytes: Callable[[Workload], int]
    build: Callable[..., Built]


def choose_engine(engine: str, data: Dataset, approximation: Approximation) -> str:
    """Resolve ``"auto"``: the first engine that accepts the data, is fastest and fits in memory.

    The table is in the docstring of ``Kauri``.
    """
    if engine != AUTO:
        return engine
    work, memory = Workload.of(data, approximation), get_config()["working_memory"] * 2**20
    names = [name for name in REGISTRY if _accepts(ENGINES[name], data, work)]
    for name in names[:-1]:
        if REGISTRY[name].is_fastest(work) and REGISTRY[name].n_bytes(work) <= memory:
            return name
    return names[-1]


def _accepts(engine: Engine, data: Dataset, work: Workload) -> bool:
    """Whether an engine accepts the kernel and the rows of a dataset."""
    if not isinstance(data, InMemory):
        return not engine.exact
    if data.fill is not None:
        return engine.takes_missing
    if data.matrix is not None:
        return engine.takes_matrix
    return work.has_points or not engine.needs_points


def build(
    chosen: str,
    data: Dataset,
    limits: Limits,
    approximation: Approximation,
    progress: Progress,
    seed: int | np.random.RandomState | None = None,
) -> Built:
    """Build an engine by its name; ``seed`` is the ``random_state`` for sampling rows."""
    if ENGINES[chosen].exact and not isinstance(data, InMemory):
        raise ValueError(f"engine={chosen!r} needs all rows in one place: use engine={BINNED!r}.")
    return REGISTRY[chosen].build(chosen, data, limits, approximation, progress, seed)


def _pairwise(
    chosen: str,
    data: InMemory,
    limits: Limits,
    approximation: Approximation,
    progress: Progress,
    seed: int | np.random.RandomState | None,
) -> Built:
    """Build an engine that sums over pairs of samples."""
    if data.matrix is not None:
        rows: KernelRows = MatrixRows(data.matrix, keep=data.ids)
    else:
        rows = rows_of_kernel(chosen, data.kernel, data.kernel.seen(data.rows()), data.threads)
    if rows.points is not None and data.features.sources is None:
        return Built(PairwisePointEngine(data, rows, limits, progress))
    return Built(PairwiseEngine(data, rows, limits, progress))


def _points(
    chosen: str,
    data: Dataset,
    limits: Limits,
    approximation: Approximation,
    progress: Progress,
    seed: int | np.random.RandomState | None,
) -> Built:
    """Build an engine for points, which come from a feature map if there are components."""
    warning = _memory_warning(chosen, data, limits, approximation)
    warnings = () if warning is None else (warning,)
    is_exact, feature_map = ENGINES[chosen].exact, None
    if not is_exact or approximation.n_components is not None:
        random_state = check_random_state(seed)
        sample, weight = data.sample(approximation.subsample, random_state)
        feature_map = _map(data, approximation, sample, random_state)
    space = Space(data.kernel, feature_map, data.fill)
    gain_engine: GainEngine
    if is_exact:
        assert isinstance(data, InMemory), "exact engines have all rows in memory"
        sample, weight = data.rows(), data.weights()
        phi = space.points(sample, data.threads)
        gain_engine = ExactPointEngine(data, space, phi, limits)
    else:
        phi = space.points(sample, data.threads)
        plan = _plan(space, sample, phi, weight, data, approximation)
        if space.fill is None:  # new rows may have missing values
            space = replace(space, fill=_means(sample, weight))
        holder = data.holder(plan)
        gain_engine = BinnedEngine(holder, plan, space, limits, data.threads, progress)
    if feature_map is None:
        return Built(gain_engine, warnings=warnings)
    residual = _residual(space, sample, phi, weight)
    if residual > RESIDUAL_LIMIT:
        warning = residual_warning(residual, feature_map.n_components, data.kernel)
        warnings = (*warnings, warning)
    return Built(gain_engine, feature_map.n_components, residual, warnings)


def _memory_warning(
    chosen: str, data: Dataset, limits: Limits, approximation: Approximation
) -> str | None:
    """A warning if the sums of the leaves need a lot of memory."""
    d = data.features.n_candidates
    width = approximation.n_components or data.kernel.n_seen(data.features.n_features)
    leaves = min(limits.max_leaves, TYPICAL_LEAVES)
    needed = 8 * leaves * d * width * min(approximation.max_bins, data.n_counted)
    if needed <= 4 * get_config()["working_memory"] * 2**20:
        return None
    return (
        f"X has {d} columns: with engine={chosen!r} the sums of {leaves} leaves take up to "
        f"{needed / 1e9:.0f} GB. Few n_components (for example 64, also with kernel='linear') make "
        "them small, and engine='blocks' needs none."
    )


def rows_of_kernel(chosen: str, kernel: Kernel, X: np.ndarray, threads: int) -> KernelRows:
    """Kernel rows of X, from a matrix (``"gram"``) or computed when needed (``"blocks"``)."""
    settled = X - kernel.origin(X)
    # Data far from their origin have a rounding error relative to their norm, not their spread.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        ratio = np.linalg.norm(X) / np.linalg.norm(kernel.about_mean(X))
    rounding = float(np.finfo(np.float64).eps * ratio) if np.isfinite(ratio) else 0.0
    # With many points sums are faster than the kernel values of all pairs.
    if chosen == "gram" and not (kernel.has_features and len(X) > X.shape[1]):
        return MatrixRows(kernel.matrix(settled, threads), rounding)
    return ComputedRows(kernel, settled, rounding, threads)


def _map(
    data: Dataset,
    approximation: Approximation,
    sample: np.ndarray,
    random_state: np.random.RandomState,
) -> FeatureMap | None:
    if approximation.n_components is None:
        return None
    return fit_map(
        data.kernel,
        Space(data.kernel, None, data.fill).filled(sample),
        approximation.n_components,
        tol=MAP_TOL,
        random_state=random_state,
    )


def _plan(
    space: Space,
    sample: np.ndarray,
    phi: np.ndarray,
    weight: np.ndarray | None,
    data: Dataset,
    approximation: Approximation,
) -> Plan:
    """The plan for partitions, from a sample of the rows, its points ``phi`` and its weights."""
    searched, sources = data.features.searched, data.features.sources
    if sources is not None:
        sources.check()
    bins = find_bins(searched.take(sample), weight, approximation.max_bins, data.threads)
    origin = rounded_origin(phi, weight)
    gap = np.zeros(len(origin))
    if space.is_identity and space.fill is not None:
        gap = space.fill - origin
    total_weight = data.total_weight if data.weighted else None
    grid = Grid.guess(phi, weight, data.n_counted, total_weight, origin, gap)
    return Plan(bins, space, searched, sources, grid)


def _means(rows: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    return np.average(rows.astype(np.float64), axis=0, weights=weight)


def _residual(space: Space, rows: np.ndarray, phi: np.ndarray, weight: np.ndarray | None) -> float:
    """The fraction of the centred kernel of some rows that the map leaves out."""
    assert space.map is not None
    weights = np.ones(len(rows)) if weight is None else weight
    left_out = float(space.map.residuals(space.filled(rows), phi) @ weights)
    about = phi - _means(phi, weight)
    in_map = float(np.einsum("i,ij,ij->", weights, about, about))
    return left_out / (left_out + in_map) if left_out > 0 else 0.0


#: The engines, the fastest first.
REGISTRY = {
    "gram": EngineEntry(
        lambda work: not work.has_points or (work.is_wide and work.n_rows <= work.width),
        lambda work: 8 * work.n_rows**2,
        _pairwise,
    ),
    "blocks": EngineEntry(
        lambda work: work.is_wide and work.n_rows <= EXACT_ROWS,
        lambda work: work.n_rows * (25 * work.n_columns + 32 * work.width),
        _pairwise,
    ),
    "features": EngineEntry(
        lambda work: work.n_rows <= EXACT_ROWS,
        lambda work: work.n_rows * (13 * work.n_columns + 16 * work.width),
        _points,
    ),
    "binned": EngineEntry(lambda work: True, lambda work: 0, _points),
}
