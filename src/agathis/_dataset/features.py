"""The features of a dataset: numeric columns, and categorical features.

A categorical feature is a group of one-hot columns. Engines use one code per row: the index of the
nonzero column, the number of columns if there is none, and -1 for a missing category.
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
    """The numeric columns to split on.

    Engines number them from 0. If there is none, engines get a column of zeros, which cannot be
    split.

    Attributes
    ----------
    columns : ndarray of int
        Sorted column indices.
    n_features : int
        The number of columns of the data.

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
        """These columns of X; X itself if all."""
        if self.is_all:
            return X
        if len(self.columns) == 0:
            return np.zeros((len(X), 1), dtype=X.dtype)
        return X[:, self.columns]

    def number(self, index: int) -> int:
        """The column of the data with an index among the searched ones."""
        return int(self.columns[index])

    def place(self, feature: int) -> int | None:
        """The index of a column among the searched ones; ``None`` if it is not one of them."""
        at = int(np.searchsorted(self.columns, feature))
        return at if at < len(self.columns) and self.columns[at] == feature else None


@dataclass(frozen=True, eq=False)
class CategoryGroups:
    """Categorical features, as groups of one-hot columns.

    Attributes
    ----------
    columns : tuple of ndarray of int
        The sorted columns of each feature; features are sorted by their first column.
    on : ndarray of shape (n_category_groups,)
        The nonzero value of the columns of each feature.
    """

    columns: tuple[np.ndarray, ...]
    on: np.ndarray

    @property
    def n_categories(self) -> np.ndarray:
        """The number of codes of each feature, not counting missing."""
        return np.array([len(group) + 1 for group in self.columns], dtype=np.int32)

    def check(self) -> None:
        """Raise ValueError if a feature has more categories than there are bins."""
        n_categories = int(self.n_categories.max())
        if n_categories > MISSING_BIN:
            raise ValueError(
                f"one_hot has a categorical feature with {n_categories - 1} categories; "
                f"engine='features' and 'binned' take up to {MISSING_BIN - 1}, 'gram' and "
                "'blocks' any number. Merge rare categories."
            )

    def codes(self, X: np.ndarray) -> np.ndarray:
        """The code of each row in each feature, of shape (n_rows, n_category_groups)."""
        out = np.empty((len(X), len(self.columns)), dtype=np.int32)
        for feature, columns in enumerate(self.columns):
            part = X[:, columns]
            is_on = part > 0
            code = np.where(is_on.any(axis=1), np.argmax(is_on, axis=1), len(columns))
            out[:, feature] = np.where(np.isnan(part[:, 0]), -1, code)
        return out

    def bins(self, X: np.ndarray) -> np.ndarray:
        """The same as bins of a histogram."""
        codes = self.codes(X)
        return np.where(codes < 0, MISSING_BIN, codes).astype(np.uint8)

    def split(
        self,
        feature: int,
        codes: np.ndarray,
        missing_left: bool | None,
        gain: float,
        move: int,
        left: int,
        right: int,
    ) -> Split:
        """The split that sends rows with these codes right.

        Without codes only missing values go right, as a split on the first column.
        """
        columns = self.columns[feature]
        missing = 0
        if missing_left is not None:
            missing = MISSING_GOES.index("left" if missing_left else "right")
        chosen = columns[codes]
        return Split(
            feature=int(chosen[0] if len(chosen) else columns[0]),
            threshold=float(self.on[feature] / 2) if len(chosen) else np.inf,
            gain=gain,
            move=move,
            left=left,
            right=right,
            position=-1,
            missing=missing,
            terms=tuple((int(column), 1.0) for column in chosen),
            source=int(columns[0]),
        )


@dataclass(frozen=True, eq=False)
class Features:
    """The features of a dataset.

    Attributes
    ----------
    roles : FeatureRoles
        The columns used for splits and by the kernel, and the categorical features.
    on : ndarray or None
        The nonzero value of the columns of each categorical feature to split on.
    """

    roles: FeatureRoles
    on: np.ndarray | None = None

    @classmethod
    def plain(cls, n_features: int) -> Features:
        """Numeric columns that are all used for splits."""
        return cls(FeatureRoles.plain(n_features))

    @property
    def n_features(self) -> int:
        return self.roles.n_features

    @property
    def searched(self) -> SearchedColumns:
        """The numeric columns to split on."""
        return SearchedColumns(self.roles.searched, self.n_features)

    @property
    def sources(self) -> CategoryGroups | None:
        """The categorical features to split on, if any."""
        if self.on is None or not self.roles.groups:
            return None
        return CategoryGroups(self.roles.groups, self.on)

    @property
    def n_candidates(self) -> int:
        """The number of features to split on; a categorical feature counts as one."""
        return len(self.roles.searched) + len(self.roles.groups)
