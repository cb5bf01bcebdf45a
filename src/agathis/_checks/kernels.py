"""Validation of kernels and kernel matrices."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_array

from agathis._checks.engines import AUTO, engines, one_of
from agathis._checks.naming import naming
from agathis._core.pairwise.matrix import inspect
from agathis._kernels.kernel import Kernel, rows_at_once
from agathis._kernels.spec import KernelSpec

# Maximum difference of a kernel matrix and its transpose, relative to its largest value.
SYMMETRY = {"float64": 1e-8, "float32": 1e-4}


def kernel_of(estimator: BaseEstimator, columns: np.ndarray | None = None) -> Kernel:
    """The kernel of an estimator's parameters, on some columns of X (None for all).

    Estimators without such parameters have the linear kernel.
    """
    names = [one.name for one in fields(KernelSpec) if hasattr(estimator, one.name)]
    return KernelSpec(**{name: getattr(estimator, name) for name in names}).resolve(columns)


def kernel_and_matrix(
    estimator: BaseEstimator,
    X: np.ndarray,
    gram: ArrayLike | None,
    threads: int,
    columns: np.ndarray | None = None,
) -> tuple[Kernel, np.ndarray | None]:
    """The kernel of an estimator, and the kernel matrix if given.

    ``columns`` of X are those that a computed kernel uses; all by default.
    """
    kernel = kernel_of(estimator, columns)
    if kernel.metric == "precomputed":
        if gram is None:
            raise ValueError(_matrix_missing(estimator, X))
        return kernel, check_gram(gram, len(X), threads)
    check_no_gram(kernel, gram=gram)
    check_domain(kernel, X)
    return kernel, None


def _matrix_missing(estimator: BaseEstimator, X: np.ndarray) -> str:
    """The message if no kernel matrix is given."""
    name, shape = type(estimator).__name__, f"({len(X)}, {len(X)})"
    line = f"{name}(kernel='precomputed').fit(X, gram=K)"
    if X.shape[0] == X.shape[1] and np.allclose(X, X.T):
        return (
            f"kernel='precomputed' got a square matrix of shape {shape} in place of the rows. "
            f"Rules are about columns, so pass both, the rows as X and the matrix as gram: {line}"
        )
    return (
        f"kernel='precomputed' needs the kernel matrix as keyword, gram=K, of shape {shape}: {line}"
    )


def check_no_gram(kernel: Kernel, **given: ArrayLike | None) -> None:
    """Raise if kernel values are given for a kernel that is computed."""
    names = [name for name, value in given.items() if value is not None]
    if names:
        raise ValueError(
            f"{' and '.join(names)} can only be used with kernel='precomputed'; {kernel} is "
            "computed from X."
        )


def check_domain(kernel: Kernel, X: np.ndarray) -> None:
    """Raise if X is outside the domain of the kernel, or a callable is not symmetric."""
    X = kernel.seen(X)
    if callable(kernel.metric):
        first_rows = X[:16][~np.isnan(X[:16]).any(axis=1)]
        values = kernel.between(first_rows, first_rows)
        if not np.allclose(values, values.T, rtol=SYMMETRY["float64"], atol=0.0, equal_nan=True):
            i, j = np.argwhere(~np.isclose(values, values.T, rtol=SYMMETRY["float64"], atol=0.0))[0]
            raise ValueError(
                f"kernel must be symmetric; for rows {i} and {j} of X it returns "
                f"{values[i, j]:.6g}, with swapped arguments {values[j, i]:.6g}."
            )
    if kernel.needs_non_negative and X.size and (smallest := np.fmin.reduce(X, axis=None)) < 0:
        raise ValueError(
            f"Negative values in data: kernel={kernel.metric!r} needs non-negative X; the "
            f"minimum of X is {smallest:.6g}."
        )


def check_engine(engine: str, kernel: Kernel, n_components: int | None) -> None:
    """Raise if engine, kernel and feature map are incompatible."""
    if kernel.metric == "precomputed":
        able = (*engines(takes_matrix=True), AUTO)
        if engine not in able:
            raise ValueError(
                f"engine={engine!r} computes the kernel from X, which kernel='precomputed' does "
                f"not allow: use engine={one_of(able)}."
            )
        if n_components is not None:
            raise ValueError(
                f"n_components={n_components} approximates a kernel of the rows of X, and is not "
                "possible with kernel='precomputed': use n_components=None."
            )
    elif engine in engines(needs_points=False) and n_components is not None:
        raise ValueError(
            f"n_components={n_components} is a feature map, which engine={engine!r} does not "
            f"use: use engine={one_of((*engines(needs_points=True), AUTO))}, or n_components=None."
        )
    elif engine in engines(needs_points=True) and n_components is None and not kernel.has_features:
        raise ValueError(
            f"engine={engine!r} needs a feature map for {kernel}: set n_components (for example "
            f"256), or use engine={one_of((*engines(needs_points=False), AUTO))} (without missing "
            "values)."
        )


def check_gram(gram: ArrayLike, n_samples: int, threads: int, name: str = "gram") -> np.ndarray:
    """Validate a finite symmetric matrix for ``kernel="precomputed"``."""
    with naming(name):
        matrix = check_array(
            gram,
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
            ensure_min_samples=0,
            ensure_min_features=0,
            input_name=name,
        )
    if matrix.shape != (n_samples, n_samples):
        raise ValueError(
            f"{name} must be square with one row per row of X, ({n_samples}, {n_samples}); it has "
            f"shape {matrix.shape}."
        )
    if matrix.flags.f_contiguous and not matrix.flags.c_contiguous:
        matrix = matrix.T  # equal, as it is symmetric, and in C order
    if matrix.dtype == np.float64 and matrix.flags.c_contiguous:
        largest, apart, finite = inspect(matrix, threads)
    else:
        largest, apart, finite = _inspect_in_blocks(matrix)
    if not finite:
        raise ValueError(f"{name} contains NaN or infinity; every kernel value must be finite.")
    if apart > SYMMETRY[matrix.dtype.name] * largest:
        raise ValueError(
            f"{name} must be symmetric; it differs from its transpose by up to {apart:.6g}."
        )
    return matrix


def check_cross_gram(
    gram: ArrayLike | None, diagonal: ArrayLike | None, n_samples: int, n_train: int
) -> tuple[np.ndarray, np.ndarray]:
    """Validate kernel values of rows with the training rows and with themselves."""
    if gram is None or diagonal is None:
        raise ValueError(
            "kernel='precomputed' needs transform(X, gram=K, gram_diagonal=k): K the kernel "
            "of X with the training rows, k that of each row of X with itself."
        )
    with naming("gram_diagonal"):
        self_values = check_array(
            diagonal, dtype=np.float64, ensure_2d=False, input_name="gram_diagonal"
        )
    if self_values.shape != (n_samples,):
        raise ValueError(
            f"gram_diagonal must have shape ({n_samples},); it has {self_values.shape}."
        )
    return check_gram_to_train(gram, "gram", n_samples, n_train), self_values


def check_gram_to_train(
    gram: ArrayLike | None, name: str, n_samples: int, n_train: int
) -> np.ndarray:
    """Validate kernel values of rows with the training rows."""
    if gram is None:
        raise ValueError(
            f"kernel='precomputed' needs {name}=K, the kernel of X with the training rows, of "
            f"shape ({n_samples}, {n_train})."
        )
    with naming(name):
        cross = check_array(gram, dtype=np.float64, input_name=name)
    if cross.shape != (n_samples, n_train):
        raise ValueError(
            f"{name} must have shape ({n_samples}, {n_train}), one column per training row; it "
            f"has {cross.shape}."
        )
    return cross


def _inspect_in_blocks(matrix: np.ndarray) -> tuple[float, float, bool]:
    """The same as ``inspect``, for a matrix of any dtype and layout."""
    largest = apart = 0.0
    for part in gen_batches(len(matrix), rows_at_once(len(matrix), 1)):
        rows = matrix[part].astype(np.float64)
        if not np.isfinite(rows).all():
            return np.nan, np.nan, False
        largest = max(largest, float(np.abs(rows).max()))
        apart = max(apart, float(np.nan_to_num(np.abs(rows - matrix[:, part].T)).max()))
    return largest, apart, True
