"""Rows of a data frame, as they were before encoding, for a tree that was read from a file."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from agathis._tables.feature_rows import FeatureRows, feature_rows, quoted

if TYPE_CHECKING:
    from agathis.export import LoadedTree


def rows_of_frame(model: LoadedTree, frame: Any) -> np.ndarray:
    """The features of a model, in its order; 0 where the tree does not ask for one.

    Parameters
    ----------
    model : LoadedTree
        With names of its features.
    frame : DataFrame of pandas or polars
        Sources of one-hot columns, or these columns themselves.
    """
    found = rows_for(model, frame)
    for source, unseen in found.unseen.items():
        # The line of whoever calls predict.
        warnings.warn(
            f"X has values in column {source!r} that the tree has not seen, "
            f"{quoted(dict.fromkeys(unseen))}, in {len(unseen)} of {len(frame)} rows: these are "
            "taken for none of the known ones.",
            UserWarning,
            stacklevel=4,
        )
    return found.X


def rows_for(
    model: LoadedTree, table: Any, *, every: bool = False, title: str = "X"
) -> FeatureRows:
    """The features of a model of a data frame or a table of Arrow.

    Columns that the tree does not ask for need not be there, unless ``every`` one is asked for.
    """
    names, tree = list(model.feature_names_in_), model.tree_
    asked = None if every else {names[f] for f in np.unique(tree.feature[~tree.is_leaf])}
    return feature_rows(table, names, getattr(model, "one_hot_", {}), asked, title)
