"""What becomes of each column of a table: a number, categories, or nothing.

Identifiers and constants say nothing about groups and are left out, and dates are; whoever wants
them asks for them. What cannot be decided is a problem, which is told with the ways out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from agathis._tables.arrow_values import as_numbers, different, holds_numbers, plain
from agathis._tables.errors import Advice, BadTable, Note, Ways
from agathis._tables.indicators import word
from agathis._tables.number_notation import are_dates, not_numbers
from agathis._tables.wording import count, listed, title_of

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

    Attributes
    ----------
    name : str
    kind : str
        "number", "boolean" or "category", which are used; "out", which is not; or "problem".
    why : str
        Why it is out, or what the problem is.
    advice : tuple
        What helps with a problem, as parts of a message.
    can_be_kept : bool
        Whether what is out may be used if that is asked for.
    has_few_values : bool
        Whether categories would solve a problem.
    categories : tuple
        Those of a category, sorted.
    """

    name: str
    kind: str
    why: str = ""
    advice: tuple[object, ...] = ()
    can_be_kept: bool = False
    has_few_values: bool = False
    categories: tuple[object, ...] = ()


def judge(
    name: str, column: pa.ChunkedArray | pa.Array, *, keep: bool = False, categorical: bool = False
) -> Verdict:
    """What a column is, by its type, its values and its name, or by what was asked for."""
    from pyarrow import types

    values = plain(column)
    kind = values.type
    if not name and not keep:
        return Verdict(name, "out", NO_NAME)
    if values.null_count == len(values):
        return Verdict(name, "out", EMPTY)
    if categorical:
        return _category(name, values)
    if types.is_temporal(kind):
        return Verdict(name, "out", DATES)
    text = types.is_string(kind)
    if not text and not holds_numbers(kind):
        return Verdict(name, "problem", f"is of type {kind}, which is neither numbers nor text")
    some = different(values)
    if text and are_dates(some):
        return Verdict(name, "out", DATES)
    if len(some) == 1 and not values.null_count and not keep:
        return Verdict(name, "out", f"{CONSTANT} {_short(some[0])}", can_be_kept=True)
    if not keep and text and _is_free_text(values, len(some)):
        return Verdict(name, "out", FREE_TEXT)
    if not keep and _is_identifier(name, values, some):
        return Verdict(name, "out", IDENTIFIER, can_be_kept=True)
    if types.is_boolean(kind):
        return Verdict(name, "boolean")
    if not text:
        return Verdict(name, "number")
    return _words(name, values, some)


def judge_all(
    table: pa.Table,
    *,
    drop: Collection[str] = (),
    keep: Collection[str] = (),
    categorical: Collection[str] = (),
    name: str = "the table",
) -> list[Verdict]:
    """The verdicts on all columns but those to drop; an error tells of all problems at once."""
    counts = Counter(table.column_names)
    left = [column for column in counts if column not in drop]
    twice = [column for column in left if counts[column] > 1 and column]
    if twice:
        raise BadTable(
            f"{name} has {counts[twice[0]]} columns of the name {title_of(twice[0])}, so that no "
            "rule could tell them apart. Rename them, or leave them out: ",
            Advice("drop", (twice[0],)),
        )
    verdicts = [
        judge(
            column,
            table.column(table.column_names.index(column)),
            keep=column in keep,
            categorical=column in categorical,
        )
        for column in left
    ]
    problems = [verdict for verdict in verdicts if verdict.kind == "problem"]
    if problems:
        raise _unusable(problems, name)
    return verdicts


