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
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agathis._columns import datetimes, identifiers
from agathis._columns.arrow_values import holds_numbers
from agathis._columns.column_facts import ColumnFacts, facts_of, is_quantity
from agathis._columns.errors import Advice, BadTable, Cells, Note, Ways
from agathis._columns.identifiers import FEW
from agathis._columns.indicators import word
from agathis._columns.number_notation import is_mark, notation_of
from agathis._columns.scales import key_of, ordered_levels
from agathis._columns.wording import count, shortened, title_of
from agathis._encoding.column_doubts import (
    doubts_on_marks,
    doubts_on_measures,
    doubts_on_number,
    doubts_on_repeats,
    doubts_on_sparse,
)
from agathis._encoding.column_kinds import alike, with_kind
from agathis._encoding.column_roles import (
    CALENDAR,
    CODE,
    CONSTANT,
    DATES,
    EMPTY,
    FREE_TEXT,
    IDENTIFIER,
    KEEP,
    MANY,
    NO_NAME,
    OTHER_TYPE,
    OWN_TEXT,
    PARTS,
    SPARSE,
    TWICE,
    ColumnType,
    examples,
)

if TYPE_CHECKING:
    import pyarrow as pa

#: The maximum number of features per categorical column.
MAX_CATEGORIES = 500
#: Of many categories, keep those with at least this share of the rows, if they cover half of them.
SHARE = 0.01
#: In as many rows, strings that are all unique are not so by chance: they name the rows.
SOME_ROWS = 6
#: Strings of which this share are dates are dates.
MOST_DATES = 0.9


def infer_column_type(name: str, column: Any, **options: Any) -> ColumnType:
    """Infer the role of a column from its type, values and name, and from options; and its kind.

    Options are those of ``_role``.
    """
    facts = facts_of(column)
    column_type = _role(name, facts, **options)
    if column_type.is_used or column_type.why in (IDENTIFIER, FREE_TEXT, OWN_TEXT, MANY):
        column_type = replace(
            column_type, doubts=(*column_type.doubts, *_doubts_on_strings(column_type, facts))
        )
    column_type = with_kind(column_type, facts)
    if column_type.otherwise is not None:
        column_type = replace(column_type, otherwise=with_kind(column_type.otherwise, facts))
    return column_type


def _doubts_on_strings(column_type: ColumnType, facts: ColumnFacts) -> tuple[Note, ...]:
    """Return notes on strings that may be meant as numbers, or as missing values."""
    from pyarrow import types

    if not types.is_string(facts.type) or column_type.kind not in ("category", "out"):
        return ()
    doubts = doubts_on_measures(column_type.name, facts)
    if column_type.kind == "category":
        doubts += doubts_on_marks(column_type.name, facts)
    return doubts


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
    if not (keep or categorical or levels) and (doubts := doubts_on_sparse(name, facts)):
        return ColumnType(name, "out", SPARSE, way=KEEP, doubts=doubts)
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
        return ColumnType(name, "number", doubts=doubts_on_number(name, facts))
    values = facts.some
    if levels:
        return _levels(name, facts, levels)
    if categorical:
        return _category(name, facts, MAX_CATEGORIES, asked=True)
    if facts.levels and not categorical:
        return ColumnType(name, "ordered", categories=facts.levels)
    if is_string and (found := _recognised_levels(name, values)) is not None:
        return found
    if is_string and datetimes.n_dates(values) >= MOST_DATES * len(values):
        found = _dates(name, facts, dates, False)
        others = [value for value in values if not datetimes.are_dates([value])]
        if not others:  # with the day first for one value, another one may be no date
            moments = datetimes.datetimes_of_strings(values)
            others = [v for v, t in zip(values, moments, strict=True) if t != t]
        if not others:
            return found
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
        return ColumnType(name, "number", doubts=doubts_on_number(name, facts))
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
    is_integer = is_quantity(facts.type) and facts.are_integers
    is_whole = is_string or is_integer
    few = facts.n_different <= min(max_categories, facts.n_rows / 10)
    if is_integer and identifiers.names_codes(name) and facts.n_different > 2:
        if few:
            return _category(name, facts, max_categories)
        return ColumnType(name, "out", CODE, way=KEEP)
    if (identifiers.is_identifier_name(name) and is_whole) or (
        is_string and identifiers.are_identifiers(values)
    ):
        if few:
            return _category(name, facts, max_categories)
        return ColumnType(name, "out", CODE, way=KEEP, doubts=doubts_on_repeats(name, facts))
    if is_whole and few and identifiers.names_things(name):
        return _category(name, facts, max_categories)
    if is_string and identifiers.is_free_text(facts):
        return ColumnType(name, "out", FREE_TEXT)
    if identifiers.is_identifier(name, facts):
        return ColumnType(name, "out", IDENTIFIER, way=KEEP, doubts=doubts_on_repeats(name, facts))
    return None


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
