"""What the columns of a category group hold: 0, and in at most one of them one number above 0."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.utils import gen_batches

from agathis._checks.roles import called

# Values of a group that are looked over at a time.
_VALUES_AT_ONCE = 1 << 22


def check_one_hot(
    X: np.ndarray, groups: Sequence[np.ndarray], names: Sequence[str] | None = None
) -> np.ndarray:
    """What a column of each group has that is on; 1 where none ever is.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        May be a mapped file; some rows are read at a time.
    groups : sequence of ndarray of int
    names : sequence of str, optional
        Of the columns, for messages.

    Raises
    ------
    ValueError
        Where a row has two columns of a group on, where what is on is not one number above 0, or
        where a row misses some columns of a group and not others.

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
    """The value that is on, after some more rows of a group."""
    source = f"one_hot has {', '.join(called(column, names) for column in columns[:3])}"
    source += f", ... ({len(columns)} columns)" if len(columns) > 3 else ""
    missing = np.isnan(part)
    some = np.flatnonzero(missing.any(axis=1) & ~missing.all(axis=1))
    if len(some):
        raise ValueError(
            f"{source}, and row {begin + some[0]} of X misses (NaN) some of them and not others; "
            "where the category is missing all of them must be."
        )
    is_on = (part != 0) & ~missing
    twice = np.flatnonzero(np.count_nonzero(is_on, axis=1) > 1)
    if len(twice):
        found = part[twice[0]][is_on[twice[0]]]
        raise ValueError(
            f"{source}, and row {begin + twice[0]} of X has {found[0]:.6g} and {found[1]:.6g} "
            "there; at most one of them may be other than 0."
        )
    values = part[is_on]
    if len(values) == 0:
        return on
    on = float(values[0]) if on is None else on
    other = values[values != on]
    if len(other) or on <= 0:
        found = on if on <= 0 else float(other[0])
        raise ValueError(
            f"{source}, and X has {found:.6g} there; besides 0 all of them must have one number "
            f"above 0{'' if on <= 0 else f', such as {on:.6g}'}."
        )
    return on
