"""The clusters and nodes of a page: their rules, their rows and the values of these."""

from __future__ import annotations

import numpy as np

from agathis._rules.colours import cluster_style
from agathis._rules.columns import Codes, Column, Indicator, Number
from agathis._rules.described_tree import Described
from agathis._rules.profile import ClusterProfile
from agathis._rules.rules import cluster_boxes
from agathis._rules.split_axes import NumberAxis, SumAxis
from agathis._rules.tree_layout import TreeLayout
from agathis.report._bins import Binned, categories, numbers
from agathis.report._node_rows import (
    NodeRows,
    by_cover,
    counts_by_node,
    rounded,
    spread_of,
    telling_features,
)
from agathis.report._tuning import SPLIT_BINS
from agathis.report._typical import PrivateProfile, typical_of
from agathis.report._wording import at_most, category_of, displayed_rule, otherwise


def nodes_of(
    described: Described,
    rows: NodeRows,
    layout: TreeLayout,
    profile: ClusterProfile,
    classes: tuple[list[str], np.ndarray] | None,
    min_rows: int,
) -> list[dict[str, object]]:
    """The nodes in the order of their numbers.

    Values and classes of fewer than ``min_rows`` rows are left out.
    """
    tree, columns = described.tree, described.columns
    cluster = tree.cluster[rows.leaves][rows.leaf]
    mix = counts_by_node(rows, cluster, tree.n_clusters)
    if classes is not None:
        by_class = counts_by_node(rows, classes[1], len(classes[0]))
    mean, spread = np.zeros((2, tree.n_features))
    mean[profile.features], spread[profile.features] = profile.overall, profile.spread
    out = []
    for node in layout.nodes:
        i, size = node.node, int(rows.size[node.node])
        is_leaf = bool(tree.is_leaf[i])
        children = [] if is_leaf else [int(tree.children_left[i]), int(tree.children_right[i])]
        axis = None if is_leaf else described.splits[i].axis
        telling = telling_features(rows, i, mean, spread, profile.features, min_rows)
        out.append(
            {
                "parent": node.parent,
                "children": children,
                "name": node.cluster_name if is_leaf else node.feature,
                # The value of a row can be shown for a column, and for each column of a sum.
                "feature": None
                if axis is None or isinstance(axis, SumAxis)
                else int(axis.features[0]),
                "summed": list(axis.features) if isinstance(axis, SumAxis) else None,
                "condition": at_most(node.condition),
                "rule": displayed_rule([described.boxes[i]]),
                "cluster": node.cluster,
                "n_leaves": node.n_leaves,
                "move": node.move,
                "gain": rounded(node.gain_share),
                "size": size,
                "share": rounded(size / len(rows.X)),
                "mix": mix[i].tolist(),
                "classes": by_class[i].tolist()
                if classes is not None and size >= min_rows
                else None,
                "telling": [
                    {"feature": f, **spread_of(rows.X[rows.of(i), f], min_rows, columns[f])}
                    for f in telling
                ],
                "histogram": None if is_leaf else _histogram(described, rows, i),
            }
        )
    return out


def _histogram(described: Described, rows: NodeRows, node: int) -> dict[str, object] | None:
    """The values of a split on both of its sides; None if no row has a known value."""
    tree, columns = described.tree, described.columns
    axis, threshold = described.splits[node].axis, float(tree.threshold[node])
    left, right = (rows.of(int(side[node])) for side in (tree.children_left, tree.children_right))
    if isinstance(axis, NumberAxis):
        f = axis.feature
        return histogram(rows.X[left, f], rows.X[right, f], columns[f], threshold)
    if isinstance(axis, SumAxis):
        # In units, as the rule has it.
        sums = [axis.total_as_written(rows.X[side]) for side in (left, right)]
        return histogram(sums[0], sums[1], Number(axis.name), axis.description.bounds[threshold])
    # All categories of the column, not only those of the split.
    features = list(axis.features)
    binned = categories(rows.X[:, features], [columns[f] for f in features])
    return _on_both_sides(binned, left, right)


