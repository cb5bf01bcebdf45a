"""Cells that cannot be meant: conditions see them as they are, the objective as they were meant.

A condition on a column sends each row somewhere, whatever was typed. So a tree is chosen where such
cells have the values that they were probably meant to have, and then the rows go down it as they
are; counts, clusters and the objective are those of where they end. Where that would leave a leaf
too few rows, the tree is chosen again with conditions that see the cells as they are: the columns
that have such cells are then there twice, once for the kernel and once to be cut, and the tree is
told in those that there were.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from agathis._checks.roles import FeatureRoles
from agathis._trees.tree import Tree


def meant_of(X: object) -> np.ndarray | None:
    """What cells of X, as the user gave it, are taken for; None where all are meant as they are."""
    meant = getattr(X, "meant", None)
    return meant if isinstance(meant, np.ndarray) and not np.isnan(meant).all() else None


def as_meant(X: np.ndarray, meant: np.ndarray | None) -> np.ndarray:
    """The rows as the kernel sees them.

    Examples
    --------
    >>> as_meant(np.array([[1.0, 2], [3, 9]]), np.array([[np.nan, np.nan], [np.nan, 4]])).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return X if meant is None else np.where(np.isnan(meant), X, meant.astype(X.dtype))


def with_copies(
    X: np.ndarray, roles: FeatureRoles, meant: np.ndarray
) -> tuple[np.ndarray, FeatureRoles, np.ndarray]:
    """The rows with copies at their end of columns to cut, their roles, and which were copied.

    Examples
    --------
    >>> X, roles, copied = with_copies(np.array([[1.0, 2], [3, 9]]), FeatureRoles.plain(2),
    ...                                np.array([[np.nan, np.nan], [np.nan, 4]]))
    >>> X.tolist(), roles.split.tolist(), roles.kernel.tolist(), copied.tolist()
    ([[1.0, 2.0, 2.0], [3.0, 4.0, 9.0]], [True, False, True], [True, True, False], [1])
    """
    meant = np.where(roles.kernel, meant, np.nan)
    wide, copied = roles_with_copies(roles, ~np.isnan(meant).all(axis=0))
    return np.hstack([as_meant(X, meant), X[:, copied]]), wide, copied


def roles_with_copies(roles: FeatureRoles, has: np.ndarray) -> tuple[FeatureRoles, np.ndarray]:
    """The roles of columns with copies, and which are copied; ``has`` are those with such cells."""
    copied = np.flatnonzero(has & roles.kernel & roles.split)
    split = np.append(roles.split, np.ones(len(copied), dtype=bool))
    split[copied] = False
    kernel = np.append(roles.kernel, np.zeros(len(copied), dtype=bool))
    return FeatureRoles(roles.one_hot, split, kernel), copied


def cells_of(X: object) -> np.ndarray | None:
    """The cells of X that cannot be meant; None where there are none."""
    meant = meant_of(X)
    return None if meant is None else ~np.isnan(meant)


def as_mean(X: np.ndarray, cells: np.ndarray | None) -> np.ndarray:
    """The rows with 0, the mean, in some cells: parts of a table do not know all nearest rows."""
    return X if cells is None else np.where(cells, np.zeros((), dtype=X.dtype), X)


def widened(X: np.ndarray, cells: np.ndarray | None, copied: np.ndarray) -> np.ndarray:
    """The rows as the kernel sees them, and copies of columns as they were."""
    return np.hstack([as_mean(X, cells), X[:, copied]])


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
