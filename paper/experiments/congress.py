"""The tree of the Congress votes, beside the one that the paper draws.

The paper's tree is built from its figure, node by node, and put to the same data: what it says of
the voters and what its objective is can then be compared with ours. It is built twice, as printed
and with the two words of its last split exchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.metrics import adjusted_rand_score
from sklearn.utils import Bunch

from agathis._kauri import Kauri
from agathis._trees.builder import TreeBuilder
from agathis._trees.tree import MOVES, Tree
from agathis.export import to_json
from agathis.metrics import kernel_kmeans_score, unsupervised_accuracy
from agathis.plot import plot_tree
from agathis.plot._style import PLAIN

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What the paper says of its tree.
PAPER = {"ari": 0.47, "accuracy": 0.84}
SALVADOR, CONTRAS, MISSILE = "el_salvador_aid", "aid_to_nicaraguan_contras", "mx_missile"

_PROPER = {
    SALVADOR: "El Salvador aid",
    CONTRAS: "aid to Nicaraguan contras",
    MISSILE: "MX missile",
}


@dataclass(frozen=True)
class VotesTree:
    """A tree of the votes and what it is worth.

    Attributes
    ----------
    title : str
    tree : Tree
    objective, cost : float
        Of its clusters, with the linear kernel on the votes as 1, 0 and -1.
    ari, accuracy : float
    first : str
        The feature of the first split.
    kinds : tuple of str
        The kind of each split.
    shares : tuple of dict
        For each cluster from a class to its share of the cluster's rows.
    sizes : tuple of int
    labels : ndarray
        The cluster of each row.
    """

    title: str
    tree: Tree
    objective: float
    cost: float
    ari: float
    accuracy: float
    first: str
    kinds: tuple[str, ...]
    shares: tuple[dict[str, float], ...]
    sizes: tuple[int, ...]
    labels: np.ndarray


def votes_trees(votes: Bunch) -> tuple[VotesTree, ...]:
    """Our tree, the paper's as printed, and the paper's with the words of its last split swapped.

    ``votes`` are 1, 0 and -1 as :func:`paper.datasets.load` gives them.
    """
    ours = Kauri(votes.n_clusters, max_leaf_nodes=None).fit(votes.data).tree_
    return (
        _valued("ours", ours, votes),
        _valued("the paper's, as printed", paper_tree(votes), votes),
        _valued("the paper's, last split swapped", paper_tree(votes, swapped=True), votes),
    )


def paper_tree(votes: Bunch, *, swapped: bool = False) -> Tree:
    """The tree of the paper's figure on some votes.

    ``swapped`` gives those who voted no on the missile to the other cluster.
    """
    X = votes.data
    names = list(votes.feature_names)
    lacking = [name for name in (SALVADOR, CONTRAS, MISSILE) if name not in names]
    if lacking:
        raise ValueError(f"votes must have the features of the paper's tree; it lacks {lacking}.")
    first, second = (1, 0) if swapped else (0, 1)
    # "yes" is 1, "no" is -1; the unknown votes go with the other side of each.
    steps = [
        (SALVADOR, 0.5, 0, 1, "star"),
        (CONTRAS, -0.5, 1, 0, "switch"),
        (MISSILE, -0.5, first, second, "switch"),
    ]
    builder = TreeBuilder()
    builder.n_node_samples[0], builder.weighted_n_node_samples[0] = len(X), float(len(X))
    node, rows = 0, np.arange(len(X))
    labels = np.zeros(len(X), dtype=np.int64)
    value = _objective(X, labels)
    for name, threshold, left, right, move in steps:
        feature = names.index(name)
        goes_left = X[rows, feature] <= threshold
        labels[rows] = np.where(goes_left, left, right)
        after = _objective(X, labels)
        children = builder.cut(node, feature, threshold, gain=after - value, move=MOVES.index(move))
        for child, cluster, side in zip(
            children, (left, right), (goes_left, ~goes_left), strict=True
        ):
            builder.cluster[child] = cluster
            builder.n_node_samples[child] = int(side.sum())
            builder.weighted_n_node_samples[child] = float(side.sum())
        # The next split is always that of the left child.
        node = children[0]
        rows, value = rows[goes_left], after
    return builder.build(X.shape[1])


def _objective(X: np.ndarray, labels: np.ndarray) -> float:
    return float(np.sum(np.square(X))) - kernel_kmeans_score(X, labels)


def _valued(title: str, tree: Tree, votes: Bunch) -> VotesTree:
    X, y = votes.data, votes.target
    labels = tree.predict(X)
    clusters = range(tree.n_clusters)
    return VotesTree(
        title,
        tree,
        _objective(X, labels),
        kernel_kmeans_score(X, labels),
        adjusted_rand_score(y, labels),
        unsupervised_accuracy(y, labels),
        votes.feature_names[tree.feature[0]],
        tuple(MOVES[move].replace("_", " ") for move in tree.move[~tree.is_leaf]),
        tuple(
            {
                name: float(np.mean(y[labels == k] == code)) if (labels == k).any() else 0.0
                for code, name in enumerate(votes.target_names)
            }
            for k in clusters
        ),
        tuple(int(np.sum(labels == k)) for k in clusters),
        labels,
    )


def in_words(feature: str) -> str:
    """A feature's name as people write it.

    >>> in_words("aid_to_nicaraguan_contras"), in_words("physician_fee_freeze")
    ('aid to Nicaraguan contras', 'physician fee freeze')
    """
    return _PROPER.get(feature, feature.replace("_", " "))


def camp(tree: VotesTree, cluster: int) -> tuple[str, float]:
    """The class that most of a cluster is of, and its share."""
    return max(tree.shares[cluster].items(), key=lambda item: item[1])


def _camps(tree: VotesTree) -> list[str]:
    found = [camp(tree, k) for k in range(len(tree.sizes))]
    return [f"{100 * s:.0f} % {n}s of {m}" for (n, s), m in zip(found, tree.sizes, strict=True)]


def say_votes(trees: tuple[VotesTree, ...]) -> list[str]:
    """In words how ours and the paper's differ."""
    ours, printed, swapped = trees
    begin = f"Ours begins with {in_words(ours.first)}, "
    begin += (
        "as the paper's does"
        if ours.first == printed.first
        else f"the paper's with {in_words(printed.first)}"
    )
    lines = [
        f"{begin}; its splits are {', '.join(ours.kinds)} (the paper's: "
        f"{', '.join(printed.kinds)}).",
        f"ARI {ours.ari:.2f} and accuracy {100 * ours.accuracy:.0f} % (the paper: "
        f"{PAPER['ari']:.2f} and {100 * PAPER['accuracy']:.0f} %). The clusters have "
        f"{' and '.join(_camps(ours))} (the paper: 73 % republicans and 96 % democrats).",
        _compared("the paper's tree as printed", ours, printed),
    ]
    before = printed.objective - printed.tree.gain[_last(printed)]
    if before > printed.objective:
        lines.append(
            f"As printed, the last split of the paper's tree, on the {in_words(MISSILE)}, lowers "
            f"the objective from {before:.1f} to {printed.objective:.1f}, which no split that "
            "Kauri takes can do. "
            + _compared("the tree with the two words of that split exchanged", ours, swapped)
            + " So the two words are probably exchanged in the print."
        )
    return lines


