"""Messages on tables that name options as the caller writes them.

A function is called with ``encoding='utf-16'``, a command with ``--encoding utf-16``. So a message
consists of parts, and an option in it is an :class:`Advice`, which each interface formats.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

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


Parts = Sequence[object]


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
