"""Fit feature maps to a sample of the rows, so that a tree needs no pairwise kernel values.

:func:`fit_map` takes a basis from the sample by randomly pivoted Cholesky; fitted maps are in
:mod:`agathis._kernels.feature_map`. It accepts any positive kernel and stops at a small error, so
there is no choice of other maps (Nystroem, random Fourier features). At most ``ROWS_TO_FIT`` rows
of the sample are used, and never all pairs of them. The error of a map is a fraction of the centred
kernel, see :mod:`agathis._kernels.positive`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.utils.random import sample_without_replacement

from agathis._kernels.feature_map import FeatureMap
from agathis._kernels.kernel import Kernel, one_blas_thread
from agathis._kernels.names import traits
from agathis._kernels.positive import PivotedCholesky, PositiveKernel
from agathis._kernels.tuning import FACTOR_BYTES, ROWS_TO_FIT

# Maximum error of features in float32, relative to the norm of the largest row.
SINGLE = 1e-4


def fit_map(
    kernel: Kernel,
    sample: np.ndarray,
    n_components: int,
    *,
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
    # One thread is faster for the small products here.
    with one_blas_thread():
        max_rows = min(ROWS_TO_FIT, max(n_components, FACTOR_BYTES // (8 * n_components)))
        rows, origin = _settled(kernel, sample, max_rows, random_state)
        positive = PositiveKernel(kernel)
        basis, weights = _cholesky(positive, rows, n_components, tol, random_state)
        feature_map = FeatureMap(positive, origin, basis, weights)
        # scikit-learn computes kernels other than rbf in float64.
        return _single_if_safe(feature_map, rows) if positive.name == "rbf" else feature_map


def residual_warning(share: float, n_components: int, kernel: Kernel) -> str:
    """The warning if a map of ``n_components`` leaves out this fraction of the centred kernel."""
    gamma = "a smaller gamma, " if traits(kernel.metric).gamma else ""
    return (
        f"{n_components} components leave out {share:.0%} of {kernel}, so clusters may be worse. "
        f"Use a larger n_components, {gamma}or n_components=None for the exact kernel."
    )


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


def _settled(
    kernel: Kernel, sample: np.ndarray, max_rows: int, random_state: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """At most ``most`` rows of the sample relative to their origin, and the origin."""
    if len(sample) > max_rows:
        sample = sample[
            sample_without_replacement(len(sample), max_rows, random_state=random_state)
        ]
    rows = sample.astype(np.float64)
    origin = kernel.origin(rows)
    rows -= origin
    return rows, origin


def _single_if_safe(feature_map: FeatureMap, rows: np.ndarray) -> FeatureMap:
    """Allow float32 for float32 rows if a trial on some rows shows it is accurate enough."""
    single = replace(feature_map, single=True)
    with np.errstate(over="ignore", invalid="ignore"):
        trial = (rows[:512] + feature_map.origin).astype(np.float32)
        exact = feature_map(trial.astype(np.float64))
        apart = np.abs(single(trial) - exact).max()
    # The comparison is False for NaN, if float32 overflows.
    return single if apart <= SINGLE * np.linalg.norm(exact, axis=1).max() else feature_map
