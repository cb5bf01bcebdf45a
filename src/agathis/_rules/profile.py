"""The profile of each cluster: the means of its features compared with those of all rows.

Means are standardised: differences from the mean of all rows in standard deviations. Features are
sorted by the fraction of their variance that the clusters explain.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from agathis._checks import data as checks
from agathis._checks.parameters import PLOT_CONSTRAINTS
from agathis._objective.objective import membership
from agathis._rules.described_tree import describe
from agathis._rules.rows_in_units import rows_of
from agathis._trees.tree import Tree


@dataclass(frozen=True)
class ClusterProfile:
    """The means of the features in each cluster.

    Attributes
    ----------
    features : ndarray of shape (n_shown,)
        Indices of the features, sorted by explained variance.
    feature_names : tuple of str
    cluster_names : tuple of str
    sizes : ndarray of shape (n_clusters,)
        The number of rows in each cluster.
    means : ndarray of shape (n_clusters, n_shown)
        NaN if a cluster has no known value.
    standardised : ndarray of shape (n_clusters, n_shown)
        Difference to the mean of all rows in standard deviations; 0 for constant features, NaN if
        the mean is.
    overall, spread : ndarray of shape (n_shown,)
        Mean and standard deviation of all rows.
    explained : ndarray of shape (n_shown,)
        Fraction of the variance between the clusters.
    n_features : int
        The number of features, shown or not.
    """

    features: np.ndarray
    feature_names: tuple[str, ...]
    cluster_names: tuple[str, ...]
    sizes: np.ndarray
    means: np.ndarray
    standardised: np.ndarray
    overall: np.ndarray
    spread: np.ndarray
    explained: np.ndarray
    n_features: int


Profile = TypeVar("Profile", bound=ClusterProfile)


def cluster_profile(
    model: BaseEstimator | Pipeline | Tree,
    X: ArrayLike,
    *,
    feature_names: Sequence[str] | None = None,
    cluster_names: Sequence[str] | None = None,
    scaler: object = None,
    one_hot: object = None,
    max_features: int | None = 20,
    sample_weight: ArrayLike | None = None,
) -> ClusterProfile:
    """Compute the profile of each cluster, the data of :func:`plot_profile`.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        A fitted estimator with ``tree_``, with scalers before it or not, or the tree itself.
    X : array-like of shape (n_samples, n_features)
        In the units of the tree; with a scaler or a pipeline, before scaling. Missing values must
        be supported by ``predict``, and are ignored in the means.
    feature_names, cluster_names, scaler, one_hot : optional
        As in :func:`agathis.export.to_text`: names, and the scaler and the one-hot columns of the
        rows of the fit.
    max_features : int, default=20
        The maximum number of features; ``None`` is all.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows in means and standard deviations.

    Returns
    -------
    profile : ClusterProfile

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from agathis import Kauri
    >>> from agathis.plot import cluster_profile
    >>> iris = load_iris(as_frame=True)
    >>> model = Kauri(n_clusters=3, max_leaf_nodes=3).fit(iris.data)
    >>> profile = cluster_profile(model, iris.data, max_features=2)
    >>> profile.feature_names
    ('petal length (cm)', 'petal width (cm)')
    >>> profile.standardised.round(1)
    array([[-1.2, -1.2],
           [ 0.4,  0.4],
           [ 1.2,  1.2]])
    """
    checks.check_arguments("cluster_profile", PLOT_CONSTRAINTS, max_features=max_features)
    described = describe(
        model,
        scaler=scaler,
        feature_names=feature_names,
        cluster_names=cluster_names,
        one_hot=one_hot,
    )
    X, threads = rows_of(described, X)
    return profile_of_rows(
        X,
        described.tree.predict(X, threads),
        [column.label for column in described.columns],
        described.clusters,
        max_features,
        checks.check_sample_weight(sample_weight, len(X)),
    )


def profile_of_rows(
    X: np.ndarray,
    labels: np.ndarray,
    features: Sequence[str],
    clusters: Sequence[str],
    max_features: int | None = None,
    weight: np.ndarray | None = None,
) -> ClusterProfile:
    """Compute the profile of rows with known clusters, of any columns.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        NaN for missing values.
    labels : ndarray of shape (n_samples,)
    features, clusters : sequence of str
        Names of the columns and of the clusters.
    max_features : int, optional
    weight : ndarray of shape (n_samples,), optional
    """
    counted = np.ones(len(X)) if weight is None else weight
    overall = checks.column_means(X, weight)
    # Centre first, so that large values lose no digits; divide by the maximum, so that no square
    # overflows.
    apart = X - overall
    known = ~np.isnan(apart)
    apart[~known] = 0.0
    unit = np.abs(apart).max(axis=0)
    unit[unit == 0] = 1.0
    apart /= unit
    weights = membership(labels, len(clusters), counted)
    size = weights.T @ known
    total = weights.T @ apart
    offset = np.divide(total, size, out=np.full_like(total, np.nan), where=size > 0)
    square = np.einsum("i,ij,ij->j", counted, apart, apart)
    between = np.sum(np.where(size > 0, size * np.nan_to_num(offset) ** 2, 0.0), axis=0)
    seen = X[counted > 0].astype(np.float64)
    missing = np.isnan(seen)
    varies = np.where(missing, -np.inf, seen).max(axis=0) > np.where(missing, np.inf, seen).min(
        axis=0
    )
    rows = counted @ known
    spread = np.sqrt(np.divide(square, rows, out=np.zeros_like(square), where=varies & (rows > 0)))
    varies &= spread > 0
    standardised = np.divide(offset, spread, out=np.zeros_like(offset), where=varies)
    standardised[np.isnan(offset)] = np.nan
    explained = np.divide(between, square, out=np.zeros_like(square), where=varies)
    explained = np.minimum(explained, 1.0)
    # Ties, such as copies of a column, in the order of the columns.
    order = np.argsort(-explained.round(12), kind="stable")[:max_features]
    return ClusterProfile(
        features=order,
        feature_names=tuple(features[f] for f in order),
        cluster_names=tuple(clusters),
        sizes=np.bincount(labels, minlength=len(clusters)),
        means=(overall + offset * unit)[:, order],
        standardised=standardised[:, order],
        overall=overall[order],
        spread=(spread * unit)[order],
        explained=explained[order],
        n_features=len(features),
    )


def without(profile: Profile, features: Collection[int]) -> Profile:
    """Return the profile without some features."""
    remaining = np.flatnonzero(~np.isin(profile.features, list(features)))
    columns: dict[str, Any] = {
        field.name: value[..., remaining]
        for field in fields(profile)
        if isinstance(value := getattr(profile, field.name), np.ndarray) and field.name != "sizes"
    }
    names = tuple(profile.feature_names[i] for i in remaining)
    return replace(profile, **columns, feature_names=names)
