"""Binning of features into at most 255 bins.

A feature with few distinct values has one bin per value. Otherwise two thirds of the edges are
quantiles. Quantiles alone would not separate small distant groups, so that the other edges minimise
the squared error within bins. For a density f these are equidistant in the integral of f^(1/3);
with sorted distinct values at distances g, in the cumulative sum of g^(2/3) (weight at the
gap)^(1/3). A gap larger than the sum per bin gets one edge.

An edge is half-way between the largest value of a bin and the smallest of the next, in the rows
used for binning; a value equal to an edge is below it.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from agathis._core.points.binning import EDGES, assign
from agathis._core.points.binning import MISSING as MISSING_BIN
from agathis._utils.numbers import threshold_between

__all__ = ["MISSING_BIN", "Bins", "find_bins"]


@dataclass(frozen=True)
class Bins:
    """The bins of each feature.

    Attributes
    ----------
    low, high : list of ndarray
        The smallest and largest value of each bin of each feature.
    edges : list of ndarray
        The edges between the bins of each feature.
    """

    low: list[np.ndarray]
    high: list[np.ndarray]
    edges: list[np.ndarray]

    def assign(self, X: np.ndarray, threads: int = 1, out: np.ndarray | None = None) -> np.ndarray:
        """The bin of each value, ``MISSING_BIN`` for NaN; X is float32 or float64."""
        if out is None:
            out = np.empty(X.shape, dtype=np.uint8)
        edges = np.full((len(self.edges), EDGES), np.inf)
        for row, inner in zip(edges, self.edges, strict=True):
            row[: len(inner)] = inner
        n_edges = np.array([len(inner) for inner in self.edges])
        steps = np.where(n_edges > 0, 2 ** np.floor(np.log2(np.maximum(n_edges, 1))), 0)
        assign(np.ascontiguousarray(X), edges, steps.astype(np.int32), out, threads)
        return out

    def around(self, feature: int, value: float) -> tuple[int, float, float]:
        """The bin of a value, with its lower (exclusive) and upper (inclusive) edge."""
        edges = self.edges[feature]
        index = int(np.searchsorted(edges, value))
        low = -np.inf if index == 0 else float(edges[index - 1])
        return index, low, np.inf if index == len(edges) else float(edges[index])

    def threshold(self, feature: int, before: int, after: int) -> float:
        """The threshold between two bins; infinite if only missing values come ``after`` (-1)."""
        if after < 0:
            return np.inf
        return threshold_between(float(self.high[feature][before]), float(self.low[feature][after]))


def find_bins(
    sample: np.ndarray, weight: np.ndarray | None, max_bins: int, threads: int = 1
) -> Bins:
    """Compute bins from a sample of rows, which may have missing values.

    Parameters
    ----------
    sample : ndarray of shape (n_samples, n_features)
    weight : ndarray of shape (n_samples,) or None
        ``None`` if all weights are 1.
    max_bins : int
    threads : int

    Examples
    --------
    >>> bins = find_bins(np.array([[1.0], [2.0], [2.0], [5.0]]), None, 255)
    >>> bins.edges
    [array([1.5, 3.5])]
    >>> bins.assign(np.array([[1.5], [9.0], [np.nan]])).ravel()
    array([  0,   2, 255], dtype=uint8)
    """

    def find(f: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return _bins_of(np.array(sample[:, f]), weight, max_bins)

    # NumPy's sorts let other threads run.
    with ThreadPoolExecutor(threads if sample.size > 100_000 else 1) as pool:
        low, high, edges = zip(*pool.map(find, range(sample.shape[1])), strict=True)
    return Bins(list(low), list(high), list(edges))


def _bins_of(
    values: np.ndarray, weight: np.ndarray | None, max_bins: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The smallest and the largest value of each bin of one feature, and the edges."""
    if weight is None:
        values = values[~np.isnan(values)]
        values.sort()
        passed = None
    else:
        order = np.argsort(values, kind="stable")
        values = values[order]
        n = int(np.searchsorted(values, np.nan))
        values, passed = values[:n], np.cumsum(weight[order[:n]])
    n = len(values)
    if n == 0:
        return np.empty(0), np.empty(0), np.empty(0)
    cuts = np.flatnonzero(values[:-1] < values[1:]) + 1
    if len(cuts) >= max_bins:
        passed = np.arange(1.0, n + 1) if passed is None else passed
        quantiles = _quantiles(passed[cuts - 1], passed[-1], max_bins * 2 // 3)
        weight_of = np.diff(passed[np.append(cuts - 1, n - 1)], prepend=0.0)
        wide = _wide(np.diff(values[np.append(0, cuts)]), weight_of, max_bins - 1 - len(quantiles))
        cuts = cuts[np.union1d(quantiles, wide)]
    high = values[np.append(cuts - 1, n - 1)].astype(np.float64)
    low = values[np.append(0, cuts)].astype(np.float64)
    edges = np.array([threshold_between(a, b) for a, b in zip(high[:-1], low[1:], strict=True)])
    return low, high, edges


def _quantiles(passed: np.ndarray, total: float, count: int) -> np.ndarray:
    """The indices of edges at quantiles; ``passed`` is the weight before each edge."""
    shares = np.arange(1, count + 1) / (count + 1)
    at = np.searchsorted(passed, shares * total * (1 - 1e-12))
    return np.unique(at[at < len(passed)])


def _wide(gap: np.ndarray, weight: np.ndarray, count: int) -> np.ndarray:
    """The indices of edges that minimise the squared error, from gaps and weights of values."""
    with np.errstate(over="ignore"):
        measure = np.cbrt(gap * gap * (weight[:-1] + weight[1:]))
    chosen = np.zeros(len(gap), dtype=bool)
    while count > chosen.sum():
        left = np.where(chosen, 0.0, measure)
        wider = left > left.sum() / (count - chosen.sum() + 1)
        if not wider.any():
            break
        chosen |= wider
    rest = count - int(chosen.sum())
    if rest > 0:
        passed = np.cumsum(np.where(chosen, 0.0, measure))
        shares = np.arange(1, rest + 1) / (rest + 1)
        # Ties must not depend on rounding, so that weights of 2 equal duplicated rows.
        chosen[np.searchsorted(passed, shares * passed[-1] * (1 - 1e-9))] = True
    return np.flatnonzero(chosen)
