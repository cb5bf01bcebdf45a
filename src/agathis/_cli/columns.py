"""What becomes of each column of a table: a number, categories, or nothing.

Identifiers and constants say nothing about groups and are left out, and dates are; whoever wants
them asks for them. What cannot be decided is a problem, which is told with the ways out.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from agathis._cli.notation import are_dates, are_numbers
from agathis._cli.values import as_numbers, as_words, is_number, plain

if TYPE_CHECKING:
    import pyarrow as pa

#: Texts with more values than that are no categories unless somebody says so.
FEW = 20
#: More columns than that are made of no source.
MOST_CATEGORIES = 500
#: Texts of as many words on average are sentences.
WORDS = 3
#: In shorter tables numbers that go up by one may be anything.
LONG = 10
ID_NAME = re.compile(r"(.*[_\-. ])?(?i:id|uuid|guid|key|index|rowid|row)|.*[a-z](Id|ID)", re.DOTALL)


#: Why a column is left out, of one and of several.
NO_NAME, EMPTY, IDENTIFIER = "it has no name", "it is empty", "it looks like an identifier"
DATES = "it holds dates or times; turn them into numbers, such as days, to use them"
FREE_TEXT = "it is free text, of many words"
CONSTANT = "its value is always"
PLURALS = {
    NO_NAME: "they have no name",
    EMPTY: "they are empty",
    IDENTIFIER: "they look like identifiers",
    DATES: DATES.replace("it holds", "they hold"),
    FREE_TEXT: "they are free text, of many words",
    CONSTANT: "their value is always",
}


@dataclass(frozen=True)
class Verdict:
    """What a column is.

    ``kind`` is "number", "boolean" or "category", or "out" with the reason in ``why``, or
    "problem" with what is wrong in ``why``. What is out may be kept if asked for, where
    ``can_be_kept``; a problem may be solved by categories where it ``has_few_values``.
    ``categories`` are those of a category.
    """

    name: str
    kind: str
    why: str = ""
    can_be_kept: bool = False
    has_few_values: bool = False
    categories: tuple[object, ...] = ()


def judge(name: str, column: pa.ChunkedArray, *, keep: bool, categorical: bool) -> Verdict:
    """What a column is, by its type, its values and its name, or by what was asked for."""
    from pyarrow import compute, types

    values = plain(column)
    kind = values.type
    n = len(values)
    if not name and not keep:
        return Verdict(name, "out", NO_NAME)
    if values.null_count == n:
        return Verdict(name, "out", EMPTY)
    if categorical:
        return _category(name, values)
    text = types.is_string(kind)
    if types.is_temporal(kind) or (text and are_dates(values)):
        return Verdict(name, "out", DATES)
    if not text and not is_number(kind):
        return Verdict(name, "problem", f"is of type {kind}, which is neither numbers nor text")
    distinct = compute.count_distinct(values, mode="only_valid").as_py()
    if distinct == 1 and not values.null_count and not keep:
        return Verdict(name, "out", f"{CONSTANT} {_short(values[0].as_py())}", True)
    if not keep and text and _is_free_text(values, distinct):
        return Verdict(name, "out", FREE_TEXT)
    if not keep and _is_identifier(name, values, distinct):
        return Verdict(name, "out", IDENTIFIER, True)
    if types.is_boolean(kind):
        return Verdict(name, "boolean")
    if not text:
        return Verdict(name, "number")
    return _words(name, values, distinct)


def reason(why: str, n: int) -> str:
    """Why so many columns are left out.

    >>> reason("its value is always 4", 2)
    'their value is always 4'
    """
    if n == 1:
        return why
    one = next(one for one in PLURALS if why.startswith(one))
    return PLURALS[one] + why.removeprefix(one)


def _is_free_text(values: pa.Array, distinct: int) -> bool:
    """Many texts, hardly one twice, of several words each."""
    from pyarrow import compute

    known = values.drop_null()
    if distinct <= max(FEW, len(known) / 2):
        return False
    words = compute.mean(compute.count_substring_regex(known, r"\S+")).as_py()
    return words >= WORDS


def _is_identifier(name: str, values: pa.Array, distinct: int) -> bool:
    from pyarrow import types

    n = len(values) - values.null_count
    named = ID_NAME.fullmatch(name) is not None
    many = distinct == n if n <= FEW else distinct > FEW
    if types.is_string(values.type):
        if distinct < n:
            return False
        # Numbers that some sign for what is missing kept from being read name no rows.
        return (named and n > 1) or (n > FEW and _not_numbers(values) is None)
    if types.is_boolean(values.type):
        return False
    numbers = as_numbers(values)
    known = numbers[~np.isnan(numbers)]
    if not (known == np.floor(known)).all():
        return False
    if named and n > 1 and many:
        return True
    return n >= LONG and bool((np.diff(known) == 1).all())


def _not_numbers(values: pa.Array) -> list[str] | None:
    """Of texts most of which are numbers, the others; None where they are not such."""
    from pyarrow import compute

    different = compute.unique(values.drop_null())
    others = different.filter(compute.invert(are_numbers(different))).to_pylist()
    return others if len(others) < len(different) / 2 else None


def _words(name: str, values: pa.Array, distinct: int) -> Verdict:
    from pyarrow import compute

    others = _not_numbers(values)
    some = compute.unique(values.drop_null()).to_pylist()
    few = distinct <= MOST_CATEGORIES
    if others:
        na = shlex.quote(" ".join(others[0].splitlines()))
        why = f"has numbers, and also {_shown(others)}: --na {na} takes such a text for a gap"
        return Verdict(name, "problem", why, has_few_values=few)
    if others is not None:
        kinds = _shown(_one_of_each(some))
        why = f"has numbers of several forms or units, such as {kinds}: write them alike"
        return Verdict(name, "problem", why, has_few_values=few)
    if distinct > FEW:
        why = f"has {distinct} different texts, such as {_shown(some)}"
        return Verdict(name, "problem", why, has_few_values=few)
    return _category(name, values)


def _one_of_each(texts: list[str]) -> list[str]:
    """The first number of each form: texts are of one form if all but their digits is the same."""
    forms: dict[str, str] = {}
    for text in texts:
        forms.setdefault(re.sub(r"\d+", "0", text.strip()), text)
    return list(forms.values())


def _category(name: str, values: pa.Array) -> Verdict:
    from pyarrow import types

    words = as_words(values)
    found: dict[str, object] = {}
    for word, value in zip(words, values.to_pylist(), strict=True):
        if word is not None:
            # Whole numbers stay numbers, so that SQL compares them as such.
            whole = types.is_integer(values.type) or types.is_boolean(values.type)
            found.setdefault(word, value if whole else word)
    if len(found) > MOST_CATEGORIES:
        why = f"has {len(found)} different values; {MOST_CATEGORIES} categories are the most"
        return Verdict(name, "problem", why)
    if types.is_boolean(values.type):
        return Verdict(name, "boolean")
    categories = sorted(found.values(), key=lambda c: (isinstance(c, str), c))
    return Verdict(name, "category", categories=tuple(categories))


def _short(value: object) -> str:
    text = " ".join(str(value).splitlines())
    return text if len(text) <= 30 else f"{text[:27]}..."


def _shown(texts: list[str]) -> str:
    return ", ".join(repr(_short(text)) for text in texts[:3]) + (", ..." if texts[3:] else "")
