"""Equal rows as one, in an order that does not depend on the order in which they came.

What a search draws and how much it looks at depends on how many rows there are, and its sums on
their order. With equal rows merged and the others in the order of their values a row of weight two
is the row twice, and the same table gives the same tree however it is sorted.
"""

from __future__ import annotations

import numpy as np


def merged(rows: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows that differ, in the order of their columns, and the sum of the weights of each.

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
    # Zeros have no sign, or the first of two would say which.
    rows = rows + 0.0
    width = 1
    while True:
        # Most tables are told apart by few columns: sorting by all of them is seldom needed.
        keys = rows[:, :width].T[::-1]
        # The weights come last, so that those of equal rows are added up in one order, too.
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
    """Which rows equal the next one in an order."""
    ordered = columns[order]
    return _equal(ordered[:-1], ordered[1:])


def _equal(some: np.ndarray, others: np.ndarray) -> np.ndarray:
    return ((some == others) | (np.isnan(some) & np.isnan(others))).all(axis=1)
