"""Data and parameters: what is accepted, and what is said when it is not.

With :mod:`agathis._checks.parameters` the only home of scikit-learn's private helpers, so that a
change there is mended here.
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
from sklearn.exceptions import NotFittedError
from sklearn.utils import assert_all_finite, gen_batches
from sklearn.utils._param_validation import validate_parameter_constraints
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from agathis._checks.engines import AUTO, BINNED, engines, one_of
from agathis._checks.naming import naming, naming_columns
from agathis._core.points.binning import look_over
from agathis._core.shared.threads import openmp_threads
from agathis._support.exact_sums import exact_sum, exact_sums
from agathis._support.forks import allowed_threads

Fit = TypeVar("Fit", bound=Callable[..., Any])

# A weight that is a smaller share of all weights cannot be told from the rounding of their sum.
NEGLIGIBLE = 1e-12

# Rows that are looked over at a time: an interrupt is seen in between.
ROWS_AT_ONCE = 1 << 18


def is_elsewhere(X: object) -> bool:
    """Whether X need not fit in memory: a mapped file, or one that is read again."""
    if isinstance(X, np.memmap):
        return X.dtype in (np.float32, np.float64)
    return getattr(X, "elsewhere", False) is True


def check_X(
    estimator: BaseEstimator, X: ArrayLike, *, reset: bool, missing: bool, threads: int
) -> tuple[np.ndarray, bool]:
    """A table of float32 or float64, as it lies; its width and column names are kept or compared.

    Where ``missing`` allows it values may be NaN; the second of the two says whether some are.
    """
    table: Any
    if getattr(X, "elsewhere", False) is True:
        table = X
        estimator.n_features_in_ = table.shape[1]
        vars(estimator).pop("feature_names_in_", None)
        if len(table) == 0:
            raise ValueError("X has no rows; at least one is needed.")
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
        if not isinstance(table, np.memmap):  # a field of records may lie anywhere
            table = np.require(table, requirements="A")
    if get_config()["assume_finite"] and not missing:
        return table, False
    names = getattr(estimator, "feature_names_in_", None)
    advice = _missing_advice(estimator, fitting=reset)
    return table, _check_finite(table, missing, threads, names, advice)


def _missing_advice(estimator: BaseEstimator | None, fitting: bool = False) -> str:
    """What to do where values are missing that are not accepted."""
    engine = getattr(estimator, "engine", None)
    if estimator is not None and engine == AUTO and fitting:
        kernel = estimator.kernel
        if kernel == "precomputed":
            return "No kernel matrix goes with missing values."
        return (
            f"With kernel={kernel!r} missing values are accepted where a feature map stands for "
            f"the kernel, n_components (for example 256): engine={AUTO!r} then means {BINNED!r}. "
            "The linear and cosine kernels take them as they are."
        )
    here = ""
    if estimator is not None and engine is not None:
        here = f"; here engine={engine!r}"
        if engine == AUTO:
            here += f", which chose {estimator.engine_!r} for rows that missed none"
    return (
        f"Missing values are accepted by {'' if here else 'Kauri with '}"
        f"engine={one_of([AUTO, *engines(takes_missing=True)])}, with the linear or cosine kernel "
        f"or n_components{here}."
    )


def check_table(
    X: ArrayLike, *, missing: bool = False, n_features: int | None = None
) -> np.ndarray:
    """A table of numbers that belongs to no estimator; values may be NaN where ``missing``."""
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
        _check_finite(
            table, missing, n_threads(None), getattr(X, "columns", None), _missing_advice(None)
        )
    return table


def _check_finite(
    X: np.ndarray,
    missing: bool,
    threads: int,
    names: Sequence[str] | None,
    advice: str,
) -> bool:
    """Raise for values that are not accepted; whether some are missing.

    ``names`` of the columns are told where they are known, and ``advice`` where values are missing.
    """
    some_missing = False
    for rows in gen_batches(len(X), ROWS_AT_ONCE):
        n_missing, infinite = look_over(np.ascontiguousarray(X[rows]), threads)
        some_missing |= bool(n_missing.any())
        if some_missing and not missing:
            column = int(np.argmax(n_missing > 0))
            where = f"column {column}" if names is None else f"column {names[column]!r}"
            raise ValueError(
                f"Input X contains NaN, for example in {where}. {advice} Otherwise fill them in, "
                "for example with sklearn.impute.SimpleImputer, or drop these rows."
            )
        if infinite:
            assert_all_finite(X[rows], allow_nan=True, input_name="X")
    return some_missing


def column_means(X: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """The mean of each column without its missing values."""
    return means_of_totals(column_totals(X, weight))


def column_totals(X: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """The sum of each column without its missing values, and the weight of these, as fractions.

    They are exact, so that totals of parts add up to those of the whole.
    """
    out = np.full((2, X.shape[1]), Fraction(0), dtype=object)
    for rows in gen_batches(len(X), ROWS_AT_ONCE):
        known = ~np.isnan(X[rows])
        part = np.where(known, X[rows], 0.0).astype(np.float64, copy=False)
        if weight is None:
            size = [Fraction(int(count)) for count in known.sum(axis=0)]
        else:
            share = weight[rows, None]
            with np.errstate(over="ignore"):
                part = share * part
            size = exact_sums(share * known)
        try:
            out += np.array([exact_sums(part), size], dtype=object)
        except OverflowError as error:
            raise ValueError("X is too large: times sample_weight it is not finite.") from error
    return out


def means_of_totals(totals: np.ndarray) -> np.ndarray:
    """The means that these totals give; a column without values is as good as constant."""
    return np.array([float(total / size) if size else 0.0 for total, size in totals.T])


@contextmanager
def last_fit_kept(estimator: BaseEstimator) -> Iterator[None]:
    """Where a fit fails or is cut short, width and names of the columns are those of the last."""
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
    """The centres that an estimator was given, as an array or by a fitted estimator."""
    found = centers = estimator.centers
    if not isinstance(centers, type) and hasattr(centers, "fit"):
        found = getattr(centers, "cluster_centers_", None)
        if found is None:
            raise ValueError(_without_centres(centers))
    names = getattr(estimator, "feature_names_in_", None)
    columns = getattr(found, "columns", None)
    if names is not None and columns is not None and list(columns) != list(names):
        raise ValueError(
            "centers must have the columns of X in the same order; it has "
            f"{list(columns)[:5]}, X has {list(names)[:5]}."
        )
    with naming("centers"):
        found = check_array(found, dtype=np.float64, input_name="centers")
    if found.shape != (estimator.n_clusters, n_features):
        raise ValueError(
            f"centers must have a row for each of n_clusters={estimator.n_clusters} and a column "
            f"for each feature of X, ({estimator.n_clusters}, {n_features}); it has shape "
            f"{found.shape}."
        )
    return found


def _without_centres(centers: BaseEstimator) -> str:
    try:
        check_is_fitted(centers)
    except NotFittedError:
        return (
            f"centers={centers!r} is not fitted: fit it first, or give the centres as an array. A "
            "clone of an estimator has clones of its parameters, which are not fitted: "
            "sklearn.frozen.FrozenEstimator around the fitted one keeps it as it is."
        )
    return (
        f"centers={centers!r} is fitted, but has no cluster_centers_: its clusters are not those "
        "of centres in the space of X."
    )


def check_sample_weight(sample_weight: ArrayLike | None, n_samples: int) -> np.ndarray | None:
    """Non-negative weights, not all zero; ``None`` where all are 1."""
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
            f"sample_weight must have one value for each row of X, ({n_samples},); it has shape "
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
    """The rows that count; ``None`` where it is all of them."""
    if n > np.iinfo(np.int32).max:
        raise ValueError(f"X has {n:,} rows; at most {np.iinfo(np.int32).max:,} are possible.")
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
    """Raise where rows of positive weight are fewer than clusters; 2 is the row twice here too."""
    if max(counted, total) < n_clusters:
        raise ValueError(
            f"n_samples={counted} should be >= n_clusters={n_clusters}"
            + (" (rows of weight 0 do not count)." if counted < n else ".")
        )


def least_weight(value: float, total: float, no_limit: int) -> float:
    """``min_samples_*`` as a weight: a number of samples, or a share of all.

    A sample counts by its weight, so that weight 2 is the row twice. ``no_limit`` is the value
    that any leaf satisfies.
    """
    if isinstance(value, Integral):
        least = 0.0 if value <= no_limit else float(value)
    else:
        least = float(value) * total
    # Sums of weights that should be equal may differ by rounding.
    return least * (1 - 1e-12)


def resolve_max_features(value: float | str | None, n_features: int) -> int | None:
    """How many features a search draws; ``None`` where it is all of them."""
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
    """scikit-learn's decorator of ``fit``, which checks the parameters first."""
    return _fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)


