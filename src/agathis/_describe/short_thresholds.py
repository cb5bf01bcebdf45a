"""Short thresholds for a tree that was grown from the scaled rows of a raw table.

Such rows know what made them and what they were (:class:`~agathis._checks.roles.Units`). So the
threshold that a fit leaves is the image of a short number in the units of the table, and rules,
SQL and ``predict`` all ask for that number.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from agathis._checks.roles import Units
from agathis._describe.described_tree import in_units
from agathis._describe.rounding import rooms, rounded
from agathis._describe.sum_rounding import with_images
from agathis._trees.tree import Tree

#: For features and thresholds of a tree of scaled rows the raw thresholds that are meant.
RawThresholds = dict[tuple[int, float], float]


def short_thresholds(tree: Tree, X: object) -> tuple[Tree, RawThresholds]:
    """The tree with thresholds of as few digits, in raw units, as the rows allow.

    A raw threshold and its image are the same cut but for values that differ from the threshold
    by no more than the scaler rounds. Sums of two columns get weights whose raw ones are short.

    Parameters
    ----------
    tree : Tree
    X : object
        The rows of its fit, as they were given. Where they have no ``units`` nothing is done.
    """
    units = getattr(X, "units", None)
    if not isinstance(units, Units):
        return tree, {}
    encoder, scaled = units.encoder, np.asarray(X)
    one_hot = {int(f) for places in encoder.roles_.one_hot for f in places}
    long = in_units(tree, encoder).tree
    # Where values are held all have one image: a cut among them would be none to ``predict``.
    raw = rounded(long, encoder.scaler_.held(units.raw), but=one_hot)
    cuts = [
        node
        for node in np.flatnonzero(~tree.is_leaf).tolist()
        if not tree.terms(node) and int(tree.feature[node]) not in one_hot
    ]
    features, places = tree.feature[cuts], np.arange(len(cuts))
    table = np.zeros((len(cuts), tree.n_features))
    table[places, features] = raw.threshold[cuts]
    with np.errstate(invalid="ignore"):
        images = encoder.scaler_.transform(table)[places, features]
    room = {node: (low, high) for node, low, high in rooms(tree, scaled, 1)}
    threshold, meant = tree.threshold.copy(), {}
    for node, image in zip(cuts, images.tolist(), strict=True):
        low, high = room.get(node, (np.inf, -np.inf))
        # Neighbours may have one image.
        if low <= image < high and np.isfinite(image):
            threshold[node] = image
            meant[int(tree.feature[node]), image] = float(raw.threshold[node])
    return with_images(replace(tree, threshold=threshold), long, raw, scaled), meant
