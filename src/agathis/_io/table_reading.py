"""How a table was read: its options, where it is in its file, and what was assumed.

Everything that a reader assumes has a confidence and the option that sets it; what it left out has
its lines. Both become notes, which are doubtful below ``SURE``; below ``STOP`` readers raise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict

from agathis._columns.errors import Advice, BadTable, Note
from agathis._columns.wording import count, listed
from agathis._io.stream_limits import MAX_BYTES, MAX_LINE_BYTES

#: Assumptions below this confidence are doubtful, and below that one errors.
SURE, STOP = 0.9, 0.55


class ReadDecisions(TypedDict, total=False):
    """How a table was read, so that a file of the same layout is read alike."""

    format: str
    na: list[str]
    encoding: str
    separator: str
    decimal: str
    header_row: int
    header_lines: int
    no_header: bool
    header_given: bool
    skip_rows: int
    skip_footer: int
    sheet: str


#: Any number of spaces and tabs, as a separator.
WHITESPACE = "whitespace"
#: Decisions about the beginning of a table.
WHERE = ("header_row", "header_lines", "no_header", "skip_rows")
TEXT, EXCEL = "text", "Excel"
#: The kinds of files that an option is for.
OPTIONS_OF = {
    **dict.fromkeys(("header_row", "no_header", "skip_rows", "skip_footer"), (TEXT, EXCEL)),
    "sheet": (EXCEL,),
}


def is_separator(text: object) -> bool:
    """Whether a string is a valid separator.

    >>> is_separator(";"), is_separator(", "), is_separator('"')
    (True, False, False)
    """
    return isinstance(text, str) and len(text) == 1 and text.isascii() and text not in '"\r\n'


@dataclass(frozen=True)
class ReadOptions:
    """Options for reading a file.

    Attributes
    ----------
    na : sequence of str
        Additional strings for missing values.
    encoding : str, optional
        UTF-8 by default; or cp1252 if it is not UTF-8, unless ``strict``.
    separator, decimal : str, optional
        Detected by default. A separator of "whitespace" is any number of spaces and tabs.
    strict : bool
        Whether text that is not UTF-8 is an error, if no encoding is given.
    max_line_bytes, max_bytes : int
        Limits on a line, and on a stream or the content of a gzip file: see ``stream_limits``.
    header_row : int, optional
        The line of the header, counted from 1; with ``header_lines`` the first of them.
    header_lines : int
    skip_rows : int
        The number of lines before the table, which are left out.
    no_header : bool
        Whether columns have no names; they get "column 1" and so on.
    skip_footer : int, optional
        The number of lines after the table, which are left out; 0 if none is. By default notes and
        totals rows are detected.
    sheet : str, optional
        The sheet of a workbook; by default the one that looks like a table.
    from_model : ReadDecisions, optional
        How the table of a model was read: a file of the same kind is read alike, and an error says
        where that does not fit.
    """

    na: Sequence[str] = ()
    encoding: str | None = None
    separator: str | None = None
    decimal: str | None = None
    strict: bool = False
    max_line_bytes: int = MAX_LINE_BYTES
    max_bytes: int = MAX_BYTES
    header_row: int | None = None
    header_lines: int = 1
    skip_rows: int = 0
    no_header: bool = False
    skip_footer: int | None = None
    sheet: str | None = None
    from_model: ReadDecisions | None = None

    def __post_init__(self) -> None:
        least = {"header_row": 1, "header_lines": 1, "skip_rows": 0, "skip_footer": 0}
        for name, lowest in least.items():
            value = getattr(self, name)
            if value is not None and value < lowest:
                raise ValueError(f"{name}={value!r} must be at least {lowest}.")
        if self.separator not in (None, WHITESPACE) and not is_separator(self.separator):
            given = Advice("separator", self.separator)
            raise BadTable(given, " must be one ASCII character, no quote, or 'whitespace'.")
        if self.decimal not in (None, ".", ","):
            raise BadTable(Advice("decimal", self.decimal), " must be '.' or ','.")
        if self.no_header and self.header_row is not None:
            given = Advice("header_row", str(self.header_row))
            raise BadTable(given, " and ", Advice("no_header"), " contradict each other; give one.")

    @property
    def says_where(self) -> bool:
        """Whether they say where the table begins."""
        return self.header_row is not None or self.no_header or self.skip_rows > 0

    def for_file(self, kind: str) -> ReadOptions:
        """Complete the options that were not given, for a file of this kind, by those of a model.

        Options that a file of this kind does not have are errors.
        """
        for name in OPTIONS_OF:
            if getattr(self, name) not in (None, 0, False) and kind not in OPTIONS_OF[name]:
                goes = " and ".join(OPTIONS_OF[name])
                raise BadTable(Advice(name), f" goes with {goes}, and the table is {kind}.")
        known: dict[str, Any] = {**(self.from_model or {})}
        is_alike = known.pop("format", kind) == kind
        was_given = known.pop("header_given", True)
        left = set() if is_alike else known.keys() - {"na"}
        if self.says_where or not was_given:  # detected again, and compared
            left |= set(WHERE)
        default = ReadOptions(na=self.na[:0])
        given = {
            name: value
            for name, value in known.items()
            if name not in left and getattr(self, name) == getattr(default, name)
        }
        return replace(self, **given, from_model=self.from_model if is_alike else None)


@dataclass(frozen=True)
class Assumption:
    """Something that a reader assumed.

    Attributes
    ----------
    parts : tuple of str or Advice
        A sentence without its full stop, which names the option that sets it.
    confidence : float
    """

    parts: tuple[object, ...]
    confidence: float

    @property
    def note(self) -> Note:
        return Note((*self.parts, "."), self.confidence < SURE)


@dataclass(frozen=True)
class LeftOut:
    """Lines of a file that are not rows of its table.

    Attributes
    ----------
    what : str
        "title", "note", "totals row" or "line".
    lines : tuple of int
        Counted from 1.
    """

    what: str
    lines: tuple[int, ...]

    def __str__(self) -> str:
        return f"{in_lines(self.lines)}, {count(len(self.lines), self.what)}"


def in_lines(lines: Sequence[int]) -> str:
    """Name some lines.

    >>> in_lines([3]), in_lines([3, 4, 5]), in_lines([3, 9, 11])
    ('line 3', 'lines 3 to 5', 'lines 3, 9 and 11')
    """
    if len(lines) == 1:
        return f"line {lines[0]}"
    if list(lines) == list(range(lines[0], lines[-1] + 1)):
        return f"lines {lines[0]} to {lines[-1]}"
    return f"lines {listed(map(str, lines))}"


@dataclass(frozen=True)
class TableReading:
    """Where a table is in its file, and how it was read.

    Attributes
    ----------
    format : str
        As people call it: "CSV", "Excel" and so on.
    sheet : str, optional
    header : tuple of int
        The lines of the header; none if there is no header, or no line.
    first_line : int, optional
        The line of the first row.
    encoding : str, optional
        Of text.
    n_rows, n_columns : int
    left_out : tuple of LeftOut
    assumptions : tuple of Assumption
    decided : ReadDecisions
    """

    format: str
    sheet: str | None = None
    header: tuple[int, ...] = ()
    first_line: int | None = None
    encoding: str | None = None
    n_rows: int = 0
    n_columns: int = 0
    left_out: tuple[LeftOut, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    decided: ReadDecisions = field(default_factory=ReadDecisions)

    def notes(self) -> Iterator[Note]:
        """What was left out, and assumptions that may be wrong."""
        for left in self.left_out:
            if left.what == "title":
                continue  # an assumption tells of it
            verb = "was" if len(left.lines) == 1 else "were"
            parts: list[object] = [f"{left}, {verb} left out of the table".capitalize()]
            if left.what in ("note", "totals row"):
                parts += ["; ", Advice("skip_footer", "0"), " keeps every line"]
            yield Note((*parts, "."))
        yield from (one.note for one in self.assumptions)

    def facts(self) -> list[tuple[str, str]]:
        """Labels and values for people, without cells of the table."""
        separators = {"\t": "tab", " ": "space"}
        separator = self.decided.get("separator", "")
        has_lines = self.first_line is not None
        header = in_lines(self.header) if self.header else "none: columns are numbered"
        known = {
            "Format": self.format,
            "Sheet": self.sheet,
            "Encoding": self.encoding,
            "Separator": separators.get(separator, separator),
            "Decimal mark": self.decided.get("decimal"),
            "Header": header if has_lines else None,
            "First row": f"line {self.first_line}" if has_lines else None,
            "Rows": f"{self.n_rows:,}",
            "Columns": f"{self.n_columns:,}",
            "Left out": "; ".join(map(str, self.left_out)) or "nothing",
        }
        return [(label, value) for label, value in known.items() if value]
