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
from agathis._rules.projection import ClusterPoints, cluster_points
from agathis._rules.regions import Region
from agathis._trees.tree import Tree
from agathis.dask._sampled_rows import as_local, sampled_rows
from agathis.plot._canvas import beside, canvas, clean, sample_note, shortened
from agathis.plot._style import (
    AXIS_WIDTH,
    GREY,
    LEGEND_ROWS,
    LEGEND_WIDTH,
    NUMBER_SIZE,
    OUTLINE,
    PLAIN,
    VECTOR_POINTS,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


def plot_clusters(
    model: BaseEstimator | Pipeline | Tree,
    X: ArrayLike,
    *,
    ax: Axes | None = None,
    legend: bool = True,
    **options: Any,
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
        As for :func:`agathis.plot.cluster_points`; the plot shows how many rows are not drawn
        because of missing values. Of a Dask collection 50,000 rows are sampled at random, which
        the plot shows.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    legend : bool, default=True
        Whether to add a legend.
    **options : optional
        As for :func:`agathis.plot.cluster_points`: ``features`` or ``standardise``,
        ``max_points``, and names such as ``feature_names``.

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
    sampled = sampled_rows(X, {})
    points = cluster_points(as_local(model), sampled.rows, **options)
    ax = canvas(ax, (7.0, 4.8))
    handles = _draw_points(ax, points)
    _set_limits(ax, points)
    if points.regions is not None:
        _draw_regions(ax, points.regions)
    _draw_numbers(ax, points)
    _draw_labels(ax, points, sampled.n_read)
    if legend:
        shown = [k for k in range(len(points.sizes)) if points.sizes[k]]
        names = [_entry(k, points) for k in shown]
        columns, size = (1, "small") if len(shown) <= LEGEND_ROWS else (2, "x-small")
        beside(ax, [handles[k] for k in shown], names, ncols=columns, fontsize=size)
    return ax


def _entry(k: int, points: ClusterPoints) -> str:
    name = shortened(clean(points.cluster_names[k]), LEGEND_WIDTH)
    number = "" if name == f"cluster {k}" else f"{k}: "
    return f"{number}{name} ({points.sizes[k]:,})"


def _draw_points(ax: Axes, points: ClusterPoints) -> list[Line2D]:
    """Draw the points of each cluster; return the entries of the legend."""
    from matplotlib.lines import Line2D

    area = float(np.clip(20_000 / max(len(points.points), 1), 9, 36))
    handles = []
    for k in range(len(points.sizes)):
        style = cluster_style(k)
        ax.scatter(
            *points.points[points.cluster == k].T,
            s=area,
            c=style.colour,
            marker=style.marker,
            edgecolors=OUTLINE,
            linewidths=0.4,
            rasterized=len(points.points) > VECTOR_POINTS,
            zorder=3,
        )
        edge = {"markersize": 6, "markeredgecolor": OUTLINE, "markeredgewidth": 0.4}
        handles.append(
            Line2D([], [], color=style.colour, marker=style.marker, linestyle="", **edge)
        )
    return handles


def _set_limits(ax: Axes, points: ClusterPoints) -> None:
    """Set axis limits with equal margins."""
    for axis, values in zip("xy", points.points.T, strict=True):
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


def _draw_numbers(ax: Axes, points: ClusterPoints) -> None:
    """Draw the number of each cluster at the median of its points, avoiding other numbers."""
    dots = ax.figure.dpi / 72
    others = np.empty((0, 2))
    for k in range(len(points.sizes)):
        mine = points.points[points.cluster == k]
        mine = mine[~np.isnan(mine).any(axis=1)]
        if not len(mine):
            continue
        middle = np.median(mine, axis=0)
        position = ax.transData.transform(middle) / dots
        free = _free_position(position, others)
        others = np.vstack([others, free])
        style = cluster_style(k)
        ax.annotate(
            str(k),
            middle,
            xytext=free - position,
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


def _free_position(position: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the position, or a free one on rings around it."""
    for ring in range(len(others) + 1):
        for angle in np.arange(8 * ring or 1) * 2 * np.pi / (8 * ring or 1):
            free = position + ring * np.multiply(NUMBER_SIZE, [np.cos(angle), np.sin(angle)])
            if not (np.abs(free - others) < NUMBER_SIZE).all(axis=1).any():
                return free
    return position


def _draw_labels(ax: Axes, points: ClusterPoints, n_read: int | None) -> None:
    names = [shortened(clean(name), AXIS_WIDTH) for name in points.axis_names]
    if points.plane == "feature":
        ax.yaxis.get_major_locator().set_params(integer=True)
    if points.explained is not None:
        names = [
            f"{name} ({100 * share:.0f}% of variance)"
            for name, share in zip(names, points.explained, strict=True)
        ]
    ax.set_xlabel(names[0], **PLAIN)
    ax.set_ylabel(names[1], **PLAIN)
    notes, n_rows = [], int(points.sizes.sum())
    if len(points.points) < n_rows:
        notes.append(f"{len(points.points):,} of {n_rows:,} rows{sample_note(n_read)}")
    elif n_read is not None:
        notes.append(f"{n_rows:,} rows{sample_note(n_read)}")
    if points.n_missing:
        notes.append(f"{points.n_missing:,} rows that miss a value are not shown")
    if notes:
        ax.set_title("; ".join(notes), fontsize="small", color=GREY, loc="left")
    ax.spines[["top", "right"]].set_visible(False)
