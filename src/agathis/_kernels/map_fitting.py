"""Feature maps, found from a sample of the rows: with features a tree needs no pairs of rows.

:func:`fit_map` takes a basis from the sample, by randomly pivoted Cholesky or by landmarks
(Nystroem), or one of scikit-learn's samplers; what comes back is in
:mod:`agathis._kernels.feature_maps`. Of a sample of
any size only some rows are looked at, drawn without return, and never all pairs of them.
:func:`components_needed` and :func:`residual_warning` are for maps that leave out much: what is
left out is counted as a share of the centred kernel, see
:mod:`agathis._kernels.positive`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
    mapped,
)
from agathis._kernels.kernel import Kernel, one_blas_thread
from agathis._kernels.names import traits
from agathis._kernels.positive import NotPositiveError, PivotedCholesky, PositiveKernel

__all__ = [
    "FEATURE_MAPS",
    "MAP_TOL",
    "RESIDUAL_LIMIT",
    "FeatureMap",
    "components_needed",
    "fit_map",
    "mapped",
    "residual_warning",
]

# The share of the centred kernel that may be left out without a warning.
RESIDUAL_LIMIT = 0.1

# Rows of the sample that are looked at, and the most bytes of their Cholesky factor.
ROWS_TO_FIT = 20_000
ROWS_TO_TRY = 2_000
FACTOR_BYTES = 2**29
#: The share of the (centred) kernel below which ``"cholesky"`` adds no more components to the map
#: of a fit.
MAP_TOL = 1e-3
# Of the largest eigenvalue of the kernel on landmarks, what may be rounding.
EIGENVALUE = 1e-12
# How far features in float32 may be from those in float64, in units of the largest row.
SINGLE = 1e-4

# Intervals of the additive chi2 sampler by its steps. With scikit-learn's own (0.8, 0.5, 0.4) the
# error of the centred kernel was larger on all of ten kinds of data, up to six times.
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
    """Find a feature map of a kernel from a sample of the rows.

    Parameters
    ----------
    kernel : Kernel
    sample : ndarray of shape (n_rows, n_features)
        Finite, of float32 or float64; at most ``ROWS_TO_FIT`` of its rows are looked at.
    n_components : int
        The most features; there are fewer where they suffice.
    method : {"cholesky", "nystroem", "sampler"}
        A basis by randomly pivoted Cholesky; landmarks by k-means++; or scikit-learn's sampler
        for the rbf or the additive chi2 kernel.
    tol : float
        With ``"cholesky"``, the share of the sample's centred kernel that may be left out.
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
    if method not in FEATURE_MAPS:
        raise ValueError(f"feature_map={method!r} is none of {_listed(FEATURE_MAPS)}.")
    wanted = _Wanted(kernel, sample, n_components, tol, random_state)
    # One thread: products are small here, and threads would mostly wait for one another.
    with one_blas_thread():
        return FEATURE_MAPS[method](wanted)


