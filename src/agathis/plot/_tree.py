"""Plot of the tree.

Everything is measured in units of the font size first: the size of each box, and its position by
the tidy layout, with the root on top or, where that is too wide, on the left. Then the font size is
chosen so that the tree fits. The axes have these units and an equal aspect ratio, so boxes and text
stay in proportion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from agathis._checks import data as checks
from agathis._checks.parameters import PLOT_CONSTRAINTS
from agathis._rules.colours import cluster_style
from agathis._rules.described_tree import last_step
from agathis._rules.tree_layout import LayoutNode, TreeLayout, layout_tree, positions
from agathis._trees.model import tree_of
from agathis._trees.tree import Tree
from agathis.plot._canvas import canvas, check_axes, text_widths, wrapped
from agathis.plot._style import (
    DEPTH_GAP,
    GREY,
    LABEL_GAP,
    LINE,
    MARGIN,
    MAX_SIZE,
    MIN_SIZE,
    PADDING,
    PAGE_SIZE,
    PLAIN,
    POINTS,
    POINTS_ON_AXES,
    SIBLING_GAP,
    STRIP,
    TREE_WIDTH,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import FancyBboxPatch


def plot_tree(
    model: BaseEstimator | Pipeline | Tree,
    *,
    ax: Axes | None = None,
    details: bool = True,
    root: str = "auto",
    fontsize: float | None = None,
    **options: Any,
) -> Axes:
    """Plot a tree.

    A leaf has the colour and the name of its cluster. A split has the name of its feature; the
    condition of a child is written above it; the strip at its foot shows the clusters below. The
    width of a line shows the number of rows.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        A fitted estimator with ``tree_``, with scalers before it or not, or the tree itself.
    ax : matplotlib Axes, optional
        The axes, to which the font size is fitted. By default a new figure, as large as needed.
    details : bool, default=True
        Whether to show sizes, kinds of split and gains.
    root : {"auto", "top", "left"}, default="auto"
        The position of the root: ``"auto"`` is on top unless the plot would be very wide.
    fontsize : float, optional
        In points. By default chosen to fit.
    **options : optional
        As for :func:`agathis.plot.layout_tree`: ``max_depth``, below which dashed boxes show the
        number of leaves, and names such as ``feature_names``.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from agathis import Kauri
    >>> from agathis.plot import plot_tree
    >>> model = Kauri(n_clusters=3, max_leaf_nodes=3).fit(load_iris().data)
    >>> ax = plot_tree(model, ax=Figure().add_subplot())
    >>> [text.get_text() for text in ax.texts][:2]
    ['x[2]', '150 samples']
    """
    checks.check_arguments(
        "plot_tree", PLOT_CONSTRAINTS, details=details, root=root, fontsize=fontsize
    )
    layout = layout_tree(model, **options)
    check_axes(ax)
    page, points = PAGE_SIZE, POINTS
    if ax is not None:
        extent = ax.get_window_extent()
        dots = ax.figure.dpi
        page, points = (extent.width / dots, extent.height / dots), POINTS_ON_AXES
    sheet = _measure(tree_of(last_step(model)), layout, details, root, page, points)
    if ax is None:
        fontsize = fontsize or min(points, sheet.points(MAX_SIZE))
        inches = [side * fontsize / 72 + 0.1 for side in sheet.size]
        ax = canvas(None, (max(inches[0], MIN_SIZE[0]), max(inches[1], MIN_SIZE[1])))
    _draw(ax, sheet, fontsize or min(points, sheet.points(page)))
    return ax


@dataclass(frozen=True)
class _Text:
    """The lines of text of a node: the label above its box, and those in the box, bold first."""

    label: list[str]
    lines: list[str]
    bold: int
    foot: float

    @property
    def width(self) -> float:
        names, facts = self.lines[: self.bold], self.lines[self.bold :]
        return max(text_widths(names, bold=True) + text_widths(facts)) + 2 * PADDING

    @property
    def height(self) -> float:
        return len(self.lines) * LINE + PADDING + self.foot

    @property
    def above(self) -> float:
        return len(self.label) * LINE + LABEL_GAP if self.label else 0.0


@dataclass(frozen=True)
class _Placed:
    """A positioned node: the middle, top and size of its box, and the line from its parent."""

    node: LayoutNode
    text: _Text
    x: float
    top: float
    width: float
    height: float
    line: tuple[list[float], list[float]] | None


@dataclass(frozen=True)
class _Sheet:
    boxes: tuple[_Placed, ...]
    size: tuple[float, float]

    def points(self, page: tuple[float, float]) -> float:
        """Return the largest font size with which the tree fits on a page of this size."""
        return min(72 * inches / side for inches, side in zip(page, self.size, strict=True))


def _measure(
    tree: Tree,
    layout: TreeLayout,
    details: bool,
    root: str,
    page: tuple[float, float],
    points: float,
) -> _Sheet:
    """Position the boxes, with the root where requested, or where the font is larger."""
    texts = {n.node: _text(n, details) for n in layout.nodes}
    if root != "auto":
        return _arrange(tree, layout, texts, root == "left")
    upright = _arrange(tree, layout, texts, False)
    if upright.points(page) >= points:
        return upright
    lying = _arrange(tree, layout, texts, True)
    return lying if lying.points(page) > upright.points(page) else upright


def _arrange(tree: Tree, layout: TreeLayout, texts: dict[int, _Text], lying: bool) -> _Sheet:
    """Position the boxes with the root on top or, ``lying``, on the left."""
    width = {i: text.width for i, text in texts.items()}
    wide = {i: max([width[i], *text_widths(text.label)]) for i, text in texts.items()}
    high = {i: text.above + text.height for i, text in texts.items()}
    across, along = (high, wide) if lying else (wide, high)
    extent = np.zeros(tree.node_count)
    extent[list(across)] = np.array(list(across.values())) + SIBLING_GAP
    position = MARGIN - SIBLING_GAP / 2 + positions(tree, layout.depth, extent)

    begin, end = [], MARGIN
    for depth in range(layout.depth + 1):
        begin.append(end)
        end += max(along[n.node] for n in layout.nodes if n.depth == depth) + DEPTH_GAP
    # Labels above boxes are in one row: the boxes of a depth begin at the same height.
    above = [max(texts[n.node].above for n in layout.nodes if n.depth == d)
             for d in range(layout.depth + 1)]  # fmt: skip

    boxes: dict[int, _Placed] = {}
    for n in layout.nodes:
        i, text = n.node, texts[n.node]
        if lying:
            x, top = begin[n.depth] + wide[i] / 2, position[i] - high[i] / 2 + text.above
        else:
            x, top = position[i], begin[n.depth] + above[n.depth]
        box = _Placed(n, text, float(x), float(top), width[i], text.height, None)
        if n.parent >= 0:
            line = _line(boxes[n.parent], box, begin[n.depth] - 0.4 * DEPTH_GAP, lying)
            box = replace(box, line=line)
        boxes[i] = box
    breadth = float(max(position[i] + across[i] / 2 for i in across) + MARGIN)
    length = end - DEPTH_GAP + MARGIN
    size = (length, breadth) if lying else (breadth, length)
    return _Sheet(tuple(boxes.values()), size)


def _line(
    above: _Placed, box: _Placed, bend: float, lying: bool
) -> tuple[list[float], list[float]]:
    """Draw the line from the parent to the child's label; it turns aside at ``bend``."""
    if lying:
        start, y0 = above.x + above.width / 2, above.top + above.height / 2
        y1 = box.top + box.height / 2
        return [start, bend, bend, box.x - box.width / 2], [y0, y0, y1, y1]
    end = box.top - box.text.above - LABEL_GAP
    return [above.x, above.x, box.x, box.x], [above.top + above.height, bend, bend, end]


