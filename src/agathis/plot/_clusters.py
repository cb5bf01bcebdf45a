"""Scatter plot of rows by cluster, with the leaves as regions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from agathis._checks import data as checks
from agathis._checks.parameters import PLOT_CONSTRAINTS
from agathis._rules.colours import cluster_style
from agathis._rules.points import ClusterPoints, cluster_points
from agathis._rules.regions import Region
from agathis._trees.tree import Tree
from agathis.dask._sampled_rows import as_local, sampled_rows
from agathis.plot._canvas import GREY, PLAIN, beside, canvas, clean, sample_of, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

# The maximum number of points that a vector image draws individually.
VECTOR_POINTS = 5_000
# Edge of a point, so that a light one is visible on its light region.
OUTLINE = (0.0, 0.0, 0.0, 0.6)
# The size of a number, in points.
NUMBER = (17.0, 15.0)
# Characters of a name in the legend.
NAME = 28


def plot_clusters(
    model: BaseEstimator | Pipeline | Tree,
    X: ArrayLike,
    *,
    features: Sequence[int | str] | None = None,
    ax: Axes | None = None,
    feature_names: Sequence[str] | None = None,
    cluster_names: Sequence[str] | None = None,
    scaler: object = None,
    one_hot: object = None,
    standardise: bool = False,
    max_points: int | None = 10_000,
    legend: bool = True,
) -> Axes:
    """Plot rows as points, with the colour and marker of their cluster.

    The number of a cluster is at the median of its points. If the tree splits only on the two
    plotted features, its leaves are drawn as rectangles; a split on the sum of both is an oblique
    line.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        A fitted estimator with ``tree_``, with scalers before it or not, or the tree itself.
    X : array-like of shape (n_samples, n_features), or Dask collection
        In the units that the tree was fitted in; with a scaler or a pipeline, from before
        scaling. Missing values are accepted if the tree can predict them. Principal components
        use the column's mean in their place; in a plane of two features such rows are not
        drawn, and the plot shows how many. Of a Dask collection 50,000 rows are sampled at
        random, which the plot shows.
    features : pair of int or str, optional
        Two features, by number or name. By default the first two principal components of X; of
        data with two columns these; of data with one column that and the cluster.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    feature_names : sequence of str, optional
        By default those of the data frame that was fitted, or ``x[0]``, ``x[1]``, ...
    cluster_names : sequence of str, optional
        By default ``cluster 0``, ``cluster 1``, ...
    scaler : fitted scaler or Pipeline of scalers, optional
        The scaler applied to the rows before the tree was fitted, as in
        :func:`agathis.export.to_text`; X is then in the units from before.
    one_hot : mapping or OneHotEncoder, optional
        As in :func:`agathis.export.to_text`: columns of categories have names such as "color is
        red".
    standardise : bool, default=False
        Whether columns are scaled to unit variance before computing principal components.
        Otherwise columns in large units dominate them.
    max_points : int, default=10_000
        The maximum number of rows to draw, sampled reproducibly; ``None`` is all.
    legend : bool, default=True
        Whether to add a legend.

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
    taken = sampled_rows(X, {})
    found = cluster_points(
        as_local(model),
        taken.rows,
        features=features,
        feature_names=feature_names,
        cluster_names=cluster_names,
        scaler=scaler,
        one_hot=one_hot,
        standardise=standardise,
        max_points=max_points,
    )
    ax = canvas(ax, (7.0, 4.8))
    handles = _draw_points(ax, found)
    _set_limits(ax, found)
    if found.regions is not None:
        _draw_regions(ax, found.regions)
    _draw_numbers(ax, found)
    _draw_words(ax, found, taken.n_read)
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


def _draw_points(ax: Axes, found: ClusterPoints) -> list[Line2D]:
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
    """Return axis limits with equal margins."""
    for axis, values in zip("xy", found.points.T, strict=True):
        values = values[~np.isnan(values)]
        low, high = (values.min(), values.max()) if len(values) else (0.0, 1.0)
        # Halve first: the difference of two large numbers may overflow.
        margin = 0.12 * (high / 2 - low / 2) or 0.5 * max(1e-3 * abs(low), 1.0)
        ax.set(**{f"{axis}lim": (low - margin, high + margin)})


def _draw_regions(ax: Axes, regions: Sequence[Region]) -> None:
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Patch, Polygon, Rectangle

    for region in regions:
        corners = region.corners(ax.get_xlim(), ax.get_ylim())
        if not len(corners):
            continue
        style = cluster_style(region.cluster)
        look: dict[str, Any] = {
            "facecolor": to_rgba(style.colour, 0.22),
            "edgecolor": to_rgba(GREY, 0.6),
            "linewidth": 0.6,
            "hatch": style.hatch or None,
            "zorder": 1,
        }
        patch: Patch = Polygon(corners, **look)
        if not region.lines:
            patch = Rectangle(corners[0], *(corners[2] - corners[0]), **look)
        ax.add_patch(patch)


def _draw_numbers(ax: Axes, found: ClusterPoints) -> None:
    """Draw the number of each cluster at the median of its points, avoiding other numbers."""
    dots = ax.figure.dpi / 72
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
    """Return the position, or a free one on rings around it."""
    for ring in range(len(taken) + 1):
        for angle in np.arange(8 * ring or 1) * 2 * np.pi / (8 * ring or 1):
            free = place + ring * np.multiply(NUMBER, [np.cos(angle), np.sin(angle)])
            if not (np.abs(free - taken) < NUMBER).all(axis=1).any():
                return free
    return place


def _draw_words(ax: Axes, found: ClusterPoints, n_read: int | None) -> None:
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
    notes, n_rows = [], int(found.sizes.sum())
    if len(found.points) < n_rows:
        notes.append(f"{len(found.points):,} of {n_rows:,} rows{sample_of(n_read)}")
    elif n_read is not None:
        notes.append(f"{n_rows:,} rows{sample_of(n_read)}")
    if found.n_missing:
        notes.append(f"{found.n_missing:,} rows that miss a value are not shown")
    if notes:
        ax.set_title("; ".join(notes), fontsize="small", color=GREY, loc="left")
    ax.spines[["top", "right"]].set_visible(False)