def _last(votes: VotesTree) -> int:
    return int(np.flatnonzero(~votes.tree.is_leaf)[-1])


def _compared(what: str, ours: VotesTree, other: VotesTree) -> str:
    apart = ours.objective - other.objective
    if abs(apart) <= 1e-9 * abs(ours.objective):
        same = adjusted_rand_score(ours.labels, other.labels) == 1
        also = ", and the same clusters" if same else ""
        return f"{what[0].upper()}{what[1:]} has our objective, {ours.objective:.1f}{also}."
    way = "higher" if apart > 0 else "lower"
    return f"Our objective is {way}: {ours.objective:.1f}, that of {what} is {other.objective:.1f}."


def as_model(votes_tree: VotesTree, votes: Bunch) -> str:
    """A tree as JSON that says what it is without the votes: names, words, sizes."""
    return to_json(
        votes_tree.tree,
        feature_names=[in_words(name) for name in votes.feature_names],
        value_names=votes.value_names,
        cluster_names=[
            f"cluster {k} (mostly {camp(votes_tree, k)[0]}s)"
            for k in range(votes_tree.tree.n_clusters)
        ],
    )


def draw_votes(figure: Figure, votes: Bunch, trees: tuple[VotesTree, ...]) -> None:
    """Our tree with the votes in words, and beside it what is known of it and of the paper's."""
    ours = trees[0]
    names = [f"cluster {k}: mostly {camp(ours, k)[0]}s" for k in range(ours.tree.n_clusters)]
    left, right = figure.subplots(1, 2, width_ratios=(3.2, 1))
    plot_tree(
        ours.tree,
        ax=left,
        feature_names=[in_words(name) for name in votes.feature_names],
        value_names=votes.value_names,
        cluster_names=names,
        root="top",
    )
    right.set_axis_off()
    blocks = []
    for tree in trees:
        title = tree.title[0].upper() + tree.title[1:]
        blocks += [
            (f"{title}\n", True),
            (
                f"first split: {in_words(tree.first)}\n"
                f"{tree.tree.n_leaves} leaves: {', '.join(tree.kinds)}\n"
                f"ARI {tree.ari:.2f}, accuracy {100 * tree.accuracy:.0f} %\n"
                f"objective {tree.objective:.1f}\n"
                + "\n".join(f"cluster {k}: {text}" for k, text in enumerate(_camps(tree))),
                False,
            ),
        ]
    for i, (text, bold) in enumerate(blocks):
        right.text(
            0,
            0.97 - 0.33 * (i // 2) - 0.045 * (i % 2),
            text,
            transform=right.transAxes,
            va="top",
            size=9,
            linespacing=1.5,
            weight="bold" if bold else "normal",
            **PLAIN,
        )
