"""Validation of data and parameters.

Only this module and :mod:`agathis._checks.parameters` use private helpers of scikit-learn.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import cache
from numbers import Integral
from types import FrameType
from typing import Any, TypeVar

import numpy as np
from joblib import cpu_count, effective_n_jobs
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import assert_all_finite, gen_batches
from sklearn.utils._param_validation import validate_parameter_constraints
from sklearn.utils.validation import check_array, validate_data

from agathis._checks.engines import AUTO, engines, one_of
from agathis._checks.naming import naming, naming_columns
from agathis._core.points.binning import look_over
from agathis._core.shared.threads import openmp_threads
from agathis._utils.exact_sums import exact_sum, exact_sums
from agathis._utils.forks import allowed_threads

Fit = TypeVar("Fit", bound=Callable[..., Any])

# Weights below this fraction of the total are lost in the rounding of the total.
NEGLIGIBLE = 1e-12

# Rows per block, between which interrupts are handled.
ROWS_AT_ONCE = 1 << 18


def is_elsewhere(X: object) -> bool:
    """Whether X need not fit in memory: a memory-mapped array, or a file."""
    if isinstance(X, np.memmap):
        return X.dtype in (np.float32, np.float64)
    return getattr(X, "elsewhere", False) is True


def check_X(
    estimator: BaseEstimator, X: ArrayLike, *, reset: bool, missing: bool, threads: int
) -> tuple[np.ndarray, bool]:
    """Validate X as float32 or float64 without a copy, and set or compare its feature names.

    NaN is allowed if ``missing``; the second value is whether there are some.
    """
    table: Any
    if getattr(X, "elsewhere", False) is True:
        table = X
        estimator.n_features_in_ = table.shape[1]
        vars(estimator).pop("feature_names_in_", None)
        if len(table) == 0:
            raise ValueError("X has no rows; at least one is required.")
    else:
        with naming("X"), naming_columns(X, estimator):
            table = validate_data(
                estimator,
                X,
                dtype=[np.float64, np.float32],
                reset=reset,
                accept_sparse=False,
                ensure_all_finite=False,
            )
        if not isinstance(table, np.memmap):  # a field of a record array may be unaligned
            table = np.require(table, requirements="A")
    if get_config()["assume_finite"] and not missing:
        return table, False
    names = getattr(estimator, "feature_names_in_", None)
    return table, _check_finite(table, missing, threads, names, _missing_advice(estimator))


def _missing_advice(estimator: BaseEstimator | None = None) -> str:
    """How to fit data with missing values."""
    able = one_of([AUTO, *engines(takes_missing=True)])
    here = [
        f"{name}={getattr(estimator, name)!r}"
        for name in ("kernel", "engine", "engine_", "n_components")
        if hasattr(estimator, "engine") and hasattr(estimator, name)
    ]
    settings = f" (here {', '.join(here)})" if here else ""
    return (
        f"Kauri accepts missing values with engine={able}, with the linear or cosine kernel or "
        f"n_components{settings}."
    )


def check_table(
    X: ArrayLike, *, missing: bool = False, n_features: int | None = None
) -> np.ndarray:
    """Validate a table of numbers without an estimator; NaN is allowed if ``missing``."""
    with naming_columns(X), naming("X"):
        table = check_array(
            X, dtype=[np.float64, np.float32], ensure_all_finite=False, input_name="X"
        )
        table = np.require(table, requirements="A")
    if n_features is not None and table.shape[1] != n_features:
        raise ValueError(
            f"X must have shape (n_samples, {n_features}); it has shape {table.shape}."
        )
    if not get_config()["assume_finite"]:
        names = getattr(X, "columns", None)
        _check_finite(table, missing, n_threads(None), names, _missing_advice())
    return table


def _check_finite(
    X: np.ndarray,
    missing: bool,
    threads: int,
    names: Sequence[str] | None,
    advice: str,
) -> bool:
    """Raise for infinite values, or NaN unless ``missing``; return whether some are NaN.

    Messages have the column's name if ``names`` are given, and ``advice`` on missing values.
    """
    some_missing = False
    for rows in gen_batches(len(X), ROWS_AT_ONCE):
        n_missing, infinite = look_over(np.ascontiguousarray(X[rows]), threads)
        some_missing |= bool(n_missing.any())
        if some_missing and not missing:
            column = int(np.argmax(n_missing > 0))
            where = f"column {column}" if names is None else f"column {names[column]!r}"
            raise ValueError(
                f"Input X contains NaN, for example in {where}. {advice} Otherwise impute them, "
                "for example with sklearn.impute.SimpleImputer, or drop these rows."
            )
        if infinite:
            assert_all_finite(X[rows], allow_nan=True, input_name="X")
    return some_missing


def column_means(X: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """The mean of each column, ignoring missing values."""
    return means_of_totals(column_totals(X, weight))


def column_totals(X: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """The exact sum and total weight of the known values of each column, as fractions.

    Exact, so that totals of partitions add up to those of all rows.
    """
    out = np.full((2, X.shape[1]), Fraction(0), dtype=object)
    for rows in gen_batches(len(X), ROWS_AT_ONCE):
        known = ~np.isnan(X[rows])
        part = np.where(known, X[rows], 0.0).astype(np.float64, copy=False)
        if weight is None:
            size = [Fraction(int(count)) for count in known.sum(axis=0)]
        else:
            row_weight = weight[rows, None]
            with np.errstate(over="ignore"):
                part = row_weight * part
            size = exact_sums(row_weight * known)
        try:
            out += np.array([exact_sums(part), size], dtype=object)
        except OverflowError as error:
            raise ValueError("X is too large: X * sample_weight is not finite.") from error
    return out


def means_of_totals(totals: np.ndarray) -> np.ndarray:
    """Means from totals; 0 for a column without values."""
    return np.array([float(total / size) if size else 0.0 for total, size in totals.T])


@contextmanager
def last_fit_kept(estimator: BaseEstimator) -> Iterator[None]:
    """Restore number and names of features if a fit fails or is interrupted."""
    before = {
        name: value
        for name, value in vars(estimator).items()
        if name in ("n_features_in_", "feature_names_in_")
    }
    try:
        yield
    except BaseException:
        for name in ("n_features_in_", "feature_names_in_"):
            vars(estimator).pop(name, None)
        vars(estimator).update(before)
        raise


def check_centers(estimator: BaseEstimator, n_features: int) -> np.ndarray:
    """Validate ``centers``, an array or a fitted estimator, and return an array."""
    array = centers = estimator.centers
    if not isinstance(centers, type) and hasattr(centers, "fit"):
        array = getattr(centers, "cluster_centers_", None)
        if array is None:
            raise ValueError(
                f"centers={centers!r} has no cluster_centers_: fit it first, or pass an array. In "
                "an estimator that is cloned, sklearn.frozen.FrozenEstimator keeps it fitted."
            )
    names = getattr(estimator, "feature_names_in_", None)
    columns = getattr(array, "columns", None)
    if names is not None and columns is not None and list(columns) != list(names):
        raise ValueError(
            "centers must have the columns of X in the same order; it has "
            f"{list(columns)[:5]}, X has {list(names)[:5]}."
        )
    with naming("centers"):
        array = check_array(array, dtype=np.float64, input_name="centers")
    if array.shape != (estimator.n_clusters, n_features):
        raise ValueError(
            f"centers must have shape (n_clusters, n_features) = ({estimator.n_clusters}, "
            f"{n_features}); it has shape {array.shape}."
        )
    return array


def check_sample_weight(sample_weight: ArrayLike | None, n_samples: int) -> np.ndarray | None:
    """Validate non-negative weights, not all zero; None if all are 1."""
    if sample_weight is None:
        return None
    if np.isscalar(sample_weight):
        sample_weight = np.full(n_samples, sample_weight)
    with naming("sample_weight"):
        weight = check_array(
            sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight"
        )
    if weight.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must have shape (n_samples,) = ({n_samples},); it has shape "
            f"{weight.shape}."
        )
    if weight.min() < 0:
        raise ValueError(
            f"sample_weight must not be negative; its smallest value is {weight.min():.6g}."
        )
    if not weight.any():
        raise ValueError("sample_weight is zero for every row; at least one must be positive.")
    return None if (weight == 1.0).all() else np.ascontiguousarray(weight)


def counted_rows(n: int, weight: np.ndarray | None, n_clusters: int) -> np.ndarray | None:
    """The rows of positive weight; None for all rows."""
    if n > np.iinfo(np.int32).max:
        raise ValueError(f"X has {n:,} rows; the maximum is {np.iinfo(np.int32).max:,}.")
    if weight is None:
        check_enough(n, n, float(n), n_clusters)
        return None
    try:
        total = exact_sum(weight)
    except OverflowError as error:
        raise ValueError("sample_weight is too large: its sum is not finite.") from error
    counted = np.flatnonzero(weight > NEGLIGIBLE * total).astype(np.int32)
    check_enough(n, len(counted), total, n_clusters)
    return None if len(counted) == n else counted


def check_enough(n: int, counted: int, total: float, n_clusters: int) -> None:
    """Raise if there are fewer rows of positive weight (weight 2 is two rows) than clusters."""
    if max(counted, total) < n_clusters:
        raise ValueError(
            f"n_samples={counted} should be >= n_clusters={n_clusters}"
            + (" (rows of weight 0 do not count)." if counted < n else ".")
        )


def min_weight(value: float, total: float, no_limit: int) -> float:
    """``min_samples_*`` as a weight, from a number or fraction of samples.

    Samples count by their weight. ``no_limit`` is the value that every leaf satisfies.
    """
    if isinstance(value, Integral):
        least = 0.0 if value <= no_limit else float(value)
    else:
        least = float(value) * total
    # Equal sums of weights may differ by rounding.
    return least * (1 - 1e-12)


def resolve_max_features(value: float | str | None, n_features: int) -> int | None:
    """The number of features to sample in a search; None for all."""
    if value is None:
        return None
    if value == "sqrt":
        count = int(math.sqrt(n_features))
    elif value == "log2":
        count = int(math.log2(n_features))
    elif isinstance(value, Integral):
        if value > n_features:
            raise ValueError(f"max_features={value} is more than the {n_features} features of X.")
        count = int(value)
    else:
        count = int(float(value) * n_features)
    count = max(1, count)
    return None if count == n_features else count


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Fit], Fit]:
    """scikit-learn's decorator of ``fit``, which validates the parameters."""
    return _fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)


