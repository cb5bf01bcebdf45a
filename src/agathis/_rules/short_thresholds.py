"""Short thresholds for a tree that was fitted to the scaled rows of a raw table.

Scaled rows know their encoder and raw values (:class:`~agathis._checks.roles.Units`). So each
threshold becomes the image of a short number in original units, which rules, SQL and ``predict``
share.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from agathis._checks.roles import Units
from agathis._rules.described_tree import in_units
from agathis._rules.rounding import Interval, in_intervals, intervals_of, rounded
from agathis._rules.sum_rounding import with_images
from agathis._trees.tree import Tree

#: Maps (feature, threshold) of a tree over scaled rows to the raw threshold.
RawThresholds = dict[tuple[int, float], float]


def short_thresholds(tree: Tree, X: np.ndarray, units: Units | None) -> tuple[Tree, RawThresholds]:
    """Return the tree with thresholds of as few digits in raw units as the rows allow.

    A raw threshold and its image split alike, except values within the rounding error of the
    scaler. Sums of two columns get weights whose raw ones are short.

    Parameters
    ----------
    tree : Tree
    X : ndarray of shape (n_samples, n_features)
        The rows of its fit.
    units : Units or None
        Their raw values; if ``None``, the tree is unchanged.
    """
    if units is None:
        return tree, {}
    encoder = units.encoder
    long = in_units(tree, encoder).tree
    # Clipped values share one image: ``predict`` could not split between them.
    raw = rounded(long, encoder.scaler_.clipped(units.raw), but=_one_hot(encoder))
    short, raw_thresholds = _with_images_of(tree, encoder, raw, intervals_of(tree, X, 1))
    return with_images(short, long, raw, X), raw_thresholds


class ThresholdIntervals(NamedTuple):
    """The intervals of a tree's thresholds in raw and scaled units, from some of the rows.

    Attributes
    ----------
    raw, scaled : list of Interval
    n_rows : ndarray of shape (node_count,)
        The number of rows that end at each node.
    """

    raw: list[Interval]
    scaled: list[Interval]
    n_rows: np.ndarray

    @classmethod
    def of(cls, tree: Tree, long: Tree, scaler: Any, raw: np.ndarray) -> ThresholdIntervals:
        """Compute them from some rows.

        Parameters
        ----------
        tree, long : Tree
            Of scaled rows, and the same in raw units.
        scaler : object
        raw : ndarray of shape (n_samples, n_features)
            The rows before they were scaled.
        """
        scaled = scaler.transform(raw)
        counts = np.bincount(tree.apply(scaled, 1), minlength=tree.node_count)
        return cls(
            intervals_of(long, scaler.clipped(raw), 1), intervals_of(tree, scaled, 1), counts
        )

    def within(self, other: ThresholdIntervals) -> ThresholdIntervals:
        """Combine those of two sets of rows."""
        raw, scaled = _common(self.raw, other.raw), _common(self.scaled, other.scaled)
        return ThresholdIntervals(raw, scaled, self.n_rows + other.n_rows)

    def short_thresholds(self, tree: Tree, long: Tree, encoder: Any) -> tuple[Tree, RawThresholds]:
        """Shorten thresholds as :func:`short_thresholds` does for all these rows, except sums."""
        raw = in_intervals(long, self.raw, _one_hot(encoder))
        return _with_images_of(tree, encoder, raw, self.scaled)


def to_shorten(tree: Tree, encoder: Any) -> list[int]:
    """Return the nodes that split on one numeric column."""
    one_hot = _one_hot(encoder)
    return [
        node
        for node in np.flatnonzero(~tree.is_leaf).tolist()
        if not tree.terms(node) and int(tree.feature[node]) not in one_hot
    ]


def _common(some: list[Interval], others: list[Interval]) -> list[Interval]:
    both = zip(some, others, strict=True)
    return [
        (node, max(low, lower), min(high, upper)) for (node, low, high), (_, lower, upper) in both
    ]


def _one_hot(encoder: Any) -> set[int]:
    return {int(f) for order in encoder.roles_.one_hot for f in order}


def _with_images_of(
    tree: Tree, encoder: Any, raw: Tree, intervals: Iterable[Interval]
) -> tuple[Tree, RawThresholds]:
    """Replace thresholds by images of raw ones that lie in the intervals of their nodes."""
    nodes = to_shorten(tree, encoder)
    features, order = tree.feature[nodes], np.arange(len(nodes))
    table = np.zeros((len(nodes), tree.n_features))
    table[order, features] = raw.threshold[nodes]
    with np.errstate(invalid="ignore"):
        images = encoder.scaler_.transform(table)[order, features]
    interval_of_node = {node: (low, high) for node, low, high in intervals}
    threshold, raw_thresholds = tree.threshold.copy(), {}
    for node, image in zip(nodes, images.tolist(), strict=True):
        low, high = interval_of_node[node]
        # Neighbours may have one image.
        if low <= image < high and np.isfinite(image):
            threshold[node] = image
            raw_thresholds[int(tree.feature[node]), image] = float(raw.threshold[node])
    return replace(tree, threshold=threshold), raw_thresholds
