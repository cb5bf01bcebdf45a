"""Rows as points of the plane, with the clusters they are in.

The plane is that of two features, or of the two principal components of all. Where the tree looks
at no feature but these two, its leaves are rectangles of the plane, and are drawn behind the
points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA

from agathis import _validation as checks
from agathis._constraints import PLOT_CONSTRAINTS
from agathis._model import TreeModel
from agathis._tree import Tree
from agathis.export._words import named_tree
from agathis.plot._canvas import GREY, PLAIN, beside, canvas, clean, shortened
from agathis.plot._colours import cluster_style
from agathis.plot._regions import Region, tree_regions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Points that a vector picture draws one by one.
VECTOR_POINTS = 5_000
# Of a point, so that a light one is seen on its light region.
OUTLINE = (0.0, 0.0, 0.0, 0.6)
# The room that a number takes, in points.
NUMBER = (17.0, 15.0)
# Characters of a name beside the picture.
NAME = 28


@dataclass(frozen=True)
class ClusterPoints:
    """Rows as points of the plane.

    Attributes
    ----------
    plane : {"components", "features", "feature"}
        Principal components, two features, or one feature and the number of the cluster.
    points : ndarray of shape (n_points, 2)
        NaN where the row misses the value.
    cluster : ndarray of shape (n_points,)
    rows : ndarray of shape (n_points,)
        Which rows of X the points are.
    axis_names : tuple of two str
    explained : tuple of two float or None
        Shares of the variance that the principal components show; ``None`` for features.
    regions : tuple of Region or None
        The leaves as rectangles; ``None`` where the tree looks at other features too.
    sizes : ndarray of shape (n_clusters,)
        Rows of X in each cluster.
    cluster_names : tuple of str
    n_missing : int
        Points that have no place in the plane.
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
    model: BaseEstimator | Tree,
    X: ArrayLike,
    *,
    features: Sequence[int | str] | None = None,
    feature_names: Sequence[str] | None = None,
    cluster_names: Sequence[str] | None = None,
    standardise: bool = False,
    max_points: int | None = 10_000,
) -> ClusterPoints:
    """Put rows in the plane: what :func:`plot_clusters` draws.

    Parameters
    ----------
    model : estimator or Tree
        A fitted estimator with ``tree_``, or the tree itself.
    X : array-like of shape (n_samples, n_features)
        Missing values are taken by the trees that ``predict`` them. Principal components have
        the column's mean in their place; in a plane of two features such rows have no place.
    features : pair of int or str, optional
        Two features, by number or name. By default the first two principal components of X; of
        data with two columns these; of data with one column that and the cluster.
    feature_names : sequence of str, optional
        By default those of the data frame that was fitted, or ``x[0]``, ``x[1]``, ...
    cluster_names : sequence of str, optional
        By default ``cluster 0``, ``cluster 1``, ...
    standardise : bool, default=False
        Whether principal components are those of columns with variance 1.
    max_points : int, default=10_000
        Where X has more rows, so many are drawn, the same ones every time; ``None`` is all.

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
    >>> found = cluster_points(model, X, feature_names=["length", "width"])
    >>> found.axis_names, found.sizes
    (('length', 'width'), array([53, 63, 34]))
    >>> found.regions[0]
    Region(leaf=1, cluster=0, x_low=-inf, x_high=3.4, y_low=-inf, y_high=inf)
    """
    checks.check_arguments(
        "cluster_points", PLOT_CONSTRAINTS, standardise=standardise, max_points=max_points
    )
    tree, names, clusters = named_tree(model, feature_names, cluster_names)
    X, labels = rows_and_clusters(model, tree, X)
    chosen = _check_features(features, names, tree.n_features)
    rows = np.arange(len(X))
    if max_points is not None and len(X) > max_points:
        rows = np.sort(np.random.default_rng(0).choice(len(X), max_points, replace=False))
    explained = None
    if chosen is None:
        plane = "components"
        points, explained = _principal(X, rows, standardise)
        axis_names = ("principal component 1", "principal component 2")
        regions = None
    elif len(chosen) == 1:
        plane = "feature"
        points = np.column_stack([X[rows, 0].astype(np.float64), labels[rows]])
        axis_names = (str(names[0]), "cluster")
        # The second axis is no feature: the rectangles have no bounds there.
        regions = tree_regions(tree, (0, 1))
    else:
        plane = "features"
        points = X[np.ix_(rows, chosen)].astype(np.float64)
        axis_names = (str(names[chosen[0]]), str(names[chosen[1]]))
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
        cluster_names=tuple(map(str, clusters)),
        n_missing=int(np.isnan(points).any(axis=1).sum()),
    )


