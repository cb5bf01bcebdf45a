"""Detect dominant columns: splits on them separate the rows in that column and in nothing else.

A split that finds clusters separates the rows in many columns at once; a split on an unrelated
column (a year, an unnoticed running number) separates them in that column alone. So for all splits
on a column we compute the variance they explain of it and of each other column. With few columns
even a coin toss may define a cluster; it is recognised as uncorrelated with every other column.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from agathis._columns.errors import Advice, Note
from agathis._columns.wording import title_of
from agathis._io.tuning import ALONE, BINS, FEWEST, HARDLY, LARGE, RELATED, SOME, UNRELATED
from agathis._trees.tree import Tree


@dataclass(frozen=True)
class DominantColumn:
    """Explained variance of the splits on a column.

    Attributes
    ----------
    column : str
    gains : float
        Its fraction of the gains of all splits.
    alone : float
        The fraction of the explained variance that lies in the column itself.
    elsewhere : float
        The maximum fraction of the variance of another column that they explain.
    related : float
        The maximum fraction of the variance of another column that it explains, or the reverse,
        also where the relation is not linear.
    """

    column: str
    gains: float
    alone: float
    elsewhere: float
    related: float = 1.0

    @property
    def is_alone(self) -> bool:
        """Whether it is dominant: much of the gain, and little explained of other columns.

        A column that is related to another one is needed to find their groups.
        """
        if self.related >= RELATED:
            return False
        large = SOME if self.related < UNRELATED else LARGE
        return self.gains >= large and self.alone >= ALONE and self.elsewhere < HARDLY


def dominant_columns(
    tree: Tree, X: np.ndarray, columns: Mapping[str, np.ndarray], kernel: np.ndarray
) -> list[DominantColumn]:
    """Compute the explained variance of each column that the tree splits on, by descending gain.

    Parameters
    ----------
    tree : Tree
        Fitted on scaled rows.
    X : ndarray of shape (n_samples, n_features)
        These rows.
    columns : mapping
        The feature indices of each column.
    kernel : ndarray of bool
        The features that count for distances.
    """
    home = {int(f): column for column, values in columns.items() for f in values}
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)[:, kernel]
    path = tree.decision_path(X).tocsc()
    # For each column: its gains, and per feature the explained and the total variance.
    gains: dict[str, float] = {}
    explained: dict[str, np.ndarray] = {}
    spread: dict[str, np.ndarray] = {}
    total = float(tree.gain[~tree.is_leaf].sum())
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        column = home[int(tree.feature[node])]
        sides = [
            filled[path.indices[path.indptr[child] : path.indptr[child + 1]]]
            for child in (tree.children_left[node], tree.children_right[node])
        ]
        n, m = map(len, sides)
        if not n or not m:
            continue
        apart = n * m / (n + m) * (sides[0].mean(axis=0) - sides[1].mean(axis=0)) ** 2
        within = n * sides[0].var(axis=0) + m * sides[1].var(axis=0)
        gains[column] = gains.get(column, 0.0) + float(tree.gain[node])
        explained[column] = explained.get(column, 0.0) + apart
        spread[column] = spread.get(column, 0.0) + apart + within
    if total <= 0:
        return []
    numbers = {column: number for number, column in enumerate(columns)}
    owner = np.array([numbers[home[f]] for f in np.flatnonzero(kernel).tolist()], dtype=np.intp)
    varies = np.ptp(filled, axis=0) > 0
    out = []
    for column, of in explained.items():
        if of.sum() <= 0:
            continue
        each, of_column = (
            np.bincount(owner, weights=values, minlength=len(columns))
            for values in (of, spread[column])
        )
        index = numbers[column]
        others = of_column > 0
        others[index] = False
        alone, elsewhere = (
            each[index] / of.sum(),
            (each[others] / of_column[others]).max(initial=0.0),
        )
        inside, outside = (np.flatnonzero(one & varies) for one in (owner == index, owner != index))
        related = max(
            _explained(filled[:, inside], filled[:, outside]),
            _explained(filled[:, outside], filled[:, inside]),
        )
        share = gains[column] / total
        out.append(DominantColumn(column, share, float(alone), float(elsewhere), related))
    return sorted(out, key=lambda entry: -entry.gains)


def _explained(given: np.ndarray, others: np.ndarray) -> float:
    """Return the largest fraction of the variance of a column that the bins of another explain.

    It is reduced by what bins explain by chance.
    """
    n = len(given)
    n_bins = max(2, min(BINS, n // 4))
    if n < 4 or not others.shape[1]:
        return 0.0
    centred = others - others.mean(axis=0)
    total = (centred**2).sum(axis=0)
    largest = 0.0
    for column in given.T:
        ranks = np.searchsorted(np.sort(column), column)
        _, bins = np.unique(ranks * n_bins // n, return_inverse=True)
        sizes = np.bincount(bins)
        if len(sizes) < 2:
            continue
        sums = np.zeros((len(sizes), others.shape[1]))
        np.add.at(sums, bins, centred)
        share = ((sums**2 / sizes[:, None]).sum(axis=0) / total).max()
        chance = (len(sizes) - 1) / (n - 1)
        largest = max(largest, float((share - chance) / (1 - chance)))
    return largest


def notes_on_dominant_columns(columns: list[DominantColumn], n_columns: int) -> list[Note]:
    """Return warnings on dominant columns.

    If every column of the tree is dominant, only the most important one is reported: dropping all
    of them would leave nothing to split on.
    """
    if n_columns < FEWEST:
        return []
    alone = [one for one in columns if one.is_alone]
    return [
        Note(
            (
                f"{title_of(one.column)} accounts for {100 * one.gains:.0f} % of the gains, and "
                "the clusters that it separates hardly differ in other columns: ",
                Advice("drop", (one.column,)),
                "?",
            ),
            doubtful=True,
        )
        for one in (alone[:1] if len(alone) == len(columns) else alone)
    ]
