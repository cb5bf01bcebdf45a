"""Names of columns as users type them, and as messages tell them back to be typed again."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from agathis._cli.console import one_line
from agathis._cli.errors import WrongUse
from agathis._tables.errors import Advice
from agathis._tables.wording import SHOWN, listed

#: What stands for the value of an option that the user has to find.
PLACES = {"na": " TEXT", "keep": " NAME"}


@dataclass(frozen=True)
class Wanted:
    """What the user said about columns; ``missing`` is "error", "drop" or "tree"."""

    drop: Sequence[str] = ()
    keep: Sequence[str] = ()
    categorical: Sequence[str] = ()
    target: str | None = None
    missing: str = "error"

    def of(self, names: Collection[str]) -> Wanted:
        """The same of a table with these columns: a list with commas is cut, and all are there."""
        found = replace(
            self,
            drop=split_names(self.drop, names),
            keep=split_names(self.keep, names),
            categorical=split_names(self.categorical, names),
        )
        check_names(names, found)
        return found


def split_names(given: Iterable[str], names: Collection[str]) -> list[str]:
    """The columns that were named, be it several at once with commas between.

    >>> split_names(["a,b", "c,d"], ["a", "b", "c,d"])
    ['a', 'b', 'c,d']
    """
    out = []
    for one in given:
        parts = [part.strip() for part in one.split(",")]
        cut = one not in names and any(part in names for part in parts)
        out += parts if cut else [one]
    return out


def typed(option: str, names: Sequence[str]) -> str:
    """An option for each column, as a shell takes it.

    >>> typed("--drop", ["x", "spend (€)"])
    "--drop x --drop 'spend (€)'"
    """
    words = " ".join(f"{option} {shlex.quote(one_line(name))}" for name in names[:SHOWN])
    more = len(names) - SHOWN
    return words if more <= 0 else f"{words} and {more} more"


def as_options(advice: Advice) -> str:
    """Advice of the library as it is typed.

    >>> as_options(Advice("drop", ("x", "spend (€)"))), as_options(Advice("na"))
    ("--drop x --drop 'spend (€)'", '--na TEXT')
    """
    if advice.value is None:
        return f"--{advice.argument}{PLACES.get(advice.argument, '')}"
    names = [advice.value] if isinstance(advice.value, str) else list(advice.value)
    return typed(f"--{advice.argument}", names)


def check_names(names: Collection[str], wanted: Wanted) -> None:
    """Raise where an option names a column that is not there, or two options contradict."""
    given = {
        "--drop": wanted.drop,
        "--keep": wanted.keep,
        "--categorical": wanted.categorical,
        "--target": [] if wanted.target is None else [wanted.target],
    }
    for option, columns in given.items():
        for column in columns:
            if column not in names:
                raise WrongUse(f"{option} {one_line(column)}: {lacks(column, names)}")
    options = list(given)
    for i, first in enumerate(options):
        for second in options[i + 1 :]:
            both = set(given[first]) & set(given[second])
            if both and (first, second) != ("--keep", "--categorical"):
                raise WrongUse(f"{first} and {second} both name {min(both)}; one of them will do.")


def lacks(column: str, names: Iterable[str]) -> str:
    """That there is no such column, and what may be meant."""
    names = list(names)
    alike = [name for name in names if name.lower() == column.strip().lower()]
    close = alike or get_close_matches(column, names, 1)
    meant = f" Did you mean {name_of(close[0])}?" if close else ""
    return f"there is no such column.{meant} There are {listed(map(name_of, names))}."


def name_of(name: str) -> str:
    """A name for a message, even of a column without one."""
    return one_line(name) or "(no name)"
