"""Kernels and kernel matrices as they are given: what is accepted, and what is said otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_array

from agathis._checks.engines import AUTO, engines, one_of
from agathis._checks.naming import naming
from agathis._core.pairs.matrix import inspect
from agathis._kernels.kernel import Kernel, rows_at_once
from agathis._kernels.spec import KernelSpec

# How far a kernel matrix may be from its transpose, relative to its largest value.
SYMMETRY = {"float64": 1e-8, "float32": 1e-4}


def kernel_of(estimator: BaseEstimator, columns: np.ndarray | None = None) -> Kernel:
    """The kernel that an estimator's parameters name, of some columns of X; ``None`` is all.

    It is the linear one for an estimator without such parameters.
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
    """The kernel of an estimator, and its matrix where the user gave that.

    ``columns`` are those of X that a kernel sees that is computed; all by default.
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
    """What to say where no kernel matrix is given."""
    name, shape = type(estimator).__name__, f"({len(X)}, {len(X)})"
    line = f"{name}(kernel='precomputed').fit(X, gram=K)"
    if X.shape[0] == X.shape[1] and np.allclose(X, X.T):
        return (
            f"kernel='precomputed' got a square matrix of shape {shape} in place of the rows. "
            f"Rules are about columns, so give both, the rows as X and the matrix as gram: {line}"
        )
    return (
        "kernel='precomputed' needs the kernel matrix by its name, gram=K, with K of shape "
        f"{shape}: {line}"
    )


def check_no_gram(kernel: Kernel, **given: ArrayLike | None) -> None:
    """Raise where values of a kernel are given that is computed."""
    names = [name for name, value in given.items() if value is not None]
    if names:
        raise ValueError(
            f"{' and '.join(names)} {'goes' if len(names) == 1 else 'go'} with "
            f"kernel='precomputed'; {kernel} is computed from X."
        )


def check_domain(kernel: Kernel, X: np.ndarray) -> None:
    """Raise where the kernel is not defined on X, or a callable is seen not to be symmetric."""
    X = kernel.seen(X)
    if callable(kernel.metric):
        some = X[:16][~np.isnan(X[:16]).any(axis=1)]
        values = kernel.between(some, some)
        if not np.allclose(values, values.T, rtol=SYMMETRY["float64"], atol=0.0, equal_nan=True):
            i, j = np.argwhere(~np.isclose(values, values.T, rtol=SYMMETRY["float64"], atol=0.0))[0]
            raise ValueError(
                f"kernel must be symmetric; for rows {i} and {j} of X it gives "
                f"{values[i, j]:.6g}, the other way round {values[j, i]:.6g}."
            )
    if kernel.needs_non_negative and X.size and (least := np.fmin.reduce(X, axis=None)) < 0:
        raise ValueError(
            f"Negative values in data: kernel={kernel.metric!r} needs non-negative X; the "
            f"smallest value of X is {least:.6g}."
        )


def check_engine(engine: str, kernel: Kernel, n_components: int | None) -> None:
    """Raise where engine, kernel and feature map do not go together."""
    if kernel.metric == "precomputed":
        able = (*engines(takes_matrix=True), AUTO)
        if engine not in able:
            raise ValueError(
                f"engine={engine!r} computes the kernel from X, and kernel='precomputed' gives "
                f"it: use engine={one_of(able)}."
            )
        if n_components is not None:
            raise ValueError(
                f"n_components={n_components} maps the rows of X, and kernel='precomputed' gives "
                "the kernel without them: use n_components=None."
            )
    elif engine in engines(needs_points=False) and n_components is not None:
        raise ValueError(
            f"n_components={n_components} makes features, and engine={engine!r} has no use for "
            f"them: use engine={one_of((*engines(needs_points=True), AUTO))}, or n_components=None."
        )
    elif engine in engines(needs_points=True) and n_components is None and not kernel.has_features:
        raise ValueError(
            f"engine={engine!r} needs features, and {kernel} has none of its own: give "
            "n_components (for example 256) for a feature map, or use "
            f"engine={one_of((*engines(needs_points=False), AUTO))} (which take no missing values)."
        )


def check_gram(gram: ArrayLike, n_samples: int, threads: int, name: str = "gram") -> np.ndarray:
    """A finite symmetric matrix for ``kernel="precomputed"``; ``name`` is the argument's."""
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
            f"{name} must be square with a row for each row of X, ({n_samples}, {n_samples}); "
            f"it has shape {matrix.shape}."
        )
    if matrix.flags.f_contiguous and not matrix.flags.c_contiguous:
        matrix = matrix.T  # of a symmetric matrix the same values, in C order
    if matrix.dtype == np.float64 and matrix.flags.c_contiguous:
        largest, apart, finite = inspect(matrix, threads)
    else:
        largest, apart, finite = _inspect_in_blocks(matrix)
    if not finite:
        raise ValueError(f"{name} contains NaN or infinity; every kernel value must be finite.")
    if apart > SYMMETRY[matrix.dtype.name] * largest:
        i, j = _where_asymmetric(matrix)
        raise ValueError(
            f"{name} must be symmetric; {name}[{i}, {j}] = {matrix[i, j]:.6g} but "
            f"{name}[{j}, {i}] = {matrix[j, i]:.6g}."
        )
    return matrix


