"""Feature roles: split candidates, kernel features, and groups of one-hot columns.

An encoded table has one-hot columns for a categorical feature, columns for splits only (a month)
and columns for the kernel only (its sine and cosine). :class:`EncodedRows` carries these roles
through a scikit-learn pipeline; :func:`roles_of` combines them with the parameters of a fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from reprlib import repr as short
from typing import Any

import numpy as np

AUTO = "auto"
#: Key of the roles in ``DataFrame.attrs``.
ATTRIBUTE = "agathis roles"


@dataclass(frozen=True, eq=False)
class FeatureRoles:
    """Roles of the columns of a table.

    Attributes
    ----------
    one_hot : tuple of ndarray of int
        The columns of each category group, sorted; at most one is positive in a row.
    split : ndarray of bool, of shape (n_features,)
        The columns that may be split on; for a category group all columns or none.
    kernel : ndarray of bool, of shape (n_features,)
        The columns that the kernel uses.

    Examples
    --------
    >>> roles = FeatureRoles.plain(3)
    >>> roles.one_hot, roles.split.tolist(), roles.is_plain
    ((), [True, True, True], True)
    """

    one_hot: tuple[np.ndarray, ...]
    split: np.ndarray
    kernel: np.ndarray

    @classmethod
    def plain(cls, n_features: int) -> FeatureRoles:
        """Numeric columns that all are split on and used by the kernel."""
        return cls((), np.ones(n_features, dtype=bool), np.ones(n_features, dtype=bool))

    def mark(self, frame: Any) -> Any:
        """Store the roles in ``attrs`` of a pandas DataFrame, as plain data."""
        frame.attrs[ATTRIBUTE] = {
            "columns": list(map(str, frame.columns)),
            "one_hot": [columns.tolist() for columns in self.one_hot],
            "split": self.split.tolist(),
            "kernel": self.kernel.tolist(),
        }
        return frame

    @classmethod
    def in_frame(cls, X: Any) -> FeatureRoles | None:
        """The roles in ``attrs`` of a frame; None if its columns have changed."""
        attributes = getattr(X, "attrs", None)
        stored = attributes.get(ATTRIBUTE) if isinstance(attributes, Mapping) else None
        if stored is None or stored["columns"] != list(map(str, getattr(X, "columns", ()))):
            return None
        groups = tuple(np.array(columns, dtype=np.intp) for columns in stored["one_hot"])
        return cls(groups, np.array(stored["split"], bool), np.array(stored["kernel"], bool))

    @property
    def n_features(self) -> int:
        return len(self.split)

    @property
    def is_plain(self) -> bool:
        return not self.one_hot and bool(self.split.all() and self.kernel.all())

    @property
    def searched(self) -> np.ndarray:
        """The numeric split columns, which are in no category group."""
        alone = self.split.copy()
        for columns in self.one_hot:
            alone[columns] = False
        return np.flatnonzero(alone)

    @property
    def groups(self) -> tuple[np.ndarray, ...]:
        """The category groups that are split on, sorted by their first column."""
        groups = [columns for columns in self.one_hot if self.split[columns].all()]
        return tuple(sorted(groups, key=lambda columns: int(columns[0])))

    @property
    def kernel_columns(self) -> np.ndarray | None:
        """The columns that the kernel uses; None for all."""
        return None if self.kernel.all() else np.flatnonzero(self.kernel)


@dataclass(frozen=True, eq=False)
class Units:
    """The raw rows behind encoded rows, with their encoder.

    Attributes
    ----------
    encoder : object
        The encoder, such as a :class:`agathis.TableEncoder`.
    raw : ndarray of shape (n_samples, n_features)
        The same rows before scaling.
    """

    encoder: Any
    raw: np.ndarray

    def of(self, key: Any) -> Units:
        """The units of a subset of the rows."""
        return Units(self.encoder, self.raw[key])


class EncodedRows(np.ndarray):
    """An array with the roles of its columns.

    ``roles`` is kept by subsets of rows and None if columns were selected or reordered. ``units``
    has the rows before scaling, and is only kept by subsets of rows.

    Examples
    --------
    >>> rows = EncodedRows.of(np.eye(3), FeatureRoles.plain(3))
    >>> rows[:2].roles is rows.roles, rows[:, :2].roles, rows[:, [0, 2, 1]].roles
    (True, None, None)
    """

    roles: FeatureRoles | None = None
    units: Units | None = None

    @classmethod
    def of(
        cls,
        X: np.ndarray,
        roles: FeatureRoles,
        units: Units | None = None,
    ) -> EncodedRows:
        """X with roles and units, without a copy."""
        X = np.asarray(X)
        if X.ndim != 2 or X.shape[1] != roles.n_features:
            raise ValueError(f"roles have {roles.n_features} columns, but X has shape {X.shape}.")
        rows = X.view(cls)
        rows.roles = roles
        rows.units = units
        return rows

    def __array_finalize__(self, parent: Any) -> None:
        roles = getattr(parent, "roles", None)
        same = self.ndim == 2 and roles is not None and self.shape[1] == roles.n_features
        self.roles = roles if same else None
        # Rows may have been reordered.
        self.units = None

    def __getitem__(self, key: Any) -> Any:
        part = super().__getitem__(key)
        if isinstance(part, EncodedRows):
            same = part.ndim == 2 and _keeps_all_columns(key)
            part.roles = self.roles if same else None
            part.units = self.units.of(key) if same and self.units is not None else None
        return part

    def __reduce__(self) -> Any:
        how: Any = super().__reduce__()
        function, arguments, state = how
        return function, arguments, (*state, self.roles, self.units)

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state[:-2])
        self.roles, self.units = state[-2:]


def _keeps_all_columns(key: Any) -> bool:
    """Whether an index selects rows only."""
    columns = key[1:] if isinstance(key, tuple) else ()
    return all(
        part is Ellipsis or (isinstance(part, slice) and part == slice(None)) for part in columns
    )


def roles_of(
    X: Any,
    *,
    n_features: int,
    names: Sequence[str] | None = None,
    one_hot: Any = AUTO,
    split_features: Any = AUTO,
    kernel_features: Any = AUTO,
) -> FeatureRoles:
    """The roles of the columns of X, from the parameters of a fit or from X.

    Parameters
    ----------
    X : object
        The user's input. If it has ``units``, a column of the raw table stands for all encoded
        columns made from it.
    n_features : int
    names : sequence of str, optional
        Names of the columns.
    one_hot : "auto", None, or groups of columns
        A list of groups, or a mapping with groups as its values. A group is a list (or the keys of
        a mapping) of columns by number or name, or a mask.
    split_features, kernel_features : "auto", None, or columns
        By number or name, or a mask.

    Raises
    ------
    ValueError
        Names the argument, the value and what is accepted.

    Examples
    --------
    >>> roles = roles_of(None, n_features=4, one_hot=[[1, 2]], split_features=[0, 1, 2])
    >>> [columns.tolist() for columns in roles.groups], roles.searched.tolist()
    ([[1, 2]], [0])
    """
    given = getattr(X, "roles", None) or FeatureRoles.in_frame(X)
    if not isinstance(given, FeatureRoles) or given.n_features != n_features:
        given = FeatureRoles.plain(n_features)
    units = getattr(X, "units", None)
    made: Mapping[str, np.ndarray] = {}
    if names is None and isinstance(units, Units):
        names, made = units.encoder.get_feature_names_out(), units.encoder.places()
    groups = given.one_hot if _is_auto(one_hot) else _groups_of(one_hot, n_features, names)
    split, kernel = given.split, given.kernel
    if not _is_auto(split_features):
        listed = _spread("split_features", split_features, made, given.split)
        split = _mask_of("split_features", listed, n_features, names)
    if not _is_auto(kernel_features):
        listed = _spread("kernel_features", kernel_features, made, given.kernel)
        kernel = _mask_of("kernel_features", listed, n_features, names)
    for columns in groups:
        some = split[columns]
        if some.any() and not some.all():
            inside, outside = columns[some][0], columns[~some][0]
            raise ValueError(
                f"split_features={short(split_features)} has {called(inside, names)} and not "
                f"{called(outside, names)}, which are one category group in one_hot; include all "
                "columns of a group, or none."
            )
    return FeatureRoles(tuple(groups), split, kernel)


def _spread(argument: str, columns: Any, made: Mapping[str, np.ndarray], usable: np.ndarray) -> Any:
    """Replace columns of a raw table by the usable columns encoded from them."""
    if not made or isinstance(columns, (str, bytes)) or not isinstance(columns, Iterable):
        return columns
    out: list[Any] = []
    for value in columns:
        if not isinstance(value, str) or value not in made:
            out.append(value)
            continue
        encoded = made[value][usable[made[value]]]
        if not len(encoded):
            raise ValueError(
                f"{argument} has {value!r}, which the encoder excludes from this use: see its "
                "parameters no_split and no_count."
            )
        out += encoded.tolist()
    return out


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == AUTO


def _groups_of(
    one_hot: Any, n_features: int, names: Sequence[str] | None
) -> tuple[np.ndarray, ...]:
    if one_hot is None:
        return ()
    accepted = "'auto', None, or groups of columns such as [[2, 3, 4], [5, 6]]"
    if isinstance(one_hot, (str, bytes)) or not isinstance(one_hot, Iterable):
        raise ValueError(f"one_hot must be {accepted}; it is {short(one_hot)}.")
    items = one_hot.items() if isinstance(one_hot, Mapping) else enumerate(one_hot)
    groups: list[np.ndarray] = []
    home: dict[int, str] = {}
    for key, group in items:
        argument = f"one_hot[{key!r}]"
        if isinstance(group, (str, bytes, Integral)) or not isinstance(group, Iterable):
            raise ValueError(f"one_hot must be {accepted}; {argument} is {short(group)}.")
        columns = np.flatnonzero(_mask_of(argument, group, n_features, names))
        for column in columns.tolist():
            if column in home:
                raise ValueError(
                    f"one_hot has {called(column, names)} twice, in {home[column]} and in "
                    f"{argument}; a column can be in one category group only."
                )
            home[column] = argument
        groups.append(columns)
    return tuple(groups)


def _mask_of(
    argument: str, columns: Any, n_features: int, names: Sequence[str] | None
) -> np.ndarray:
    """Convert columns by number or name, or a mask, to a mask."""
    if columns is None:
        return np.ones(n_features, dtype=bool)
    if isinstance(columns, (str, bytes, Integral)) or not isinstance(columns, Iterable):
        raise ValueError(
            f"{argument} must be 'auto', None, or a list of columns by number or name; it is "
            f"{short(columns)}."
        )
    listed = list(columns)
    if listed and all(isinstance(value, (bool, np.bool_)) for value in listed):
        if len(listed) != n_features:
            raise ValueError(
                f"{argument} is a mask of {len(listed)} values, but X has {n_features} columns."
            )
        mask = np.array(listed, dtype=bool)
    else:
        mask = np.zeros(n_features, dtype=bool)
        mask[[_place_of(argument, value, n_features, names) for value in listed]] = True
    if not mask.any():
        raise ValueError(f"{argument}={short(columns)} has no column; at least one is required.")
    return mask


def _place_of(argument: str, value: Any, n_features: int, names: Sequence[str] | None) -> int:
    columns = None if names is None else [str(name) for name in names]
    if isinstance(value, str):
        if columns is None:
            raise ValueError(
                f"{argument} has the name {value!r}, but X has no column names; use column indices "
                f"from 0 to {n_features - 1}. In a pipeline, set_output(transform='pandas') of "
                "the previous steps keeps names."
            )
        if value not in columns:
            raise ValueError(
                f"{argument} has {value!r}, which is no column of X; columns are {short(columns)}."
            )
        return columns.index(value)
    is_number = isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))
    if not is_number or not 0 <= int(value) < n_features:
        raise ValueError(
            f"{argument} has {value!r}; columns are indices from 0 to {n_features - 1}"
            f"{', or names' if columns is not None else ''}."
        )
    return int(value)


def called(column: int, names: Sequence[str] | None) -> str:
    return f"column {column}" if names is None else f"column {str(names[column])!r}"