def histogram(
    left: np.ndarray, right: np.ndarray, column: Column, threshold: float
) -> dict[str, object] | None:
    """The values of a column on both sides of a split; None if none is known.

    Codes have one bar each, ``labels``; numbers have bins, ``scale`` (first edge, step, count),
    and the ``threshold``, ``written`` as in rules.
    """
    binned = numbers(np.concatenate([left, right]), column, SPLIT_BINS, threshold)
    n = len(left)
    out = _on_both_sides(binned, slice(n), slice(n, None))
    if out is None or binned.labels is not None:
        return out
    shown = threshold if np.isfinite(threshold) else None
    written = column.text(threshold) if isinstance(column, Number) and shown is not None else None
    return {"scale": binned.scale, "threshold": shown, "written": written, **out}


def _on_both_sides(binned: Binned, left: slice, right: slice) -> dict[str, object] | None:
    counts = [binned.counts(side).tolist() for side in (left, right)]
    missing = [binned.n_missing(side) for side in (left, right)]
    if not any(map(sum, counts)):
        return None
    labels = {} if binned.labels is None else {"labels": binned.labels}
    return {**labels, "counts": counts, "missing": missing}


def clusters_of(
    described: Described,
    X: np.ndarray,
    profile: PrivateProfile,
    labels: np.ndarray,
    classes: tuple[list[str], np.ndarray] | None,
    min_rows: int,
) -> list[dict[str, object]]:
    """The clusters in the order of their numbers, without classes of fewer than ``min_rows``."""
    tree, out = described.tree, []
    evidence = getattr(described.model, "evidence_", None)
    rules = None if evidence is None else evidence.rules
    for k, boxes in enumerate(cluster_boxes(described)):
        style, size = cluster_style(k), int(profile.sizes[k])
        order = by_cover(X, boxes)
        # The first rule, that of most rows.
        main = boxes[order[0][0]] if order else {}
        counts = None
        if classes is not None and size >= min_rows:
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
                "share": rounded(size / len(labels)),
                "n_leaves": int(np.count_nonzero(tree.is_leaf & (tree.cluster == k))),
                "typical": typical_of(profile, k, described.columns, {axis.name for axis in main}),
                "classes": counts,
                "rate": None if counts is None or classes is None else rate_of(counts, classes),
                # Of the rows of the fit, also on a page about others.
                "evidence": None
                if not rules
                else {
                    "shown": rules[k].shown,
                    "pvalue": rounded(rules[k].pvalue),
                    "recurrence": rounded(rules[k].recurrence),
                },
            }
        )
    return out


def rate_of(counts: list[int], classes: tuple[list[str], np.ndarray]) -> dict[str, object]:
    """The class that a card tells, its share of a group and of all rows.

    Of two classes it is the rarer one, so that all groups tell the same; of more the most frequent.

    >>> rate_of([6, 4], (["no", "yes"], np.array([0] * 18 + [1] * 2)))
    {'class': 1, 'share': 0.4, 'overall': 0.1}
    """
    overall = np.bincount(classes[1], minlength=len(counts))
    told = int(np.argmin(overall)) if np.count_nonzero(overall) == 2 == len(counts) else None
    told = int(np.argmax(counts)) if told is None else told
    return {
        "class": told,
        "share": rounded(counts[told] / max(1, sum(counts))),
        "overall": rounded(float(overall[told] / overall.sum())),
    }


def kind_of(column: object) -> dict[str, object]:
    """The type of a feature and the names of its values."""
    if isinstance(column, Indicator):
        return {
            "kind": "indicator",
            "source": column.source,
            "category": category_of(column),
            "otherwise": otherwise(column),
        }
    if isinstance(column, Codes):
        return {"kind": "codes", "codes": [[code, name] for code, name in column.codes.items()]}
    return {"kind": "number"}
