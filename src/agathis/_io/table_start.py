"""Where a table begins: titles above it, one or two lines of names, or none.

    rows -> their width -> the first full row -> names or values? -> a second line of names?

Rows are cells with line numbers, of text and of spreadsheets alike. A line of names has text above
numbers, or values that do not recur in their column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, NamedTuple, cast

from agathis._columns.errors import Advice, BadTable
from agathis._io.cell_kinds import (
    DATE,
    EMPTY,
    MARK,
    NUMBER,
    TEXT,
    kind_of,
    kind_of_column,
    sum_word,
    text_of,
)
from agathis._io.table_reading import (
    STOP,
    Assumption,
    LeftOut,
    ReadDecisions,
    ReadOptions,
    in_lines,
)

#: Of so many rows kinds of columns are inferred.
ROWS = 100
#: Fewer rows show no kinds.
FEW = 3
#: Without names identifiers and codes are hard to tell from numbers, so this is always doubtful.
NAMELESS = 0.8
#: Lines of comments before a table begin with this.
COMMENT = "#"


class Row(NamedTuple):
    """A line of a file that is not empty."""

    line: int
    cells: Sequence[Any]

    @property
    def n_filled(self) -> int:
        return sum(text_of(cell) != "" for cell in self.cells)

    @property
    def is_comment(self) -> bool:
        return bool(self.cells) and text_of(self.cells[0]).startswith(COMMENT)


@dataclass(frozen=True)
class Start:
    """Where a table begins.

    Attributes
    ----------
    names : tuple of str
        One for each column.
    header : tuple of int
        The lines of the header.
    first : int
        The position of the first row of the table.
    first_line : int or None
        Its line.
    kinds : tuple of str
        Of the columns.
    filled : tuple of float
        The fraction of the rows that have a value, for each column.
    is_plain : bool
        Whether the first line that is not empty is the header, as it is.
    left_out, assumptions : tuple
    """

    names: tuple[str, ...]
    header: tuple[int, ...]
    first: int
    first_line: int | None
    kinds: tuple[str, ...]
    filled: tuple[float, ...]
    is_plain: bool = False
    left_out: tuple[LeftOut, ...] = ()
    assumptions: tuple[Assumption, ...] = ()

    @property
    def width(self) -> int:
        return len(self.names)


def find_start(rows: Sequence[Row], options: ReadOptions, name: str) -> Start:
    """Find the header and the first row of a table.

    Parameters
    ----------
    rows : sequence of Row
        The first rows of the file, without empty lines; at least one.
    options : ReadOptions
    name : str
        Name of the table in messages.
    """
    found = _found(rows, options, name)
    model = options.from_model
    if model is None or model.get("header_given", True) or options.says_where:
        return found
    line, n_lines = model.get("header_row"), model.get("header_lines", 1)
    if found.header == (() if line is None else tuple(range(line, line + n_lines))):
        return replace(found, assumptions=())  # the fit reported them
    known = f"line {line}" if line else "no line"
    now = in_lines(found.header) if found.header else "no line"
    advice = Advice("header_row", str(found.header[0])) if found.header else _NO_HEADER
    raise BadTable(
        f"{known} of the table that the model was fitted to has names of columns, and {now} of "
        f"{name}. ",
        advice,
        " reads it so.",
    )


_NO_HEADER = Advice("no_header")


def decided(start: Start, options: ReadOptions, more: ReadDecisions) -> ReadDecisions:
    """The options that find the same header in a file of the same layout, and ``more`` of them."""
    known: dict[str, Any] = {"na": list(options.na), "header_given": options.says_where, **more}
    if options.skip_footer is not None:
        known["skip_footer"] = options.skip_footer
    if start.header:
        known |= {"header_row": start.header[0], "header_lines": len(start.header)}
    else:
        known |= {"no_header": True, "skip_rows": options.skip_rows}
    return cast("ReadDecisions", {name: value for name, value in known.items() if value != []})


def _found(rows: Sequence[Row], options: ReadOptions, name: str) -> Start:
    width = usual_width(rows)
    skipped = sum(row.line <= options.skip_rows for row in rows)
    if skipped >= len(rows):
        raise BadTable(
            f"{name} has nothing after its first {options.skip_rows:,} lines: ",
            Advice("skip_rows"),
            " must be less.",
        )
    if options.header_row is not None:
        at = next((i for i, row in enumerate(rows) if row.line >= options.header_row), len(rows))
        if at == len(rows) or rows[at].line != options.header_row:
            raise BadTable(
                f"line {options.header_row:,} of {name} is empty, or after its first rows: ",
                Advice("header_row"),
                " is the line of the names, counted from 1.",
            )
        return _start(rows, 0, at, options.header_lines, width)
    at = _first_full(rows, skipped, width)
    body = rows[at + 1 :][:ROWS]
    is_header, confidence = (False, 1.0) if options.no_header else _is_header(rows[at], body, width)
    if confidence < STOP:
        raise BadTable(
            f"it is not clear whether line {rows[at].line} of {name} has names of columns or "
            "values: ",
            Advice("header_row", str(rows[at].line)),
            " or ",
            _NO_HEADER,
            " tells.",
        )
    if not is_header:
        while at > skipped and rows[at - 1].n_filled > 1 and len(rows[at - 1].cells) == width:
            at -= 1  # a row that misses values
        start = _start(rows, skipped, at, 0, width)
        what = f"Line {rows[at].line} has values like the others: columns have no names; "
        way = Advice("header_row", str(rows[at].line))
        assumed = Assumption((what, way, " takes it for their names"), confidence)
        return start if options.no_header else replace(start, assumptions=(assumed,))
    n_lines = _n_lines(rows, at, width)
    upper = at > skipped and _is_upper(rows[at - 1], rows[at], width)
    start = _start(rows, skipped, at - upper, n_lines + upper, width)
    assumptions = []
    if confidence < 1:
        what = f"Line {rows[at].line} was taken for the names of columns; "
        assumptions.append(Assumption((what, _NO_HEADER, " takes it for values"), confidence))
    if start.left_out:
        above = in_lines(start.left_out[0].lines)
        what = f"The table begins in line {rows[at - upper].line}, without the titles in {above}; "
        way = Advice("header_row")
        assumptions.append(Assumption((what, way, " if its names are in another line"), 0.95))
    if len(start.header) > 1:
        what = f"The names of columns in {in_lines(start.header)} were joined; "
        way = Advice("header_row", str(start.header[-1]))
        # A first line that is full may also be a title, or names in another language.
        is_clear = any(not text_of(cell) for cell in rows[at - upper].cells) or any(
            text_of(cell).startswith(("(", "[")) for cell in rows[at - upper + 1].cells
        )
        assumptions.append(
            Assumption((what, way, " uses one line of them"), 0.9 if is_clear else 0.8)
        )
    return replace(start, assumptions=tuple(assumptions))


def usual_width(rows: Sequence[Row]) -> int:
    """The number of cells of most rows; of equally frequent ones the larger."""
    counts = Counter(len(row.cells) for row in rows)
    return max(counts, key=lambda width: (counts[width], width))


def _cells(row: Row, width: int) -> list[Any]:
    return [*row.cells, *[None] * (width - len(row.cells))][:width]


def _kinds(body: Sequence[Row], width: int) -> list[str]:
    table = [_cells(row, width) for row in body[:ROWS]]
    return [kind_of_column(row[j] for row in table) for j in range(width)]


def _first_full(rows: Sequence[Row], skipped: int, width: int) -> int:
    """The first row that may be the header: not a title, with most of the cells of later rows.

    It is the first row of all if those above it could be rows of the table.
    """
    body = [row for row in rows[skipped:] if len(row.cells) == width][-ROWS:]
    if width < 2 or len(body) < 2:
        return skipped
    used = sum(any(text_of(row.cells[j]) for row in body) for j in range(width))
    for at in range(skipped, len(rows)):
        row = rows[at]
        full = row.n_filled >= max(2, 0.6 * used)
        if full and len(row.cells) in (width, width - 1):
            last = not row.is_comment or not (at + 1 < len(rows) and rows[at + 1].is_comment)
            if last:
                return at
        elif full and not row.is_comment:
            break
    return skipped


def _is_header(row: Row, body: Sequence[Row], width: int) -> tuple[bool, float]:
    """Whether a row has names of the columns below, and the confidence in it."""
    kinds = _kinds(body, width)
    cells = _cells(row, width)
    if len(row.cells) != width or len(body) < FEW or _are_counted(cells, kinds):
        return True, 1.0
    names = values = 0
    recurring = repeated = 0
    for j, (kind, cell) in enumerate(zip(kinds, map(kind_of, cells), strict=True)):
        if kind in (NUMBER, DATE):
            names += cell == TEXT
            values += cell in (NUMBER, DATE)
        elif kind == TEXT and cell == TEXT:
            below = Counter(text_of(_cells(one, width)[j]) for one in body)
            repeated += max(below.values()) > 1
            recurring += below[text_of(cells[j])] > 0
    if values and not names:
        return False, NAMELESS
    if names and values:
        return names > values, max(names, values) / (names + values)
    if not names and recurring and 2 * recurring >= repeated:
        return False, NAMELESS
    return True, 1.0


def _are_counted(cells: Sequence[Any], kinds: Sequence[str]) -> bool:
    """Whether the numbers in a row count columns or years: 0, 1, 2 or 2019, 2020."""
    texts = [text_of(cell) for cell, kind in zip(cells, kinds, strict=True) if kind == NUMBER]
    texts = [text for text in texts if kind_of(text) == NUMBER]
    if len(texts) < 2 or not all(text.isascii() and text.isdigit() for text in texts):
        return False
    numbers = [int(text) for text in texts]
    return numbers == list(range(numbers[0], numbers[0] + len(numbers))) and (
        numbers[0] in (0, 1) or 1900 <= numbers[0] <= 2100
    )


def _is_upper(upper: Row, lower: Row, width: int) -> bool:
    """Whether the row above a header has names of groups of columns, as merged cells."""
    filled = upper.n_filled
    if len(upper.cells) != len(lower.cells) or upper.line + 1 != lower.line or upper.is_comment:
        return False
    kinds = {kind_of(cell) for cell in upper.cells}
    return kinds <= {TEXT, EMPTY} and filled >= 2 and 4 * filled >= width


def _n_lines(rows: Sequence[Row], at: int, width: int) -> int:
    """The number of lines of a header: two if units or names are below the first."""
    if at + 1 + FEW >= len(rows):
        return 1
    below = _cells(rows[at + 1], width)
    kinds = _kinds(rows[at + 2 :], width)
    numeric = [j for j, kind in enumerate(kinds) if kind in (NUMBER, DATE)]
    found = [kind_of(below[j]) for j in numeric]
    is_text = found.count(TEXT) >= max(2, 0.6 * len(numeric))
    return 2 if is_text and not {NUMBER, DATE, MARK} & set(found) else 1


def _start(rows: Sequence[Row], skipped: int, at: int, n_lines: int, width: int) -> Start:
    """The table whose header begins at a position."""
    header = rows[at : at + n_lines]
    first = at + n_lines
    names: tuple[str, ...]
    if n_lines == 0:
        names = tuple(f"column {j + 1}" for j in range(width))
    elif n_lines == 1:
        names = tuple("" if cell is None else str(cell) for cell in header[0].cells)
        if len(names) == width - 1 and _names_rows(rows[first:], width):
            names = ("column 1", *names)
    else:
        names = _joined([_cells(row, width) for row in header])
    if header and header[0].is_comment:
        names = (names[0].lstrip("# "), *names[1:])
    titles = rows[:at]
    left_out: tuple[LeftOut, ...] = ()
    if titles:
        what = "title" if skipped < len(titles) else "line"
        left_out = (LeftOut(what, tuple(row.line for row in titles)),)
    is_plain = at == 0 and n_lines == 1 and list(names) == list(header[0].cells)
    first_line = rows[first].line if first < len(rows) else None
    rows = [row for row in rows[first:] if sum_word(row.cells) is None]
    body = [_cells(row, len(names)) for row in rows[:ROWS]]
    kinds = tuple(_kinds(rows, len(names)))
    filled = tuple(
        sum(kind_of(row[j]) not in (EMPTY, MARK) for row in body) / max(1, len(body))
        for j in range(len(names))
    )
    lines = tuple(row.line for row in header)
    return Start(names, lines, first, first_line, kinds, filled, is_plain, left_out)


def _names_rows(body: Sequence[Row], width: int) -> bool:
    """Whether the first cells name or number the rows, as R writes them without a name."""
    if len(body) < FEW or any(len(row.cells) != width for row in body):
        return False
    first = [text_of(row.cells[0]) for row in body]
    counted = first == [str(i + 1) for i in range(len(first))]
    return counted or (len(set(first)) == len(first) and kind_of_column(first) == TEXT)


def _joined(lines: Sequence[Sequence[Any]]) -> tuple[str, ...]:
    """Join the names of lines; a name spans the empty cells that follow it, but in the last line.

    >>> _joined([["Customer", "", "Money", ""], ["ID", "Age", "In", "(EUR)"]])
    ('Customer / ID', 'Customer / Age', 'Money / In', 'Money (EUR)')
    """
    *upper, last = [[text_of(cell) for cell in line] for line in lines]
    spread = [accumulate(line, _or_before) for line in upper]
    out = []
    for parts in zip(*spread, last, strict=True):
        joined = " / ".join(dict.fromkeys(part for part in parts if part))
        out.append(joined.replace(" / (", " (").replace(" / [", " ["))
    return tuple(out)


def _or_before(name: str, cell: str) -> str:
    return cell or name