def rows_and_clusters(
    model: BaseEstimator | Tree, tree: Tree, X: ArrayLike
) -> tuple[np.ndarray, np.ndarray]:
    """X as the model takes it, and the cluster of each row."""
    if isinstance(model, TreeModel):
        X, threads = model._rows_and_threads(X)
    else:
        X, threads = checks.check_table(X, missing=True), checks.n_threads(None)
    return X, tree.predict(X, threads)


def _check_features(
    features: Sequence[int | str] | None, names: Sequence[str], n_features: int
) -> tuple[int, ...] | None:
    """The numbers of the features of the plane; ``None`` for principal components."""
    if features is None:
        return None if n_features > 2 else tuple(range(n_features))
    if isinstance(features, str) or len(features) != 2:
        raise ValueError(f"features must be two features, by number or name; it is {features!r}.")
    out = []
    known = list(map(str, names))
    for feature in features:
        if isinstance(feature, Integral) and not isinstance(feature, bool):
            if not -n_features <= feature < n_features:
                raise ValueError(
                    f"features={features!r}: there is no feature {feature}; X has {n_features}."
                )
            out.append(int(feature) % n_features)
        elif feature in known:
            out.append(known.index(feature))
        else:
            some = ", ".join(known[:10]) + (", ..." if len(known) > 10 else "")
            raise ValueError(
                f"features={features!r}: there is no feature {feature!r}; there are {some}."
            )
    if out[0] == out[1]:
        raise ValueError(f"features must be two different features; it is {features!r}.")
    return tuple(out)


def _principal(
    X: np.ndarray, rows: np.ndarray, standardise: bool
) -> tuple[np.ndarray, tuple[float, float]]:
    """The rows on the first two principal components of all, and the shares of variance."""
    X = X - checks.column_means(X, None)
    X[np.isnan(X)] = 0.0
    # Divided by the largest value first, so that no square is out of range.
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


def plot_clusters(
    model: BaseEstimator | Tree,
    X: ArrayLike,
    *,
    features: Sequence[int | str] | None = None,
    ax: Axes | None = None,
    feature_names: Sequence[str] | None = None,
    cluster_names: Sequence[str] | None = None,
    standardise: bool = False,
    max_points: int | None = 10_000,
    legend: bool = True,
) -> Axes:
    """Draw rows as points, with the colour and marker of their cluster.

    The number of a cluster stands where the median of its points is. Where the tree looks only at
    the two features that are shown, its leaves are drawn as rectangles.

    Parameters
    ----------
    model : estimator or Tree
        A fitted estimator with ``tree_``, or the tree itself.
    X : array-like of shape (n_samples, n_features)
        Missing values are taken by the trees that ``predict`` them. Principal components have
        the column's mean in their place; in a plane of two features such rows are not drawn,
        and the picture says how many.
    features : pair of int or str, optional
        Two features, by number or name. By default the first two principal components of X; of
        data with two columns these; of data with one column that and the cluster.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    feature_names : sequence of str, optional
        By default those of the data frame that was fitted, or ``x[0]``, ``x[1]``, ...
    cluster_names : sequence of str, optional
        By default ``cluster 0``, ``cluster 1``, ...
    standardise : bool, default=False
        Whether principal components are those of columns with variance 1.
    max_points : int, default=10_000
        Where X has more rows, so many are drawn, the same ones every time; ``None`` is all.
    legend : bool, default=True
        Whether clusters are named beside the picture.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from agathis import Kauri
    >>> from agathis.plot import plot_clusters
    >>> X = load_iris().data
    >>> model = Kauri(n_clusters=3, max_leaf_nodes=3).fit(X)
    >>> ax = plot_clusters(model, X, ax=Figure().add_subplot())
    >>> ax.get_xlabel()
    'principal component 1 (92% of variance)'
    """
    checks.check_arguments("plot_clusters", PLOT_CONSTRAINTS, legend=legend)
    found = cluster_points(
        model,
        X,
        features=features,
        feature_names=feature_names,
        cluster_names=cluster_names,
        standardise=standardise,
        max_points=max_points,
    )
    ax = canvas(ax, (7.0, 4.8))
    handles = _draw_points(ax, found)
    _set_limits(ax, found)
    if found.regions is not None:
        _draw_regions(ax, found.regions)
    _draw_numbers(ax, found)
    _draw_words(ax, found)
    if legend:
        shown = [k for k in range(len(found.sizes)) if found.sizes[k]]
        names = [_entry(k, found) for k in shown]
        columns = 1 if len(shown) <= 16 else 2
        size = "small" if len(shown) <= 16 else "x-small"
        beside(ax, [handles[k] for k in shown], names, ncols=columns, fontsize=size)
    return ax


