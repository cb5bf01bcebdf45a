"""The opening of a text: all that is decided before its rows are read, for every reader of text.

    bytes -> is it text, and a table? -> UTF-8 -> the line ``sep=;`` -> separator, point and names

The command line reads a text as a whole and ``fit_file`` block by block; both come through here
with its first bytes, so that they refuse the same files in the same words and agree on the names,
which have no space around them. An infinite number (``inf``) is read as one; ``fit_file`` refuses
it with its column and row. That a text is in cp1252 can be told of a whole one alone
(``assumed_encoding``): ``fit_file`` has to be told.
"""

from __future__ import annotations

from dataclasses import dataclass

from agathis._tables.csv_layout import (
    Layout,
    as_utf8,
    layout_of,
    without_sep_line,
)
from agathis._tables.errors import BadTable
from agathis._tables.formats import MODEL, begins_as, looks_like
from agathis._tables.tuning import SAMPLE_BYTES


@dataclass(frozen=True)
class Opening:
    """A text that was opened.

    Attributes
    ----------
    text : bytes
        In UTF-8, from the header on; as much of it as was given.
    layout : Layout
    names : list of str
        Of the columns; they may come twice.
    has_sep_line : bool
        Whether a line that tells the separator comes before the header.
    """

    text: bytes
    layout: Layout
    names: list[str]
    has_sep_line: bool


def open_text(
    data: bytes,
    name: str,
    *,
    whole: bool = True,
    tsv: bool = False,
    encoding: str | None = None,
    separator: str | None = None,
    decimal: str | None = None,
) -> Opening:
    """Open a text.

    Parameters
    ----------
    data : bytes
        All of it, or, where it is not ``whole``, the first ``SAMPLE_BYTES`` or more.
    name : str
        Of the table in messages.
    tsv : bool
        Whether columns are separated by tabs, unless the text says otherwise.
    encoding, separator, decimal : str, optional
        By default UTF-8, and what the first rows show.

    Examples
    --------
    >>> opening = open_text(b"sep=;\\n a ; b\\n1,5;x\\n", "the table")
    >>> opening.names, opening.layout.separator, opening.layout.decimal
    (['a', 'b'], ';', ',')
    >>> open_text(b"<html><p>", "page.csv")
    Traceback (most recent call last):
        ...
    agathis._tables.errors.BadTable: page.csv seems to be a page, HTML, not a table.
    """
    _check_table(data, name)
    text = as_utf8(data, encoding, name, whole=whole)
    if encoding is not None:
        _check_table(text, name)
    text, said = without_sep_line(text)
    if not text.strip():
        raise BadTable(f"{name} is empty.")
    layout = layout_of(text, separator or said or ("\t" if tsv else None), decimal)
    names = [column.strip() for column in layout.header]
    return Opening(text, layout, names, said is not None)


def _check_table(data: bytes, name: str) -> None:
    """Raise where the first bytes are those of something else."""
    head = data[:SAMPLE_BYTES]
    if not head:
        raise BadTable(f"{name} is empty.")
    if what := looks_like(head):
        takes = "; agathis show, predict and report take it" * (what == MODEL)
        raise BadTable(f"{name} seems to be {what}, not a table{takes}.")
    if what := begins_as(head):
        raise BadTable(f"{name} begins as {what}. Save the table as CSV or Parquet.")
