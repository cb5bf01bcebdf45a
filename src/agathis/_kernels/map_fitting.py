"""Fit feature maps to a sample of the rows, so that a tree needs no pairwise kernel values.

:func:`fit_map` takes a basis from the sample, by randomly pivoted Cholesky or by landmarks
(Nystroem), or one of scikit-learn's samplers; the fitted maps are in
:mod:`agathis._kernels.feature_maps`. At most ``ROWS_TO_FIT`` rows of the sample are used, and never
all pairs of them. The error of a map is a fraction of the centred kernel, see
:mod:`agathis._kernels.positive`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.kernel_approximation import AdditiveChi2Sampler, RBFSampler
from sklearn.utils.random import sample_without_replacement

from agathis._kernels.feature_maps import (
    AdditiveChi2Map,
    FeatureMap,
    FourierMap,
    ProjectionMap,
)
from agathis._kernels.kernel import Kernel, one_blas_thread
from agathis._kernels.names import traits
from agathis._kernels.positive import PivotedCholesky, PositiveKernel

# The fraction of the centred kernel that a map may leave out without a warning.
RESIDUAL_LIMIT = 0.1

# Maximum number of sampled rows for a basis and for a sampler, and bytes of the Cholesky factor.
ROWS_TO_FIT = 20_000
ROWS_TO_TRY = 2_000
FACTOR_BYTES = 2**29
#: The fraction of the centred kernel below which ``"cholesky"`` adds no more components.
MAP_TOL = 1e-3
# Eigenvalues of the kernel on landmarks below this, relative to the largest, are rounding.
EIGENVALUE = 1e-12
# Maximum error of features in float32, relative to the norm of the largest row.
SINGLE = 1e-4

# Intervals of the additive chi2 sampler by its steps. scikit-learn's defaults (0.8, 0.5, 0.4) gave
# a larger error of the centred kernel on all of ten kinds of data, up to six times.
_INTERVALS = {1: 1.0, 2: 0.8, 3: 0.65}

Single = TypeVar("Single", ProjectionMap, FourierMap)


def fit_map(
    kernel: Kernel,
    sample: np.ndarray,
    n_components: int,
    *,
    method: str,
    tol: float,
    random_state: np.random.RandomState,
) -> FeatureMap:
    """Fit a feature map of a kernel to a sample of the rows.

    Parameters
    ----------
    kernel : Kernel
    sample : ndarray of shape (n_rows, n_features)
        Finite, of float32 or float64; at most ``ROWS_TO_FIT`` of its rows are used.
    n_components : int
        The maximum number of features; fewer are used if they suffice.
    method : {"cholesky", "nystroem", "sampler"}
        A basis by randomly pivoted Cholesky; landmarks by k-means++; or scikit-learn's sampler
        for the rbf or the additive chi2 kernel.
    tol : float
        With "cholesky", the fraction of the sample's centred kernel that may be left out.
    random_state : RandomState

    Examples
    --------
    >>> import numpy as np
    >>> from agathis._kernels.kernel import Kernel
    >>> X = np.random.RandomState(0).normal(size=(1000, 2))
    >>> kernel = Kernel("rbf", {"gamma": 0.5})
    >>> phi = fit_map(kernel, X, 100, method="cholesky", tol=0.01,
    ...               random_state=np.random.RandomState(0))
    >>> phi.n_components < 40
    True
    >>> bool(phi.residuals(X, phi(X)).mean() < 0.01)
    True
    """
    wanted = _Wanted(kernel, sample, n_components, tol, random_state)
    # One thread is faster for the small products here.
    with one_blas_thread():
        return FEATURE_MAPS[method](wanted)


def residual_warning(share: float, n_components: int, kernel: Kernel) -> str:
    """The warning if a map of ``n_components`` leaves out this fraction of the centred kernel."""
    gamma = "a smaller gamma, " if traits(kernel.metric).gamma else ""
    return (
        f"{n_components} components leave out {share:.0%} of {kernel}, so clusters may be worse. "
        f"Use a larger n_components, {gamma}or n_components=None for the exact kernel."
    )


class _Wanted(NamedTuple):
    """The arguments of a fit; see :func:`fit_map`."""

    kernel: Kernel
    sample: np.ndarray
    n_components: int
    tol: float
    random_state: np.random.RandomState


def _cholesky_map(wanted: _Wanted) -> ProjectionMap:
    n, random = wanted.n_components, wanted.random_state
    most = min(ROWS_TO_FIT, max(n, FACTOR_BYTES // (8 * n)))
    rows, origin = _settled(wanted.kernel, wanted.sample, most, random)
    kernel = PositiveKernel(wanted.kernel)
    basis, weights = _cholesky(kernel, rows, n, wanted.tol, random)
    return _projection(ProjectionMap("cholesky", kernel, origin, basis, weights, True), rows)


def _nystroem_map(wanted: _Wanted) -> ProjectionMap:
    rows, origin = _settled(wanted.kernel, wanted.sample, ROWS_TO_FIT, wanted.random_state)
    kernel = PositiveKernel(wanted.kernel)
    basis, weights = _nystroem(kernel, rows, wanted.n_components, wanted.random_state)
    return _projection(ProjectionMap("nystroem", kernel, origin, basis, weights, False), rows)


def _projection(projection: ProjectionMap, rows: np.ndarray) -> ProjectionMap:
    # scikit-learn computes kernels other than rbf in float64.
    return _single_if_safe(projection, rows) if projection.kernel.name == "rbf" else projection


def _cholesky(
    kernel: PositiveKernel,
    rows: np.ndarray,
    n_components: int,
    tol: float,
    random_state: np.random.RandomState,
) -> tuple[np.ndarray, np.ndarray]:
    """Pivots, and the transposed inverse of the Cholesky factor of their kernel."""
    factor = PivotedCholesky(kernel, rows, n_components, random_state)
    while factor.extend() and factor.share > tol:
        pass
    if not factor.pivots:  # the kernel is zero
        return rows[:1], np.zeros((1, 1))
    identity = np.eye(len(factor.pivots))
    inverse = solve_triangular(factor.triangle, identity, lower=True, check_finite=False)
    return rows[factor.pivots], np.ascontiguousarray(inverse.T)


def _nystroem(
    kernel: PositiveKernel,
    rows: np.ndarray,
    n_components: int,
    random_state: np.random.RandomState,
) -> tuple[np.ndarray, np.ndarray]:
    """Landmarks, and a root of the inverse of their kernel, by eigenvectors.

    The inner products equal those of scikit-learn's ``Nystroem``, which keeps components beyond the
    rank of the kernel, does not detect negative eigenvalues, and has an absolute bound of 1e-12.
    """
    # Slow to import, and rarely used.
    from sklearn.cluster import kmeans_plusplus

    size = min(n_components, len(rows))
    chosen = kmeans_plusplus(rows, size, random_state=random_state)[1]
    basis = np.unique(rows[chosen], axis=0)
    matrix, diagonal = kernel.between(basis, basis), kernel.diagonal(basis)
    kernel.check_finite(matrix)
    kernel.check_sign(diagonal.min(), diagonal.max())
    # Normalise landmarks, so that long ones do not dominate.
    own = diagonal > 0
    scale = np.where(own, diagonal, 1.0) ** -0.5 * own
    matrix *= np.outer(scale, scale)
    np.fill_diagonal(matrix, own)
    values, vectors = np.linalg.eigh(matrix)
    kernel.check_sign(values[0], values[-1])
    rounding = kernel.rounding(basis) @ (np.abs(matrix) - np.diag(own))
    kept = values > max(EIGENVALUE * values[-1], rounding.max())
    if not kept.any():
        return basis[:1], np.zeros((1, 1))
    return basis, scale[:, None] * vectors[:, kept] / np.sqrt(values[kept])


def _sampler_map(wanted: _Wanted) -> FeatureMap:
    kernel, sample, n_components = wanted.kernel, wanted.sample, wanted.n_components
    random_state = wanted.random_state
    n_features = sample.shape[1]
    if kernel.metric == "rbf":
        rows, origin = _settled(kernel, sample, ROWS_TO_TRY, random_state)
        gamma = kernel.gamma(n_features)
        drawn = RBFSampler(gamma=gamma, n_components=n_components, random_state=random_state)
        drawn.fit(rows)
        fourier = FourierMap(drawn.random_weights_, drawn.random_offset_, origin)
        return _single_if_safe(fourier, rows)
    if kernel.metric == "additive_chi2":
        if n_components < n_features:
            raise ValueError(
                f"n_components={n_components} is too few for feature_map='sampler' with {kernel}, "
                f"which needs at least one for each feature of X: {n_features}."
            )
        # It has (2 steps - 1) features for each of X.
        steps = min(3, (n_components // n_features + 1) // 2)
        sampler = AdditiveChi2Sampler(sample_steps=steps, sample_interval=_INTERVALS[steps])
        sampler.fit(sample[:1])
        return AdditiveChi2Map(sampler, (2 * steps - 1) * n_features)
    raise ValueError(
        f"feature_map='sampler' supports kernel='rbf' and kernel='additive_chi2', not {kernel}; "
        "use feature_map='cholesky' or feature_map='nystroem' for other positive kernels."
    )


def _settled(
    kernel: Kernel, sample: np.ndarray, most: int, random_state: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """At most ``most`` rows of the sample relative to their origin, and the origin."""
    if len(sample) > most:
        sample = sample[sample_without_replacement(len(sample), most, random_state=random_state)]
    rows = sample.astype(np.float64)
    origin = kernel.origin(rows)
    rows -= origin
    return rows, origin


def _single_if_safe(feature_map: Single, rows: np.ndarray) -> Single:
    """Allow float32 for float32 rows if a trial on some rows shows it is accurate enough."""
    single = replace(feature_map, single=True)
    with np.errstate(over="ignore", invalid="ignore"):
        trial = (rows[:512] + feature_map.origin).astype(np.float32)
        exact = feature_map(trial.astype(np.float64))
        apart = np.abs(single(trial) - exact).max()
    # The comparison is False for NaN, if float32 overflows.
    return single if apart <= SINGLE * np.linalg.norm(exact, axis=1).max() else feature_map


#: Registry of the methods that fit a map, by the names of ``feature_map``.
FEATURE_MAPS: dict[str, Callable[[_Wanted], FeatureMap]] = {
    "cholesky": _cholesky_map,
    "nystroem": _nystroem_map,
    "sampler": _sampler_map,
}
