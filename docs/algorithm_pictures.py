"""Draw what docs/algorithm.md explains: ``python docs/algorithm_pictures.py``. Needs matplotlib.

The pictures are SVG on a white ground, so that they can be read on a dark page too.
"""

from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from agathis import Kauri, datasets
from agathis._dataset.bins import find_bins
from agathis.plot import cluster_style

IMAGES = Path(__file__).parent / "images"
INK, FAINT = "#222222", "#767676"
#: Leaves of the picture of splits by their names: left, bottom, width, height.
LEAVES = {"T": (0, 1, 2, 1), "p": (0, 0, 2, 1), "q": (2, 0, 1, 2), "r": (3, 0, 1, 2)}
#: What becomes of the two sides of T, and the gain; p, q and r are there, a and b are new.
SPLITS = {
    "star": ("p", "a", "leave(R) + found(R)"),
    "switch": ("p", "q", "leave(R) + arrive(R, q)"),
    "double star": ("a", "b", "leave(T) + found(L) + found(R)"),
    "mixed": ("a", "q", "leave(T) + found(L) + arrive(R, q)"),
    "reallocation": ("q", "r", "leave(T) + arrive(L, q) + arrive(R, r)"),
}
#: The same rows in every panel: what changes is their cluster. One somewhere in each small square.
SQUARES = np.indices((16, 8)).reshape(2, -1).T
ROWS = (SQUARES + np.random.RandomState(0).uniform(0.2, 0.8, SQUARES.shape)) / 4
CLUSTERS = {"p": 0, "q": 1, "r": 2, "a": 3, "b": 7}


def save(figure: Figure, name: str) -> None:
    """Write a picture; the same picture gives the same bytes."""
    with rc_context({"svg.hashsalt": name}):
        figure.savefig(IMAGES / f"{name}.svg", metadata={"Date": None, "Creator": None})


def leaf(ax: Axes, place: tuple[float, ...], cluster: str, words: str) -> None:
    """A leaf in the colour of its cluster, with some of its rows and with words."""
    left, bottom, width, height = place
    style = cluster_style(CLUSTERS[cluster])
    ax.add_patch(Rectangle((left, bottom), width, height, color=style.colour, alpha=0.22, lw=0))
    ax.add_patch(Rectangle((left, bottom), width, height, fill=False, ec=INK, lw=0.9))
    inside = ((left, bottom) < ROWS) & ((left + width, bottom + height) > ROWS)
    rows = ROWS[inside.all(axis=1)]
    ax.scatter(*rows.T, s=8, color=style.colour, marker=style.marker, lw=0)
    ground = {"facecolor": "white", "edgecolor": "none", "boxstyle": "round,pad=0.2"}
    middle = left + width / 2, bottom + height / 2
    ax.text(*middle, words, ha="center", va="center", fontsize=10, color=INK, bbox=ground)


def plane(ax: Axes, title: str, below: str) -> None:
    """The empty plane of a panel."""
    ax.set(xlim=(-0.03, 4.03), ylim=(-0.03, 2.03), aspect="equal", xticks=[], yticks=[])
    ax.set_axis_off()
    ax.set_title(title, fontsize=11, fontweight="bold", color=INK)
    ax.text(2, -0.14, below, ha="center", va="top", fontsize=9, color=INK)


def draw_splits() -> None:
    """The kinds of split: one leaf, cut at one place, and what may become of its sides."""
    figure = Figure(figsize=(9.6, 4.5), layout="constrained", facecolor="white")
    before, *after = figure.subplots(2, 3).ravel()
    for name, place in LEAVES.items():
        leaf(before, place, "p" if name == "T" else name, "T, of p" if name == "T" else name)
    plane(before, "before", "three clusters; p has two leaves")
    for ax, (kind, (left, right, gain)) in zip(after, SPLITS.items(), strict=True):
        for name in ("p", "q", "r"):
            leaf(ax, LEAVES[name], name, name)
        for side, cluster, at in (("L", left, 0), ("R", right, 1)):
            new = "new" if cluster in "ab" else cluster
            leaf(ax, (at, 1, 1, 1), cluster, f"{side}: {new}")
        plane(ax, kind, gain)
    save(figure, "splits")


def draw_bins() -> None:
    """Rows of a leaf in bins, and the tables of its two children."""
    X, _ = datasets.make_rotated_gaussians(400, angle=0.6, random_state=1)
    tree = Kauri(2, max_leaf_nodes=2).fit(X).tree_
    feature = 1 - int(tree.feature[0])
    goes_left = tree.apply(X) == tree.children_left[0]
    smaller = goes_left if goes_left.sum() <= len(X) / 2 else ~goes_left
    bins = find_bins(X, None, 16)
    edges = bins.edges[feature]
    count = len(edges) + 1
    place = bins.assign(X)[:, feature]
    tables = [np.bincount(place[chosen], minlength=count) for chosen in (smaller >= 0, smaller)]
    figure = Figure(figsize=(9.6, 4.6), layout="constrained", facecolor="white")
    top, *low = figure.subplot_mosaic([["rows"] * 3, [0, 1, 2]], height_ratios=(1, 1.5)).values()
    for k, chosen in enumerate((~smaller, smaller)):
        style = cluster_style(k)
        height = np.random.RandomState(k).uniform(0.12, 0.88, chosen.sum())
        top.scatter(X[chosen, feature], height, s=9, color=style.colour, marker=style.marker, lw=0)
    top.vlines(edges, 0, 1, color=INK, lw=0.8)
    top.set(ylim=(0, 1), yticks=[])
    top.set_title(f"rows of a leaf along a feature, and the edges of its {count} bins", fontsize=11)
    shown = (
        ("the leaf: summed once", tables[0], FAINT),
        ("\N{MINUS SIGN} the smaller child: summed anew", tables[1], cluster_style(1).colour),
        ("= the larger child: no row is read", tables[0] - tables[1], cluster_style(0).colour),
    )
    for ax, (title, table, colour) in zip(low, shown, strict=True):
        ax.bar(np.arange(count), table, color=colour, width=0.9)
        ax.set(ylim=(0, 1.1 * tables[0].max()), xticks=[], xlabel="bins")
        ax.set_title(title, fontsize=10.5)
    low[0].set_ylabel("rows in a bin, m")
    for ax in (top, *low):
        ax.spines[["top", "right"]].set_visible(False)
    save(figure, "bins")


if __name__ == "__main__":
    draw_splits()
    draw_bins()
