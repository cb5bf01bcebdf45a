"""Cells that conditions see and the kernel does not: numbers that cannot be meant.

A condition on a column sends each row somewhere, whatever was typed. The kernel would take such a
number for a measure, so it sees 0 there, the mean of a column that was scaled. For a fit the
columns that have such cells are there twice, once for each of the two; a tree is told in those that
there were.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from agathis._checks.roles import FeatureRoles
from agathis._trees.tree import Tree


def uncounted_of(X: object) -> np.ndarray | None:
    """The cells of X, as the user gave it, that do not count; None where all do."""
    cells = getattr(X, "uncounted", None)
    return cells if isinstance(cells, np.ndarray) and cells.any() else None


def as_counted(X: np.ndarray, cells: np.ndarray | None) -> np.ndarray:
    """The rows as the kernel sees them."""
    return X if cells is None else np.where(cells, np.zeros((), dtype=X.dtype), X)


def with_copies(
    X: np.ndarray, roles: FeatureRoles, cells: np.ndarray
) -> tuple[np.ndarray, FeatureRoles, np.ndarray]:
    """The rows with copies at their end of columns to cut, their roles, and which were copied.

    Examples
    --------
    >>> X, roles, copied = with_copies(np.array([[1.0, 2], [3, 9]]), FeatureRoles.plain(2),
    ...                                np.array([[False, False], [False, True]]))
    >>> X.tolist(), roles.split.tolist(), roles.kernel.tolist(), copied.tolist()
    ([[1.0, 2.0, 2.0], [3.0, 0.0, 9.0]], [True, False, True], [True, True, False], [1])
    """
    cells = cells & roles.kernel
    wide, copied = roles_with_copies(roles, np.asarray(cells.any(axis=0)))
    return widened(X, cells, copied), wide, copied


def roles_with_copies(roles: FeatureRoles, has: np.ndarray) -> tuple[FeatureRoles, np.ndarray]:
    """The roles of columns with copies, and which are copied; ``has`` are those with such cells."""
    copied = np.flatnonzero(has & roles.kernel & roles.split)
    split = np.append(roles.split, np.ones(len(copied), dtype=bool))
    split[copied] = False
    kernel = np.append(roles.kernel, np.zeros(len(copied), dtype=bool))
    return FeatureRoles(roles.one_hot, split, kernel), copied


def widened(X: np.ndarray, cells: np.ndarray | None, copied: np.ndarray) -> np.ndarray:
    """The rows as the kernel sees them, and copies of columns as they were."""
    return np.hstack([as_counted(X, cells), X[:, copied]])


def of_copies(tree: Tree, copied: np.ndarray) -> Tree:
    """A tree of the columns that there were, as one of their copies."""
    place = np.arange(tree.n_features, dtype=np.int32)
    place[copied] = tree.n_features + np.arange(len(copied))
    return _renumbered(tree, place, tree.n_features + len(copied))


def of_originals(tree: Tree, roles: FeatureRoles, copied: np.ndarray) -> tuple[Tree, FeatureRoles]:
    """A tree of copies and its roles, as those of the columns that there were."""
    n = tree.n_features - len(copied)
    place = np.append(np.arange(n), copied).astype(np.int32)
    split = roles.split[:n].copy()
    split[copied] = True
    return _renumbered(tree, place, n), FeatureRoles(roles.one_hot, split, roles.kernel[:n])


def _renumbered(tree: Tree, place: np.ndarray, n_features: int) -> Tree:
    return replace(
        tree,
        feature=np.where(tree.is_leaf, tree.feature, place[np.maximum(tree.feature, 0)]),
        term_feature=place[tree.term_feature],
        n_features=n_features,
    )
