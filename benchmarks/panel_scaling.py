"""Ways to scale a raw table for a Kauri tree with a leaf a cluster: which serves the panel best?

A preparation is any callable that makes a matrix of a raw data frame without its label; missing
values may stay as NaN. ``score`` fits the tree to it as the command does and gives the ARI. The
preparations here differ in one thing at a time: how numbers are scaled, or how much a column of
words weighs beside one of numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from panel_baselines import MAX_WORDS, one_hot
from scipy.stats import rankdata
from sklearn.metrics import adjusted_rand_score

from agathis import Kauri

Preparation = Callable[[pd.DataFrame], np.ndarray]
SMALLEST_LEAF = 0.02


def score(prepare: Preparation, frame: pd.DataFrame, label: str, k: int) -> float:
    """The ARI of a Kauri tree with k leaves on what a preparation makes of the table."""
    X = prepare(frame.drop(columns=label))
    least = min(SMALLEST_LEAF, 1 / (4 * k))
    model = Kauri(k, max_leaf_nodes=k, min_samples_leaf=least).fit(X)
    return adjusted_rand_score(frame[label].astype(str), model.labels_)


# A column of numbers, NaN where one is missing, scaled.


def minmax(x):
    return (x - np.nanmin(x)) / _some(np.nanmax(x) - np.nanmin(x))


def standard(x):
    return (x - np.nanmean(x)) / _some(np.nanstd(x))


def clipped(x, share=0.01):
    """Values beyond the percentiles become these."""
    return np.clip(x, *np.nanquantile(x, [share, 1 - share], method="nearest"))


def clipped_standard(x, share=0.01):
    return standard(_clipped_or_not(x, share))


def clipped_minmax(x, share=0.01):
    return minmax(_clipped_or_not(x, share))


def fenced_standard(x, reach=3.0):
    """Clipped at some interquartile ranges beyond the quartiles, then standardised."""
    low, high = np.nanquantile(x, [0.25, 0.75])
    if high == low:
        return clipped_standard(x)
    return standard(np.clip(x, low - reach * (high - low), high + reach * (high - low)))


def ranks(x):
    return minmax(rankdata(x, nan_policy="omit"))


def standard_ranks(x):
    return standard(rankdata(x, nan_policy="omit"))


def robust(x):
    low, middle, high = np.nanquantile(x, [0.25, 0.5, 0.75])
    return (x - middle) / (high - low) if high > low else standard(x)


def mean_deviation(x):
    """By the mean distance from the median, which far values move less than the variance."""
    centred = x - np.nanmedian(x)
    return centred / _some(np.nanmean(np.abs(centred)))


def log_where_skewed(x):
    """The logarithm of positive numbers over two decades, then clipped and standardised."""
    wide = np.nanmin(x) > 0 and np.nanquantile(x, 0.99) > 100 * np.nanquantile(x, 0.01)
    return clipped_standard(np.log(x) if wide else x)


def log_where_lopsided(x):
    """The logarithm where that takes most of the skew away, then clipped and standardised."""
    if np.nanmin(x) > 0 and _skew(x) > 1 and abs(_skew(np.log(x))) < 0.5 * _skew(x):
        return clipped_standard(np.log(x))
    return clipped_standard(x)


def _skew(x):
    return float(np.nanmean(standard(x) ** 3))


def _clipped_or_not(x, share):
    """Clipped, but for a column that would have one value left."""
    out = clipped(x, share)
    return out if np.nanmax(out) > np.nanmin(out) else x


def _some(width):
    return width if width > 0 else 1.0


NUMBERS = {
    "minmax": minmax,
    "standard": standard,
    "clip 0.5 %, standard": partial(clipped_standard, share=0.005),
    "clip 1 %, standard": clipped_standard,
    "clip 2 %, standard": partial(clipped_standard, share=0.02),
    "clip 5 %, standard": partial(clipped_standard, share=0.05),
    "clip 1 %, minmax": clipped_minmax,
    "fence 1.5, standard": partial(fenced_standard, reach=1.5),
    "fence 3, standard": fenced_standard,
    "ranks": ranks,
    "ranks, standard": standard_ranks,
    "quartiles": robust,
    "mean deviation": mean_deviation,
    "log of wide, clip 1 %": log_where_skewed,
    "log of skewed, clip 1 %": log_where_lopsided,
}


def columns_of(frame: pd.DataFrame) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Columns of numbers, and blocks of 0 and 1 for each column of words, a missing one no word."""
    numbers, blocks = [], []
    for name in frame:
        column = frame[name]
        if pd.api.types.is_datetime64_any_dtype(column):
            column = (column - column.min()).dt.total_seconds() / 86_400
        if pd.api.types.is_numeric_dtype(column):
            values = column.to_numpy(dtype=np.float64, na_value=np.nan)
            if len(np.unique(values[np.isfinite(values)])) > 1:
                numbers.append(values)
            continue
        known = column.dropna().astype(str)
        if 1 < known.nunique() <= MAX_WORDS:
            codes, _ = pd.factorize(column.astype(object).where(column.notna()), sort=False)
            blocks.append(one_hot([codes], len(frame)))
    return numbers, blocks


def prepared(
    frame: pd.DataFrame, scale: Callable[[np.ndarray], np.ndarray], weight: float | str = 1.0
) -> np.ndarray:
    """Numbers by ``scale``, and words so that a column varies ``weight`` times as a number does.

    With ``weight="plain"`` the columns of 0 and 1 stay as they are.
    """
    numbers, blocks = columns_of(frame)
    parts = [scale(column)[:, None] for column in numbers]
    usual = np.mean([np.nanvar(part) for part in parts]) if parts else 1.0
    for block in blocks:
        spread = block.var(axis=0).sum()
        factor = 1.0 if weight == "plain" else np.sqrt(weight * usual / spread)
        parts.append(factor * block)
    return np.hstack(parts)


PREPARATIONS: dict[str, Preparation] = {
    name: partial(prepared, scale=scale) for name, scale in NUMBERS.items()
}
PREPARATIONS |= {
    f"clip 1 %, standard; words {weight}": partial(prepared, scale=clipped_standard, weight=weight)
    for weight in (0.25, 0.5, 2.0, "plain")
}
