"""Text as a table: what all readers of CSV and TSV ask of pyarrow, for a whole text or in blocks.

pyarrow cuts the text into cells and finds the types; the layout (separator, decimal point, header)
is found before, and numbers as people write them after it.

Libraries that guess all of it were tried on the files of ``tests/helpers/awkward_tables.py``
(``benchmarks/awkward.py``). pyarrow alone reads a quarter of them as they are meant; DuckDB's
sniffer a third: it finds separators, but no decimal commas, thousands or units, and takes the
versions 1.2.10 for dates; skrub's Cleaner, of cells that pandas had cut, a third too: it reads
numbers with plain points alone. Here it is all of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from agathis._tables.arrow_values import different, numbers_of_texts, plain
from agathis._tables.codes import are_codes
from agathis._tables.csv_layout import Layout
from agathis._tables.errors import BadTable, Note
from agathis._tables.missing_marks import MARKS
from agathis._tables.number_notation import Notation, described, doubt, notation_of
from agathis._tables.stream_limits import MAX_BYTES
from agathis._tables.wording import count

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import csv


OPEN_QUOTE = "has a quote that is opened and never closed."


def csv_options(
    layout: Layout,
    block_size: int,
    *,
    skip_rows: int = 0,
    encoding: str = "utf8",
    types: Mapping[str, pa.DataType] | None = None,
    names: Sequence[str] | None = None,
    na: Sequence[str] = (),
    gaps_in_text: bool = True,
) -> tuple[csv.ReadOptions, csv.ParseOptions, csv.ConvertOptions]:
    """How pyarrow is to read a text of that layout.

    ``types`` are of columns that are known, ``names`` those to read (by default all), ``na`` more
    texts for a missing value, which text columns have where ``gaps_in_text``.
    """
    from pyarrow import csv

    # One thread lets pyarrow count the rows that it complains about, and is as fast here.
    read = csv.ReadOptions(
        use_threads=False, block_size=block_size, skip_rows=skip_rows, encoding=encoding
    )
    parse = csv.ParseOptions(delimiter=layout.separator, newlines_in_values=True)
    convert = csv.ConvertOptions(
        column_types=types,
        include_columns=names,
        null_values=[*MARKS, *na],
        strings_can_be_null=gaps_in_text,
        decimal_point=layout.decimal,
    )
    return read, parse, convert


def read_cells(
    data: bytes, layout: Layout, as_text: Collection[str] | None, na: Sequence[str], name: str
) -> pa.Table:
    """A table of what the cells mean; where ``as_text`` is None, of the cells themselves."""
    import pyarrow as pa
    from pyarrow import csv

    # Without the end of its line, a header alone is not taken for one.
    data += b"" if data.endswith((b"\n", b"\r")) else b"\n"
    texts = [raw for raw in layout.header if as_text is None or raw.strip() in as_text]
    # One block holds any row; only texts above the limit of pyarrow take several.
    options = csv_options(
        layout,
        min(len(data), MAX_BYTES),
        types=dict.fromkeys(texts, pa.string()),
        na=na,
        gaps_in_text=as_text is not None,
    )
    try:
        table = csv.read_csv(pa.BufferReader(data), *options)
    except pa.ArrowInvalid as error:
        raise BadTable(f"{name}: {explained(str(error))}") from error
    if data.count(b'"') % 2 and ends_in_lines(table.columns):
        raise BadTable(f"{name} {OPEN_QUOTE}")
    return table


def ends_in_lines(columns: Iterable[pa.ChunkedArray | pa.Array]) -> bool:
    """Whether the last row has a text of several lines: if a quote is lacking, that is where."""
    from pyarrow import types

    return any(
        types.is_string(column.type) and "\n" in (column[-1].as_py() or "")
        for column in columns
        if len(column)
    )


def codes_in(layout: Layout) -> list[str]:
    """Columns of digits with zeros in front, as the first rows have them: 01067 is not 1067."""
    out = []
    for i, name in enumerate(layout.header):
        cells = {row[i].strip() for row in layout.sample if i < len(row)} - {""}
        if cells and are_codes(sorted(cells)):
            out.append(name.strip())
    return out


def notations(
    table: pa.Table | pa.RecordBatch, layout: Layout, as_text: Collection[str] = ()
) -> tuple[dict[int, Notation], dict[str, Note]]:
    """The places of columns of texts that are numbers to people, and what to say of numbers."""
    from pyarrow import types

    found, notes = {}, {}
    for i, name in enumerate(table.schema.names):
        kind = table.column(i).type
        if name in as_text:
            continue
        if types.is_string(kind):
            texts = different(plain(table.column(i)))
            notation, either = notation_of(texts, layout.decimal)
            if notation is not None:
                found[i] = notation
                notes[name] = described(notation, texts, either and not layout.sure)
        elif types.is_floating(kind) and not layout.sure:
            note = doubt([row[i] for row in layout.sample if i < len(row)], layout.decimal)
            if note is not None:
                notes[name] = note
    return found, notes


def with_numbers(table: pa.Table, found: Mapping[int, Notation]) -> pa.Table:
    """The table with numbers for texts that are such to people."""
    for i, notation in found.items():
        numbers = numbers_of_texts(table.column(i), notation)
        table = table.set_column(i, table.column_names[i], numbers)
    return table


def explained(text: str) -> str:
    """What pyarrow finds wrong with a text, in terms of its rows."""
    found = re.search(r"Row #(\d+): Expected (\d+) columns, got (\d+)(: .*)?", text, re.DOTALL)
    if not found:
        return text.removeprefix("CSV parse error: ")
    row, expected, got, cells = found.groups()
    cells = " ".join((cells or "").splitlines())
    return (
        f"row {row} (the header is row 1) has {count(int(got), 'cell')}, and the header has "
        f"{expected}{cells[:60]}"
    )
