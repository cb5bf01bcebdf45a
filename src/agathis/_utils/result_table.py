"""A small table of results: rows of numbers and strings under named columns.

Functions that report results return it: it behaves as a list of rows, is printed in terminals,
notebooks and Markdown, and converts to CSV or pandas, which need not be installed. Printed numbers
are rounded; ``to_csv``, ``to_dict`` and ``to_pandas`` give exact values. None is an empty cell.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import chain
from numbers import Real
from os import PathLike
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from agathis._utils.files import write_atomic
from agathis._utils.numbers import number

if TYPE_CHECKING:
    import pandas as pd

# The maximum number of printed rows.
ROWS_SHOWN = 60
DIGITS = 4
#: Spreadsheets evaluate strings with these first characters as formulas.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
# A number with a sign, or a sign alone, which tables use for missing values.
SIGNED_NUMBER = re.compile(
    r"[-+]((\d[\d.,]*|[.,]\d+)(e[-+]?\d+)?%?|inf(inity)?|nan)?", re.ASCII | re.IGNORECASE
)


class Table(Sequence[dict[str, Any]]):
    """Rows of numbers and strings under named columns.

    Parameters
    ----------
    rows : iterable of mappings
        From column to value; missing columns are empty.
    columns : sequence of str, optional
        By default those of the rows, in order of first occurrence.

    Examples
    --------
    >>> from agathis._utils.result_table import Table
    >>> table = Table([{"method": "Kauri", "ARI": 0.79}, {"method": "IMM", "ARI": 0.745}])
    >>> print(table)
    method    ARI
    Kauri   0.790
    IMM     0.745
    >>> table["ARI"]
    [0.79, 0.745]
    >>> table[0]
    {'method': 'Kauri', 'ARI': 0.79}
    """

    def __init__(
        self, rows: Iterable[Mapping[str, Any]], columns: Sequence[str] | None = None
    ) -> None:
        rows = [dict(row) for row in rows]
        names = list(dict.fromkeys(name for row in rows for name in row))
        self.columns: list[str] = names if columns is None else list(columns)
        if len(set(self.columns)) != len(self.columns):
            raise ValueError(f"columns must be different; they are {self.columns}.")
        unknown = [name for name in names if name not in self.columns]
        if unknown:
            raise ValueError(f"columns lacks {unknown}, which rows have; it is {self.columns}.")
        self._rows = [{name: _plain(row.get(name)) for name in self.columns} for row in rows]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(row) for row in self._rows)

    @overload
    def __getitem__(self, key: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, key: slice) -> Table: ...
    @overload
    def __getitem__(self, key: str) -> list[Any]: ...
    def __getitem__(self, key: int | slice | str) -> dict[str, Any] | Table | list[Any]:
        """Return a row by index, a table of rows by slice, or a column by name."""
        if isinstance(key, str):
            if key not in self.columns:
                raise KeyError(f"{key!r} is no column; there are {', '.join(self.columns)}")
            return [row[key] for row in self._rows]
        if isinstance(key, slice):
            return Table(self._rows[key], self.columns)
        return dict(self._rows[key])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self.columns == other.columns and self._rows == other._rows

    def __str__(self) -> str:
        lines = [[" ".join(cell.split()) for cell in line] for line in self._text()]
        widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
        numeric = [self._is_numeric(name) for name in self.columns]
        out = []
        for line in lines:
            cells = []
            for cell, width, right in zip(line, widths, numeric, strict=True):
                space = " " * (width - _width(cell))
                cells.append(space + cell if right else cell + space)
            out.append("  ".join(cells).rstrip())
        return "\n".join(out)

    def __repr__(self) -> str:
        more = len(self) - ROWS_SHOWN
        if more <= 0:
            return str(self)
        return f"{self[:ROWS_SHOWN]}\n... and {more} more row{'s'[: more != 1]}"

    def _repr_html_(self) -> str:
        numeric = [self._is_numeric(name) for name in self.columns]

        def line(cells: list[str], tag: str) -> str:
            sides = ("right" if right else "left" for right in numeric)
            inner = (
                f'<{tag} style="text-align: {side}">{escape(cell)}</{tag}>'
                for cell, side in zip(cells, sides, strict=True)
            )
            return f"<tr>{''.join(inner)}</tr>"

        head, *body = self._text()
        rows = "\n".join(line(cells, "td") for cells in body)
        return (
            f"<table>\n<thead>\n{line(head, 'th')}\n</thead>\n<tbody>\n{rows}\n</tbody>\n</table>"
        )

    def to_markdown(self) -> str:
        """Convert to Markdown, with numbers right-aligned."""

        def line(cells: Iterable[str]) -> str:
            return f"| {' | '.join(cells)} |"

        head, *body = [
            [" ".join(c.split()).replace("\\", "\\\\").replace("|", "\\|") for c in cells]
            for cells in self._text()
        ]
        rule = ["---:" if self._is_numeric(name) else "---" for name in self.columns]
        return "\n".join([line(head), line(rule), *map(line, body)])

    @overload
    def to_csv(self, path: None = None, *, keep_formulas: bool = False) -> str: ...
    @overload
    def to_csv(self, path: str | PathLike[str], *, keep_formulas: bool = False) -> None: ...
    def to_csv(
        self, path: str | PathLike[str] | None = None, *, keep_formulas: bool = False
    ) -> str | None:
        """Write exact values to a file, or return the text if no path is given.

        Strings that a spreadsheet would evaluate as a formula get a leading apostrophe, unless
        ``keep_formulas``.
        """
        rows = (row.values() for row in self._rows)
        text = csv_text(self.columns, rows, keep_formulas=keep_formulas)
        if path is None:
            return text
        write_atomic(path, text)
        return None

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the values of each column; ``list(table)`` gives the rows."""
        return {name: self[name] for name in self.columns}

    def to_pandas(self) -> pd.DataFrame:
        """Convert to a DataFrame."""
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("to_pandas needs pandas: pip install pandas.") from error
        return pd.DataFrame(self.to_dict(), columns=self.columns)

    def _is_numeric(self, name: str) -> bool:
        values = [value for value in self[name] if value is not None]
        return bool(values) and all(map(_is_number, values))

    def _text(self) -> list[list[str]]:
        """Return header and rows as formatted strings."""
        columns = [_written(self[name]) for name in self.columns]
        return [list(map(str, self.columns)), *map(list, zip(*columns, strict=True))]


