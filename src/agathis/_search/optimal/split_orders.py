"""Candidate splits as orders of rows: the left side of a split is a prefix of an order.

The search for the optimal tree only uses orders of rows, with ties. A numeric column has one, or
two if values are missing: with these first, and with these last. A categorical feature has as many
as it takes for each set of categories, or its complement, to be a prefix.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from agathis._dataset.features import CategoryGroups
from agathis._search.rows import split_between
from agathis._trees.builder import TreeBuilder
from agathis._trees.tree import MISSING_GOES

#: The maximum number of categories, counting missing as one, whose subsets are all tried.
MAX_CATEGORIES = 10


@cache
def chains(n: int) -> tuple[tuple[int, ...], ...]:
    """Orders of n items such that each subset or its complement is a prefix of one of them.

    These are the symmetric chains of Greene and Kleitman, extended to orders of all items: with
    zeros as opening and ones as closing brackets, unmatched items are set from the left.

    >>> chains(3)
    ((0, 1, 2), (1, 2, 0))
    >>> len(chains(10))
    126
    """
    orders: list[tuple[int, ...]] = []
    known: set[int] = set()
    everything = (1 << n) - 1
    for mask in range(1 << n):
        waiting: list[int] = []
        partners = True
        for item in range(n):
            if not mask >> item & 1:
                waiting.append(item)
            elif waiting:
                waiting.pop()
            else:
                partners = False
        if not partners:
            continue  # not the first set of a chain
        first = [item for item in range(n) if mask >> item & 1]
        last = [item for item in range(n) if item not in first and item not in waiting]
        order = (*first, *waiting, *last)
        sets = set()
        begun = 0
        for item in order[:-1]:
            begun |= 1 << item
            sets.add(min(begun, everything ^ begun))
        if sets - known:
            known |= sets
            orders.append(order)
    return tuple(orders)


@dataclass(frozen=True, eq=False)
class Column:
    """A numeric column, with NaN for missing values."""

    feature: int
    values: np.ndarray

    def category_ranks(self) -> Iterator[np.ndarray]:
        """Yield the rank of each row's value, once with missing values first and once last."""
        missing = np.isnan(self.values)
        code = np.zeros(len(self.values), dtype=np.int32)
        code[~missing] = np.unique(self.values[~missing], return_inverse=True)[1].reshape(-1)
        if not missing.any():
            yield code
            return
        yield np.where(missing, 0, code + 1).astype(np.int32)
        yield np.where(missing, code.max(initial=0) + 1, code).astype(np.int32)

    def cut(
        self, builder: TreeBuilder, node: int, left: np.ndarray, right: np.ndarray
    ) -> tuple[int, int]:
        """Split a node; return the child nodes of the rows on either side."""
        return split_between(builder, node, self.feature, self.values[left], self.values[right])


@dataclass(frozen=True, eq=False)
class CategoricalOrders:
    """A categorical feature, one-hot encoded in ``columns`` with the value ``on``.

    Code -1 is a missing category, a code beyond the columns a row without any category.
    """

    columns: np.ndarray
    on: float
    codes: np.ndarray

    def category_ranks(self) -> Iterator[np.ndarray]:
        """Yield ranks of each row's category: every set of categories is the first of some."""
        present, category = np.unique(self.codes, return_inverse=True)
        if len(present) > MAX_CATEGORIES:
            raise ValueError(
                f"one_hot has a categorical feature with {len(present)} categories (including "
                f"missing); search='optimal' takes up to {MAX_CATEGORIES}. Merge rare categories, "
                "or use search='local'."
            )
        for chain in chains(len(present)):
            yield np.argsort(chain).astype(np.int32)[category.reshape(-1)]

    def cut(
        self, builder: TreeBuilder, node: int, left: np.ndarray, right: np.ndarray
    ) -> tuple[int, int]:
        """Split a node; return the child nodes of the rows on either side."""
        sides = [np.unique(self.codes[rows]) for rows in (left, right)]
        named = [codes[codes >= 0] for codes in sides]
        # Rows without a category have no column to split on, and missing ones alone go right.
        turned = len(self.columns) in named[1] or len(named[0]) == 0
        if turned:
            sides, named = sides[::-1], named[::-1]
        terms = tuple((int(self.columns[code]), 1.0) for code in named[1])
        missing = 0
        if any(-1 in codes for codes in sides):
            missing = MISSING_GOES.index("left" if -1 in sides[0] else "right")
        children = builder.cut(
            node,
            terms[0][0] if terms else int(self.columns[0]),
            self.on / 2 if terms else np.inf,
            missing=missing,
            terms=terms,
        )
        return children[::-1] if turned else children


def all_orders(
    values: np.ndarray,
    columns: np.ndarray | None,
    category: np.ndarray | None = None,
    sources: CategoryGroups | None = None,
) -> list[Column | CategoricalOrders]:
    """The columns and categorical features to split on.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
    columns : ndarray of int or None
        The feature indices of these columns; ``None`` is 0, 1, ...
    category : ndarray of shape (n_category_groups, n_rows), optional
        The category code of each row in each categorical feature.
    sources : CategoryGroups, optional
    """
    features = np.arange(values.shape[1]) if columns is None else columns
    ways: list[Column | CategoricalOrders] = [
        Column(int(feature), columns_of_group)
        for feature, columns_of_group in zip(features, values.T, strict=True)
    ]
    if category is not None and sources is not None:
        ways += [
            CategoricalOrders(columns_of_group, float(on), codes)
            for columns_of_group, on, codes in zip(
                sources.columns, sources.on, category, strict=True
            )
        ]
    return ways
