"""Names, numbers and the rule of a leaf, in the units of the tree.

A rule is all the conditions on the way to a node, merged: each feature once, with the tightest
bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sklearn.base import BaseEstimator

from agathis._support.numbers import number
from agathis._trees.model import tree_of
from agathis._trees.tree import MISSING_GOES, Tree


def named_tree(
    model: BaseEstimator | Tree,
    feature_names: Sequence[str] | None,
    cluster_names: Sequence[str] | None,
) -> tuple[Tree, list[str], list[str]]:
    """The tree of a model with a name for each feature and each cluster."""
    tree = tree_of(model)
    if feature_names is None:
        feature_names = getattr(model, "feature_names_in_", None)
    if feature_names is None:
        feature_names = [f"x[{f}]" for f in range(tree.n_features)]
    feature_names = check_names("feature_names", feature_names, tree.n_features, "features")
    if cluster_names is None:
        cluster_names = [f"cluster {k}" for k in range(tree.n_clusters)]
    cluster_names = check_names("cluster_names", cluster_names, tree.n_clusters, "clusters")
    return tree, feature_names, cluster_names


def check_names(argument: str, names: Sequence[str], n: int, what: str) -> list[str]:
    """Names as text, one for each of ``n`` features or clusters."""
    if not hasattr(names, "__len__") or not hasattr(names, "__getitem__"):
        raise TypeError(f"{argument} must be a sequence of {n} names; it is {names!r}.")
    if isinstance(names, str) or len(names) != n:
        found = f"{names!r}" if isinstance(names, str) else f"{len(names)} names"
        raise ValueError(f"{argument} has {found}; the tree has {n} {what}.")
    return [str(name) for name in names]


def rule(tree: Tree, path: Sequence[int], feature_names: Sequence[str], digits: int) -> str:
    """What rows at the end of a path from the root satisfy.

    Features stand in the order in which the path first asks for them. Missing values are named
    where some were seen on the path, and follow it to its end.
    """
    missing_left = tree.missing_left
    found: dict[int, _Bounds] = {}
    for node, child in pairwise(path):
        bounds = found.setdefault(int(tree.feature[node]), _Bounds())
        left = bool(child == tree.children_left[node])
        threshold = float(tree.threshold[node])
        if left:
            bounds.high = min(bounds.high, threshold)
        else:
            bounds.low = max(bounds.low, threshold)
        bounds.missing &= bool(missing_left[node]) == left
        bounds.seen |= MISSING_GOES[tree.missing[node]] == ("left" if left else "right")
    if not found:
        return "all rows"
    return " and ".join(b.text(str(feature_names[f]), digits) for f, b in found.items())


@dataclass
class _Bounds:
    """Values above ``low`` and up to ``high``, and whether missing ones pass too."""

    low: float = -float("inf")
    high: float = float("inf")
    missing: bool = True
    seen: bool = False

    def text(self, name: str, digits: int) -> str:
        if self.low == float("inf"):
            return f"{name} is missing"
        low, high = number(self.low, digits), number(self.high, digits)
        if self.low == -float("inf"):
            words = f"{name} is known" if self.high == float("inf") else f"{name} <= {high}"
        elif self.high == float("inf"):
            words = f"{name} > {low}"
        else:
            words = f"{low} < {name} <= {high}"
        return f"{words} or missing" if self.missing and self.seen else words
