"""Feature maps, found from a sample of the rows: with features a tree needs no pairs of rows.

:func:`fit_map` takes a basis from the sample by randomly pivoted Cholesky; what comes back is in
:mod:`agathis._kernels.feature_maps`. It takes any positive kernel, and stops where it leaves out
little, so that there is no choice of other maps (Nystroem with landmarks, random Fourier features).
Of a sample of any size only some rows are looked at, drawn without return, and never all pairs of
them.
:func:`components_needed` and :func:`residual_warning` are for maps that leave out much: what is
left out is counted as a share of the centred kernel, see
:mod:`agathis._kernels.positive`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.utils.random import sample_without_replacement

from agathis._kernels.feature_maps import FeatureMap, mapped
from agathis._kernels.kernel import Kernel, one_blas_thread
from agathis._kernels.names import traits
from agathis._kernels.positive import NotPositiveError, PivotedCholesky, PositiveKernel
from agathis._kernels.tuning import FACTOR_BYTES, RESIDUAL_LIMIT, ROWS_TO_FIT, ROWS_TO_TRY

__all__ = [
    "FeatureMap",
    "components_needed",
    "fit_map",
    "mapped",
    "residual_warning",
]


# How far features in float32 may be from those in float64, in units of the largest row.
SINGLE = 1e-4


def fit_map(
    kernel: Kernel,
    sample: np.ndarray,
    n_components: int,
    *,
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
    tol : float
        The fraction of the sample's centred kernel that may be left out.
    random_state : RandomState

    Examples
    --------
    >>> import numpy as np
    >>> from agathis._kernels.kernel import Kernel
    >>> X = np.random.RandomState(0).normal(size=(1000, 2))
    >>> kernel = Kernel("rbf", {"gamma": 0.5})
    >>> phi = fit_map(kernel, X, 100, tol=0.01, random_state=np.random.RandomState(0))
    >>> phi.n_components < 40
    True
    >>> bool(phi.residuals(X, phi(X)).mean() < 0.01)
    True
    """
    # One thread: products are small here, and threads would mostly wait for one another.
    with one_blas_thread():
        most = min(ROWS_TO_FIT, max(n_components, FACTOR_BYTES // (8 * n_components)))
        rows, origin = _settled(kernel, sample, most, random_state)
        positive = PositiveKernel(kernel)
        basis, weights = _cholesky(positive, rows, n_components, tol, random_state)
        found = FeatureMap(positive, origin, basis, weights)
        # Other kernels than rbf come from scikit-learn, in float64.
        return _single_if_safe(found, rows) if positive.name == "rbf" else found


def components_needed(
    kernel: Kernel, sample: np.ndarray, share: float, random_state: np.random.RandomState
) -> tuple[int, bool]:
    """How many components leave out at most ``share`` of the centred kernel.

    Tried on at most ``ROWS_TO_TRY`` rows of the sample. What is left out is
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
        return f"{found} About {needed} would leave out no more than {limit}."
    more = f"Even {needed} would" if needed > n_components else "More of them"
    gamma = "a smaller gamma or " if traits(kernel.metric).gamma else ""
    return f"{found} {more} leave out more than {limit}: take {gamma}n_components=None."


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


def _single_if_safe(feature_map: FeatureMap, rows: np.ndarray) -> FeatureMap:
    """The map in float32 for rows of float32, where a trial on some rows tells no difference."""
    single = replace(feature_map, single=True)
    with np.errstate(over="ignore", invalid="ignore"):
        trial = (rows[:512] + feature_map.origin).astype(np.float32)
        exact = feature_map(trial.astype(np.float64))
        apart = np.abs(single(trial) - exact).max()
    # Not so either where float32 overflows: a NaN is less than nothing.
    return single if apart <= SINGLE * np.linalg.norm(exact, axis=1).max() else feature_map
