"""CSV and TSV text as Arrow tables: pyarrow options shared by all readers.

pyarrow divides the text into cells and infers types; the layout (separator, decimal point, header)
is detected before, and formatted numbers are converted after.

Libraries that detect everything were tried on ``tests/helpers/awkward_tables.py``
(``benchmarks/awkward.py``). pyarrow alone reads a quarter of the files correctly. DuckDB's sniffer
reads a third: it finds separators, but no decimal commas, thousands or units, and parses versions
such as 1.2.10 as dates. skrub's Cleaner, given cells from pandas, also reads a third: it parses
numbers with decimal points only. These modules read all of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from agathis._columns.arrow_values import different, numbers_of_strings, plain
from agathis._columns.errors import Advice, BadTable, Note
from agathis._columns.identifiers import are_identifiers
from agathis._columns.missing_values import MARKS
from agathis._columns.number_notation import Notation, described, doubt, notation_of
from agathis._columns.wording import count
from agathis._io.csv_layout import Layout
from agathis._io.stream_limits import MAX_BYTES

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import csv


_AROUND = Advice("skip_rows"), " and ", Advice("skip_footer")
OPEN_QUOTE = "has a quote that is opened and never closed."


def csv_options(
    layout: Layout,
    block_size: int,
    *,
    encoding: str = "utf8",
    types: Mapping[str, pa.DataType] | None = None,
    names: Sequence[str] | None = None,
    na: Sequence[str] = (),
    gaps_in_text: bool = True,
) -> tuple[csv.ReadOptions, csv.ParseOptions, csv.ConvertOptions]:
    """Build pyarrow's options for a layout.

    ``types`` are known column types, ``names`` the columns to read (default: all), ``na`` more
    missing-value strings, which also apply to string columns with ``gaps_in_text``.
    """
    from pyarrow import csv

    # With one thread pyarrow reports row numbers in errors, and is as fast here.
    read = csv.ReadOptions(
        use_threads=False,
        block_size=block_size,
        skip_rows=layout.skip_rows,
        column_names=layout.header if layout.given else None,
        encoding=encoding,
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
    """Parse text as a table; of strings if ``as_text`` is None."""
    import pyarrow as pa
    from pyarrow import csv

    # pyarrow needs the newline to see a header without rows.
    data += b"" if data.endswith((b"\n", b"\r")) else b"\n"
    strings = [raw for raw in layout.header if as_text is None or raw.strip() in as_text]
    # One block holds any row; only text above pyarrow's limit needs several.
    options = csv_options(
        layout,
        min(len(data), MAX_BYTES),
        types=dict.fromkeys(strings, pa.string()),
        na=na,
        gaps_in_text=as_text is not None,
    )
    try:
        table = csv.read_csv(pa.BufferReader(data), *options)
    except pa.ArrowInvalid as error:
        ways = ". Lines around the table are left out by ", *_AROUND, "."
        is_ragged = "columns, got" in str(error)
        raise BadTable(f"{name}: {explained(str(error))}", *(ways if is_ragged else ())) from error
    if data.count(b'"') % 2 and ends_in_lines(table.columns):
        raise BadTable(f"{name} {OPEN_QUOTE}")
    return table


def ends_in_lines(columns: Iterable[pa.ChunkedArray | pa.Array]) -> bool:
    """Whether the last row has a multi-line cell, a sign of an unclosed quote."""
    from pyarrow import types

    return any(
        types.is_string(column.type) and "\n" in (column[-1].as_py() or "")
        for column in columns
        if len(column)
    )


def codes_in(layout: Layout) -> list[str]:
    """Find columns of digits with leading zeros in the first rows: 01067 is not 1067."""
    out = []
    for i, name in enumerate(layout.header):
        cells = {row[i].strip() for row in layout.sample if i < len(row)} - {""}
        if cells and are_identifiers(sorted(cells)):
            out.append(name.strip())
    return out


def notations(
    table: pa.Table | pa.RecordBatch, layout: Layout, as_text: Collection[str] = ()
) -> tuple[dict[int, Notation], dict[str, Note]]:
    """Find string columns that hold formatted numbers, with notes on them."""
    from pyarrow import types

    by_index, notes = {}, {}
    for i, name in enumerate(table.schema.names):
        kind = table.column(i).type
        if name in as_text:
            continue
        if types.is_string(kind):
            strings = different(plain(table.column(i)))
            notation, either = notation_of(strings, layout.decimal)
            if notation is not None:
                by_index[i] = notation
                notes[name] = described(notation, strings, either and not layout.sure)
        elif types.is_floating(kind) and not layout.sure:
            note = doubt([row[i] for row in layout.sample if i < len(row)], layout.decimal)
            if note is not None:
                notes[name] = note
    return by_index, notes


def with_numbers(table: pa.Table, by_index: Mapping[int, Notation]) -> pa.Table:
    """Convert formatted numbers of a table."""
    for i, notation in by_index.items():
        numbers = numbers_of_strings(table.column(i), notation)
        table = table.set_column(i, table.column_names[i], numbers)
    return table


def explained(text: str) -> str:
    """Translate an error of pyarrow into rows of the text."""
    match = re.search(r"Row #(\d+): Expected (\d+) columns, got (\d+)(: .*)?", text, re.DOTALL)
    if not match:
        return text.removeprefix("CSV parse error: ")
    row, expected, got, cells = match.groups()
    cells = " ".join((cells or "").splitlines())
    return (
        f"row {row} (the header is row 1) has {count(int(got), 'cell')}, and the header has "
        f"{expected}{cells[:60]}"
    )