def csv_text(
    head: Iterable[Any],
    rows: Iterable[Iterable[Any]],
    separator: str = ",",
    *,
    keep_formulas: bool = False,
) -> str:
    """Write rows as CSV; strings that look like formulas are escaped, unless kept."""
    lines: Iterable[Iterable[Any]] = chain([head], rows)
    if not keep_formulas:
        lines = (map(without_formula, values) for values in lines)
    return "".join(_csv_line(values, separator) for values in lines)


def without_formula(value: Any) -> Any:
    """Escape a value that a spreadsheet would evaluate as a formula.

    Strings that begin with one of ``FORMULA_STARTS`` get a leading apostrophe (the rule of OWASP,
    "CSV Injection"), except numbers, which cannot call anything. ``-E1`` is a formula
    that refers to a cell.

    >>> [without_formula(value) for value in ("=1+1", "-2+3", "-E1", "-5", -5, "+1.5e-3")]
    ["'=1+1", "'-2+3", "'-E1", '-5', -5, '+1.5e-3']
    """
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return value if SIGNED_NUMBER.fullmatch(value) else f"'{value}"
    return value


def _csv_line(values: Iterable[Any], separator: str) -> str:
    out = io.StringIO(newline="")
    # The csv module quotes only its line terminators; "\r" in a cell must be quoted too.
    csv.writer(out, delimiter=separator, lineterminator="\r\n").writerow(values)
    return out.getvalue().removesuffix("\r\n") + "\n"


def _width(text: str) -> int:
    """Return the columns of a text in a terminal: two for a wide character, none for an accent.

    >>> _width("tree"), _width("\u6728"), _width("e\u0301")
    (4, 2, 1)
    """
    marks = ("Mn", "Me", "Cf")
    return sum(
        0 if unicodedata.category(c) in marks else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )


def _plain(value: Any) -> Any:
    """Convert a number of NumPy to Python's type."""
    return value.item() if isinstance(value, np.generic) else value


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _written(values: list[Any]) -> list[str]:
    """Format the values of a column, fractions with equal numbers of decimals."""
    real = [v for v in values if isinstance(v, float)]
    short = [number(v, DIGITS) for v in real if np.isfinite(v)]
    decimals = None
    if not any("e" in text for text in short):
        decimals = max((len(text.partition(".")[2]) for text in short), default=0)
    out = []
    for value in values:
        if value is None:
            out.append("")
        elif not isinstance(value, float):
            out.append(str(value))
        elif decimals is None or not np.isfinite(value):
            out.append(number(value, DIGITS))
        else:
            out.append(f"{value:.{decimals}f}")
    return out
