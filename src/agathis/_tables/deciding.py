"""Columns that decide too much: those that make groups of themselves and of nothing else.

A split that finds groups parts the rows in many columns at once. A split on a column that has
nothing to do with the others (a year, a running number that nobody noticed) parts them in that
column alone. So of all splits on a column it is counted what they explain of it, and what of each
other one. A toss of a coin may make a group of its own too, where columns are few: it is known by
having nothing to do with any other column, over all rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from agathis._tables.errors import Advice, Note
from agathis._tables.tuning import ALONE, FEWEST, HARDLY, LARGE, SOME, UNRELATED
from agathis._tables.wording import title_of
from agathis._trees.tree import Tree


@dataclass(frozen=True)
class Deciding:
    """What the splits on a column do.

    Attributes
    ----------
    column : str
    gains : float
        Its share of the gains of all splits.
    alone : float
        Of what these splits explain, the share that lies in the column itself.
    elsewhere : float
        Of the spread of each other column, the share that they explain: the largest one.
    related : float
        The largest squared correlation with another column, over all rows.
    """

    column: str
    gains: float
    alone: float
    elsewhere: float
    related: float = 1.0

    @property
    def is_alone(self) -> bool:
        """Whether it decides too much: a good part of the tree, and of nothing but itself."""
        large = SOME if self.related < UNRELATED else LARGE
        return self.gains >= large and self.alone >= ALONE and self.elsewhere < HARDLY


def deciding(
    tree: Tree, X: np.ndarray, places: Mapping[str, np.ndarray], kernel: np.ndarray
) -> list[Deciding]:
    """What each column that is split on does, the most important first.

    Parameters
    ----------
    tree : Tree
        Of scaled rows.
    X : ndarray of shape (n_samples, n_features)
        These rows.
    places : mapping
        For each column the places of its features.
    kernel : ndarray of bool
        The features that count.
    """
    home = {int(f): column for column, some in places.items() for f in some}
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)[:, kernel]
    path = tree.decision_path(X).tocsc()
    # By the column that is split on: its gains; of each feature what is explained, and of what.
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
    numbers = {column: number for number, column in enumerate(places)}
    owner = np.array([numbers[home[f]] for f in np.flatnonzero(kernel).tolist()], dtype=np.intp)
    centred = filled - filled.mean(axis=0)
    length = np.sqrt((centred**2).sum(axis=0))
    found = []
    for column, of in explained.items():
        if of.sum() <= 0:
            continue
        each, whole = (
            np.bincount(owner, weights=some, minlength=len(places)) for some in (of, spread[column])
        )
        mine = numbers[column]
        others = whole > 0
        others[mine] = False
        alone, elsewhere = each[mine] / of.sum(), (each[others] / whole[others]).max(initial=0.0)
        own, rest = ((owner == mine) & (length > 0), (owner != mine) & (length > 0))
        angles = (centred[:, own].T @ centred[:, rest]) / np.outer(length[own], length[rest])
        related = float((angles**2).max(initial=0.0))
        share = gains[column] / total
        found.append(Deciding(column, share, float(alone), float(elsewhere), related))
    return sorted(found, key=lambda one: -one.gains)


def notes_on_deciding(found: list[Deciding], n_columns: int) -> list[Note]:
    """What to say of columns that decide too much.

    Where each column of the tree is such a one, to drop all would leave nothing to split on:
    then the one that decides most is told of.
    """
    if n_columns < FEWEST:
        return []
    alone = [one for one in found if one.is_alone]
    return [
        Note(
            (
                f"{title_of(one.column)} makes {100 * one.gains:.0f} % of the differences, and the "
                "groups that it makes differ in hardly anything else: ",
                Advice("drop", (one.column,)),
                "?",
            )
        )
        for one in (alone[:1] if len(alone) == len(found) else alone)
    ]