def notes_on(verdicts: Sequence[Verdict]) -> list[Note]:
    """What to say of columns that became categories, and of those that are left out."""
    out = []
    categories = [
        f"{title_of(verdict.name)} ({count(len(verdict.categories), 'value')})"
        for verdict in verdicts
        if verdict.kind == "category"
    ]
    if categories:
        out.append(Note((f"Categories: {listed(categories)}.",)))
    reasons: dict[tuple[str, bool], list[str]] = {}
    for verdict in verdicts:
        if verdict.kind == "out":
            reasons.setdefault((verdict.why, verdict.can_be_kept), []).append(verdict.name)
    for (why, can_be_kept), names in reasons.items():
        parts: list[object] = [
            f"Left out: {listed(map(title_of, names))}: {reason(why, len(names))}"
        ]
        if can_be_kept:
            keeps = f" keeps {'it' if len(names) == 1 else 'them'})"
            parts += [" (", Advice("keep", tuple(names)), keeps]
        out.append(Note((*parts, ".")))
    return out


def reason(why: str, n: int) -> str:
    """Why so many columns are left out.

    >>> reason("its value is always 4", 2)
    'their value is always 4'
    """
    if n == 1:
        return why
    one = next(one for one in PLURALS if why.startswith(one))
    return PLURALS[one] + why.removeprefix(one)


def _unusable(problems: Sequence[Verdict], name: str) -> BadTable:
    lines: list[object] = []
    for verdict in problems:
        lines += [f"\n  {title_of(verdict.name)} {verdict.why}", *verdict.advice, "."]
    drop = Advice("drop", tuple(verdict.name for verdict in problems))
    ways = [(drop, "leaves it out" if len(problems) == 1 else "leaves them out")]
    few = tuple(verdict.name for verdict in problems if verdict.has_few_values)
    if few:
        ways.append((Advice("categorical", few), "takes each value for a category"))
    head = f"{name} has columns that are neither numbers nor categories:"
    return BadTable(head, *lines, Ways(tuple(ways)))


def _is_free_text(values: pa.Array, distinct: int) -> bool:
    """Many texts, hardly one twice, of several words each."""
    from pyarrow import compute

    known = values.drop_null()
    if distinct <= max(FEW, len(known) / 2):
        return False
    words = compute.mean(compute.count_substring_regex(known, r"\S+")).as_py()
    return words >= WORDS


def _is_identifier(name: str, values: pa.Array, some: list) -> bool:
    from pyarrow import types

    n = len(values) - values.null_count
    named = ID_NAME.fullmatch(name) is not None
    many = len(some) == n if n <= FEW else len(some) > FEW
    if types.is_string(values.type):
        if len(some) < n:
            return False
        # Numbers that some sign for what is missing kept from being read name no rows.
        return (named and n > 1) or (n > FEW and _besides_numbers(some) is None)
    if types.is_boolean(values.type):
        return False
    numbers = as_numbers(values)
    known = numbers[np.isfinite(numbers)]
    if not (known == np.floor(known)).all():
        return False
    if named and n > 1 and many:
        return True
    return n >= LONG and bool((np.diff(known) == 1).all())


def _besides_numbers(texts: list[str]) -> list[str] | None:
    """Of texts most of which are numbers, the others; None where they are not such."""
    others = not_numbers(texts)
    return others if len(others) < len(texts) / 2 else None


def _words(name: str, values: pa.Array, some: list[str]) -> Verdict:
    others = _besides_numbers(some)
    few = len(some) <= MOST_CATEGORIES
    if others:
        why = f"has numbers, and also {_examples(others)}"
        na = Advice("na", " ".join(others[0].splitlines()))
        advice = (": ", na, " takes such a text for a gap")
        return Verdict(name, "problem", why, advice, has_few_values=few)
    if others is not None:
        kinds = _examples(_one_of_each(some))
        why = f"has numbers of several forms or units, such as {kinds}: write them alike"
        return Verdict(name, "problem", why, has_few_values=few)
    if len(some) > FEW:
        why = f"has {len(some)} different texts, such as {_examples(some)}"
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

    # Whole numbers stay numbers, so that SQL compares them as such.
    whole = types.is_integer(values.type) or types.is_boolean(values.type)
    found: dict[str, object] = {}
    for value in different(values):
        text = word(value)
        if text is not None:
            found.setdefault(text, value if whole else text)
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


def _examples(texts: list[str]) -> str:
    return ", ".join(repr(_short(text)) for text in texts[:3]) + (", ..." if texts[3:] else "")