def check_arguments(
    caller: str, constraints: Mapping[str, list[Any] | str], **values: object
) -> None:
    """Validate the arguments of a function."""
    validate_parameter_constraints(constraints, values, caller)


def check_params(estimator: BaseEstimator) -> None:
    """Validate the parameters of an estimator."""
    estimator._validate_params()


def warn(text: str, category: type[Warning]) -> None:
    """Warn with the line of the user's code, outside agathis and scikit-learn."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _module(frame) in ("agathis", "contextlib", "sklearn"):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def _module(frame: FrameType) -> str:
    return frame.f_globals.get("__name__", "").split(".")[0]


def n_threads(n_jobs: int | None) -> int:
    """The number of threads of compiled loops; None for all cores."""
    requested = n_processes(n_jobs)
    threads, lost = allowed_threads(
        min(requested, openmp_threads()) if n_jobs is None else requested
    )
    if lost:
        warn(
            "agathis uses one thread, because this process was forked from one in which agathis "
            "had used threads, and forks do not inherit them. Start processes with the methods "
            "'spawn' or 'forkserver' of multiprocessing, or with joblib's 'loky'.",
            RuntimeWarning,
        )
    return threads


def n_processes(n_jobs: int | None) -> int:
    """The number of processes; None for all cores."""
    if n_jobs == 0:
        raise ValueError("n_jobs=0 has no meaning; use None for all cores, or 1 for one.")
    return _cores() if n_jobs is None else effective_n_jobs(n_jobs)


@cache
def _cores() -> int:
    """The available cores; cached, as the call takes longer than a small fit."""
    return cpu_count()
