"""What of a number of clusters is of the table, and what of chance.

Two comparisons, both on a sample of the rows. *Stability*: the rows are halved at random, each half
grows its tree, and both trees label all rows; where another sample would give other groups, the
two disagree. *Chance*: a cloud of rows from one normal distribution with the means, variances and
correlations of the table has no groups, yet a tree cuts it too; the silhouette of these cuts is
what groups have to be better than.
"""

from __future__ import annotations

import numpy as np
from sklearn.metrics import adjusted_rand_score

from agathis._suggest.figures import grown, silhouette
from agathis._suggest.tuning import CLOUDS, HALVINGS


def halvings(n: int, random: np.random.RandomState) -> list[tuple[np.ndarray, np.ndarray]]:
    """Random halves of n rows, some times over."""
    orders = [random.permutation(n) for _ in range(HALVINGS)]
    return [(order[: n // 2], order[n // 2 :]) for order in orders]


def clouds(X: np.ndarray, random: np.random.RandomState) -> list[np.ndarray]:
    """Rows without groups that spread as those of X, which misses no value."""
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
    """The mean ARI of the trees of two halves; 0 where a half has fewer rows than clusters."""
    if len(X) // 2 < k:
        return 0.0
    if engine == "auto" and np.isnan(X).any():
        # A half that misses no value would else grow a tree that takes none.
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
    """The mean silhouette of trees of rows without groups."""
    return float(np.mean([silhouette(X, grown(X, k, leaves, engine).labels_) for X in made]))