def _text(n: LayoutNode, details: bool) -> _Text:
    names, facts = _lines(n, details)
    condition = n.condition.replace("<=", "≤").replace(">=", "≥")
    label = wrapped(condition, TREE_WIDTH) if condition else []
    return _Text(label, names + facts, len(names), 0.0 if n.kind == "leaf" else STRIP)


def _lines(n: LayoutNode, details: bool) -> tuple[list[str], list[str]]:
    """Return the lines in a box: names, and facts below them."""
    facts = [f"{n.size:,} sample{'s'[: n.size != 1]}"] if details else []
    if n.kind == "leaf":
        return wrapped(n.cluster_name, TREE_WIDTH), facts
    if n.kind == "cropped":
        return [f"{n.n_leaves:,} leaves"], [
            *wrapped(f"mostly {n.cluster_name}", TREE_WIDTH),
            *facts,
        ]
    if details:
        facts.append(f"{n.move.replace('_', ' ')}, {_percent(n.gain_share)} of gain")
    return wrapped(n.feature, TREE_WIDTH), facts


def _percent(share: float) -> str:
    """Format a fraction as a percentage, with a decimal if it is small.

    >>> _percent(0.423), _percent(0.0042), _percent(0.0), _percent(0.0001)
    ('42%', '0.4%', '0%', '<0.1%')
    """
    if 0 < share < 0.0005:
        return "<0.1%"
    return f"{100 * share:.1f}%" if 0 < share < 0.00995 else f"{100 * share:.0f}%"