def check_cross_gram(
    gram: ArrayLike | None, diagonal: ArrayLike | None, n_samples: int, n_train: int
) -> tuple[np.ndarray, np.ndarray]:
    """Kernel values of rows with the training rows, and with themselves."""
    if gram is None or diagonal is None:
        raise ValueError(
            "kernel='precomputed' needs transform(X, gram=K, gram_diagonal=k): K the kernel "
            "of X with the training rows, k that of each row of X with itself."
        )
    with naming("gram"):
        cross = check_array(gram, dtype=np.float64, input_name="gram")
    with naming("gram_diagonal"):
        own = check_array(diagonal, dtype=np.float64, ensure_2d=False, input_name="gram_diagonal")
    if cross.shape != (n_samples, n_train) or own.shape != (n_samples,):
        raise ValueError(
            f"gram must have shape ({n_samples}, {n_train}) and gram_diagonal ({n_samples},); "
            f"they have {cross.shape} and {own.shape}."
        )
    return cross, own


def check_gram_to_train(
    gram: ArrayLike | None, name: str, n_samples: int, n_train: int
) -> np.ndarray:
    """Kernel values of rows with the training rows."""
    if gram is None:
        raise ValueError(
            f"kernel='precomputed' needs {name}=K, the kernel of X with the training rows, of "
            f"shape ({n_samples}, {n_train})."
        )
    with naming(name):
        cross = check_array(gram, dtype=np.float64, input_name=name)
    if cross.shape != (n_samples, n_train):
        raise ValueError(
            f"{name} must have shape ({n_samples}, {n_train}), a column for each training row; it "
            f"has {cross.shape}."
        )
    return cross


def _mirrored_blocks(matrix: np.ndarray) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
    """Rows of a square matrix with the columns of the same number, some at a time."""
    for rows in gen_batches(len(matrix), rows_at_once(len(matrix), 1)):
        yield rows, matrix[rows].astype(np.float64), matrix[:, rows].T.astype(np.float64)


def _inspect_in_blocks(matrix: np.ndarray) -> tuple[float, float, bool]:
    """What ``inspect`` says, of a matrix in any layout."""
    largest = apart = 0.0
    for _, rows, columns in _mirrored_blocks(matrix):
        if not np.isfinite(rows).all():
            return np.nan, np.nan, False
        largest = max(largest, float(np.abs(rows).max()))
        apart = max(apart, float(np.nan_to_num(np.abs(rows - columns)).max()))
    return largest, apart, True


def _where_asymmetric(matrix: np.ndarray) -> tuple[int, int]:
    worst = (0.0, 0, 0)
    for part, rows, columns in _mirrored_blocks(matrix):
        apart = np.abs(rows - columns)
        i, j = np.unravel_index(np.argmax(apart), apart.shape)
        worst = max(worst, (float(apart[i, j]), part.start + int(i), int(j)))
    return worst[1:]
