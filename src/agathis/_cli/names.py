"""Names of columns, as users type them and as messages repeat them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import combinations
from typing import Any

from agathis._cli.console import one_line
from agathis._cli.errors import WrongUse
from agathis._cli.options import Columns
from agathis._columns.wording import listed, title_of
from agathis._encoding.encoder_options import LISTS, TOGETHER
from agathis._encoding.scaling import SCALES


def columns_of(columns: Columns, names: Collection[str]) -> Columns:
    """Return the options with lists split at commas; check that all columns exist.

    Options must not contradict each other.
    """
    given: dict[str, Any] = {
        option: split_names(getattr(columns, option), names) for option in LISTS
    }
    columns = replace(columns, **given)
    given["target"] = [] if columns.target is None else [columns.target]
    for option, chosen in given.items():
        for column in chosen:
            if column not in names:
                raise WrongUse(f"{_typed(option)} {one_line(column)}: {lacks(column, names)}")
    for first, second in combinations(given, 2):
        both = set(given[first]) & set(given[second])
        if both and (first, second) not in TOGETHER:
            raise WrongUse(
                f"{_typed(first)} and {_typed(second)} both name {min(both)}; give one of them."
            )
    return columns


def encoder_options(columns: Columns, names: Collection[str], title: str) -> dict[str, Any]:
    """Return the arguments of :class:`agathis.TableEncoder` for a table with these columns."""
    return {
        **{option: list(getattr(columns, option)) for option in LISTS},
        "scale": _scales(columns.scale, names),
        "weight": _weights(columns.weight, names),
        "ordered": _orders(columns.ordered, names) or None,
        "dates": columns.dates,
        "strict": columns.strict,
        "title": title,
    }


def scale_for_kernel(columns: Columns, kernel: str) -> Columns:
    """Scale to [0, 1] by default for a kernel that needs non-negative values."""
    if kernel == "chi2" and not any(one in SCALES for one in columns.scale):
        return replace(columns, scale=["minmax", *columns.scale])
    return columns


def _scales(given: Sequence[str], names: Collection[str]) -> str | dict[str, str]:
    for_all = [one for one in given if one in SCALES and one not in names]
    pairs = dict(_pair("--scale", one, names) for one in given if one not in for_all)
    if len(for_all) > 1 or any(how not in SCALES for how in pairs.values()):
        raise WrongUse(f"--scale {' '.join(given)}: HOW is one of {', '.join(SCALES)}.")
    default = for_all[0] if for_all else "auto"
    return {**dict.fromkeys(names, default), **pairs} if pairs else default


def _weights(given: Sequence[str], names: Collection[str]) -> str | dict[str, float]:
    if not given or list(given) in (["learned"], ["equal"]):
        return given[0] if given else "learned"
    out = {}
    for one in given:
        name, value = _pair("--weight", one, names)
        try:
            out[name] = float(value)
        except ValueError:
            raise WrongUse(f"--weight {one}: {value!r} is no number.") from None
        if not 0 < out[name] < 1e6:
            raise WrongUse(f"--weight {one}: it must be above 0.")
    return out


def _orders(given: Sequence[str], names: Collection[str]) -> dict[str, list[str]]:
    out = {}
    for one in given:
        # A level may have an equals sign, "<=5"; so may a name.
        begins = [name for name in names if one.startswith(f"{name}=")]
        if not begins:
            _pair("--ordered", one, names, "COLUMN=A<B<C")  # raises
        name = max(begins, key=len)
        out[name] = [level.strip() for level in one.removeprefix(f"{name}=").split("<")]
        if len(out[name]) < 2 or "" in out[name]:
            raise WrongUse(f"--ordered {one_line(one)}: COLUMN=A<B<C, with at least two values.")
    return out


def _pair(
    option: str, text: str, names: Collection[str], form: str = "COLUMN=VALUE"
) -> tuple[str, str]:
    name, equals, value = text.rpartition("=")
    if not equals:
        raise WrongUse(f"{option} {one_line(text)}: {form} is needed.")
    if name not in names:
        raise WrongUse(f"{option} {one_line(text)}: {lacks(name, names)}")
    return name, value.strip()


def split_names(given: Iterable[str], names: Collection[str]) -> list[str]:
    """Split lists of columns at commas, unless a column has the comma in its name.

    >>> split_names(["a,b", "c,d"], ["a", "b", "c,d"])
    ['a', 'b', 'c,d']
    """
    out = []
    for one in given:
        parts = [part.strip() for part in one.split(",")]
        is_list = one not in names and any(part in names for part in parts)
        out += parts if is_list else [one]
    return out


def _typed(argument: str) -> str:
    return f"--{argument.replace('_', '-')}"


def lacks(column: str, names: Iterable[str]) -> str:
    """Return a message that a column does not exist, with the most similar name."""
    names = list(names)
    same = [name for name in names if name.lower() == column.strip().lower()]
    close = same or get_close_matches(column, names, 1)
    meant = f" Did you mean {title_of(close[0])}?" if close else ""
    return f"there is no such column.{meant} There are {listed(map(title_of, names))}."
