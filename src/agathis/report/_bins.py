"""Values as counts in bins, of one feature and of the plane.

Bins have round edges and are closed on the right, as the cuts of a tree are. The few values far
out, beyond 0.5 % at each end, are counted in the first and last bin, so that no bin says what the
least or the greatest value is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from agathis._rules.columns import Codes, Column, Number

#: Bins of one feature; a round step may make some more or less.
BINS = 24
# Bins along each side of the plane: the least and the most.
LEAST, MOST = 12, 44


@dataclass(frozen=True)
class Scale:
    """Bins of one step: the first edge, the step and how many."""

    first: float
    step: float
    count: int

    @property
    def edges(self) -> np.ndarray:
        return self.first + self.step * np.arange(self.count + 1)

    def place(self, values: np.ndarray) -> np.ndarray:
        """The bin of each value; what is beyond the ends is in the last one there."""
        found = np.searchsorted(self.edges, values, side="left") - 1
        return np.clip(found, 0, self.count - 1)

    def plain(self) -> list[float]:
        return [self.first, self.step, self.count]


def scale_of(values: np.ndarray, bins: int, also: float | None = None) -> Scale:
    """Round bins for known values, and for the threshold ``also``."""
    low, high = (float(v) for v in np.quantile(values, [0.005, 0.995]))
    if also is not None and np.isfinite(also):
        low, high = min(low, also), max(high, also)
    whole = bool(np.all(values == np.floor(values))) and high - low < 2.0**52
    # Not the difference over the bins: that may be out of range.
    step = _round_up(high / bins - low / bins)
    if whole:
        # A whole number is in the middle of its bin, or of a bin of several.
        step = max(1.0, math.ceil(step))
        first = math.floor(low) - 0.5
    elif step > 0:
        first = math.floor(low / step) * step
    if step > 0:
        found = Scale(first, step, max(1, math.ceil((high - first) / step - 1e-9)))
        if np.all(np.diff(found.edges) > 0) and np.isfinite(found.edges).all():
            return found
    # Values that are all the same, or so near to each other that no round edge is between them.
    width = high - low
    return Scale(low, width, 1) if 0 < width < math.inf else Scale(low - 0.5, 1.0, 1)


def _round_up(step: float) -> float:
    """1, 2 or 5 times a power of ten, at least the step.

    >>> _round_up(0.3), _round_up(12.0), _round_up(0.0)
    (0.5, 20.0, 0.0)
    """
    if step < 1e-300:
        return 0.0
    power = 10.0 ** math.floor(math.log10(step))
    return next((m * power for m in (1, 2, 5) if m * power >= step * (1 - 1e-9)), 10 * power)


def histogram(
    left: np.ndarray, right: np.ndarray, column: Column, threshold: float
) -> dict[str, object] | None:
    """A feature's values on both sides of a cut; None where no row has one.

    Words have a bar each, ``labels``; numbers have bins, ``scale`` (first edge, step, count), and
    the ``threshold``, ``written`` as rules have it.
    """
    sides = [values[~np.isnan(values)].astype(np.float64) for values in (left, right)]
    both = np.concatenate(sides)
    missing = [len(left) - len(sides[0]), len(right) - len(sides[1])]
    if not len(both):
        return None
    if isinstance(column, Codes) and np.isin(both, list(column.codes)).all():
        values = np.sort(np.fromiter(column.codes, dtype=np.float64))
        counts = [np.bincount(np.searchsorted(values, v), minlength=len(values)) for v in sides]
        found: dict[str, object] = {"labels": [column.codes[v] for v in values.tolist()]}
    else:
        scale = scale_of(both, BINS, threshold)
        counts = [np.bincount(scale.place(v), minlength=scale.count) for v in sides]
        shown = threshold if np.isfinite(threshold) else None
        written = None
        if shown is not None and isinstance(column, Number):
            written = column.text(threshold)
        found = {"scale": scale.plain(), "threshold": shown, "written": written}
    return {**found, "counts": [c.tolist() for c in counts], "missing": missing}


def plane_bins(points: np.ndarray, cluster: np.ndarray, by_cluster: bool) -> dict[str, object]:
    """Points of the plane as bins, with the most frequent cluster of each.

    ``by_cluster`` says that the second axis is the number of the cluster. ``cells`` are
    ``[column, row, rows of X, cluster, share of that cluster]``.
    """
    known = ~np.isnan(points).any(axis=1)
    points, cluster = points[known], cluster[known]
    if not len(points):
        return {"x": [0.0, 1.0, 1], "y": [0.0, 1.0, 1], "cells": []}
    side = int(np.clip(1.3 * math.sqrt(len(points)), LEAST, MOST))
    x = scale_of(points[:, 0], side)
    n_clusters = int(cluster.max()) + 1
    y = Scale(-0.5, 1.0, n_clusters) if by_cluster else scale_of(points[:, 1], side)
    cell = x.place(points[:, 0]) * y.count + y.place(points[:, 1])
    filled, at = np.unique(cell, return_inverse=True)
    counts = np.zeros((len(filled), n_clusters), dtype=np.int64)
    np.add.at(counts, (at, cluster), 1)
    main, total = counts.argmax(axis=1), counts.sum(axis=1)
    share = counts.max(axis=1) / total
    cells = zip(filled // y.count, filled % y.count, total, main, share.round(3), strict=True)
    return {
        "x": x.plain(),
        "y": y.plain(),
        "cells": [[v.item() for v in each] for each in cells],
    }
