"""Validation of one-hot columns: at most one column of a group is positive in each row."""

from __future__ import annotations

from collections.abc import Sequence

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
    for place, columns in enumerate(groups):
        on = None
        for rows in gen_batches(len(X), max(1, _VALUES_AT_ONCE // len(columns))):
            part = np.asarray(X[rows][:, columns], dtype=np.float64)
            on = _look_over_group(part, columns, on, rows.start, names)
        values[place] = 1.0 if on is None else on
    return values


def _look_over_group(
    part: np.ndarray,
    columns: np.ndarray,
    on: float | None,
    begin: int,
    names: Sequence[str] | None,
) -> float | None:
    """The positive value of a group, after a block of rows."""
    source = f"one_hot has {', '.join(called(column, names) for column in columns[:3])}"
    source += f", ... ({len(columns)} columns)" if len(columns) > 3 else ""
    missing = np.isnan(part)
    some = np.flatnonzero(missing.any(axis=1) & ~missing.all(axis=1))
    if len(some):
        raise ValueError(
            f"{source}, and row {begin + some[0]} of X has NaN in only some of them; if the "
            "category is missing, all of them must be NaN."
        )
    is_on = (part != 0) & ~missing
    twice = np.flatnonzero(np.count_nonzero(is_on, axis=1) > 1)
    if len(twice):
        found = part[twice[0]][is_on[twice[0]]]
        raise ValueError(
            f"{source}, and row {begin + twice[0]} of X has {found[0]:.6g} and {found[1]:.6g} "
            "there; at most one of them may differ from 0."
        )
    values = part[is_on]
    if len(values) == 0:
        return on
    on = float(values[0]) if on is None else on
    other = values[values != on]
    if len(other) or on <= 0:
        found = on if on <= 0 else float(other[0])
        raise ValueError(
            f"{source}, and X has {found:.6g} there; values must be 0 or the same positive number"
            f"{'' if on <= 0 else f', such as {on:.6g}'}."
        )
    return on
