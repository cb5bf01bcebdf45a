"""What is told of each cluster and of each node: its rule, its rows, what is typical of them."""

from __future__ import annotations

import numpy as np

from agathis._rules.colours import cluster_style
from agathis._rules.columns import Codes, Indicator, Number
from agathis._rules.described_tree import Described
from agathis._rules.profile import ClusterProfile
from agathis._rules.rules import cluster_boxes
from agathis._rules.split_axes import NumberAxis, SumAxis
from agathis._rules.tree_layout import TreeLayout
from agathis.report._bins import histogram
from agathis.report._distributions import categories
from agathis.report._node_rows import (
    NodeRows,
    by_cover,
    counts_by_node,
    rounded,
    spread_of,
    telling_features,
)
from agathis.report._typical import typical_of
from agathis.report._wording import at_most, category_of, displayed_rule, otherwise


def nodes_of(
    described: Described,
    held: NodeRows,
    layout: TreeLayout,
    profile: ClusterProfile,
    classes: tuple[list[str], np.ndarray] | None,
    least: int,
) -> list[dict[str, object]]:
    tree, columns = described.tree, described.columns
    cluster = tree.cluster[held.leaves][held.leaf]
    mix = counts_by_node(held, cluster, tree.n_clusters)
    if classes is not None:
        by_class = counts_by_node(held, classes[1], len(classes[0]))
    mean, spread = np.zeros((2, tree.n_features))
    mean[profile.features], spread[profile.features] = profile.overall, profile.spread
    out = []
    for node in layout.nodes:
        i, size = node.node, int(held.size[node.node])
        told = size >= least
        is_leaf = bool(tree.is_leaf[i])
        box = described.boxes[i]
        telling = telling_features(held, i, mean, spread, profile.features, least)
        out.append(
            {
                "parent": node.parent,
                "children": []
                if is_leaf
                else [int(tree.children_left[i]), int(tree.children_right[i])],
                "name": node.cluster_name if is_leaf else node.feature,
                "feature": None if is_leaf else _asked(described, i),
                "summed": None if is_leaf else _summed(described, i),
                "condition": at_most(node.condition),
                "rule": displayed_rule([box]),
                "cluster": node.cluster,
                "n_leaves": node.n_leaves,
                "move": node.move,
                "gain": rounded(node.gain_share),
                "size": size,
                "share": rounded(size / len(held.X)),
                "mix": mix[i].tolist(),
                "classes": by_class[i].tolist() if classes is not None and told else None,
                "telling": [
                    {"feature": f, **spread_of(held.X[held.of(i), f], least, columns[f])}
                    for f in telling
                ],
                "histogram": None if is_leaf else _histogram(described, held, i),
            }
        )
    return out


def _asked(described: Described, node: int) -> int | None:
    """The feature whose value of a row can be shown; a sum has none."""
    axis = described.splits[node].axis
    return None if isinstance(axis, SumAxis) else int(axis.features[0])


def _summed(described: Described, node: int) -> list[int] | None:
    """The features of a sum, whose values of a row are shown one by one."""
    axis = described.splits[node].axis
    return list(axis.features) if isinstance(axis, SumAxis) else None


def _histogram(described: Described, held: NodeRows, node: int) -> dict[str, object] | None:
    """What the split asks for on both of its sides; None where no row has a value."""
    tree, columns = described.tree, described.columns
    axis, threshold = described.splits[node].axis, float(tree.threshold[node])
    left, right = (
        held.of(int(side)) for side in (tree.children_left[node], tree.children_right[node])
    )
    if isinstance(axis, NumberAxis):
        f = axis.feature
        return histogram(held.X[left, f], held.X[right, f], columns[f], threshold)
    if isinstance(axis, SumAxis):
        # As a reader finds them, with the weights in words.
        sums = [axis.in_words(held.X[side]) for side in (left, right)]
        return histogram(sums[0], sums[1], Number(axis.name), axis.description.bounds[threshold])
    # All categories of the source, whichever the split asks for.
    features = axis.features
    found = categories(held.X[:, list(features)], [columns[g] for g in features])
    sides = [found.place[side] for side in (left, right)]
    if not any((places >= 0).any() for places in sides):
        return None
    counts = [np.bincount(places[places >= 0], minlength=found.n_bins) for places in sides]
    return {
        "labels": found.labels,
        "counts": [each.tolist() for each in counts],
        "missing": [int((places < 0).sum()) for places in sides],
    }


def clusters_of(
    described: Described,
    X: np.ndarray,
    profile: ClusterProfile,
    labels: np.ndarray,
    classes: tuple[list[str], np.ndarray] | None,
    least: int,
) -> list[dict[str, object]]:
    tree = described.tree
    total, out = len(labels), []
    for k, boxes in enumerate(cluster_boxes(described)):
        style, size = cluster_style(k), int(profile.sizes[k])
        order = by_cover(X, boxes)
        # What the rule says first, of most of the rows.
        main = boxes[order[0][0]] if order else {}
        told = {axis.name for axis in main}
        counts = None
        if classes is not None and size >= least:
            counts = np.bincount(classes[1][labels == k], minlength=len(classes[0])).tolist()
        out.append(
            {
                "name": described.clusters[k],
                "colour": style.colour,
                "ink": style.text_colour,
                "marker": style.marker,
                "rule": displayed_rule([boxes[i] for i, _ in order]),
                "rule_sizes": [count for _, count in order],
                "size": size,
                "share": rounded(size / total),
                "n_leaves": int(np.count_nonzero(tree.is_leaf & (tree.cluster == k))),
                "typical": typical_of(profile, k, described.columns, told),
                "classes": counts,
            }
        )
    return out


def kind_of(column: object) -> dict[str, object]:
    """What a page needs to put a value of the feature into words."""
    if isinstance(column, Indicator):
        return {
            "kind": "indicator",
            "source": column.source,
            "category": category_of(column),
            "otherwise": otherwise(column),
        }
    if isinstance(column, Codes):
        return {"kind": "codes", "codes": [[v, word] for v, word in column.codes.items()]}
    return {"kind": "number"}
