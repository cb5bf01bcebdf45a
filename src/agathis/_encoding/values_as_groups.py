"""Notice clusters that are merely the values of one column, or of two.

A column that says how each row ended, such as a status, separates the rows by itself; so does a
pair of such columns. The clusters are then what the table already said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from agathis._columns.errors import Advice, Note
from agathis._columns.wording import title_of

#: Clusters with this normalised mutual information are the values.
SAME = 0.95
#: Columns with more values, or with fewer rows of each, are not compared; of more columns no pairs.
MOST_VALUES, ROWS_EACH, MOST_COLUMNS = 50, 5, 12


def notes_on_values(
    labels: np.ndarray,
    X: np.ndarray,
    columns: Mapping[str, np.ndarray],
    split_on: Sequence[str] = (),
) -> list[Note]:
    """Return a note if clusters are the values of a column, or of two that the tree splits on.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)
    X : ndarray of shape (n_samples, n_features)
        Features in the units of the table.
    columns : mapping
        The feature indices of each column.
    split_on : sequence of str
        The columns of which pairs are compared.

    Examples
    --------
    >>> X = np.column_stack([np.arange(20) % 2, np.arange(20)]).astype(float)
    >>> for note in notes_on_values(X[:, 0] > 0, X, {"status": [0], "x": [1]}, ["status"]):
    ...     print(note)
    The clusters are the values of status (agreement 1.00): target='status' compares them with \
other groups, drop=['status'] finds groups without it.
    """
    if len(np.unique(labels)) < 2:
        return []
    values = {name: of for name, at in columns.items() if (of := _values(X, at)) is not None}
    groups: dict[tuple[str, ...], np.ndarray] = {(name,): of for name, of in values.items()}
    pairs = [name for name in split_on if name in values]
    if len(pairs) <= MOST_COLUMNS:
        for one, other in combinations(pairs, 2):
            groups[one, other] = values[one] * (values[other].max() + 1) + values[other]
    n_each = 2 * len(np.unique(labels))
    found = {
        names: information(labels, of)
        for names, of in groups.items()
        if len(np.unique(of)) <= n_each
    }
    same = {names: share for names, share in found.items() if share >= SAME}
    if not same:
        return []
    names = min(same, key=lambda names: (len(names), -same[names]))
    what = " and ".join(map(title_of, names))
    them = "it" if len(names) == 1 else "them"
    parts = (
        f"The clusters are the values of {what} (agreement {same[names]:.2f}): ",
        *(Advice("target", names[0]), " compares them with other groups, "),
        *(Advice("drop", names), f" finds groups without {them}."),
    )
    return [Note(parts, doubtful=True)]


def information(labels: np.ndarray, values: np.ndarray) -> float:
    """Return the mutual information, divided by the mean of the entropies.

    >>> round(information(np.array([0, 0, 1, 1]), np.array([5, 5, 7, 7])), 3)
    1.0
    """
    _, first = np.unique(labels, return_inverse=True)
    _, second = np.unique(values, return_inverse=True)
    table = np.zeros((first.max() + 1, second.max() + 1))
    np.add.at(table, (first, second), 1.0)
    whole, rows, columns = (_entropy(one) for one in (table, table.sum(1), table.sum(0)))
    return 2 * (rows + columns - whole) / (rows + columns) if rows + columns else 0.0


def _entropy(counts: np.ndarray) -> float:
    share = counts[counts > 0] / counts.sum()
    return float(-(share * np.log(share)).sum())


def _values(X: np.ndarray, features: np.ndarray) -> np.ndarray | None:
    """The value of each row of a column as an integer; None if there are too many."""
    _, values = np.unique(np.nan_to_num(X[:, features], nan=-1e9), axis=0, return_inverse=True)
    return values.ravel() if 1 < values.max() + 1 <= min(MOST_VALUES, len(X) / ROWS_EACH) else None
