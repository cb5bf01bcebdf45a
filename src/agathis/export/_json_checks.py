"""Read plain data of a model file as Python types; invalid values raise ValueError."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import is_dataclass
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints, is_typeddict

from agathis._columns.wording import shortened
from agathis._trees.stepped import OPERATIONS, Step

# More than any fit has.
MAX_ITEMS = MAX_CHARACTERS = 1 << 20
MAX_COUNT = 2**63 - 1


def wrong(what: str) -> ValueError:
    return ValueError(f"source is not a tree of agathis: {what}.")


def short(value: object) -> str:
    return shortened(repr(value))


def boolean(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise wrong(f"{name} is {value!r}, not true or false")
    return value


def integer(value: object, name: str, low: int = 0, high: int = MAX_COUNT) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise wrong(f"{name} is {short(value)}, not an integer from {low} to {high}")
    return value


def real(value: object, name: str, low: float = -math.inf) -> float:
    number = math.nan
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        with suppress(OverflowError):
            number = float(value)
    # A number too large for float64 is read as infinite.
    if not math.isfinite(number) or number < low:
        raise wrong(f"{name} is not a finite number{f' from {low}' if low > -math.inf else ''}")
    return number


def string(value: object, name: str) -> str:
    """Return the value if it is a string of an accepted length; else raise ValueError."""
    if not isinstance(value, str) or len(value) > MAX_CHARACTERS:
        raise wrong(
            f"{name} is {short(value)}, not a string of at most {MAX_CHARACTERS} characters"
        )
    return value


def items(value: object, name: str, maximum: int = MAX_ITEMS) -> list[Any]:
    if not isinstance(value, list) or len(value) > maximum:
        raise wrong(f"{name} is {short(value)}, not a list of at most {maximum}")
    return value


def mapping(value: object, name: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise wrong(f"{name} is {short(value)}, not an object")
    return value


def read_as(kind: Any, value: object, name: str) -> Any:
    """Read a value of a type: a scalar, a dataclass, a TypedDict, or lists, tuples or None of them.

    >>> read_as(tuple[float, ...] | None, [1, 2.5], "sizes")
    (1.0, 2.5)
    """
    options = get_args(kind)
    if get_origin(kind) is Literal:
        if not isinstance(value, str) or value not in options:
            raise wrong(f"{name} is {short(value)}, none of {', '.join(options)}")
        return value
    if NoneType in options:
        return None if value is None else read_as(options[0], value, name)
    if get_origin(kind) in (tuple, list):
        return get_origin(kind)(read_as(options[0], one, name) for one in items(value, name))
    if not is_dataclass(kind) and not is_typeddict(kind):
        return {str: string, bool: boolean, int: integer, float: real}[kind](value, name)
    data, hints = mapping(value, name), get_type_hints(kind)
    if not hints.keys() >= data.keys():
        raise wrong(f"{name} has {short(min(data.keys() - hints.keys()))}")
    given = {key: read_as(hints[key], data[key], f"{key} of {name}") for key in data}
    try:
        return kind(**given)
    except TypeError as error:  # a field without a default is missing
        raise wrong(f"{name} is {short(value)}: {error}") from error


def read_step(value: object, name: str, not_by_zero: Collection[str] = ("divide",)) -> Step:
    """Read a pair of an operation and its number."""
    if not isinstance(value, list) or len(value) != 2 or value[0] not in OPERATIONS:
        raise wrong(
            f"{name} is {short(value)}, not a pair of a number and one of {', '.join(OPERATIONS)}"
        )
    by = real(value[1], f"the number of {name}")
    if by == 0 and value[0] in not_by_zero:
        raise wrong(f"{name} is to {value[0]} by 0")
    return Step(value[0], by)
