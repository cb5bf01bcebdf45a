"""Plot of the cluster profile, as a table of coloured numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from agathis._rules.colours import cluster_style, text_on
from agathis._rules.profile import ClusterProfile, cluster_profile
from agathis._trees.tree import Tree
from agathis.dask._sampled_rows import as_local, sampled_rows
from agathis.plot._canvas import (
    canvas,
    check_axes,
    clean,
    sample_note,
    shortened,
    text_widths,
    wrapped,
)
from agathis.plot._style import (
    CLUSTER_WIDTH,
    FEATURE_WIDTH,
    GREY,
    HEAD,
    HIGH,
    LOW,
    MIDDLE,
    PLAIN,
    POINTS,
    ROW,
    SATURATION,
    UNKNOWN,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_profile(
    model: BaseEstimator | Pipeline | Tree,
    X: ArrayLike,
    *,
    ax: Axes | None = None,
    sample_weight: ArrayLike | None = None,
    **options: Any,
) -> Axes:
    """Plot the profile of each cluster, as a table of coloured numbers.

    A number is the difference between the mean of a cluster (column) and that of all rows, in
    standard deviations. Features are sorted by the variance that the clusters explain.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        A fitted estimator with ``tree_``, with scalers before it or not, or the tree itself.
    X : array-like of shape (n_samples, n_features), or Dask collection
        As for :func:`agathis.plot.cluster_profile`. Of a Dask collection 50,000 rows are sampled
        at random, which the plot shows.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure, as large as the table needs.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows in means and standard deviations.
    **options : optional
        As for :func:`agathis.plot.cluster_profile`: ``max_features``, and names such as
        ``feature_names``.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from agathis import Kauri
    >>> from agathis.plot import plot_profile
    >>> X = load_iris().data
    >>> model = Kauri(n_clusters=3, max_leaf_nodes=3).fit(X)
    >>> ax = plot_profile(model, X, ax=Figure().add_subplot())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['x[2]', 'x[3]', 'x[0]', 'x[1]']
    """
    sampled = sampled_rows(X, {"sample_weight": sample_weight})
    profile = cluster_profile(as_local(model), sampled.rows, sample_weight=sample_weight, **options)
    check_axes(ax)
    rows = [shortened(clean(name), FEATURE_WIDTH) for name in profile.feature_names]
    heads = [
        [*wrapped(name, CLUSTER_WIDTH), f"n={size:,}"]
        for name, size in zip(profile.cluster_names, profile.sizes, strict=True)
    ]
    if ax is None:
        wide, high = _inches(rows, heads)
        ax = canvas(None, (wide, high))
        points = POINTS
    else:
        points = _points_on(ax, rows, heads)
    _draw(ax, profile, rows, heads, points, sampled.n_read)
    return ax


def _inches(rows: Sequence[str], heads: Sequence[Sequence[str]]) -> tuple[float, float]:
    """Return the size of a figure for the table."""
    beside = max(text_widths(rows)) * POINTS / 72
    above = (max(map(len, heads)) + 3.5) * 1.25 * POINTS / 72
    return (
        max(beside + _column(heads) * POINTS / 72 * len(heads) + 0.4, 3.6),
        max(above + ROW * POINTS / 72 * len(rows) + 0.5, 1.6),
    )


def _column(heads: Sequence[Sequence[str]]) -> float:
    """Return the width of a column in units of the font size."""
    return max(max(text_widths(lines)) for lines in [*heads, ["+10.0"]]) + 1.0


def _points_on(ax: Axes, rows: Sequence[str], heads: Sequence[Sequence[str]]) -> float:
    """Return the largest font size that fits in the cells of given axes."""
    extent = ax.get_window_extent()
    dots = ax.figure.dpi / 72
    wide = extent.width / dots / len(heads) / _column(heads)
    high = extent.height / dots / len(rows) / 1.4
    return min(POINTS, wide, high)


def _draw(
    ax: Axes,
    profile: ClusterProfile,
    rows: Sequence[str],
    heads: Sequence[Sequence[str]],
    points: float,
    n_read: int | None,
) -> None:
    from matplotlib.colors import LinearSegmentedColormap, Normalize, to_hex
    from matplotlib.patches import Rectangle

    colours = LinearSegmentedColormap.from_list("agathis", [LOW, MIDDLE, HIGH])
    norm = Normalize(-SATURATION, SATURATION, clip=True)
    ax.set(xlim=(0, len(heads)), ylim=(len(rows), -HEAD))
    for k, cluster in enumerate(profile.standardised):
        style = cluster_style(k)
        ax.add_patch(Rectangle((k + 0.02, -HEAD), 0.96, HEAD * 0.7, facecolor=style.colour))
        for f, value in enumerate(cluster):
            known = not np.isnan(value)
            shade = to_hex(colours(norm(value))) if known else UNKNOWN
            ax.add_patch(Rectangle((k, f), 1, 1, facecolor=shade, edgecolor="white", linewidth=1))
            ax.text(
                k + 0.5,
                f + 0.5,
                _signed(value) if known else "\u2013",
                size=points,
                color=text_on(shade),
                ha="center",
                va="center_baseline",
            )
    ax.set_yticks(np.arange(len(rows)) + 0.5, rows, fontsize=points, **PLAIN)
    ax.xaxis.tick_top()
    lines = ["\n".join(head) for head in heads]
    ax.set_xticks(np.arange(len(heads)) + 0.5, lines, fontsize=points, **PLAIN)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel(_legend(profile, heads, n_read), fontsize=points, color=GREY)
    ax.xaxis.set_label_position("bottom")


def _legend(profile: ClusterProfile, heads: Sequence[Sequence[str]], n_read: int | None) -> str:
    """Describe the numbers, on as many lines as needed below the columns."""
    parts = ["standard deviations", "from the mean of all rows"]
    if len(profile.features) < profile.n_features:
        parts.insert(0, f"{len(profile.features)} of {profile.n_features} features;")
    if n_read is not None:
        parts[-1] = f"from the mean of {int(profile.sizes.sum()):,} rows,"
        parts.append(sample_note(n_read).removeprefix(", "))
    line = " ".join(parts)
    return line if text_widths([line])[0] < _column(heads) * len(heads) else "\n".join(parts)


def _signed(value: float) -> str:
    """Format a number with its sign, omitted if it rounds to 0.

    >>> _signed(1.234), _signed(-0.04)
    ('+1.2', '0.0')
    """
    signed = f"{value:+.1f}"
    return signed[1:] if float(signed) == 0 else signed.replace("-", "\u2212")
