"""Validate the arguments of ``fit``, and convert them into a dataset."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from agathis._checks import data as checks
from agathis._checks.kernels import kernel_and_matrix
from agathis._checks.one_hot import check_one_hot
from agathis._checks.roles import FeatureRoles, Units, roles_of
from agathis._dataset.features import Features
from agathis._dataset.memory import InMemory


def dataset_of(
    estimator: BaseEstimator,
    X: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    gram: ArrayLike | None = None,
    n_clusters: int | None = None,
    missing: bool = False,
) -> InMemory:
    """The dataset of a fit in memory or from a file.

    Parameters
    ----------
    estimator : estimator
        Its parameters define the kernel, the threads and possibly the roles of columns.
        ``n_features_in_`` and ``feature_names_in_`` are set.
    X, sample_weight, gram : array-like
        The arguments of ``fit``. Encoded rows have roles and units.
    n_clusters : int, optional
        The minimum number of rows of positive weight; 1 by default.
    missing : bool
        Whether missing values are supported.
    """
    # Other dtypes are converted, which reads a file into memory.
    mapped = checks.is_elsewhere(X)
    threads = checks.n_threads(estimator.n_jobs)
    rows, misses = checks.check_X(estimator, X, reset=True, missing=missing, threads=threads)
    weight = checks.check_sample_weight(sample_weight, len(rows))
    ids = checks.counted_rows(len(rows), weight, n_clusters or 1)
    roles = roles_for(estimator, X)
    names = getattr(estimator, "feature_names_in_", None)
    on = check_one_hot(rows, roles.groups, names) if roles.groups else None
    kernel, matrix = kernel_and_matrix(estimator, rows, gram, threads, roles.kernel_columns)
    units = getattr(X, "units", None)
    return InMemory(
        X=rows if mapped else np.ascontiguousarray(rows),
        features=Features(roles, on),
        kernel=kernel,
        matrix=matrix,
        weight=weight,
        ids=ids,
        mapped=mapped,
        fill=checks.column_means(rows, weight) if misses else None,
        threads=threads,
        units=units if isinstance(units, Units) else None,
    )


def roles_for(estimator: BaseEstimator, X: Any) -> FeatureRoles:
    """The roles of the columns of X (user input) in a fit of an estimator.

    For estimators without parameters for roles all columns are numeric.
    """
    n_features = estimator.n_features_in_
    if not hasattr(estimator, "one_hot"):
        return FeatureRoles.plain(n_features)
    given = estimator.kernel_features
    roles = roles_of(
        X,
        n_features=n_features,
        names=getattr(estimator, "feature_names_in_", None),
        one_hot=estimator.one_hot,
        split_features=estimator.split_features,
        kernel_features=given,
    )
    if estimator.kernel != "precomputed":
        return roles
    if not (given is None or isinstance(given, str)):
        raise ValueError(
            f"kernel_features={given!r} are columns that a kernel is computed from, and "
            "kernel='precomputed' gives it: use kernel_features=None."
        )
    return replace(roles, kernel=np.ones_like(roles.kernel))
