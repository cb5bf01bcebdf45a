"""What is wrong with a table, in the words of whoever asked.

Advice names arguments: ``encoding='utf-16'`` to those who call a function, ``--encoding utf-16`` to
those who type a command. So a message is made of parts, and an argument in it is an
:class:`Advice`, which each of the two writes in its own way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

#: What follows longer advice is not put in line.
WIDE = 30


@dataclass(frozen=True)
class Advice:
    """An argument that may be given, with what to give; without a value it is for the reader.

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
    """Several pieces of advice, each with what it does, one in a line."""

    ways: tuple[tuple[Advice, str], ...]

    def told(self, write: Callable[[Advice], str] = str) -> str:
        lines = [(write(way), what) for way, what in self.ways]
        width = min(WIDE, max(len(way) for way, _ in lines))
        return "\nWays out:" + "".join(f"\n  {way:<{width}}  {what}" for way, what in lines)


Parts = Sequence[object]


def told(parts: Parts, write: Callable[[Advice], str] = str) -> str:
    """A message as one text.

    >>> told(["give ", Advice("decimal", ","), "."], lambda way: f"--{way.argument} {way.value}")
    'give --decimal ,.'
    """
    return "".join(
        write(part)
        if isinstance(part, Advice)
        else part.told(write)
        if isinstance(part, Ways)
        else str(part)
        for part in parts
    )


@dataclass(frozen=True)
class Note:
    """Something to say about a table that was read; ``doubtful`` if it may be wrong."""

    parts: tuple[object, ...]
    doubtful: bool = False

    def __str__(self) -> str:
        return told(self.parts)


class BadTable(ValueError):
    """A table that cannot be used.

    Parameters
    ----------
    *parts : str or Advice
        The message.
    """

    def __init__(self, *parts: object) -> None:
        super().__init__(told(parts))
        self.parts = parts


class UnknownEncoding(BadTable):
    """The encoding that was asked for is none."""


class LacksColumns(BadTable):
    """Columns that a tree asks for are not there; ``there`` are those that are."""

    def __init__(self, *parts: object, lacking: Sequence[str], there: Sequence[str]) -> None:
        super().__init__(*parts)
        self.lacking, self.there = list(lacking), list(there)


class NamesTwice(BadTable):
    """A name that two columns have, or two features of a tree (``of_tree``), ``n`` of them."""

    def __init__(self, *parts: object, name: str, n: int, of_tree: bool = False) -> None:
        super().__init__(*parts)
        self.name, self.n, self.of_tree = name, n, of_tree


class NoNumbers(BadTable):
    """A column that has to be numbers is not: ``what`` it holds or is, in a few words."""

    def __init__(self, *parts: object, column: str, what: str) -> None:
        super().__init__(*parts)
        self.column, self.what = column, what