def _entry(k: int, found: ClusterPoints) -> str:
    name = shortened(clean(found.cluster_names[k]), NAME)
    number = "" if name == f"cluster {k}" else f"{k}: "
    return f"{number}{name} ({found.sizes[k]:,})"


def _draw_points(ax: Axes, found: ClusterPoints) -> list:
    from matplotlib.lines import Line2D

    area = float(np.clip(20_000 / max(len(found.points), 1), 9, 36))
    handles = []
    for k in range(len(found.sizes)):
        style = cluster_style(k)
        mine = found.cluster == k
        ax.scatter(
            *found.points[mine].T,
            s=area,
            c=style.colour,
            marker=style.marker,
            edgecolors=OUTLINE,
            linewidths=0.4,
            rasterized=len(found.points) > VECTOR_POINTS,
            zorder=3,
        )
        handles.append(
            Line2D(
                [],
                [],
                color=style.colour,
                marker=style.marker,
                linestyle="",
                markersize=6,
                markeredgecolor=OUTLINE,
                markeredgewidth=0.4,
            )
        )
    return handles


def _set_limits(ax: Axes, found: ClusterPoints) -> None:
    """Room around the points, the same on all sides."""
    for axis, values in zip("xy", found.points.T, strict=True):
        values = values[~np.isnan(values)]
        low, high = (values.min(), values.max()) if len(values) else (0.0, 1.0)
        # Halves first: the difference of two large numbers may be out of range.
        margin = 0.12 * (high / 2 - low / 2) or 0.5 * max(1e-3 * abs(low), 1.0)
        ax.set(**{f"{axis}lim": (low - margin, high + margin)})


def _draw_regions(ax: Axes, regions: Sequence[Region]) -> None:
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Rectangle

    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    for region in regions:
        x0, x1 = np.clip([region.x_low, region.x_high], left, right)
        y0, y1 = np.clip([region.y_low, region.y_high], bottom, top)
        if x0 < x1 and y0 < y1:
            style = cluster_style(region.cluster)
            patch = Rectangle(
                (x0, y0),
                x1 - x0,
                y1 - y0,
                facecolor=to_rgba(style.colour, 0.22),
                edgecolor=to_rgba(GREY, 0.6),
                linewidth=0.6,
                hatch=style.hatch or None,
                zorder=1,
            )
            ax.add_patch(patch)


def _draw_numbers(ax: Axes, found: ClusterPoints) -> None:
    """The number of each cluster where the median of its points is, or beside another number."""
    dots = ax.get_figure(root=True).dpi / 72
    taken = np.empty((0, 2))
    for k in range(len(found.sizes)):
        mine = found.points[found.cluster == k]
        mine = mine[~np.isnan(mine).any(axis=1)]
        if not len(mine):
            continue
        middle = np.median(mine, axis=0)
        place = ax.transData.transform(middle) / dots
        free = _free_place(place, taken)
        taken = np.vstack([taken, free])
        style = cluster_style(k)
        ax.annotate(
            str(k),
            middle,
            xytext=free - place,
            textcoords="offset points",
            size=8,
            weight="bold",
            color=style.text_colour,
            ha="center",
            va="center",
            zorder=5,
            annotation_clip=False,
            bbox={
                "boxstyle": "round,pad=0.25",
                "facecolor": style.colour,
                "edgecolor": "white",
                "linewidth": 0.8,
            },
        )


def _free_place(place: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """The place itself or one near it, on rings around it, where no number is yet."""
    for ring in range(len(taken) + 1):
        for angle in np.arange(8 * ring or 1) * 2 * np.pi / (8 * ring or 1):
            free = place + ring * np.multiply(NUMBER, [np.cos(angle), np.sin(angle)])
            if not (np.abs(free - taken) < NUMBER).all(axis=1).any():
                return free
    return place


def _draw_words(ax: Axes, found: ClusterPoints) -> None:
    names = [shortened(clean(name), 60) for name in found.axis_names]
    if found.plane == "feature":
        ax.yaxis.get_major_locator().set_params(integer=True)
    if found.explained is not None:
        names = [
            f"{name} ({100 * share:.0f}% of variance)"
            for name, share in zip(names, found.explained, strict=True)
        ]
    ax.set_xlabel(names[0], **PLAIN)
    ax.set_ylabel(names[1], **PLAIN)
    notes = []
    if len(found.points) < found.sizes.sum():
        notes.append(f"{len(found.points):,} of {found.sizes.sum():,} rows")
    if found.n_missing:
        notes.append(f"{found.n_missing:,} rows that miss a value are not shown")
    if notes:
        ax.set_title("; ".join(notes), fontsize="small", color=GREY, loc="left")
    ax.spines[["top", "right"]].set_visible(False)
