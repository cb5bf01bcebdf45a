"""Names of columns as users type them, and as messages tell them back to be typed again."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import combinations

from agathis._cli.console import one_line
from agathis._cli.errors import WrongUse
from agathis._columns.errors import Advice
from agathis._columns.wording import SHOWN, listed
from agathis._encoding.encoder_options import LISTS, TOGETHER
from agathis._encoding.scaling import SCALES

#: What stands for the value of an option that the user has to find.
PLACES = {
    "na": " TEXT", "keep": " NAME", "n_clusters": " NUMBER", "max_bytes": " N",
    "max_line_bytes": " N",
}  # fmt: skip
#: Arguments whose options have other names.
SHORT = {"n_clusters": "-k"}


@dataclass(frozen=True)
class Wanted:
    """What the user said about columns, as it was typed.

    ``missing`` is "error", "drop" or "tree"; ``scale`` and ``weight`` have COLUMN=VALUE.
    """

    drop: Sequence[str] = ()
    keep: Sequence[str] = ()
    categorical: Sequence[str] = ()
    no_split: Sequence[str] = ()
    no_count: Sequence[str] = ()
    show: Sequence[str] = ()
    target: str | None = None
    missing: str = "tree"
    scale: Sequence[str] = ()
    weight: Sequence[str] = ()
    dates: str = "out"
    strict: bool = False

    def of(self, names: Collection[str]) -> Wanted:
        """The same of a table with these columns: a list with commas is cut, and all are there."""
        found = replace(
            self,
            drop=split_names(self.drop, names),
            keep=split_names(self.keep, names),
            categorical=split_names(self.categorical, names),
            no_split=split_names(self.no_split, names),
            no_count=split_names(self.no_count, names),
            show=split_names(self.show, names),
        )
        check_names(names, found)
        return found

    def scales(self, names: Collection[str]) -> str | dict[str, str]:
        """How columns are scaled, for :class:`agathis.TableEncoder`."""
        for_all = [one for one in self.scale if one in SCALES and one not in names]
        pairs = dict(_pair("--scale", one, names) for one in self.scale if one not in for_all)
        wrong = next((how for how in pairs.values() if how not in SCALES), None)
        if wrong is not None or len(for_all) > 1:
            text = " ".join(self.scale)
            raise WrongUse(f"--scale {text}: HOW is one of {', '.join(SCALES)}.")
        default = for_all[0] if for_all else "auto"
        if not pairs:
            return default
        return {**dict.fromkeys(names, default), **pairs}

    def weights(self, names: Collection[str]) -> str | dict[str, float]:
        """How often columns count, for :class:`agathis.TableEncoder`."""
        if not self.weight or list(self.weight) in (["learned"], ["equal"]):
            return self.weight[0] if self.weight else "learned"
        out = {}
        for one in self.weight:
            name, value = _pair("--weight", one, names)
            try:
                out[name] = float(value)
            except ValueError:
                raise WrongUse(f"--weight {one}: {value!r} is no number.") from None
            if not 0 < out[name] < 1e6:
                raise WrongUse(f"--weight {one}: it must be above 0.")
        return out

    def words(self) -> list[str]:
        """The options as they are typed."""
        out = []
        for option in (*LISTS, "scale", "weight"):
            for one in getattr(self, option):
                out += [f"--{option.replace('_', '-')}", one]
        out += ["--dates", self.dates] if self.dates != "out" else []
        out += ["--missing", self.missing] if self.missing != "tree" else []
        return out + ["--strict"] * self.strict


def _pair(option: str, text: str, names: Collection[str]) -> tuple[str, str]:
    name, equals, value = text.rpartition("=")
    if not equals:
        raise WrongUse(f"{option} {text}: COLUMN=VALUE is needed.")
    if name not in names:
        raise WrongUse(f"{option} {one_line(text)}: {lacks(name, names)}")
    return name, value.strip()


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
    option = SHORT.get(advice.argument, f"--{advice.argument.replace('_', '-')}")
    if advice.value is None:
        return f"{option}{PLACES.get(advice.argument, '')}"
    names = [advice.value] if isinstance(advice.value, str) else list(advice.value)
    return typed(option, names)


def check_names(names: Collection[str], wanted: Wanted) -> None:
    """Raise where an option names a column that is not there, or two options contradict."""
    given = {name: list(getattr(wanted, name)) for name in LISTS}
    given["target"] = [] if wanted.target is None else [wanted.target]
    typed_as = {name: f"--{name.replace('_', '-')}" for name in given}
    for argument, columns in given.items():
        for column in columns:
            if column not in names:
                raise WrongUse(f"{typed_as[argument]} {one_line(column)}: {lacks(column, names)}")
    for first, second in combinations(given, 2):
        both = set(given[first]) & set(given[second])
        if both and (first, second) not in TOGETHER:
            raise WrongUse(
                f"{typed_as[first]} and {typed_as[second]} both name {min(both)}; one of them will "
                "do."
            )


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
