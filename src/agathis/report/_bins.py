"""Values as counts in bins, for one column and for the plane.

Bins have round edges and are closed on the right, as the splits of a tree are. Values in the
tails, beyond 0.5 % at each end, are counted in the first and last bin, so that no edge discloses
the minimum or maximum.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agathis._rules.columns import Codes, Column, Indicator
from agathis.report._private import RARE
from agathis.report._tuning import MAX_CATEGORIES, PLANE_BINS
from agathis.report._wording import category_of, otherwise, rest_of


@dataclass(frozen=True)
class Scale:
    """Bins of equal width: the first edge, the step and the number of bins."""

    first: float
    step: float
    count: int

    @property
    def edges(self) -> np.ndarray:
        return self.first + self.step * np.arange(self.count + 1)

    def bin_of(self, values: np.ndarray) -> np.ndarray:
        """The bin of each value; values beyond the ends are in the first or last bin."""
        bins = np.searchsorted(self.edges, values, side="left") - 1
        return np.clip(bins, 0, self.count - 1)

    def plain(self) -> list[float]:
        return [self.first, self.step, self.count]


@dataclass(frozen=True)
class Binned:
    """A column in bins: the bin of each row, -1 if the value is missing.

    Bins have ``labels`` or a ``scale``. The first ``n_named`` bins hold one category each; one
    more may hold several.
    """

    index: np.ndarray
    n_bins: int
    labels: list[str] | None
    scale: list[float] | None
    n_named: int = 0

    def counts(self, rows: slice | np.ndarray = slice(None)) -> np.ndarray:
        """The number of rows in each bin."""
        index = self.index[rows]
        return np.bincount(index[index >= 0], minlength=self.n_bins)

    def n_missing(self, rows: slice | np.ndarray = slice(None)) -> int:
        return int(np.count_nonzero(self.index[rows] < 0))


def scale_of(values: np.ndarray, bins: int, also: float | None = None) -> Scale:
    """Round bins for known values, and for the threshold ``also``."""
    low, high = (float(v) for v in np.quantile(values, [0.005, 0.995]))
    if also is not None and np.isfinite(also):
        low, high = min(low, also), max(high, also)
    integers = bool(np.all(values == np.floor(values))) and high - low < 2.0**52
    # Divide first: the difference may overflow.
    step = _round_up(high / bins - low / bins)
    if integers:
        # An integer is in the middle of its bin, or of a bin of several.
        step = max(1.0, math.ceil(step))
        first = math.floor(low / step) * step - 0.5
    elif step > 0:
        first = math.floor(low / step) * step
    if step > 0:
        scale = Scale(first, step, max(1, math.ceil((high - first) / step - 1e-9)))
        if np.all(np.diff(scale.edges) > 0) and np.isfinite(scale.edges).all():
            return scale
    # Values that are equal, or so close that no round edge is between them.
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


def numbers(values: np.ndarray, column: Column, bins: int, also: float | None = None) -> Binned:
    """Bin numbers, or codes with one bin each; ``also`` is a threshold that has to be in range."""
    known = ~np.isnan(values)
    present = values[known].astype(np.float64)
    index = np.full(len(values), -1)
    if not len(present):
        return Binned(index, 1, None, [0.0, 1.0, 1])
    if isinstance(column, Codes) and np.isin(present, list(column.codes)).all():
        codes = np.sort(np.fromiter(column.codes, dtype=np.float64))
        index[known] = np.searchsorted(codes, present)
        labels = [column.codes[code] for code in codes.tolist()]
        return Binned(index, len(codes), labels, None, len(codes))
    scale = scale_of(present, bins, also)
    index[known] = scale.bin_of(present)
    return Binned(index, scale.count, None, scale.plain())


def categories(values: np.ndarray, columns: Sequence[Column]) -> Binned:
    """Bin the indicators of one categorical column; frequent categories come first.

    A row without any of the categories has another one, or a missing value.
    """
    indicators = [column for column in columns if isinstance(column, Indicator)]
    index = np.full(len(values), -1)
    labels = [category_of(column) for column in indicators]
    none = ~np.isnan(values).any(axis=1)
    # Rare categories share a name, and a bin.
    home = [labels.index(label) if label == RARE else i for i, label in enumerate(labels)]
    for i, column in enumerate(indicators):
        on = values[:, i] > 0.5
        none &= ~on
        index[on] = -1 if column.of_missing else home[i]
    shown = [i for i, column in enumerate(indicators) if not column.of_missing and home[i] == i]
    unnamed = False
    if none.any() and rest_of(indicators[0]) != "missing":
        rest = rest_of(indicators[0])
        index[none] = len(labels)
        shown.append(len(labels))
        # One column of 0 and 1 defines both; with several, the rest may have no name.
        unnamed = rest is None and len(labels) > 1
        labels.append(rest or (otherwise(indicators[0]) if len(labels) == 1 else "other"))
    sizes = np.bincount(index[index >= 0], minlength=len(labels))
    booleans = all(labels[i] in ("true", "false") for i in shown)
    order = sorted(shown, key=lambda i: labels[i] if booleans else -sizes[i])
    if unnamed:
        # The bin without a name is last, whatever its size.
        order.append(order.pop(order.index(len(labels) - 1)))
    names = [labels[i] for i in order[:MAX_CATEGORIES]]
    to = np.full(len(labels) + 1, -1)
    to[order] = np.minimum(np.arange(len(order)), MAX_CATEGORIES - 1)
    several = unnamed or len(order) > MAX_CATEGORIES
    if len(order) > MAX_CATEGORIES:
        names[-1] = "others" if unnamed else f"{len(order) - MAX_CATEGORIES + 1} others"
    return Binned(to[index], len(names), names, None, len(names) - several)


def plane_bins(points: np.ndarray, cluster: np.ndarray, by_cluster: bool) -> dict[str, object]:
    """Bin points of the plane, with the most frequent cluster of each bin.

    ``by_cluster`` means that the second axis is the number of the cluster. ``cells`` are
    ``[column, row, number of rows, cluster, fraction of that cluster]``.
    """
    known = ~np.isnan(points).any(axis=1)
    points, cluster = points[known], cluster[known]
    if not len(points):
        return {"x": [0.0, 1.0, 1], "y": [0.0, 1.0, 1], "cells": []}
    bins = int(np.clip(1.3 * math.sqrt(len(points)), *PLANE_BINS))
    x = scale_of(points[:, 0], bins)
    n_clusters = int(cluster.max()) + 1
    y = Scale(-0.5, 1.0, n_clusters) if by_cluster else scale_of(points[:, 1], bins)
    cell = x.bin_of(points[:, 0]) * y.count + y.bin_of(points[:, 1])
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
