"""What the values of a column are, with the evidence: a quantity, a count, an order, a code.

The role of a column (``column_types``) says how it is encoded; its kind says what it holds, for
``columns_``, notes and pages. Rules are rows of a table, and the first that fits decides.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from agathis._columns import identifiers
from agathis._columns.column_facts import ColumnFacts
from agathis._columns.wording import count, word_set
from agathis._encoding.column_roles import CALENDAR, CODE, DATES, IDENTIFIER, ColumnType

#: Integers of at most so many distinct values, one after another, may be levels of an order; with a
#: name that says so, more.
LEVELS, LONGEST = 11, 30
#: Results have few values.
FEW_RESULTS = 5
_WORD = re.compile(r"[\W_\d]+|(?<=[a-z])(?=[A-Z])")
#: Words in the name of a column of results, of counts, and of levels.
OUTCOMES = word_set(
    "outcome target survived survival died dead death died alive churn churned exited left "
    "attrition default defaulted vote voted purchase purchased bought converted "
    "conversion response responded success passed failed admitted approved accepted card call "
    "callback improved recovered relapse diagnosis malignant event won winner fraud spam "
    "readmitted readmission kündigung gekündigt abgewandert bestanden überlebt gestorben gekauft "
    "storniert clicked subscribed cancelled canceled returned hired"
)
#: Names of such columns, which are also words of other names: "marital status".
OUTCOME_NAMES = frozenset(("status", "class", "label", "result", "y"))
COUNTS = word_set(
    "num count counts number visits orders items clicks views visitors children kids rooms "
    "bedrooms bathrooms cars doors seats pages likes comments followers sales goals wins "
    "losses points reports dependents numdep siblings sibsp parch jobs students employees cores "
    "threads cylinders cyl gears carb wheels bids times frequency freq trips accidents claims "
    "arrests cigs cigarettes drinks games matches hits runs members people persons guests nights "
    "anzahl bestellungen bestand kinder stock quantity qty pop population samplesize "
    "cards parity amt"
)
ORDERS = word_set(
    "rating rate score stars satisfaction grade level rank stage class importance quality "
    "priority severity agreement likert scale note noten risk tier income ideology likelihood "
    "frequency step position place"
)


#: So many columns of the same levels are a block of questions.
SOME_QUESTIONS = 4


class Kind(NamedTuple):
    """What a column holds, and why."""

    name: str
    evidence: str = ""


def words_of(name: str) -> list[str]:
    """Return the words of a column name in lower case.

    >>> words_of("numDoors_2"), words_of("Days since")
    (['num', 'doors'], ['days', 'since'])
    """
    return [word.lower() for word in _WORD.split(name) if word]


def kind_of_number(name: str, facts: ColumnFacts) -> Kind:
    """What a column of numbers holds.

    Examples
    --------
    >>> import pyarrow as pa
    >>> column = ColumnFacts(pa.array([1, 2, 3, 4, 5, 4, 3, 3, 4, 2, 3, 3]))
    >>> kind_of_number("rating", column)
    Kind(name='ordered', evidence='its values are 1 to 5')
    >>> kind_of_number("kids", column).name
    'count'
    """
    shape = _Numbers(set(words_of(name)), facts)
    return next(Kind(kind, say(shape)) for kind, holds, say in NUMBERS if holds(shape))


def is_outcome(name: str, n_values: int) -> bool:
    """Whether a column is named as a result, and has few values."""
    words = words_of(name)
    if not words or not 2 <= n_values <= FEW_RESULTS:
        return False
    is_named = len(words) == 1 and words[0] in OUTCOME_NAMES
    return is_named or bool(OUTCOMES & {words[0], words[-1]})


class _Numbers:
    """Facts on numbers, computed where a rule asks for them."""

    def __init__(self, words: set[str], facts: ColumnFacts) -> None:
        self.words, self.facts = words, facts
        self.integers = facts.are_integers
        self.values = np.unique(facts.numbers) if self.integers or facts.n_different < 30 else None

    @property
    def low(self) -> int:
        assert self.values is not None
        return int(self.values[0])

    @property
    def high(self) -> int:
        assert self.values is not None
        return int(self.values[-1])

    @property
    def is_run(self) -> bool:
        """Whether the values are 1, 2, 3 and so on, from 0 or 1, and few."""
        if self.values is None or not self.integers or not 3 <= len(self.values) <= LONGEST:
            return False
        if self.high != self.low + len(self.values) - 1:
            return False
        named = bool(self.words & ORDERS)
        few = len(self.values) <= LEVELS
        return (self.low in (0, 1) and (few or named)) or (few and named)

    @property
    def is_run_of_halves(self) -> bool:
        """Whether the values are 0.5, 1, 1.5 and so on, and few."""
        if self.values is None or not 3 <= len(self.values) <= LEVELS:
            return False
        return bool((np.diff(self.values) == 0.5).all())

    @property
    def is_few(self) -> bool:
        """Whether the values are from 0, and some."""
        return self.values is not None and self.low == 0 and 2 < len(self.values) <= LONGEST

    @property
    def decays(self) -> bool:
        """Whether small numbers are the most frequent, as in counts of rare events."""
        known = self.facts.numbers
        if self.values is None or not len(known) or self.low < 0:
            return False
        sizes = np.bincount(np.searchsorted(self.values, known))
        first = int(sizes.argmax())
        tail = sizes[first:]
        return first <= 1 and len(tail) > 2 and bool((np.diff(tail[:5]) <= 0).all())

    @property
    def is_counted(self) -> bool:
        return self.integers and bool(self.words & COUNTS) and self.facts.numbers.min() >= 0


def _named(words: frozenset[str]) -> Callable[[_Numbers], str]:
    return lambda shape: f"its name has the word {min(shape.words & words)}"


def _run(shape: _Numbers) -> str:
    return f"its values are {shape.low} to {shape.high}"


#: A kind, whether numbers are of it, and the evidence in words.
NUMBERS: tuple[tuple[str, Callable[[_Numbers], bool], Callable[[_Numbers], str]], ...] = (
    ("quantity", lambda s: s.values is None, lambda s: "it has fractions"),
    ("ordered", lambda s: s.is_run and bool(s.words & ORDERS) and not s.is_counted, _run),
    ("count", lambda s: s.is_counted, _named(COUNTS)),
    ("count", lambda s: s.is_run and s.low == 0 and s.decays, _run),
    ("ordered", lambda s: s.is_run, _run),
    (
        "ordered",
        lambda s: s.is_run_of_halves,
        lambda s: "its values are steps of a half",
    ),
    ("quantity", lambda s: not s.integers, lambda s: "it has fractions"),
    (
        "count",
        lambda s: s.decays and s.is_few,
        lambda s: "integers from 0, of which few are large",
    ),
    ("quantity", lambda s: True, lambda s: "integers on a scale"),
)


def kind_of_words(name: str, facts: ColumnFacts) -> Kind:
    """What a column of strings that is left out holds: names of rows, or text.

    Names of rows are unique, and of one or two words.
    """
    known = facts.n_rows - facts.n_missing
    named = identifiers.ID_NAME.fullmatch(name) or words_of(name)[-1:] in (["name"], ["title"])
    unique = facts.n_different >= 0.9 * known
    if unique and (facts.n_words < 2.5 or named):
        return Kind("identifier", "its values are unique and short")
    if facts.n_different <= known / 2 and facts.n_words < identifiers.WORDS:
        return Kind("category", "its values repeat")
    return Kind("free text", "its values are texts that hardly repeat")


def with_kind(column_type: ColumnType, facts: ColumnFacts) -> ColumnType:
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


def alike(column_types: list[ColumnType]) -> list[ColumnType]:
    """Return columns of which those with the same levels as several ordered ones are ordered too.

    Questions of one block have the same answers, also those to which most say nothing.
    """
    runs = Counter(v.evidence for v in column_types if v.holds_kind == "ordered")
    blocks = {evidence for evidence, n in runs.items() if n >= SOME_QUESTIONS}
    return [
        replace(v, holds_kind="ordered") if v.holds_kind == "count" and v.evidence in blocks else v
        for v in column_types
    ]
