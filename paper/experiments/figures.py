"""All figures of a folder's rows, drawn once and kept as PNG and SVG; a tree as JSON too.

What is drawn from rows is left out where there are none. The pictures of a data set are drawn
where rows of that set are there: whoever has them has the set. Drawing needs no pyplot and sets
nothing that outlives it, and the same rows give the same bytes.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agathis.plot._canvas import check_axes
from paper.datasets import load
from paper.experiments import congress, curves, pictures
from paper.experiments.result_cells import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 100


@dataclass(frozen=True)
class Drawn:
    """A figure as files.

    Attributes
    ----------
    name : str
        Of the files, without their ending.
    title : str
    text : str
        What is to be seen.
    lines : list of str
        Its numbers in words.
    png, svg : bytes
    tree : str, optional
        The tree that is drawn, as JSON.
    """

    name: str
    title: str
    text: str
    lines: list[str]
    png: bytes
    svg: bytes
    tree: str | None = None


def draw_all(rows: list[Row], data_home: str | os.PathLike[str] | None) -> list[Drawn]:
    """The figures that can be drawn, in the order of the paper."""
    found = [
        _waes(rows),
        _wine(rows, data_home),
        _lost(rows),
        _votes(rows, data_home),
        _imm(),
    ]
    return [drawn for drawn in found if drawn is not None]


#: The title of each figure; what is not drawn is said by this name.
TITLES = {
    "waes": "WAES on rotated Gaussians",
    "wine": "Wine with the χ² kernel",
    "lost_clusters": "Clusters that kernel KMeans keeps",
    "congress": "The tree of the Congress votes",
    "imm": "The example of IMM",
}


def _waes(rows: list[Row]) -> Drawn | None:
    panels = {name: curves.waes_curves(rows, name) for name in ("angle", "samples")}
    panels = {name: panel for name, panel in panels.items() if panel}
    if not panels:
        return None
    words = {"angle": "Against the angle", "samples": "Against the number of samples"}
    return _drawn(
        "waes",
        "Three Gaussians on a line, trees without a limit of leaves; WAES plus 1 against the angle "
        "of the line and the number of samples. The paper's curves are dashed.",
        [
            f"{words[e]}, {line}"
            for e, panel in panels.items()
            for line in curves.curves_caption(panel)
        ],
        (5.0 * len(panels), 3.8),
        lambda figure: curves.draw_curves(figure, panels),
    )


def _lost(rows: list[Row]) -> Drawn | None:
    panels = curves.cluster_bars(rows)
    if not panels:
        return None
    return _drawn(
        "lost_clusters",
        "How many clusters have rows after plain kernel KMeans, and after Kauri.",
        curves.bars_caption(panels),
        (4.5 * min(2, len(panels)), 2.7 * -(-len(panels) // 2)),
        lambda figure: curves.draw_bars(figure, panels),
    )


def _wine(rows: list[Row], data_home: str | os.PathLike[str] | None) -> Drawn | None:
    if not any(row["dataset"] == "wine" and row["kernel"] == "chi2" for row in rows):
        return None
    wine = pictures.wine_views(load("wine", data_home=data_home, scaled=True))
    return _drawn(
        "wine",
        "The plane of the first two principal components; all rows, four leaves a cluster.",
        pictures.wine_caption(wine),
        (10.0, 3.7),
        lambda figure: pictures.draw_wine(figure, wine),
    )


def _votes(rows: list[Row], data_home: str | os.PathLike[str] | None) -> Drawn | None:
    if not any(row["dataset"] == "congress" for row in rows):
        return None
    votes = load("congress", data_home=data_home)
    trees = congress.votes_trees(votes)
    drawn = _drawn(
        "congress",
        "Kauri's tree on all rows, with the linear kernel and without a limit of leaves, beside "
        "what the paper's tree is worth on the same rows.",
        congress.say_votes(trees),
        (10.0, 5.4),
        lambda figure: congress.draw_votes(figure, votes, trees),
    )
    return replace(drawn, tree=congress.as_model(trees[0], votes))


def _imm() -> Drawn:
    X, views = pictures.imm_views()
    return _drawn(
        "imm",
        "Two Gaussians and two points far above them, with the leaves of three trees.",
        pictures.imm_caption(views),
        (10.0, 3.4),
        lambda figure: pictures.draw_imm(figure, X, views),
    )


def _drawn(
    name: str,
    text: str,
    lines: list[str],
    size: tuple[float, float],
    draw: Callable[[Figure], None],
) -> Drawn:
    check_axes(None)
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    draw(figure)
    return Drawn(name, TITLES[name], text, lines, *_saved(figure, name))


def _saved(figure: Figure, name: str) -> tuple[bytes, bytes]:
    from matplotlib import rc_context

    png, svg = io.BytesIO(), io.BytesIO()
    figure.savefig(png, format="png", dpi=DPI, metadata={"Software": None})
    # Without a salt of our own, names inside the file would be others each time.
    with rc_context({"svg.hashsalt": name}):
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    return png.getvalue(), svg.getvalue()
