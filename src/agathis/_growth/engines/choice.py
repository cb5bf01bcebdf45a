"""Select and build the engine of a fit: :func:`choose_engine` resolves ``"auto"``."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from sklearn import get_config
from sklearn.utils import check_random_state

from agathis._checks.engines import AUTO, BINNED, ENGINES
from agathis._dataset.bins import find_bins
from agathis._dataset.features import CategoryGroups, SearchedColumns
from agathis._dataset.grid import Grid, rounded_origin
from agathis._dataset.interface import Dataset
from agathis._dataset.memory import InMemory
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
from agathis._kernels.map_fitting import fit_map, residual_warning
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


def choose_engine(engine: str, data: Dataset, approximation: Approximation) -> str:
    """Resolve ``"auto"``; the table is in the docstring of ``Kauri``."""
    if engine != AUTO:
        return engine
    if data.fill is not None or not isinstance(data, InMemory):
        return BINNED
    n, d = data.n_counted, data.features.n_features
    memory = get_config()["working_memory"] * 2**20
    if data.matrix is not None:
        return "gram"
    matrix_fits = 8 * n**2 <= memory
    if data.kernel.has_features or approximation.n_components is not None:
        width = approximation.n_components or data.kernel.n_seen(d)
        if approximation.n_components is None and width > NARROW:
            if matrix_fits and n <= width:
                return "gram"
            if n <= EXACT_ROWS and n * (25 * d + 32 * width) <= memory:
                return "blocks"
        fits = n * (13 * d + 16 * width) <= memory
        return "features" if fits and n <= EXACT_ROWS else BINNED
    return "gram" if matrix_fits else "blocks"


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
    if not ENGINES[chosen].needs_points:
        assert isinstance(data, InMemory)
        rows = rows_of_data(chosen, data)
        if rows.points is not None and data.features.sources is None:
            return Built(PairwisePointEngine(data, rows, limits, progress))
        return Built(PairwiseEngine(data, rows, limits, progress))
    text = _memory_warning(chosen, data, limits, approximation)
    warnings = () if text is None else (text,)
    gain_engine: GainEngine
    if isinstance(data, InMemory) and ENGINES[chosen].exact and approximation.n_components is None:
        space, X = Space(data.kernel), data.rows()
        gain_engine = ExactPointEngine(data, space, space.points(X, data.threads), limits)
        return Built(gain_engine, warnings=warnings)
    random_state = check_random_state(seed)
    sample, weight = data.sample(approximation.subsample, random_state)
    feature_map = _map(data, approximation, sample, random_state)
    space = Space(data.kernel, feature_map, data.fill)
    if isinstance(data, InMemory) and ENGINES[chosen].exact:
        sample, weight = data.rows(), data.weights()
        phi = space.points(sample, data.threads)
        gain_engine = ExactPointEngine(data, space, phi, limits)
    else:
        phi = space.points(sample, data.threads)
        gain_engine = _binned(data, space, sample, phi, weight, limits, approximation, progress)
    if feature_map is None:
        return Built(gain_engine, warnings=warnings)
    residual = _residual(space, sample, phi, weight)
    if residual > RESIDUAL_LIMIT:
        text = residual_warning(residual, feature_map.n_components, data.kernel)
        warnings = (*warnings, text)
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


def rows_of_data(chosen: str, data: InMemory) -> KernelRows:
    """Kernel rows of the rows of positive weight."""
    if data.matrix is not None:
        return MatrixRows(data.matrix, str(data.kernel), keep=data.ids)
    return rows_of_kernel(chosen, data.kernel, data.kernel.seen(data.rows()), data.threads)


def rows_of_kernel(chosen: str, kernel: Kernel, X: np.ndarray, threads: int) -> KernelRows:
    """Kernel rows of X, from a matrix (``"gram"``) or computed when needed (``"blocks"``)."""
    settled = X - kernel.origin(X)
    # Data far from their origin have a rounding error relative to their norm, not their spread.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        ratio = np.linalg.norm(X) / np.linalg.norm(kernel.about_mean(X))
    rounding = float(np.finfo(np.float64).eps * ratio) if np.isfinite(ratio) else 0.0
    # With many points sums are faster than the kernel values of all pairs.
    if chosen == "gram" and not (kernel.has_features and len(X) > X.shape[1]):
        return MatrixRows(kernel.matrix(settled, threads), str(kernel), rounding)
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


def _binned(
    data: Dataset,
    space: Space,
    sample: np.ndarray,
    phi: np.ndarray,
    weight: np.ndarray | None,
    limits: Limits,
    approximation: Approximation,
    progress: Progress,
) -> BinnedEngine:
    """Build the binned engine; ``phi`` are the points of ``sample``."""
    plan = make_plan(
        space,
        sample,
        phi,
        weight,
        n_rows=data.n_counted,
        total_weight=data.total_weight if data.weighted else None,
        searched=data.features.searched,
        sources=data.features.sources,
        max_bins=approximation.max_bins,
        threads=data.threads,
    )
    to_come = space
    if space.fill is None:  # new rows may have missing values
        to_come = replace(space, fill=_means(sample, weight))
    return BinnedEngine(data.holder(plan), plan, to_come, limits, data.threads, progress)


def make_plan(
    space: Space,
    sample: np.ndarray,
    phi: np.ndarray,
    weight: np.ndarray | None,
    *,
    n_rows: int,
    total_weight: float | None,
    searched: SearchedColumns,
    sources: CategoryGroups | None,
    max_bins: int,
    threads: int,
) -> Plan:
    """Build the plan for partitions from a sample of the rows, its points and its weights."""
    if sources is not None:
        sources.check()
    bins = find_bins(searched.take(sample), weight, max_bins, threads)
    origin = rounded_origin(phi, weight)
    gap = np.zeros(len(origin))
    if space.is_identity and space.fill is not None:
        gap = space.fill - origin
    grid = Grid.guess(phi, weight, n_rows, total_weight, origin, gap)
    return Plan(bins, space, searched, sources, grid)


def _means(rows: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    return np.average(rows.astype(np.float64), axis=0, weights=weight)


def _residual(space: Space, rows: np.ndarray, phi: np.ndarray, weight: np.ndarray | None) -> float:
    """The fraction of the centred kernel of some rows that the map leaves out."""
    assert space.map is not None
    weights = np.ones(len(rows)) if weight is None else weight
    left_out = float(space.map.residuals(space.filled(rows), phi) @ weights)
    about = phi - _means(phi, weight)
    kept = float(np.einsum("i,ij,ij->", weights, about, about))
    return left_out / (left_out + kept) if left_out > 0 else 0.0
