"""What each column is for: may be split on, is seen by the kernel, is one category of a source.

A table of raw columns becomes rows in which a category is a column that is on or off. Which of
these columns belong together is their *role*, and so is whether a column may stand in a condition
(a month may, its sine may not) and whether the kernel sees it (the sine, not the month). Rows that
know their roles are :class:`EncodedRows`; :func:`roles_of` makes of them and of what the user says
the roles of a fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

AUTO = "auto"
#: Where a frame of pandas notes the roles of its columns.
ATTRIBUTE = "agathis roles"


@dataclass(frozen=True, eq=False)
class FeatureRoles:
    """The roles of the columns of a table.

    Attributes
    ----------
    one_hot : tuple of ndarray of int
        For each source of categories its columns, rising: in each row at most one is on.
    split : ndarray of bool, of shape (n_features,)
        The columns that conditions may be on; of a source all columns or none.
    kernel : ndarray of bool, of shape (n_features,)
        The columns that the kernel sees.

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
        """All columns are numbers that are split on and that the kernel sees."""
        return cls((), np.ones(n_features, dtype=bool), np.ones(n_features, dtype=bool))

    def mark(self, frame: Any) -> Any:
        """The frame of pandas with a note of the roles of its columns, as plain data.

        It goes with the frame where pandas lets it; files of pandas may hold it.
        """
        frame.attrs[ATTRIBUTE] = {
            "columns": list(map(str, frame.columns)),
            "one_hot": [columns.tolist() for columns in self.one_hot],
            "split": self.split.tolist(),
            "kernel": self.kernel.tolist(),
        }
        return frame

    @classmethod
    def in_frame(cls, X: Any) -> FeatureRoles | None:
        """The roles that a frame was marked with; None where it has other columns by now."""
        attributes = getattr(X, "attrs", None)
        told = attributes.get(ATTRIBUTE) if isinstance(attributes, Mapping) else None
        if told is None or told["columns"] != list(map(str, getattr(X, "columns", ()))):
            return None
        groups = tuple(np.array(columns, dtype=np.intp) for columns in told["one_hot"])
        return cls(groups, np.array(told["split"], bool), np.array(told["kernel"], bool))

    @property
    def n_features(self) -> int:
        return len(self.split)

    @property
    def is_plain(self) -> bool:
        return not self.one_hot and bool(self.split.all() and self.kernel.all())

    @property
    def searched(self) -> np.ndarray:
        """The columns whose thresholds are looked at: those that no source has."""
        alone = self.split.copy()
        for columns in self.one_hot:
            alone[columns] = False
        return np.flatnonzero(alone)

    @property
    def groups(self) -> tuple[np.ndarray, ...]:
        """The sources that are split on, by their first column."""
        some = [columns for columns in self.one_hot if self.split[columns].all()]
        return tuple(sorted(some, key=lambda columns: int(columns[0])))

    @property
    def kernel_columns(self) -> np.ndarray | None:
        """The columns that the kernel sees; ``None`` where it sees all."""
        return None if self.kernel.all() else np.flatnonzero(self.kernel)


@dataclass(frozen=True, eq=False)
class Units:
    """What scaled rows were in the units of their table.

    Attributes
    ----------
    encoder : object
        What made them, such as a :class:`agathis.TableEncoder`.
    raw : ndarray of shape (n_samples, n_features)
        The same rows before they were scaled.
    """

    encoder: Any
    raw: np.ndarray

    def of(self, key: Any) -> Units:
        """Those of some of the rows."""
        return Units(self.encoder, self.raw[key])


class EncodedRows(np.ndarray):
    """Rows that know the roles of their columns.

    An array like any other. ``roles`` stays with parts of it that have the same columns, and is
    ``None`` where columns were taken out or changed places. ``units`` tells what the rows were
    before they were scaled, and stays with rows that are picked, and with nothing else.

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
        """The rows of X, not copied."""
        X = np.asarray(X)
        if X.ndim != 2 or X.shape[1] != roles.n_features:
            raise ValueError(
                f"roles are of {roles.n_features} columns, and X has the shape {X.shape}."
            )
        rows = X.view(cls)
        rows.roles = roles
        rows.units = units
        return rows

    def __array_finalize__(self, source: Any) -> None:
        roles = getattr(source, "roles", None)
        same = self.ndim == 2 and roles is not None and self.shape[1] == roles.n_features
        self.roles = roles if same else None
        # Rows may have changed places.
        self.units = None

    def transpose(self, *axes: Any) -> Any:
        # Of as many rows as columns the transposed looks the same.
        turned = super().transpose(*axes)
        turned.roles = None
        return turned

    @property
    def T(self) -> Any:
        return self.transpose()

    def __getitem__(self, key: Any) -> Any:
        part = super().__getitem__(key)
        if isinstance(part, EncodedRows):
            same = part.ndim == 2 and _takes_rows_only(key)
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


def _takes_rows_only(key: Any) -> bool:
    """Whether an index leaves the columns as they are."""
    if not isinstance(key, tuple):
        return key is not None
    if any(part is None for part in key):
        return False
    return all(part is Ellipsis or _is_all(part) for part in key[1:])


def _is_all(part: Any) -> bool:
    return isinstance(part, slice) and part == slice(None)


def roles_of(
    X: Any,
    *,
    n_features: int,
    names: Sequence[str] | None = None,
    one_hot: Any = AUTO,
    split_features: Any = AUTO,
    kernel_features: Any = AUTO,
) -> FeatureRoles:
    """The roles of the columns of X, by what the user says or else by what X tells.

    Parameters
    ----------
    X : object
        As the user gave it; ``X.roles`` is looked at where it is there, and ``X.units`` for names:
        a column of the raw table stands for all that was made of it and may be used so.
    n_features : int
    names : sequence of str, optional
        Of the columns.
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
    told = getattr(X, "roles", None) or FeatureRoles.in_frame(X)
    if not isinstance(told, FeatureRoles) or told.n_features != n_features:
        told = FeatureRoles.plain(n_features)
    units = getattr(X, "units", None)
    made: Mapping[str, np.ndarray] = {}
    if names is None and isinstance(units, Units):
        names, made = units.encoder.get_feature_names_out(), units.encoder.places()
    groups = told.one_hot if _is_auto(one_hot) else _groups_of(one_hot, n_features, names)
    split, kernel = told.split, told.kernel
    if not _is_auto(split_features):
        listed = _spread("split_features", split_features, made, told.split)
        split = _mask_of("split_features", listed, n_features, names)
    if not _is_auto(kernel_features):
        listed = _spread("kernel_features", kernel_features, made, told.kernel)
        kernel = _mask_of("kernel_features", listed, n_features, names)
    for columns in groups:
        some = split[columns]
        if some.any() and not some.all():
            inside, outside = columns[some][0], columns[~some][0]
            raise ValueError(
                f"split_features={_short(split_features)} has {called(inside, names)} and not "
                f"{called(outside, names)}, which are categories of one source in one_hot; all "
                "columns of a source are split on, or none."
            )
    return FeatureRoles(tuple(groups), split, kernel)


