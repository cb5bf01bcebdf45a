"""Rows of a table as a model takes them: columns by their names, categories as 0 and 1."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from agathis._cli.console import Messages, count, listed, one_line
from agathis._cli.errors import BadData
from agathis._cli.looks import PAGE, looks_like
from agathis._cli.names import lacks
from agathis._cli.notation import are_numbers
from agathis._cli.output import STDOUT
from agathis._cli.table import Read, Reading, read_table, shown
from agathis._cli.values import as_numbers, as_words, is_number, plain
from agathis._tables.indicators import encoded

if TYPE_CHECKING:
    import pyarrow as pa

    from agathis.export import LoadedTree


def load_model(path: str) -> LoadedTree:
    """The model in a file, or from stdin."""
    from agathis.export import from_json

    try:
        if path != STDOUT:
            return from_json(Path(path))
        # With a brace before it, whatever comes is taken for a text and not for a path.
        text = sys.stdin.buffer.read().decode("utf-8", errors="replace").lstrip()
        return from_json(text if text.startswith("{") else "{" + text)
    except ValueError as error:
        what = None if path == STDOUT else _other(path)
        said = f" is not a tree of agathis: {what}." if what else str(error).removeprefix("source")
        raise BadData(f"{shown(path)}{said}") from error


def _other(path: str) -> str | None:
    """What a file seems to be that is no model, and where it belongs."""
    data = Path(path).read_bytes()
    what = looks_like(data)
    if what == PAGE:
        return f"it seems to be {what}, for a browser"
    if what is None and data.strip():
        return "it seems to be a table, of which agathis fit makes a model"
    return None


def read_for(model: LoadedTree, path: str, reading: Reading, messages: Messages) -> Read:
    """A table whose categories are read as those of the model."""
    one_hot = getattr(model, "one_hot_", {})
    # Numbers and truths are read as such: to a model that knows 1 and 2 a cell of 1.0 is 1.
    texts = [
        source
        for source, made in one_hot.items()
        if any(isinstance(category, str) for category in made.values())
    ]
    read = read_table(path, reading, texts)
    read.tell(getattr(model, "feature_names_in_", ()), messages)
    return read


def rows_of(
    model: LoadedTree, table: pa.Table, path: str, messages: Messages, *, every: bool = False
) -> np.ndarray:
    """The features of a model, in its order.

    Columns that the tree does not ask for need not be there, unless ``every`` one is asked for;
    NaN stands for them.
    """
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        raise BadData("the model has no names of columns, so that none can be found in a table.")
    place = {name: i for i, name in enumerate(names)}
    tree = model.tree_
    asked = set(names) if every else {names[f] for f in tree.feature[~tree.is_leaf]}
    one_hot = getattr(model, "one_hot_", {})
    made = {name for columns in one_hot.values() for name in columns}
    X = np.full((table.num_rows, len(names)), np.nan)
    sources = {name: {name: None} for name in names if name not in made} | one_hot
    wanted = [source for source, columns in sources.items() if asked.intersection(columns)]
    _check_names(list(names), asked)
    _check_there(wanted, table, shown(path))
    for source in wanted:
        column = plain(table.column(source))
        columns = sources[source]
        places = [place[name] for name in columns]
        if source not in one_hot:
            X[:, places[0]] = _numbers(source, column, shown(path))
        else:
            X[:, places], unseen = encoded(as_words(column), list(columns.values()))
            _tell_unseen(source, unseen, messages)
    _tell_missing(model, X, [place[name] for name in asked], messages)
    return X


def _check_names(names: Sequence[str], asked: Collection[str]) -> None:
    twice = [name for name, n in Counter(names).items() if n > 1 and name in asked]
    if twice:
        raise BadData(
            f"the model has two features of the name {one_line(twice[0])}, so that their columns "
            "cannot be told apart."
        )


def _check_there(wanted: Sequence[str], table: pa.Table, name: str) -> None:
    counts = Counter(table.column_names)
    lacking = [source for source in wanted if source not in counts]
    if lacking:
        more = f" Also lacking: {listed(map(one_line, lacking[1:]))}." if lacking[1:] else ""
        found = lacks(lacking[0], table.column_names)
        raise BadData(f"{name} lacks {one_line(lacking[0])}, which the model needs: {found}{more}")
    twice = [source for source in wanted if counts[source] > 1]
    if twice:
        raise BadData(f"{name} has {counts[twice[0]]} columns of the name {one_line(twice[0])}.")


def _numbers(source: str, column: pa.Array, name: str) -> np.ndarray:
    if is_number(column.type):
        return as_numbers(column)
    from pyarrow import compute, types

    what = f"is of type {column.type}"
    if types.is_string(column.type):
        wrong = compute.invert(are_numbers(column))
        row = compute.index(wrong, True).as_py()
        what = f"has {column[max(row, 0)].as_py()!r} in row {max(row, 0) + 1}"
    raise BadData(
        f"{name}: {one_line(source)} must be numbers, as it was for the model, and {what}. "
        "--na TEXT takes a text for a missing value."
    )


def _tell_unseen(source: str, unseen: Sequence[str], messages: Messages) -> None:
    if unseen:
        kinds = listed(repr(word) for word in dict.fromkeys(unseen))
        messages.warn(
            f"{one_line(source)} has values that the model has not seen, {kinds}, in "
            f"{count(len(unseen), 'row')}: these are taken for none of the known ones."
        )


def _tell_missing(
    model: LoadedTree, X: np.ndarray, places: Sequence[int], messages: Messages
) -> None:
    rows = int(np.isnan(X[:, sorted(places)]).any(axis=1).sum())
    if rows:
        way = (
            "each split sends them where it learnt to"
            if model.takes_missing
            else "the model has seen none, and sends them with the larger part at each split"
        )
        messages.warn(f"{count(rows, 'row')} with missing values: {way}.")
