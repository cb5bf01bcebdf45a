"""The columns of a dataset as a search sees them: those with thresholds, and categories.

A source of categories is a group of one-hot columns. To the engines it is a number a row, its
*code*: the place of the column that is on, the next number where none is, and -1 where the
category is missing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agathis._checks.roles import FeatureRoles
from agathis._dataset.bins import MISSING_BIN
from agathis._dataset.splits import Split
from agathis._trees.tree import MISSING_GOES


@dataclass(frozen=True, eq=False)
class SearchedColumns:
    """The columns of the data whose thresholds are looked at.

    An engine numbers them from 0. Where there is none it gets a column of zeros, along which
    nothing can be cut.

    Attributes
    ----------
    columns : ndarray of int
        Rising.
    n_features : int
        Columns of the data.

    Examples
    --------
    >>> some = SearchedColumns(np.array([0, 2]), 3)
    >>> some.take(np.array([[1.0, 2.0, 3.0]])), some.number(1), some.place(2), some.place(1)
    (array([[1., 3.]]), 2, 1, None)
    """

    columns: np.ndarray
    n_features: int

    @property
    def is_all(self) -> bool:
        return len(self.columns) == self.n_features

    def __len__(self) -> int:
        return len(self.columns)

    def take(self, X: np.ndarray) -> np.ndarray:
        """These columns of some rows; X itself where it is all of them."""
        if self.is_all:
            return X
        if len(self.columns) == 0:
            return np.zeros((len(X), 1), dtype=X.dtype)
        return X[:, self.columns]

    def number(self, place: int) -> int:
        """The column of the data that an engine knows by its place."""
        return int(self.columns[place])

    def place(self, feature: int) -> int | None:
        """The other way round; ``None`` where the column is not searched."""
        at = int(np.searchsorted(self.columns, feature))
        return at if at < len(self.columns) and self.columns[at] == feature else None


@dataclass(frozen=True, eq=False)
class Sources:
    """Groups of one-hot columns.

    Attributes
    ----------
    columns : tuple of ndarray of int
        For each source its columns, rising; the sources by their first column.
    on : ndarray of shape (n_sources,)
        What a column of each source has that is on.
    """

    columns: tuple[np.ndarray, ...]
    on: np.ndarray

    @property
    def n_codes(self) -> np.ndarray:
        """Codes of each source, missing ones aside."""
        return np.array([len(own) + 1 for own in self.columns], dtype=np.int32)

    def check(self) -> None:
        """Raise where a source has more categories than there are bins."""
        most = int(self.n_codes.max())
        if most > MISSING_BIN:
            raise ValueError(
                f"one_hot has a source of {most - 1} categories; engine='features' and 'binned' "
                f"take up to {MISSING_BIN - 1}, engine='gram' and 'blocks' any number. Put rare "
                "categories together."
            )

    def codes(self, X: np.ndarray) -> np.ndarray:
        """The code of each row in each source, of shape (n_rows, n_sources)."""
        out = np.empty((len(X), len(self.columns)), dtype=np.int32)
        for source, own in enumerate(self.columns):
            part = X[:, own]
            is_on = part > 0
            code = np.where(is_on.any(axis=1), np.argmax(is_on, axis=1), len(own))
            out[:, source] = np.where(np.isnan(part[:, 0]), -1, code)
        return out

    def bins(self, X: np.ndarray) -> np.ndarray:
        """The same as bins of a histogram."""
        codes = self.codes(X)
        return np.where(codes < 0, MISSING_BIN, codes).astype(np.uint8)

    def split(
        self,
        source: int,
        codes: np.ndarray,
        missing_left: bool | None,
        gain: float,
        move: int,
        left: int,
        right: int,
    ) -> Split:
        """The split that sends rows of these codes right.

        Where no code is given only missing values go right: that is a cut of the first column.
        """
        own = self.columns[source]
        missing = 0
        if missing_left is not None:
            missing = MISSING_GOES.index("left" if missing_left else "right")
        chosen = own[codes]
        return Split(
            feature=int(chosen[0] if len(chosen) else own[0]),
            threshold=float(self.on[source] / 2) if len(chosen) else np.inf,
            gain=gain,
            move=move,
            left=left,
            right=right,
            position=-1,
            missing=missing,
            terms=tuple((int(column), 1.0) for column in chosen),
            source=int(own[0]),
        )


@dataclass(frozen=True, eq=False)
class Features:
    """The features of a dataset.

    Attributes
    ----------
    roles : FeatureRoles
        Which columns are split on, which the kernel sees, and which are categories of one source.
    on : ndarray or None
        What a column of each source that is split on has that is on.
    """

    roles: FeatureRoles
    on: np.ndarray | None = None

    @classmethod
    def plain(cls, n_features: int) -> Features:
        """Numbers that are all split on."""
        return cls(FeatureRoles.plain(n_features))

    @property
    def n_features(self) -> int:
        return self.roles.n_features

    @property
    def searched(self) -> SearchedColumns:
        """The columns whose thresholds are looked at."""
        return SearchedColumns(self.roles.searched, self.n_features)

    @property
    def sources(self) -> Sources | None:
        """The sources of categories that are split on, where there are any."""
        if self.on is None or not self.roles.groups:
            return None
        return Sources(self.roles.groups, self.on)

    @property
    def n_candidates(self) -> int:
        """What a search looks at: columns, and sources, each as one."""
        return len(self.roles.searched) + len(self.roles.groups)