def check_arguments(
    caller: str, constraints: Mapping[str, list[Any] | str], **values: object
) -> None:
    """Raise where an argument of a function is not what it may be."""
    validate_parameter_constraints(constraints, values, caller)


def check_params(estimator: BaseEstimator) -> None:
    """Raise where a parameter is not what it may be, without data."""
    estimator._validate_params()


def warn(text: str, category: type[Warning]) -> None:
    """Warn at the line of the user that led here, by way of scikit-learn or not."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _module(frame) in ("agathis", "contextlib", "sklearn"):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def _module(frame: FrameType) -> str:
    return frame.f_globals.get("__name__", "").split(".")[0]


def n_threads(n_jobs: int | None) -> int:
    """Threads for compiled loops: all cores by default, as in scikit-learn's own OpenMP code."""
    if n_jobs == 0:
        raise ValueError("n_jobs=0 has no meaning; use None for all cores, or 1 for one.")
    wanted = min(_cores(), openmp_threads()) if n_jobs is None else effective_n_jobs(n_jobs)
    threads, lost = allowed_threads(wanted)
    if lost:
        warn(
            "This process was forked from one in which agathis had used threads, which a fork "
            "does not take along: it works with one. Start processes by multiprocessing's "
            "'spawn' or 'forkserver', or by joblib's 'loky', to have threads in them.",
            RuntimeWarning,
        )
    return threads


def n_processes(n_jobs: int | None) -> int:
    """Processes that share some work: as many as cores by default."""
    if n_jobs == 0:
        raise ValueError("n_jobs=0 has no meaning; use None for all cores, or 1 for one.")
    return _cores() if n_jobs is None else effective_n_jobs(n_jobs)


@cache
def _cores() -> int:
    """Cores that this process may use; asking takes longer than a small fit."""
    return cpu_count()
