"""Merge equal rows and sort the others, so that results do not depend on the order of rows.

Random numbers and the work budget of a search depend on the number of rows, rounding on their
order. With merged and sorted rows, weight two is equivalent to a duplicate, and a table gives the
same tree in any order.
"""

from __future__ import annotations

import numpy as np


def merged(rows: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct rows in lexicographic order, with the sum of weights of each.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        NaN where a value is missing; such values are equal, and come last.
    weight : ndarray of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> merged(np.array([[2.0, 1.0], [0.0, 5.0], [2.0, 1.0]]), np.array([1.0, 1.0, 3.0]))
    (array([[0., 5.],
           [2., 1.]]), array([1., 4.]))
    """
    if rows.shape[1] == 0:
        return rows, weight
    # Drop the sign of zeros, which would depend on the order of rows.
    rows = rows + 0.0
    width = 1
    while True:
        # A few columns distinguish the rows of most tables, so that few sort keys suffice.
        keys = rows[:, :width].T[::-1]
        # Weights are the last key, so that those of equal rows are added in a fixed order.
        order = np.lexsort((weight, *keys))
        alike = _alike(rows[:, :width], order)
        some = np.flatnonzero(alike)
        same = np.zeros_like(alike)
        same[some] = _equal(rows[order[some]], rows[order[some + 1]])
        if width >= rows.shape[1] or np.array_equal(alike, same):
            break
        width = min(2 * width, rows.shape[1])
    first = np.flatnonzero(np.concatenate([[True], ~same]))
    return rows[order[first]], np.add.reduceat(weight[order], first)


def _alike(columns: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Whether each row equals the next one in an order."""
    ordered = columns[order]
    return _equal(ordered[:-1], ordered[1:])


def _equal(some: np.ndarray, others: np.ndarray) -> np.ndarray:
    return ((some == others) | (np.isnan(some) & np.isnan(others))).all(axis=1)