def _spread(argument: str, columns: Any, made: Mapping[str, np.ndarray], usable: np.ndarray) -> Any:
    """Columns, each of a raw table as those that were made of it and may be used."""
    if not made or isinstance(columns, (str, bytes)) or not isinstance(columns, Iterable):
        return columns
    out: list[Any] = []
    for value in columns:
        if not isinstance(value, str) or value not in made:
            out.append(value)
            continue
        own = made[value][usable[made[value]]]
        if not len(own):
            raise ValueError(
                f"{argument} has {value!r}, which the encoder before it has for another use: see "
                "its no_split and no_count."
            )
        out += own.tolist()
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
        raise ValueError(f"one_hot must be {accepted}; it is {_short(one_hot)}.")
    items = one_hot.items() if isinstance(one_hot, Mapping) else enumerate(one_hot)
    groups: list[np.ndarray] = []
    home: dict[int, str] = {}
    for key, group in items:
        argument = f"one_hot[{key!r}]"
        if isinstance(group, (str, bytes, Integral)) or not isinstance(group, Iterable):
            raise ValueError(f"one_hot must be {accepted}; {argument} is {_short(group)}.")
        columns = np.flatnonzero(_mask_of(argument, group, n_features, names))
        for column in columns.tolist():
            if column in home:
                raise ValueError(
                    f"one_hot has {called(column, names)} twice, in {home[column]} and in "
                    f"{argument}; a column is a category of one source."
                )
            home[column] = argument
        groups.append(columns)
    return tuple(groups)


def _mask_of(
    argument: str, columns: Any, n_features: int, names: Sequence[str] | None
) -> np.ndarray:
    """Columns by number or name, or a mask, as a mask."""
    if columns is None:
        return np.ones(n_features, dtype=bool)
    if isinstance(columns, (str, bytes, Integral)) or not isinstance(columns, Iterable):
        raise ValueError(
            f"{argument} must be 'auto', None, or a list of columns by number or name; it is "
            f"{_short(columns)}."
        )
    listed = list(columns)
    if listed and all(isinstance(value, (bool, np.bool_)) for value in listed):
        if len(listed) != n_features:
            raise ValueError(
                f"{argument} is a mask of {len(listed)} values, and X has {n_features} columns."
            )
        mask = np.array(listed, dtype=bool)
    else:
        mask = np.zeros(n_features, dtype=bool)
        for value in listed:
            place = _place_of(argument, value, n_features, names)
            if mask[place]:
                raise ValueError(f"{argument} has {value!r} twice.")
            mask[place] = True
    if not mask.any():
        raise ValueError(f"{argument}={_short(columns)} has no column; at least one is needed.")
    return mask


def _place_of(argument: str, value: Any, n_features: int, names: Sequence[str] | None) -> int:
    known = None if names is None else [str(name) for name in names]
    if isinstance(value, str):
        if known is None:
            raise ValueError(
                f"{argument} has the name {value!r}, and X has no column names; columns are "
                f"numbers from 0 to {n_features - 1}. In a pipeline, "
                "set_output(transform='pandas') of the steps before lets them pass names on."
            )
        if value not in known:
            raise ValueError(
                f"{argument} has {value!r}, which is no column of X; columns are {_short(known)}."
            )
        return known.index(value)
    is_number = isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))
    if not is_number or not 0 <= int(value) < n_features:
        raise ValueError(
            f"{argument} has {value!r}; columns are numbers from 0 to {n_features - 1}"
            f"{', or names' if known is not None else ''}."
        )
    return int(value)


def called(column: int, names: Sequence[str] | None) -> str:
    return f"column {column}" if names is None else f"column {str(names[column])!r}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
