"""Rows of a data frame, as they were before encoding, made into the rows that a tree takes.

    columns, by name -> numbers, or words -> columns of 0 and 1 -> the features in their order

A model that was read from a file knows the sources of its one-hot columns. Columns that the tree
does not ask for are not looked at. What is missing is NaN, and so are texts that say so.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from agathis._tables.indicators import encoded, word
from agathis._tables.marks import LOWER_MARKS, MARKS

if TYPE_CHECKING:
    from agathis.export._loaded import LoadedTree

# More values than that are not read in a message.
SHOWN = 8
#: What pandas has for a missing value, as text.
OF_PANDAS = ("<NA>", "NaT")


def rows_of_frame(model: LoadedTree, frame: Any) -> np.ndarray:
    """The features of a model, in its order; 0 where the tree does not ask for one.

    Parameters
    ----------
    model : LoadedTree
        With names of its features.
    frame : DataFrame of pandas or polars
        Sources of one-hot columns, or these columns themselves.
    """
    names, there = list(model.feature_names_in_), list(frame.columns)
    tree = model.tree_
    asked = {names[f]: int(f) for f in np.unique(tree.feature[~tree.is_leaf])}
    home = {
        feature: source
        for source, columns in getattr(model, "one_hot_", {}).items()
        for feature in columns
    }
    # A column may have been encoded before.
    wanted = {
        feature: feature if feature in there and home.get(feature) not in there
        else home.get(feature, feature)
        for feature in asked
    }  # fmt: skip
    _check_names(names, asked, list(dict.fromkeys(wanted.values())), there)
    X = np.zeros((len(frame), len(names)))
    done = set()
    for feature, f in asked.items():
        source = wanted[feature]
        if home.get(feature) != source:
            X[:, f] = _numbers(source, frame[source])
        elif source not in done:
            done.add(source)
            columns = model.one_hot_[source]
            made = _encoded(source, frame[source].to_list(), columns)
            for name in asked.keys() & columns.keys():
                X[:, asked[name]] = made[name]
    return X


def _check_names(
    names: list[str], asked: Collection[str], wanted: list[str], there: list[str]
) -> None:
    for name in asked:
        if names.count(name) > 1:
            raise ValueError(f"the tree has two features {name!r}, which no column can tell apart.")
    lacking = [name for name in wanted if name not in there]
    if lacking:
        raise ValueError(
            f"X lacks columns that the tree asks for: {_listed(lacking)}. It has {_listed(there)}."
        )
    for name in wanted:
        if there.count(name) > 1:
            raise ValueError(f"X has {there.count(name)} columns of the name {name!r}.")


def _numbers(name: str, column: Any) -> np.ndarray:
    """A column as float64; its numbers may be texts."""
    kind = column.dtype
    if isinstance(kind, np.dtype) and kind.kind in "biuf":
        return np.asarray(column, dtype=np.float64)
    if hasattr(kind, "is_numeric") and kind.is_numeric():
        return column.to_numpy().astype(np.float64)
    marks = {*LOWER_MARKS, *(mark.lower() for mark in OF_PANDAS), "none"}
    out = np.empty(len(column))
    for i, value in enumerate(column.to_list()):
        try:
            out[i] = np.nan if str(value).strip().lower() in marks else float(value)
        except (TypeError, ValueError):
            raise ValueError(
                f"X must have numbers in column {name!r}, as the rows of the tree had; in row {i} "
                f"it has {value!r}."
            ) from None
    return out


def _encoded(
    source: str, values: list[object], columns: Mapping[str, object]
) -> dict[str, np.ndarray]:
    """The one-hot columns of a source."""
    marks = {*MARKS, *OF_PANDAS}.difference(map(str, columns.values()))
    words = [None if (text := word(value)) in marks else text for value in values]
    made, unseen = encoded(words, list(columns.values()))
    if unseen:
        # The line of whoever calls predict.
        warnings.warn(
            f"X has values in column {source!r} that the tree has not seen, "
            f"{_listed(dict.fromkeys(unseen))}, in {len(unseen)} of {len(words)} rows: these are "
            "taken for none of the known ones.",
            UserWarning,
            stacklevel=5,
        )
    return dict(zip(columns, made.T, strict=True))


def _listed(names: Collection[object]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(map(repr, list(names)[:SHOWN])) + more