def components_needed(
    kernel: Kernel, sample: np.ndarray, share: float, random_state: np.random.RandomState
) -> tuple[int, bool]:
    """How many components leave out at most ``share`` of the centred kernel.

    Tried with ``"cholesky"`` on at most ``ROWS_TO_TRY`` rows of the sample. What is left out is
    measured on the rows that are not in the basis, which are half of them or more.

    Returns
    -------
    n_components : int
        So many are enough, or were tried in vain.
    reached : bool
    """
    rows, _ = _settled(kernel, sample, ROWS_TO_TRY, random_state)
    most = max(1, len(rows) // 2)
    factor = PivotedCholesky(PositiveKernel(kernel), rows, most, random_state)
    with one_blas_thread():
        try:
            while factor.share_elsewhere > share and factor.extend():
                pass
            reached = factor.share_elsewhere <= share
        except NotPositiveError:  # seen only now that there are more components than in the map
            reached = False
    return max(1, len(factor.pivots)), reached


def residual_warning(
    share: float, n_components: int, needed: int, reached: bool, kernel: Kernel
) -> str:
    """What to say where a map leaves out much: how much, and what would help.

    Parameters
    ----------
    share : float
        The share of the centred kernel that is left out.
    n_components : int
        Components of the map.
    needed, reached : int, bool
        What :func:`components_needed` says for ``RESIDUAL_LIMIT``.
    kernel : Kernel

    Examples
    --------
    >>> from agathis._kernels.kernel import Kernel
    >>> print(residual_warning(0.34, 256, 700, True, Kernel("rbf")))
    256 components leave out 34% of kernel='rbf'. About 700 would leave out no more than 10%.
    """
    found = f"{n_components} components leave out {share:.0%} of {kernel}."
    limit = f"{RESIDUAL_LIMIT:.0%}"
    if reached:
        # Landmarks may be chosen so badly that fewer pivots do better.
        of = "" if needed > n_components else " of feature_map='cholesky'"
        return f"{found} About {needed}{of} would leave out no more than {limit}."
    more = f"Even {needed} would" if needed > n_components else "More of them"
    gamma = "a smaller gamma or " if traits(kernel.metric).gamma else ""
    return f"{found} {more} leave out more than {limit}: take {gamma}n_components=None."


class _Wanted(NamedTuple):
    """What a map is found from; see :func:`fit_map`."""

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
    # Other kernels than rbf come from scikit-learn, in float64.
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
    if not factor.pivots:  # a kernel that is zero
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

    The inner products are those of scikit-learn's ``Nystroem``. That one has as many features as
    landmarks even where the rank of the kernel is lower, does not tell whether eigenvalues are
    negative, and lifts those below 1e-12 to that, however small the kernel is.
    """
    # Few fits need it, and it takes a while to import.
    from sklearn.cluster import kmeans_plusplus

    size = min(n_components, len(rows))
    chosen = kmeans_plusplus(rows, size, random_state=random_state)[1]
    basis = np.unique(rows[chosen], axis=0)
    matrix, diagonal = kernel.between(basis, basis), kernel.diagonal(basis)
    kernel.check_finite(matrix)
    kernel.check_sign(diagonal.min(), diagonal.max())
    # Landmarks of length one: else the longest hide the others.
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
                f"which takes at least one for each feature of X: {n_features}."
            )
        # It has (2 steps - 1) features for each of X.
        steps = min(3, (n_components // n_features + 1) // 2)
        sampler = AdditiveChi2Sampler(sample_steps=steps, sample_interval=_INTERVALS[steps])
        sampler.fit(sample[:1])
        return AdditiveChi2Map(sampler, (2 * steps - 1) * n_features)
    raise ValueError(
        "feature_map='sampler' goes with kernel='rbf' and kernel='additive_chi2', not with "
        f"{kernel}; feature_map='cholesky' and feature_map='nystroem' take any positive kernel."
    )


def _settled(
    kernel: Kernel, sample: np.ndarray, most: int, random_state: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """At most so many rows of the sample, about their origin; and the origin."""
    if len(sample) > most:
        sample = sample[sample_without_replacement(len(sample), most, random_state=random_state)]
    rows = sample.astype(np.float64)
    origin = kernel.origin(rows)
    rows -= origin
    return rows, origin


def _single_if_safe(feature_map: Single, rows: np.ndarray) -> Single:
    """The map in float32 for rows of float32, where a trial on some rows tells no difference."""
    single = replace(feature_map, single=True)
    with np.errstate(over="ignore", invalid="ignore"):
        trial = (rows[:512] + feature_map.origin).astype(np.float32)
        exact = feature_map(trial.astype(np.float64))
        apart = np.abs(single(trial) - exact).max()
    # Not so either where float32 overflows: a NaN is less than nothing.
    return single if apart <= SINGLE * np.linalg.norm(exact, axis=1).max() else feature_map


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))


#: How a map is found, by the names of ``feature_map``.
FEATURE_MAPS: dict[str, Callable[[_Wanted], FeatureMap]] = {
    "cholesky": _cholesky_map,
    "nystroem": _nystroem_map,
    "sampler": _sampler_map,
}
