"""Infer the role of each column: number, category, date parts, or left out.

Identifiers, codes and constants carry no information on clusters, and dates rarely do: they are
left out unless they are requested. Ambiguous columns are used as well as possible, with a note;
with ``strict`` they raise an error that lists the options.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from agathis._columns import datetimes, identifiers
from agathis._columns.arrow_values import holds_numbers
from agathis._columns.column_facts import ColumnFacts, facts_of, is_quantity
from agathis._columns.errors import Advice, BadTable, Cells, Note, Ways
from agathis._columns.identifiers import FEW
from agathis._columns.indicators import word
from agathis._columns.number_notation import Notation, is_mark, notation_of
from agathis._columns.scales import key_of, ordered_levels
from agathis._columns.wording import count, shortened, title_of
from agathis._encoding.column_kinds import Kind, is_outcome, kind_of_number, kind_of_words

if TYPE_CHECKING:
    import pyarrow as pa

#: The maximum number of features per categorical column.
MAX_CATEGORIES = 500
#: Of many categories, keep those with at least this share of the rows, if they cover half of them.
SHARE = 0.01

#: Of fewer values in this many rows nothing can be said.
HARDLY_ANY, MANY_ROWS = 0.03, 50
#: Numbers that often stand for missing values.
SENTINELS = (-1.0, -9.0, -99.0, -999.0, -9999.0)
#: So many columns of the same levels are a block of questions.
SOME_QUESTIONS = 4
#: Strings of which this share are dates are dates.
MOST_DATES = 0.9

#: In as many rows, strings that are all unique are not so by chance: they name the rows.
SOME_ROWS = 6
#: Reasons for leaving out a column.
NO_NAME, EMPTY, IDENTIFIER = "it has no name", "it is empty", "it looks like an identifier"
TWICE = "two columns have that name"
DATES = "it holds dates or times"
CALENDAR = "it is part of a date or time"
CODE = "it holds codes, not quantities"
FREE_TEXT = "it is free text"
OWN_TEXT = "nearly all its values are unique"
MANY = "it has too many distinct values"
OTHER_TYPE = "it is neither numbers nor text"
CONSTANT = "its value is always"
SPARSE = "nearly all its values are missing"
#: Options that include a column that is left out.
KEEP, PARTS = "keep", "dates"


@dataclass(frozen=True)
class ColumnType:
    """The inferred role of a column.

    Attributes
    ----------
    name : str
    kind : str
        "number", "category" or "ordered", categories from low to high; "calendar", a column that holds a date part, or "date", from which
        parts are extracted; "out", left out; or "problem".
    why : str
        Why it is left out, or what the problem is.
    advice : tuple
        Solutions of a problem, as parts of a message.
    way : str
        The argument that includes a column that is left out, if any.
    has_few_values : bool
        Whether ``categorical`` would solve a problem.
    categories : tuple
        Sorted categories; None stands for missing values.
    n_other : int
        The number of distinct values that are merged into the category "other".
    parts : tuple of str
        The parts to extract from a date, or the part that a column holds.
    na_values : tuple of str
        Strings among numbers that are treated as missing.
    notation : Notation, optional
        Of numbers stored as strings.
    first_is_day : bool, optional
        Of dates stored as strings, whether 3/4 is the third of April.
    form : str
        Format of dates stored as strings: one of ``datetimes.FORMS``.
    holds : {"numbers", "names"}
        Representation of a date part.
    otherwise : ColumnType, optional
        The role to use instead of a problem unless ``strict``.
    shown : bool
        Whether it is for display only and gives no features.
    spellings : mapping of str to str
        Strings of a category that are other spellings of another one, which they were merged with.
    evidence : str
        Why the values are taken for the kind that they hold.
    holds_kind : str
        What the values are: quantity, count, ordered, category, code, identifier, date, free text
        or outcome-like.
    doubts : tuple of Note
    """

    name: str
    kind: str
    why: str = ""
    advice: tuple[object, ...] = ()
    way: str = ""
    has_few_values: bool = False
    categories: tuple[object, ...] = ()
    n_other: int = 0
    parts: tuple[str, ...] = ()
    na_values: tuple[str, ...] = ()
    notation: Notation | None = None
    first_is_day: bool | None = None
    form: str = ""
    holds: Literal["numbers", "names"] = "numbers"
    otherwise: ColumnType | None = None
    shown: bool = False
    spellings: Mapping[str, str] = field(default_factory=dict)
    evidence: str = ""
    holds_kind: str = ""
    doubts: tuple[Note, ...] = ()

    @property
    def is_used(self) -> bool:
        return self.kind not in ("out", "problem") and not self.shown


def infer_column_type(name: str, column: Any, **options: Any) -> ColumnType:
    """Infer the role of a column from its type, values and name, and from options; and its kind.

    Options are those of ``_role``.
    """
    facts = facts_of(column)
    column_type = _role(name, facts, **options)
    column_type = _with_kind(column_type, facts)
    if column_type.otherwise is not None:
        column_type = replace(column_type, otherwise=_with_kind(column_type.otherwise, facts))
    return column_type


def _with_kind(column_type: ColumnType, facts: ColumnFacts) -> ColumnType:
    kind = _kind(column_type, facts)
    return replace(
        column_type, holds_kind=kind.name, evidence=column_type.evidence or kind.evidence
    )


def _kind(column_type: ColumnType, facts: ColumnFacts) -> Kind:
    """What the values are, given the role of the column."""
    from pyarrow import types

    name, why = column_type.name, column_type.why
    known = facts.n_rows - facts.n_missing
    if column_type.kind in ("date", "calendar") or why in (DATES, CALENDAR):
        return Kind("date", "its values are dates, times or parts of them")
    if column_type.kind == "ordered":
        return Kind("ordered", "it is an ordered categorical")
    if why in (CODE, IDENTIFIER):
        is_shared = facts.n_different < known / 2 and not identifiers.names_who(name)
        if facts.n_different >= 0.9 * known or (why == IDENTIFIER and not is_shared):
            return Kind("identifier", "its values name rows, or who they belong to")
        if identifiers.names_who(name):
            return Kind("identifier", "its name says who rows belong to")
        return Kind("code", "its name is that of codes")
    if column_type.kind not in ("number", "category") and types.is_string(facts.type) and known:
        return kind_of_words(name, facts)
    if column_type.kind not in ("number", "category"):
        return Kind("", why)
    if is_outcome(name, facts.n_different):
        return Kind("outcome-like", "it is named as a result, and has few values")
    if column_type.kind == "category":
        is_code = not types.is_string(facts.type) and identifiers.names_codes(name)
        if is_code or identifiers.is_identifier_name(name) or identifiers.names_things(name):
            return Kind("code", "its name is that of codes")
        return Kind("category", f"it has {count(facts.n_different, 'value')}")
    if column_type.notation is not None or not len(facts.numbers):
        return Kind("quantity", "its values are formatted numbers")
    return kind_of_number(name, facts)


def _role(
    name: str,
    facts: ColumnFacts,
    *,
    keep: bool = False,
    categorical: bool = False,
    dates: str = "out",
    max_categories: int = FEW,
    levels: Sequence[str] = (),
) -> ColumnType:
    """Infer the role of a column from its type, values and name, and from options."""
    from pyarrow import types

    kind = facts.type
    if not name and not keep:
        return ColumnType(name, "out", NO_NAME)
    if facts.n_missing == facts.n_rows:
        return ColumnType(name, "out", EMPTY)
    if types.is_temporal(kind):
        return _dates(name, facts, dates, categorical)
    if not (keep or categorical or levels) and facts.n_rows >= MANY_ROWS:
        if (n_known := facts.n_rows - facts.n_missing) < HARDLY_ANY * facts.n_rows:
            doubt = (f"{title_of(name)} has a value in {n_known} of {facts.n_rows:,} rows: ",
                     Advice("keep", (name,)), " uses it all the same.")  # fmt: skip
            return ColumnType(name, "out", SPARSE, way=KEEP, doubts=(Note(doubt, True),))
    is_string = types.is_string(kind)
    spellings = facts.spellings
    if spellings:
        column_type = _role(
            name,
            facts.merged(),
            keep=keep,
            categorical=categorical,
            dates=dates,
            max_categories=max_categories,
            levels=levels,
        )
        is_category = column_type.kind in ("category", "ordered")
        return replace(column_type, spellings=spellings if is_category else {})
    if not is_string and not holds_numbers(kind):
        why = f"is of type {kind}, which is neither numbers nor text"
        return ColumnType(name, "problem", why, otherwise=ColumnType(name, "out", OTHER_TYPE))
    if types.is_floating(kind) and not categorical and _have_fractions(facts):
        return ColumnType(name, "number", doubts=_doubts(name, facts))
    values = facts.some
    if levels:
        return _levels(name, facts, levels)
    if categorical:
        return _category(name, facts, MAX_CATEGORIES, asked=True)
    if facts.levels and not categorical:
        return ColumnType(name, "ordered", categories=facts.levels)
    if is_string and (found := _recognised_levels(name, values)) is not None:
        return found
    if is_string and (n_dates := datetimes.n_dates(values)) >= MOST_DATES * len(values):
        found = _dates(name, facts, dates, False)
        if n_dates == len(values):
            return found
        others = [value for value in values if not datetimes.are_dates([value])]
        cells = Cells(examples(others), count(len(others), "other value"))
        text = f"{title_of(name)} has dates, and also ", cells, ", which are not read."
        return replace(found, doubts=(Note(text, doubtful=True),))
    if is_string and not keep and datetimes.are_times(values):
        return ColumnType(name, "out", DATES, way=KEEP)
    if len(values) == 1 and not facts.has_missing and not keep:
        return ColumnType(name, "out", f"{CONSTANT} {shortened(str(values[0]), 30)}", way=KEEP)
    if not keep:
        role = _no_quantity(name, facts, dates, max_categories)
        if role is not None:
            return role
    if types.is_boolean(kind) or (not is_string and _are_booleans(values)):
        return _category(name, facts, 2)
    if not is_string:
        return ColumnType(name, "number", doubts=_doubts(name, facts))
    return _words(name, facts, max_categories, keep)


def _recognised_levels(name: str, values: list[str]) -> ColumnType | None:
    """Role of a column of ordered values, with or without marks of missing ones."""
    if len(values) > 2 * FEW:
        return None
    marks = tuple(value for value in values if is_mark(value))
    for others in ((), marks) if marks else ((),):
        found = ordered_levels(name, [value for value in values if value not in others])
        if found is not None:
            return ColumnType(
                name, "ordered", categories=found[0], evidence=found[1], na_values=others
            )
    return None


def _doubts(name: str, facts: ColumnFacts) -> tuple[Note, ...]:
    """Return a note on a number that may stand for a missing value, such as -999."""
    known = facts.numbers
    if not len(known) or (low := known.min()) not in SENTINELS:
        return ()
    n = int(np.count_nonzero(known == low))
    if n < 2 or known[known > low].min(initial=np.inf) < 0 or n == len(known):
        return ()
    text = f"{title_of(name)} has {low:g} in {count(n, 'row')}, and otherwise no negative number: "
    advice = Advice("na", f"{low:g}")
    return (Note((text, advice, " treats it as missing."), doubtful=True),)


def _levels(name: str, facts: ColumnFacts, levels: Sequence[str]) -> ColumnType:
    """Role of a column whose order was given."""
    known = set(map(key_of, levels))
    others = [one for value in facts.some if key_of(one := str(word(value))) not in known]
    if others:
        raise ValueError(
            f"ordered={{{name!r}: {list(levels)!r}}} lacks values of the column: "
            f"{examples(others)}."
        )
    return ColumnType(name, "ordered", categories=tuple(levels), evidence="its order was given")


def _no_quantity(
    name: str, facts: ColumnFacts, dates: str, max_categories: int
) -> ColumnType | None:
    """Detect columns that identify rows or entities, or hold date parts."""
    from pyarrow import types

    is_string, values = types.is_string(facts.type), facts.some
    if is_string:
        part = datetimes.part_of_words(values)
    elif types.is_boolean(facts.type):
        part = None
    else:
        part = datetimes.part_of_numbers(name, facts.numbers)
        if part is None and datetimes.are_datetimes(name, facts.numbers):
            return ColumnType(name, "out", DATES, way=KEEP)
    if is_string and datetimes.are_months(values):
        return ColumnType(name, "out", CALENDAR, way=KEEP)
    if part is not None:
        if dates == "parts" and part != "clock":
            return ColumnType(
                name, "calendar", parts=(part,), holds="names" if is_string else "numbers"
            )
        return ColumnType(name, "out", CALENDAR, way=KEEP)
    if not is_string and identifiers.names_codes(name) and facts.are_integers:
        if facts.n_different > 2 and not types.is_boolean(facts.type):
            if facts.n_different <= min(max_categories, facts.n_rows / 10):
                return _category(name, facts, max_categories)
            return ColumnType(name, "out", CODE, way=KEEP)
    is_whole = is_string or (is_quantity(facts.type) and facts.are_integers)
    few = facts.n_different <= min(max_categories, facts.n_rows / 10)
    if (identifiers.is_identifier_name(name) and is_whole) or (
        is_string and identifiers.are_identifiers(values)
    ):
        if few:
            return _category(name, facts, max_categories)
        return ColumnType(name, "out", CODE, way=KEEP, doubts=_repeats(name, facts))
    if is_whole and few and identifiers.names_things(name):
        return _category(name, facts, max_categories)
    if is_string and identifiers.is_free_text(facts):
        return ColumnType(name, "out", FREE_TEXT)
    if identifiers.is_identifier(name, facts):
        return ColumnType(name, "out", IDENTIFIER, way=KEEP, doubts=_repeats(name, facts))
    return None


def _repeats(name: str, facts: ColumnFacts) -> tuple[Note, ...]:
    """Return a note on a table with several rows for each customer."""
    known = facts.n_rows - facts.n_missing
    if not identifiers.names_who(name) or facts.n_different > known / 2:
        return ()
    rows = f"{known:,} {'sampled rows' if facts.rows is not None else 'rows'}"
    text = (
        f"{title_of(name)} has {facts.n_different:,} different values in {rows}: groups are of "
        "rows, such as purchases or visits. To group what it names, make one row of each first."
    )
    return (Note((text,), doubtful=True),)


def _have_fractions(facts: ColumnFacts) -> bool:
    """Whether numbers vary and some are fractional: then they are no identifiers or dates."""
    return not facts.are_integers and bool((facts.numbers != facts.numbers[0]).any())


def _are_booleans(some: list) -> bool:
    """Whether values are two integers, as in a binary column."""
    return len(some) == 2 and all(float(value).is_integer() for value in some)


def _dates(name: str, facts: ColumnFacts, dates: str, categorical: bool) -> ColumnType:
    from pyarrow import types

    if types.is_duration(facts.type) or types.is_time(facts.type):
        return ColumnType(name, "out", DATES)
    if dates != "parts" or categorical:
        return ColumnType(name, "out", DATES, way=PARTS)
    parts = datetimes.parts_to_make(facts.moments())
    if not parts:
        return ColumnType(name, "out", f"{CONSTANT} the same day")
    is_string = types.is_string(facts.type)
    first = datetimes.is_day_first(facts.some) if is_string else None
    form = datetimes.form_of(facts.some) if is_string else ""
    return ColumnType(name, "date", parts=tuple(parts), first_is_day=first, form=form)


def infer_display_type(name: str, column: pa.ChunkedArray | pa.Array | ColumnFacts) -> ColumnType:
    """Role of a display-only column, which is never ambiguous."""
    column_type = infer_column_type(name, column, keep=True, dates="parts")
    return replace(column_type.otherwise or column_type, shown=True)


def infer_column_types(
    table: Any,
    *,
    drop: Collection[str] = (),
    keep: Collection[str] = (),
    categorical: Collection[str] = (),
    show: Collection[str] = (),
    dates: str = "out",
    max_categories: int = FEW,
    ordered: Mapping[str, Sequence[str]] | None = None,
    strict: bool = False,
    name: str = "the table",
) -> list[ColumnType]:
    """Infer the roles of all columns but ``drop``; with ``strict`` raise all problems at once.

    ``table`` is an Arrow table, or has facts for columns. Columns in ``show`` get a role for
    display.
    """
    names = table.column_names
    counts = Counter(names)
    drop, keep, categorical = set(drop), set(keep), set(categorical)
    twice = [column for column in counts if counts[column] > 1 and column and column not in drop]
    if twice and strict:
        raise BadTable(
            f"{name} has {counts[twice[0]]} columns of the name {title_of(twice[0])}, so that no "
            "rule could tell them apart. Rename them, or leave them out: ",
            Advice("drop", (twice[0],)),
        )
    column_types = []
    for i, column in enumerate(names):
        if column in drop:
            continue
        if counts[column] > 1:
            counts[column] = -1  # one entry covers all columns of a name
            column_types.append(ColumnType(column, "out", TWICE if column else NO_NAME))
        elif counts[column] == 1 and column in show:
            column_types.append(infer_display_type(column, table.column(i)))
        elif counts[column] == 1:
            column_types.append(
                infer_column_type(
                    column,
                    table.column(i),
                    keep=column in keep,
                    categorical=column in categorical,
                    dates=dates,
                    max_categories=max_categories,
                    levels=(ordered or {}).get(column, ()),
                )
            )
    problems = [column_type for column_type in column_types if column_type.kind == "problem"]
    if problems and strict:
        raise _unusable(problems, name)
    return alike([column_type.otherwise or column_type for column_type in column_types])


def alike(column_types: list[ColumnType]) -> list[ColumnType]:
    """Return columns of which those with the same levels as several ordered ones are ordered too.

    Questions of one block have the same answers, also those to which most say nothing.
    """
    runs = Counter(v.evidence for v in column_types if v.holds_kind == "ordered")
    blocks = {evidence for evidence, n in runs.items() if n >= SOME_QUESTIONS}
    return [
        replace(v, holds_kind="ordered")
        if v.holds_kind == "count" and v.evidence in blocks
        else v
        for v in column_types
    ]


def _unusable(problems: Sequence[ColumnType], name: str) -> BadTable:
    lines: list[object] = []
    for column_type in problems:
        lines += [f"\n  {title_of(column_type.name)} {column_type.why}", *column_type.advice, "."]
    drop = Advice("drop", tuple(column_type.name for column_type in problems))
    ways = [(drop, "leaves it out" if len(problems) == 1 else "leaves them out")]
    few = tuple(column_type.name for column_type in problems if column_type.has_few_values)
    if few:
        ways.append((Advice("categorical", few), "treats each value as a category"))
    head = f"{name} has columns that are neither numbers nor categories:"
    return BadTable(head, *lines, Ways(tuple(ways)))


def _words(name: str, facts: ColumnFacts, maximum: int, keep: bool) -> ColumnType:
    values = facts.some
    notation, _ = notation_of(values)
    if notation is not None and set(values) == {"0", "1"}:
        return _category(name, facts, 2)  # two columns of 0 and 1 would be redundant
    if notation is not None:
        marks = tuple(value for value in values if is_mark(value))
        return ColumnType(name, "number", notation=notation, na_values=marks)
    values = [value for value in values if not is_mark(value)] or values
    others = identifiers.besides_numbers(values)
    few = facts.n_different <= MAX_CATEGORIES
    as_category = _category(name, facts, maximum, asked=keep)
    if others:
        why = f"has numbers, and also {examples(others)}"
        na = Advice("na", " ".join(others[0].splitlines()))
        advice = (": ", na, " treats such strings as missing")
        # Few values are categories (2, 4, more); among many numbers a string is a missing value.
        number = ColumnType(
            name,
            "number",
            na_values=tuple(others),
            notation=notation_of([value for value in values if value not in others])[0],
        )
        otherwise = number if facts.n_different > maximum else as_category
        return ColumnType(name, "problem", why, advice, has_few_values=few, otherwise=otherwise)
    if others is not None:
        kinds = examples(_one_of_each(values))
        why = f"has numbers of several forms or units, such as {kinds}: write them alike"
        hidden = "has numbers of several forms or units"
        doubts = (Note((f"{title_of(name)} ", Cells(why, hidden), "."), doubtful=True),)
        otherwise = replace(as_category, doubts=doubts)
        return ColumnType(name, "problem", why, has_few_values=few, otherwise=otherwise)
    if facts.n_different > maximum:
        why = f"has {facts.n_different} distinct values, such as {examples(values)}"
        return ColumnType(name, "problem", why, has_few_values=few, otherwise=as_category)
    if not keep and facts.n_different == facts.n_rows - facts.n_missing >= SOME_ROWS:
        return ColumnType(name, "out", OWN_TEXT, way=KEEP)
    return as_category


def _one_of_each(strings: list[str]) -> list[str]:
    """Return the first number of each format; strings that differ in digits alone share one."""
    forms: dict[str, str] = {}
    for string in strings:
        forms.setdefault(re.sub(r"\d+", "0", string.strip()), string)
    return list(forms.values())


def _category(name: str, facts: ColumnFacts, maximum: int, *, asked: bool = False) -> ColumnType:
    """Role of a categorical column: all categories, or the most frequent of many."""

    def category(string: str, value: object) -> object:
        # Keep numeric categories as numbers, so that exports compare them as such.
        if isinstance(value, float) and math.isfinite(value):
            return int(value) if facts.are_integers else value
        return value if isinstance(value, int) else string

    by_string: dict[str, object] = {}
    for value in facts.some:
        string = word(value)
        if string is not None:
            by_string.setdefault(string, category(string, value))
    n_other = 0
    if len(by_string) > maximum:
        frequent = _frequent(facts, maximum, 0.0 if asked else SHARE)
        n_other = len(by_string) - len(frequent)
        known = facts.n_rows - facts.n_missing
        if not asked and sum(n for n, _ in frequent.values()) < known / 2:
            are_unique = len(by_string) > known / 2
            return ColumnType(
                name, "out", OWN_TEXT if are_unique else MANY, way="" if are_unique else KEEP
            )
        by_string = {string: category(string, value) for string, (_, value) in frequent.items()}
    categories = sorted(by_string.values(), key=lambda c: (isinstance(c, str), c))
    # Missing values are a category of their own only if there are any.
    missing = (None,) if facts.has_missing else ()
    return ColumnType(name, "category", categories=(*categories, *missing), n_other=n_other)


def _frequent(facts: ColumnFacts, maximum: int, share: float) -> dict[str, tuple[int, object]]:
    """Return the most frequent values with their rows, ties in alphabetical order."""
    counted: dict[str, tuple[int, object]] = {}
    for value, n in facts.counts():
        string = word(value)
        if string is not None:
            before, first = counted.get(string, (0, value))
            counted[string] = before + n, first
    minimum = share * (facts.n_rows - facts.n_missing)
    order = sorted(counted.items(), key=lambda item: (-item[1][0], item[0]))[:maximum]
    return {string: entry for string, entry in order if entry[0] >= minimum}


def examples(strings: list[str]) -> str:
    return ", ".join(repr(shortened(string, 30)) for string in strings[:3]) + (
        ", ..." if strings[3:] else ""
    )
