"""Validation of one-hot columns: at most one column of a group is positive in each row."""

from __future__ import annotations

from collections.abc import Sequence
from reprlib import repr as short

import numpy as np
from sklearn.utils import gen_batches

from agathis._checks.roles import called

# Values of a group per block.
_VALUES_AT_ONCE = 1 << 22


def check_one_hot(
    X: np.ndarray, groups: Sequence[np.ndarray], names: Sequence[str] | None = None
) -> np.ndarray:
    """The positive value of the one-hot columns of each group; 1 if all are 0.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        May be memory-mapped, as it is read in blocks.
    groups : sequence of ndarray of int
    names : sequence of str, optional
        Names of the columns, for messages.

    Raises
    ------
    ValueError
        If two columns of a group are not 0 in a row, if positive values differ, or if only some
        columns of a group are missing in a row.

    Examples
    --------
    >>> check_one_hot(np.array([[0.0, 2.0], [2.0, 0.0], [0.0, 0.0]]), [np.array([0, 1])])
    array([2.])
    """
    values = np.ones(len(groups))
    for index, columns in enumerate(groups):
        on = None
        for rows in gen_batches(len(X), max(1, _VALUES_AT_ONCE // len(columns))):
            part = np.asarray(X[rows][:, columns], dtype=np.float64)
            known = part[part > 0]
            on = float(known[0]) if on is None and len(known) else on
            missing = np.isnan(part).sum(axis=1)
            is_on = (part != 0) & ~np.isnan(part)
            wrong = (is_on & (part != on)).any(axis=1) | (is_on.sum(axis=1) > 1)
            wrong |= (missing > 0) & (missing < len(columns))
            if wrong.any():
                row = int(np.argmax(wrong))
                shown = ", ".join(called(column, names) for column in columns[:3])
                more = f", ... ({len(columns)} columns)" if len(columns) > 3 else ""
                value = "" if on is None else f" ({on:.6g})"
                raise ValueError(
                    f"one_hot has {shown}{more}, and row {rows.start + row} of X has "
                    f"{short(part[row].tolist())} there. At most one of the columns may be "
                    f"positive in a row, with the same value in all rows{value}, and the others "
                    "must be 0; a missing category is NaN in all of them."
                )
        values[index] = 1.0 if on is None else on
    return values
