"""Open a text file: all decisions that precede reading its rows, for every text reader.

    bytes -> is it text, and a table? -> UTF-8 -> the line ``sep=;`` -> separator, point and names

The command line reads text at once and ``fit_file`` block by block. Both call this with the first
bytes, so that they reject the same files with the same messages and agree on names, which are
stripped. Infinite numbers (``inf``) are parsed; ``fit_file`` rejects them with column and row.
Only a complete text can be recognised as cp1252 (``assumed_encoding``); ``fit_file`` needs the
option.
"""

from __future__ import annotations

from dataclasses import replace

from agathis._columns.errors import BadTable
from agathis._io.csv_layout import Layout, blanks_of, divide, layout_of, without_sep_line
from agathis._io.formats import MODEL, begins_as, looks_like
from agathis._io.table_reading import SURE, WHITESPACE, Assumption, ReadOptions
from agathis._io.text_encoding import as_utf8
from agathis._io.tuning import SAMPLE_BYTES


def open_text(
    data: bytes,
    name: str,
    *,
    whole: bool = True,
    tsv: bool = False,
    options: ReadOptions | None = None,
) -> tuple[bytes, Layout]:
    """Decode a text and detect its layout.

    Parameters
    ----------
    data : bytes
        All of it, or, unless ``whole``, the first ``SAMPLE_BYTES`` or more.
    name : str
        Name of the table in messages.
    tsv : bool
        Whether columns are separated by tabs, unless the text has a ``sep=`` line.
    options : ReadOptions, optional
        By default UTF-8, and as detected in the first rows.

    Returns
    -------
    text : bytes
        In UTF-8; as much as was given. Cells that blanks separate are separated by tabs in it.
    layout : Layout

    Examples
    --------
    >>> text, layout = open_text(b"sep=;\\n a ; b\\n1,5;x\\n", "the table")
    >>> layout.names, layout.separator, layout.decimal, layout.skip_rows
    (['a', 'b'], ';', ',', 1)
    >>> open_text(b"<html><p>", "page.csv")
    Traceback (most recent call last):
        ...
    agathis._columns.errors.BadTable: page.csv seems to be a page, HTML, not a table.
    """
    options = options or ReadOptions()
    _check_table(data, name)
    text = as_utf8(data, options.encoding, name, whole=whole)
    if options.encoding is not None:
        _check_table(text, name)
    rest, from_sep_line = without_sep_line(text)
    if not rest.strip():
        raise BadTable(f"{name} is empty.")
    separator = options.separator or from_sep_line or ("\t" if tsv else None)
    least = blanks_of(rest) if separator is None else 1 if separator == WHITESPACE else None
    if least is not None:
        if not whole:
            raise BadTable(
                f"{name} has blanks between its cells, which fit_file does not read: write it with "
                "commas or tabs, or as Parquet."
            )
        text = rest = divide(rest.decode(), least).encode()
        separator = "\t"
    before = int(from_sep_line is not None)
    layout = layout_of(rest, separator, options.decimal, options, name, before)
    if options.from_model and len(layout.header) < 2 and options.separator == layout.separator:
        other = layout_of(rest, None, None, options, name, before)
        if len(other.header) > 1:
            what = (
                f"Columns are separated by {other.separator!r}, and those of the table that the "
                f"model was fitted to by {options.separator!r}"
            )
            start = replace(other.start, assumptions=(Assumption((what,), SURE),))
            layout = replace(other, start=start)
    return text, replace(layout, blanks=least is not None)


def _check_table(data: bytes, name: str) -> None:
    """Raise if the first bytes are of another format."""
    head = data[:SAMPLE_BYTES]
    if not head:
        raise BadTable(f"{name} is empty.")
    if what := looks_like(head):
        takes = "; agathis show, predict and report take it" * (what == MODEL)
        raise BadTable(f"{name} seems to be {what}, not a table{takes}.")
    if what := begins_as(head):
        raise BadTable(f"{name} begins as {what}. Save the table as CSV or Parquet.")