def _draw(ax: Axes, sheet: _Sheet, points: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    ax.set_axis_off()
    ax.set(xlim=(0, sheet.size[0]), ylim=(sheet.size[1], 0))
    ax.set_aspect("equal", adjustable="box")
    for box in sheet.boxes:
        n, text, style = box.node, box.text, cluster_style(box.node.cluster)
        leaf = n.kind == "leaf"
        if box.line is not None:
            ax.plot(
                *box.line,
                color=GREY,
                linewidth=points / 12 * (1 + 3 * n.size_share),
                solid_capstyle="butt",
                solid_joinstyle="round",
                zorder=1,
                scalex=False,
                scaley=False,
            )
        frame = FancyBboxPatch(
            (box.x - box.width / 2, box.top),
            box.width,
            box.height,
            boxstyle="round,pad=0,rounding_size=0.35",
            facecolor=style.colour if leaf else "white",
            edgecolor=style.colour if leaf else GREY,
            linewidth=points / 10,
            linestyle="--" if n.kind == "cropped" else "-",
            zorder=2,
        )
        ax.add_patch(frame)
        if not leaf:
            _draw_strip(ax, box, frame)
        if n.parent >= 0:
            _write(ax, text.label, box.x, box.top - text.above, points, None, 0)
        ink = style.text_colour if leaf else "black"
        _write(ax, text.lines, box.x, box.top + PADDING / 2, points, ink, text.bold)


def _write(
    ax: Axes, lines: Sequence[str], x: float, top: float, points: float, ink: str | None, bold: int
) -> None:
    """Write lines below each other; without ``ink`` in the default text colour of the axes."""
    for i, line in enumerate(lines):
        ax.text(
            x,
            top + (i + 0.5) * LINE,
            line,
            size=points,
            weight="bold" if i < bold else "normal",
            color=ink,
            ha="center",
            va="center_baseline",
            zorder=4,
            **PLAIN,
        )


def _draw_strip(ax: Axes, box: _Placed, frame: FancyBboxPatch) -> None:
    """Draw the clusters below a node, with widths by their fractions."""
    from matplotlib.patches import Rectangle

    x = box.x - box.width / 2
    for cluster, share in enumerate(box.node.shares):
        if share > 0:
            part = Rectangle(
                (x, box.top + box.height - STRIP),
                share * box.width,
                STRIP,
                facecolor=cluster_style(cluster).colour,
                linewidth=0,
                zorder=3,
            )
            ax.add_patch(part)
            part.set_clip_path(frame)
            x += share * box.width
