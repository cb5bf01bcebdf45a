"""What commands read: tables, models, and the rows of a table as a model takes them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from agathis._cli.console import Messages, count, listed, one_line
from agathis._cli.errors import BadData, bad_data, needs
from agathis._cli.output import STDIN
from agathis._columns.errors import NoNumbers, Note
from agathis._io.formats import PAGE, looks_like
from agathis._io.tuning import SAMPLE_BYTES

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from agathis._encoding.feature_rows import FeatureRows
    from agathis._io.read_table import ReadOptions, TableInMemory
    from agathis.export import FittedModel


def title_of_input(path: str) -> str:
    """The name of a file in messages."""
    return "standard input" if path == STDIN else path


def read_input(
    path: str,
    reading: ReadOptions,
    as_text: Collection[str] | Callable[[list[str]], Collection[str]] = (),
) -> TableInMemory:
    """The table in a file, or from stdin."""
    needs("pyarrow", "io", "reading tables")
    from agathis._io.read_table import read_table

    with bad_data(ImportError):  # spreadsheets need one more package
        if path != STDIN:
            return read_table(path, reading, as_text)
        with _stdin() as file:
            return read_table(file, reading, as_text, title_of_input(path))


@contextmanager
def _stdin() -> Iterator[BinaryIO]:
    """Standard input, to which something must be sent; it may be open for writing only."""
    if sys.stdin.isatty():
        raise BadData("- is standard input, and nothing is sent to it: agathis ... < FILE")
    try:
        yield sys.stdin.buffer
    except OSError as error:
        if error.strerror is None or error.filename is not None:
            raise
        raise BadData(f"standard input cannot be read: {error.strerror}.") from error


def model_from_stdin() -> str:
    """The JSON of a model from stdin, up to the size limit of models.

    It starts with a brace in any case, so that ``from_json`` does not take it for a path.
    """
    from agathis.export._json import MAX_BYTES

    with _stdin() as file:
        text = file.read(MAX_BYTES + 1).decode("utf-8", errors="replace").lstrip()
    return "{" + text.removeprefix("{")


def tell_of_numbers(notes: Mapping[str, Note], columns: Iterable[str], messages: Messages) -> None:
    """Say how numbers of these columns were read."""
    alike: dict[Note, list[str]] = {}
    for column in columns:
        if column in notes:
            alike.setdefault(notes[column], []).append(one_line(column))
    messages.tell(
        Note((f"In {listed(names)} ", *note.parts, "."), note.doubtful)
        for note, names in alike.items()
    )


def load_model(
    path: str, takes_missing: bool | None = None, text: str | None = None
) -> FittedModel:
    """The model in a file, or from stdin, whose ``text`` may have been read already.

    ``takes_missing`` is as for ``from_json``.
    """
    from agathis.export import from_json

    try:
        if path != STDIN:
            return from_json(Path(path), takes_missing=takes_missing)
        text = model_from_stdin() if text is None else text
        return from_json(text, takes_missing=takes_missing)
    except ValueError as error:
        what = None if path == STDIN else _other(path)
        said = f" is not a tree of agathis: {what}." if what else str(error).removeprefix("source")
        raise BadData(f"{title_of_input(path)}{said}") from error


def _other(path: str) -> str | None:
    """What a file seems to be that is no model, and where it belongs."""
    if not os.path.isfile(path):
        return None  # a pipe or a device: what was read of it is gone
    with open(path, "rb") as file:
        data = file.read(SAMPLE_BYTES)
    what = looks_like(data)
    if what == PAGE:
        return f"it seems to be {what}, for a browser"
    if what is None and data.strip():
        return "it seems to be a table, of which agathis fit makes a model"
    return None


def read_for(
    model: FittedModel, path: str, reading: ReadOptions, messages: Messages
) -> TableInMemory:
    """A table whose categories are read as those of the model, by its options if none are given."""
    one_hot = getattr(model, "one_hot_", {})
    # Numbers and truths are read as such: to a model that knows 1 and 2 a cell of 1.0 is 1.
    texts = [
        source
        for source, made in one_hot.items()
        if any(isinstance(category, str) for category in made.values())
    ]
    known: dict[str, Any] = {} if model.provenance is None else {**model.provenance.reading}
    typed = {name: getattr(reading, name) for name in known}
    reading = replace(reading, **{n: v for n, v in known.items() if not typed[n]})
    read = read_input(path, reading, texts)
    messages.tell(read.doubts)
    tell_of_numbers(read.notes, getattr(model, "feature_names_in_", ()), messages)
    return read


def rows_for_model(
    model: FittedModel,
    table: pa.Table,
    path: str,
    messages: Messages | None,
    *,
    every: bool = False,
) -> np.ndarray:
    """The features of a model, in its order; what is odd about them goes to ``messages``."""
    from agathis._encoding.feature_rows import rows_for_tree

    if not hasattr(model, "feature_names_in_"):
        raise BadData("the model has no names of columns, so that none can be found in a table.")
    name = title_of_input(path)
    try:
        found = rows_for_tree(
            table,
            model.tree_,
            list(model.feature_names_in_),
            model.one_hot or {},
            every=every,
            title=name,
            date_parts=model.date_parts,
        )
    except NoNumbers as error:
        raise BadData(f"{error} --na TEXT treats a string as a missing value.") from error
    if messages is not None:
        _tell_odd(model, found, messages)
    return found.X


def _tell_odd(model: FittedModel, found: FeatureRows, messages: Messages) -> None:
    """Warn about values that the model has not seen, and say how they are handled."""
    for source, unseen in found.unseen.items():
        kinds = listed(repr(word) for word in dict.fromkeys(unseen))
        messages.warn(
            f"{one_line(source)} has unknown categories, {kinds}, in "
            f"{count(len(unseen), 'row')}: they match none of the known categories."
        )
    for column, n in found.infinite.items():
        messages.warn(
            f"{one_line(column)} has infinite values in {count(n, 'row')}: they are treated "
            "as larger, or smaller, than all others. --na inf treats them as missing."
        )
    if found.n_incomplete:
        dropped = model.provenance is not None and model.provenance.missing == "drop"
        way = (
            "they were left out of the fit"
            if dropped
            else "each split sends them where it learnt to"
            if model.tree_.missing.any()
            else "no split has learnt where they go, and sends them with its larger part"
        )
        messages.warn(f"{count(found.n_incomplete, 'row')} with missing values: {way}.")
