"""Messages on tables that name options as the caller writes them.

A function is called with ``encoding='utf-16'``, a command with ``--encoding utf-16``. So a message
consists of parts, and an option in it is an :class:`Advice`, which each interface formats. Quoted
cells are :class:`Cells`: the terminal of the owner of a table shows them, a page does not.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agathis._columns.wording import SHOWN

#: Placeholders for values that the user has to choose.
PLACEHOLDERS = {
    "na": " TEXT", "keep": " NAME", "n_clusters": " NUMBER", "max_bytes": " N",
    "max_line_bytes": " N", "header_row": " N", "skip_rows": " N", "skip_footer": " N",
    "sheet": " NAME",
}  # fmt: skip
#: Arguments whose options have other names.
SHORT = {"n_clusters": "-k", "separator": "--sep"}
#: Longer advice is on a line of its own.
WIDE = 30


@dataclass(frozen=True)
class Advice:
    """An option to set, and its value; without a value the user chooses one.

    >>> str(Advice("encoding", "utf-16")), str(Advice("drop", ("a", "b"))), str(Advice("na"))
    ("encoding='utf-16'", "drop=['a', 'b']", 'na=')
    """

    argument: str
    value: str | Sequence[str] | None = None

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.argument}="
        value = self.value if isinstance(self.value, str) else list(self.value)
        return f"{self.argument}={value!r}"


@dataclass(frozen=True)
class Ways:
    """Several options and their effects, one per line."""

    ways: tuple[tuple[Advice, str], ...]

    def message(self, write: Callable[[Advice], str] = str) -> str:
        lines = [(write(way), what) for way, what in self.ways]
        width = min(WIDE, max(len(way) for way, _ in lines))
        return "\nWays out:" + "".join(f"\n  {way:<{width}}  {what}" for way, what in lines)


@dataclass(frozen=True)
class Cells:
    """Values of cells in a message, and what a page has in their place.

    >>> note = Note(("x has ", Cells("0 and 170,000", "2 values"), " that are outliers."))
    >>> str(note), note.on_page()
    ('x has 0 and 170,000 that are outliers.', 'x has 2 values that are outliers.')
    """

    quoted: str
    instead: str

    def __str__(self) -> str:
        return self.quoted


Parts = Sequence[object]


def as_options(advice: Advice) -> str:
    """Return the advice as options of the command, quoted for a shell.

    >>> as_options(Advice("drop", ("x", "spend (€)"))), as_options(Advice("na"))
    ("--drop x --drop 'spend (€)'", '--na TEXT')
    """
    option = SHORT.get(advice.argument, f"--{advice.argument.replace('_', '-')}")
    if advice.value is None:
        return f"{option}{PLACEHOLDERS.get(advice.argument, '')}"
    names = [advice.value] if isinstance(advice.value, str) else list(advice.value)
    one_line = (" ".join(str(name).splitlines()) for name in names[:SHOWN])
    words = " ".join(f"{option} {shlex.quote(name)}" for name in one_line)
    more = len(names) - SHOWN
    return words if more <= 0 else f"{words} and {more} more"


def message_of(parts: Parts, write: Callable[[Advice], str] = str) -> str:
    """Format a message.

    >>> message_of(["give ", Advice("decimal", ","), "."],
    ...     lambda way: f"--{way.argument} {way.value}")
    'give --decimal ,.'
    """
    return "".join(
        write(part)
        if isinstance(part, Advice)
        else part.message(write)
        if isinstance(part, Ways)
        else str(part)
        for part in parts
    )


@dataclass(frozen=True)
class Note:
    """A message on a table that was read; ``doubtful`` if the result may be wrong."""

    parts: tuple[object, ...]
    doubtful: bool = False

    def __str__(self) -> str:
        return message_of(self.parts)

    def on_page(self) -> str:
        """The message for readers of a page: with options of the command, without cells."""
        parts = [part.instead if isinstance(part, Cells) else part for part in self.parts]
        return message_of(parts, as_options)


class BadTable(ValueError):
    """A table that cannot be used.

    Parameters
    ----------
    *parts : str or Advice
        The message.
    """

    def __init__(self, *parts: object) -> None:
        super().__init__(message_of(parts))
        self.parts = parts


class UnknownEncoding(BadTable):
    """The requested encoding is unknown."""


class NoNumbers(BadTable):
    """A column must be numeric but is not."""
