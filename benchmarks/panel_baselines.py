"""What people would do by hand with a raw table: KMeans or k-prototypes, then a small tree.

Each takes a raw data frame without its label, a number of clusters and a seed, and gives the labels
of a decision tree with as many leaves that was taught the clusters. Missing numbers become the
median, missing words the most frequent one; a date becomes a number of days; text with more than
``MAX_WORDS`` different values is left out, as a name or an identifier would be.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier

MAX_WORDS = 30
STARTS = 10
ROUNDS = 100


def plain_parts(frame: pd.DataFrame) -> tuple[np.ndarray, list[np.ndarray]]:
    """The numbers without gaps, and the codes of each column of words."""
    numbers, words = [], []
    for name in frame:
        column = frame[name]
        if pd.api.types.is_datetime64_any_dtype(column):
            column = (column - column.min()).dt.total_seconds() / 86_400
        if pd.api.types.is_numeric_dtype(column):
            values = column.to_numpy(dtype=np.float64, na_value=np.nan)
            if np.isfinite(values).any():
                numbers.append(np.where(np.isnan(values), np.nanmedian(values), values))
            continue
        known = column.dropna().astype(str)
        if 1 < known.nunique() <= MAX_WORDS:
            filled = column.astype(object).where(column.notna(), known.mode().iloc[0])
            words.append(pd.factorize(filled.astype(str), sort=True)[0])
    return np.array(numbers).T.reshape(len(frame), -1), words


def one_hot(words: list[np.ndarray], n: int) -> np.ndarray:
    parts = [codes[:, None] == np.arange(codes.max() + 1) for codes in words]
    return np.hstack(parts).astype(np.float64) if parts else np.empty((n, 0))


def tree_of(X: np.ndarray, labels: np.ndarray, k: int, seed: int) -> np.ndarray:
    """The clusters as a tree with a leaf a cluster tells them."""
    return DecisionTreeClassifier(max_leaf_nodes=k, random_state=seed).fit(X, labels).predict(X)


def standard_kmeans(frame: pd.DataFrame, k: int, seed: int) -> np.ndarray:
    return _kmeans(StandardScaler(), frame, k, seed)


def minmax_kmeans(frame: pd.DataFrame, k: int, seed: int) -> np.ndarray:
    return _kmeans(MinMaxScaler(), frame, k, seed)


def _kmeans(scaler, frame, k, seed):
    numbers, words = plain_parts(frame)
    X = scaler.fit_transform(np.hstack([numbers, one_hot(words, len(frame))]))
    return tree_of(X, KMeans(k, n_init=STARTS, random_state=seed).fit_predict(X), k, seed)


def k_prototypes(frame: pd.DataFrame, k: int, seed: int) -> np.ndarray:
    """Huang's k-prototypes: squared distances of numbers, and a weight for each other word.

    The weight is half the mean standard deviation of the numbers, which are standardised; without
    numbers it is k-modes.
    """
    numbers, words = plain_parts(frame)
    n = len(frame)
    Z = StandardScaler().fit_transform(numbers) if numbers.shape[1] else numbers
    gamma = 0.5 * Z.std(axis=0).mean() if Z.shape[1] else 1.0
    hot = one_hot(words, n)
    sizes = [int(codes.max()) + 1 for codes in words]
    random = np.random.RandomState(seed)
    best = min(
        (_prototypes(Z, hot, sizes, gamma, k, random) for _ in range(STARTS)),
        key=lambda found: found[0],
    )
    return tree_of(np.hstack([Z, hot]), best[1], k, seed)


def _prototypes(Z, hot, sizes, gamma, k, random):
    """The cost and the labels of one start."""
    first = random.permutation(len(Z))[:k]
    centres, modes = Z[first], hot[first]
    squares = (Z**2).sum(axis=1)[:, None]
    labels = None
    for _ in range(ROUNDS):
        # Words that differ are all the columns less those that are on in both.
        other = len(sizes) - hot @ modes.T
        costs = squares - 2 * Z @ centres.T + (centres**2).sum(axis=1) + gamma * other
        new = costs.argmin(axis=1)
        cost = float(costs[np.arange(len(Z)), new].sum())
        if labels is not None and (new == labels).all():
            break
        labels = new
        belongs = (labels[:, None] == np.arange(k)).astype(np.float64)
        held = belongs.sum(axis=0)
        full = held > 0
        centres = np.where(full[:, None], belongs.T @ Z / np.maximum(held, 1)[:, None], centres)
        modes = np.where(full[:, None], _modes(belongs.T @ hot, sizes), modes)
    return cost, labels


def _modes(counts, sizes):
    """The most frequent word of each cluster and column, as columns of 0 and 1."""
    out, begin = np.zeros_like(counts), 0
    for size in sizes:
        frequent = counts[:, begin : begin + size].argmax(axis=1)
        out[np.arange(len(counts)), begin + frequent] = 1
        begin += size
    return out


#: By the words of the table.
BASELINES = {
    "standard": standard_kmeans,
    "prototypes": k_prototypes,
    "minmax": minmax_kmeans,
}
