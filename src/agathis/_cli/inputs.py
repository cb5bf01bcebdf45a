"""Read tables and models, and encode the rows of a table for a model."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from agathis._cli.console import Messages, count, listed, one_line
from agathis._cli.errors import BadData, bad_data, needs
from agathis._cli.output import STDIN
from agathis._columns.errors import Cells, NoNumbers, Note
from agathis._io.formats import PAGE, looks_like
from agathis._io.tuning import SAMPLE_BYTES

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from agathis._encoding.feature_rows import FeatureRows
    from agathis._io.read_table import TableInMemory
    from agathis._io.table_reading import ReadOptions
    from agathis.export import FittedModel


def title_of_input(path: str) -> str:
    """Return the name of a file for messages."""
    return "standard input" if path == STDIN else path


def read_input(
    path: str,
    reading: ReadOptions,
    as_text: Collection[str] | Callable[[list[str]], Collection[str]] = (),
) -> TableInMemory:
    """Read the table in a file, or from stdin."""
    needs("pyarrow", "io", "reading tables")
    from agathis._io.read_table import read_table

    with bad_data(ImportError):  # spreadsheets need one more package
        if path != STDIN:
            return read_table(path, reading, as_text)
        with _stdin() as file:
            return read_table(file, reading, as_text, title_of_input(path))


@contextmanager
def _stdin() -> Iterator[BinaryIO]:
    """Open standard input, which must not be a terminal."""
    if sys.stdin.isatty():
        raise BadData("- is standard input, and nothing is sent to it: agathis ... < FILE")
    try:
        yield sys.stdin.buffer
    except OSError as error:
        if error.strerror is None or error.filename is not None:
            raise
        raise BadData(f"standard input cannot be read: {error.strerror}.") from error


def model_from_stdin() -> str:
    """Read the JSON of a model from stdin, up to the size limit of models.

    It always starts with a brace, so that ``from_json`` does not take it for a path.
    """
    from agathis.export._json import MAX_BYTES

    with _stdin() as file:
        text = file.read(MAX_BYTES + 1).decode("utf-8", errors="replace").lstrip()
    return "{" + text.removeprefix("{")


def notes_on_numbers(notes: Mapping[str, Note], columns: Iterable[str]) -> list[Note]:
    """How the numbers of these columns were read, one note for several read alike."""
    alike: dict[Note, list[str]] = {}
    for column in columns:
        if column in notes:
            alike.setdefault(notes[column], []).append(one_line(column))
    return [
        Note((f"In {listed(names)} ", *note.parts, "."), note.doubtful)
        for note, names in alike.items()
    ]


def load_model(
    path: str, takes_missing: bool | None = None, text: str | None = None
) -> FittedModel:
    """Load the model in a file, or from stdin, whose ``text`` may have been read before.

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
        problem = (
            f" is not a tree of agathis: {what}." if what else str(error).removeprefix("source")
        )
        raise BadData(f"{title_of_input(path)}{problem}") from error


def _other(path: str) -> str | None:
    """Guess what a file that is not a model contains."""
    if not os.path.isfile(path):
        return None  # a pipe or a device cannot be read again
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
    """Read a table as the model's was read, unless other options are given."""
    one_hot = getattr(model, "one_hot_", {})
    # Numeric and boolean categories are parsed: for a model that knows 1 and 2, 1.0 is 1.
    texts = [
        source
        for source, made in one_hot.items()
        if any(isinstance(category, str) for category in made.values())
    ]
    texts += [part.column for part in getattr(model, "date_parts_", {}).values() if part.levels]
    if model.provenance is not None:
        reading = replace(reading, from_model=model.provenance.reading)
    read = read_input(path, reading, texts)
    messages.tell(read.doubts)
    messages.tell(notes_on_numbers(read.notes, getattr(model, "feature_names_in_", ())))
    return read


def rows_for_model(
    model: FittedModel,
    table: pa.Table,
    path: str,
    messages: Messages | None,
    *,
    every: bool = False,
) -> tuple[np.ndarray, list[Note]]:
    """Compute the features of a model, in its order, with notes on unknown categories.

    These and other unusual values are warned of.
    """
    from agathis._encoding.feature_rows import rows_for_tree

    if not hasattr(model, "feature_names_in_"):
        raise BadData("the model has no column names to find its columns in a table by.")
    name = title_of_input(path)
    try:
        rows = rows_for_tree(
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
    notes = unseen_notes(model, table, rows)
    if messages is not None:
        messages.tell(notes)
        _tell_unusual(model, rows, messages)
    return rows.X, notes


def unseen_notes(model: FittedModel, table: pa.Table, rows: FeatureRows) -> list[Note]:
    """Say where rows with categories go that the fit has not seen, by cluster."""
    import numpy as np

    from agathis._columns.indicators import word

    out = []
    names = list(getattr(model, "cluster_names_", [])) or [
        f"cluster {k}" for k in range(model.tree_.n_clusters)
    ]
    for source, unseen in rows.unseen.items():
        where, unknown = "", set(unseen)
        values = table.column(source).to_pylist()
        new = [i for i, value in enumerate(values) if word(value) in unknown]
        if new:
            sizes = np.bincount(model.predict(rows.X[new])).tolist()
            each = [f"{n:,} in {one_line(names[k])}" for k, n in enumerate(sizes) if n]
            where = f" ({listed(each)})"
        kinds = Cells(listed(repr(word) for word in dict.fromkeys(unseen)), "not named here")
        text = f", in {count(len(unseen), 'row')}: they match none of the known categories, so a "
        out.append(
            Note(
                (
                    f"{one_line(source)} has unknown categories, ",
                    kinds,
                    f"{text}rule may not fit them{where}.",
                ),
                doubtful=True,
            )
        )
    return out


def _tell_unusual(model: FittedModel, rows: FeatureRows, messages: Messages) -> None:
    """Warn about values that are new to the model, and say how they are handled."""
    for column, n in rows.infinite.items():
        messages.warn(
            f"{one_line(column)} has infinite values in {count(n, 'row')}: they are treated "
            "as larger, or smaller, than all others. --na inf treats them as missing."
        )
    if rows.n_incomplete:
        dropped = model.provenance is not None and model.provenance.missing == "drop"
        effect = (
            "they were left out of the fit"
            if dropped
            else "each split sends them where it learnt to"
            if model.tree_.missing.any()
            else "no split has learnt where they go, and sends them to the larger child"
        )
        messages.warn(f"{count(rows.n_incomplete, 'row')} with missing values: {effect}.")
