"""Rows as points in the plane of two features or of the first two principal components.

If the tree splits on no other features, its leaves are rectangles in the plane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.pipeline import Pipeline

from agathis._checks import data as checks
from agathis._checks.parameters import PLOT_CONSTRAINTS
from agathis._columns.wording import some
from agathis._rules.described_tree import describe
from agathis._rules.regions import Region, tree_regions
from agathis._rules.rows_in_units import rows_of
from agathis._trees.tree import Tree


@dataclass(frozen=True)
class ClusterPoints:
    """Rows as points of the plane.

    Attributes
    ----------
    plane : {"components", "features", "feature"}
        Principal components, two features, or one feature and the number of the cluster.
    points : ndarray of shape (n_points, 2)
        NaN if the value is missing.
    cluster : ndarray of shape (n_points,)
    rows : ndarray of shape (n_points,)
        The row of X of each point.
    axis_names : tuple of two str
    explained : tuple of two float or None
        Fractions of the variance of the principal components; ``None`` for features.
    regions : tuple of Region or None
        The leaves as rectangles, clipped by splits on the sum of both features; ``None`` if the
        tree splits on other features.
    sizes : ndarray of shape (n_clusters,)
        The number of rows in each cluster.
    cluster_names : tuple of str
    n_missing : int
        The number of points with missing values.
    """

    plane: str
    points: np.ndarray
    cluster: np.ndarray
    rows: np.ndarray
    axis_names: tuple[str, str]
    explained: tuple[float, float] | None
    regions: tuple[Region, ...] | None
    sizes: np.ndarray
    cluster_names: tuple[str, ...]
    n_missing: int


def cluster_points(
    model: BaseEstimator | Pipeline | Tree,
    X: ArrayLike,
    *,
    features: Sequence[int | str] | None = None,
    feature_names: Sequence[str] | None = None,
    cluster_names: Sequence[str] | None = None,
    scaler: object = None,
    one_hot: object = None,
    standardise: bool = False,
    max_points: int | None = 10_000,
) -> ClusterPoints:
    """Project rows to the plane, the data of :func:`plot_clusters`.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        A fitted estimator with ``tree_``, with scalers before it or not, or the tree itself.
    X : array-like of shape (n_samples, n_features)
        In the units of the tree; with a scaler or a pipeline, before scaling. Missing values must
        be supported by ``predict``. For principal components they are replaced by the column mean;
        in a plane of two features such rows are not shown.
    features : pair of int or str, optional
        Two features, by index or name. By default the first two principal components of X; for two
        columns these; for one column it and the cluster.
    feature_names, cluster_names, scaler, one_hot : optional
        As in :func:`agathis.export.to_text`: names, and the scaler and the one-hot columns of the
        rows of the fit.
    standardise : bool, default=False
        Whether columns are scaled to unit variance before computing principal components.
        Otherwise columns in large units dominate them.
    max_points : int, default=10_000
        The maximum number of points, sampled reproducibly; ``None`` is all.

    Returns
    -------
    points : ClusterPoints

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from agathis import Kauri
    >>> from agathis.plot import cluster_points
    >>> X = load_iris().data[:, 2:]
    >>> model = Kauri(n_clusters=3, max_leaf_nodes=3).fit(X)
    >>> points = cluster_points(model, X, feature_names=["length", "width"])
    >>> points.axis_names, points.sizes
    (('length', 'width'), array([51, 53, 46]))
    >>> points.regions[0]
    Region(leaf=1, cluster=0, x_low=-inf, x_high=3.15, y_low=-inf, y_high=inf, lines=())
    """
    checks.check_arguments(
        "cluster_points", PLOT_CONSTRAINTS, standardise=standardise, max_points=max_points
    )
    described = describe(
        model,
        scaler=scaler,
        feature_names=feature_names,
        cluster_names=cluster_names,
        one_hot=one_hot,
    )
    tree, clusters = described.tree, described.clusters
    X, threads = rows_of(described, X)
    labels = tree.predict(X, threads)
    chosen = _check_features(features, described.features, tree.n_features)
    names = [column.label for column in described.columns]
    rows = np.arange(len(X))
    if max_points is not None and len(X) > max_points:
        rows = np.sort(np.random.default_rng(0).choice(len(X), max_points, replace=False))
    explained = None
    if chosen is None:
        plane = "components"
        points, explained = principal(X, rows, standardise)
        axis_names = ("principal component 1", "principal component 2")
        regions = None
    elif len(chosen) == 1:
        plane = "feature"
        points = np.column_stack([X[rows, 0].astype(np.float64), labels[rows]])
        axis_names = (names[0], "cluster")
        # The second axis is no feature, so that regions are unbounded there.
        regions = tree_regions(tree, (0, 1))
    else:
        plane = "features"
        points = X[np.ix_(rows, np.array(chosen))].astype(np.float64)
        axis_names = (names[chosen[0]], names[chosen[1]])
        regions = tree_regions(tree, chosen)
    return ClusterPoints(
        plane=plane,
        points=points,
        cluster=labels[rows],
        rows=rows,
        axis_names=axis_names,
        explained=explained,
        regions=regions,
        sizes=np.bincount(labels, minlength=tree.n_clusters),
        cluster_names=tuple(clusters),
        n_missing=int(np.isnan(points).any(axis=1).sum()),
    )


def _check_features(
    features: Sequence[int | str] | None, names: Sequence[str], n_features: int
) -> tuple[int] | tuple[int, int] | None:
    """Return the feature indices of the plane; ``None`` for principal components."""
    if features is None:
        if n_features > 2:
            return None
        return (0,) if n_features == 1 else (0, 1)
    if isinstance(features, str) or not hasattr(features, "__len__") or len(features) != 2:
        raise ValueError(f"features must be two features, by number or name; it is {features!r}.")
    out = []
    for feature in features:
        if isinstance(feature, Integral) and not isinstance(feature, bool):
            if not -n_features <= feature < n_features:
                raise ValueError(
                    f"features={features!r}: there is no feature {feature}; X has {n_features}."
                )
            out.append(int(feature) % n_features)
        elif feature in list(names):
            out.append(list(names).index(feature))
        else:
            raise ValueError(
                f"features={features!r}: there is no feature {feature!r}; there are {some(names)}."
            )
    if out[0] == out[1]:
        raise ValueError(f"features must be two different features; it is {features!r}.")
    return out[0], out[1]


def principal(
    X: np.ndarray, rows: np.ndarray, standardise: bool
) -> tuple[np.ndarray, tuple[float, float]]:
    """Project rows to the first two principal components; return explained variances too."""
    X = X - checks.column_means(X, None)
    X[np.isnan(X)] = 0.0
    # Divide by the maximum first, so that no square overflows.
    largest = np.abs(X).max() or 1.0
    X /= largest
    if standardise:
        spread = X.std(axis=0)
        X /= np.where(spread > 0, spread, 1.0)
        largest = 1.0
    points, explained = np.zeros((len(rows), 2)), np.zeros(2)
    count = min(2, *X.shape)
    if X.any() and len(X) > 1:
        pca = PCA(count, random_state=0).fit(X)
        points[:, :count] = pca.transform(X[rows]) * largest
        explained[:count] = pca.explained_variance_ratio_
    return points, (float(explained[0]), float(explained[1]))
