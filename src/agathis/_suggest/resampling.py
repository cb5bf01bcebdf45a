"""Stability and chance level of a number of clusters, on a sample of the rows.

*Stability*: the rows are halved at random, each half fits its tree, and both trees label all rows;
if other samples give other clusters, the two disagree. *Chance*: rows from one normal distribution
with the means, variances and correlations of the table have no clusters, yet a tree splits them
too; a clustering must have a better silhouette than these splits.
"""

from __future__ import annotations

import numpy as np
from sklearn.metrics import adjusted_rand_score

from agathis._suggest.figures import grown, silhouette
from agathis._suggest.tuning import CLOUDS, HALVINGS


def halvings(n: int, random: np.random.RandomState) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return random halves of n rows, for several repeats."""
    orders = [random.permutation(n) for _ in range(HALVINGS)]
    return [(order[: n // 2], order[n // 2 :]) for order in orders]


def clouds(X: np.ndarray, random: np.random.RandomState) -> list[np.ndarray]:
    """Sample rows without clusters, with the mean and covariance of X without missing values."""
    centred = X - X.mean(axis=0)
    _, lengths, directions = np.linalg.svd(centred, full_matrices=False)
    spread = lengths[:, None] * directions / np.sqrt(len(X))
    return [random.normal(size=(len(X), len(lengths))) @ spread for _ in range(CLOUDS)]


def stability(
    X: np.ndarray,
    k: int,
    leaves: int,
    halves: list[tuple[np.ndarray, np.ndarray]],
    engine: str,
) -> float:
    """Return the mean ARI of the trees of two halves; 0 if a half has fewer rows than clusters."""
    if len(X) // 2 < k:
        return 0.0
    if engine == "auto" and np.isnan(X).any():
        # A half without missing values would fit a tree that accepts none.
        engine = "binned"
    return float(
        np.mean(
            [
                adjusted_rand_score(
                    *(grown(X[half], k, leaves, engine).predict(X) for half in pair)
                )
                for pair in halves
            ]
        )
    )


def silhouette_by_chance(made: list[np.ndarray], k: int, leaves: int, engine: str) -> float:
    """Return the mean silhouette of trees of rows without clusters."""
    return float(np.mean([silhouette(X, grown(X, k, leaves, engine).labels_) for X in made]))
