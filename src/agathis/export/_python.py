"""Export a tree to a Python function without dependencies.

Its rows may be those of ``csv.DictReader``, all strings. Each value that the tree splits on is
first converted to a number, a boolean or a category; NaN or None if it is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from keyword import iskeyword

from sklearn.base import BaseEstimator

from agathis._columns.missing_values import BOOLEANS, MARKS, NO_NUMBERS
from agathis._columns.spellings import spellings_of
from agathis._rules.admissible_values import AdmissibleValues, Categories, Range
from agathis._rules.columns import Column, Indicator, Number, categories_of
from agathis._rules.described_tree import Described, describe
from agathis._rules.split_axes import Axis, CategoryAxis, NumberAxis, SumAxis
from agathis._trees.tree import Tree
from agathis.export._python_dates import date_lines, variable_of
from agathis.export._terms import SIGNS, terms_of

#: Names used inside the function.
_USED = (
    *("enumerate", "float", "getattr", "hasattr", "int", "isinstance", "len", "max", "min", "str"),
    *("IndexError", "ValueError"),
)


def to_python(
    model: BaseEstimator | Tree,
    *,
    function: str = "cluster_of",
    scaler: object = None,
    feature_names: Sequence[str] | None = None,
    cluster_names: Sequence[str] | None = None,
    one_hot: object = None,
) -> str:
    r'''Export a tree to the source code of a Python function.

    The function takes a row, either a mapping from names to values, which may omit unused features,
    or a sequence of values in the order of the features, and returns the cluster. None, NaN, empty
    strings and strings such as "NA" are missing values, and go where they go in the tree. Numbers
    are compared as float64, as in ``predict``. Numbers and booleans may be strings, as from
    ``csv.DictReader``. Date parts are extracted from the date: one of ``datetime``, of pandas, or a
    string.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        As for :func:`agathis.export.to_text`.
    function : str, default="cluster_of"
        The name of the function.
    scaler, feature_names : optional
        As for :func:`agathis.export.to_text`.
    cluster_names : sequence of str, optional
        The values to return; by default the cluster numbers.
    one_hot : mapping, optional
        As for :func:`agathis.export.to_text`. The function then takes the categorical features: a
        row has ``"color": "red"``. A sequence has one value for each, in the position of its first
        one-hot column.

    Returns
    -------
    source : str
        Names and strings are escaped. It imports nothing, except ``datetime`` for dates.

    Examples
    --------
    >>> from agathis import Kauri
    >>> from agathis.export import to_python
    >>> source = to_python(Kauri(2).fit([[0.0], [1.0], [9.0]]), feature_names=["age"])
    >>> print(source)
    def cluster_of(row):
        """The cluster of a row.
    <BLANKLINE>
        A mapping from names to values, or a sequence of 1 value, in this order:
        'age'
        """
        named = hasattr(row, "keys")
        if not named and len(row) != 1:
            order = "'age'"
            text = "a row must have 1 value; it has %d. The order: %s"
            raise ValueError(text % (len(row), order))
        missing = ('', 'na', 'n/a', 'null', ...)
        x0 = row['age' if named else 0]
        x0 = float("nan" if str(x0).strip().lower() in missing else x0)
        if not x0 > 5.0:
            return 0
        return 1
    <BLANKLINE>
    >>> names = {}
    >>> exec(source, names)
    >>> names["cluster_of"]({"age": 7.5}), names["cluster_of"]([3])
    (1, 0)
    >>> names["cluster_of"]({"age": "7.5"}), names["cluster_of"]({"age": ""})
    (1, 0)
    '''
    if not isinstance(function, str) or not function.isidentifier() or iskeyword(function):
        raise ValueError(f"function must be a name that Python accepts; it is {function!r}.")
    if function in _USED:
        raise ValueError(f"function={function!r} is a name that the function itself uses.")
    described = describe(
        model,
        scaler=scaler,
        feature_names=feature_names,
        cluster_names=cluster_names,
        one_hot=one_hot,
    )
    return "\n".join(_lines(described, function)) + "\n"


def _lines(described: Described, function: str) -> Iterator[str]:
    columns = described.columns
    names = list(dict.fromkeys(column.column for column in columns))
    numbers = [
        column.name
        for column in columns
        if not isinstance(column, Indicator) and column.when is None
    ]
    if len(set(numbers)) < len(numbers):
        raise ValueError("feature_names has a name twice; a row could not tell them apart.")
    position = {name: i for i, name in enumerate(names)}
    many = f"{len(names)} value{'s'[: len(names) != 1]}"
    yield f"def {function}(row):"
    yield '    """The cluster of a row.'
    yield ""
    yield f"    A mapping from names to values, or a sequence of {many}, in this order:"
    sources = [columns[f].name for f in described.used() if isinstance(columns[f], Indicator)]
    for name in names:
        yield "    " + ascii(name).replace("\\", "\\\\").replace('"', '\\"')
    if sources:
        yield "    A category that is new is none of those that are named below."
    yield '    """'
    yield '    named = hasattr(row, "keys")'
    yield f"    if not named and len(row) != {len(names)}:"
    # ASCII only: the source is the same in every encoding.
    yield f"        order = {', '.join(map(repr, names))!a}"
    yield f'        text = "a row must have {many}; it has %d. The order: %s"'
    yield "        raise ValueError(text % (len(row), order))"
    used: dict[str, list[Column]] = {}
    for f in described.used():
        used.setdefault(columns[f].column, []).append(columns[f])
    if any(
        not isinstance(column, Indicator) for of_column in used.values() for column in of_column
    ):
        yield f"    missing = {NO_NUMBERS!a}"
    for name, of_column in used.items():
        i, column = position[name], of_column[0]
        yield f"    x{i} = row[{name!a} if named else {i}]"
        if isinstance(column, Indicator):
            yield from _category(f"x{i}", categories_of(columns, name))
        elif column.when is not None:
            parts = [
                one.when for one in of_column if isinstance(one, Number) and one.when is not None
            ]
            yield from date_lines(f"x{i}", parts)
        else:
            yield f'    x{i} = float("nan" if str(x{i}).strip().lower() in missing else x{i})'
    for leaf, turns in described.turns():
        answer = described.label(leaf)
        answer = ascii(answer) if isinstance(answer, str) else answer
        if turns:
            conditions = (_condition(axis, allowed, position) for axis, allowed in turns.items())
            yield f"    if {' and '.join(conditions)}:"
            yield f"        return {answer}"
        else:
            yield f"    return {answer}"


def _condition(axis: Axis, allowed: AdmissibleValues, position: dict[str, int]) -> str:
    if isinstance(axis, CategoryAxis) and isinstance(allowed, Categories):
        return _in_categories(axis, allowed, f"x{position[axis.name]}")
    if not isinstance(axis, (NumberAxis, SumAxis)) or not isinstance(allowed, Range):
        raise TypeError(f"{axis.name!r} does not go with {allowed!r}.")
    x = _sum(axis, position) if isinstance(axis, SumAxis) else _variable(axis.column, position)
    if allowed.high == float("inf"):
        return f"{x} == {x}"
    # NaN is not more than anything.
    return f"not {x} > {allowed.high!r}" if allowed.missing else f"{x} <= {allowed.high!r}"


def _variable(column: Column, position: dict[str, int]) -> str:
    x = f"x{position[column.column]}"
    if isinstance(column, Indicator) or column.when is None:
        return x
    return variable_of(x, column.when)


def _sum(axis: SumAxis, position: dict[str, int]) -> str:
    parts = []
    for term in terms_of(axis, "Python"):
        x = _variable(term.column, position)
        if isinstance(term.column, Indicator):
            x = _zero_or_one(term.column, term.is_closed, x)
        for step in term.steps:
            if step.operation == "fill":
                x = f"({step.by!r} if {x} != {x} else {x})"
            elif step.operation in SIGNS:
                x = f"({x} {SIGNS[step.operation]} {step.by!r})"
            else:
                # If it is NaN, the first of two is returned.
                x = f"{'max' if step.operation == 'at_least' else 'min'}({x}, {step.by!r})"
        parts.append(x if term.weight == 1 else f"{term.weight!r} * {x}")
    return f"({' + '.join(parts)})"


def _zero_or_one(column: Indicator, is_closed: bool, x: str) -> str:
    """1 if a row has the category, else 0; NaN if it is missing and that is no category."""
    is_it = f"{x} is None" if column.of_missing else f"{x} == {_literal(column.category)}"
    return f"({is_it})" if is_closed else f'(float("nan") if {x} is None else {is_it})'


def _in_categories(axis: CategoryAxis, allowed: Categories, x: str) -> str:
    chosen = [axis.categories[i] for i in sorted(allowed.indices) if i >= 0]
    literals = [_literal(category) for category in chosen if category is not None]
    if axis.missing_index in allowed.indices:
        if not literals:
            return f"{x} is None"
        literals.append("None")
    return f"{x} == {literals[0]}" if len(literals) == 1 else f"{x} in ({', '.join(literals)})"


def _category(x: str, categories: list[object]) -> Iterator[str]:
    """Convert a value so that it compares with the categories; None if it is missing."""
    if all(isinstance(category, bool) for category in categories):
        booleans: dict[str, bool | None] = {
            form: boolean for boolean, forms in BOOLEANS.items() for form in forms
        }
        booleans |= dict.fromkeys(NO_NUMBERS)
        yield f"    {x} = {booleans!a}.get(str({x}).strip().lower(), {x})"
        return
    marks = tuple(mark for mark in MARKS if mark not in categories)
    # Strings are compared first: pandas.NA is neither equal to itself nor not.
    yield f"    if {x} is None or str({x}).strip() in {marks!r} or {x} != {x}:"
    yield f"        {x} = None"
    if any(isinstance(category, (int, float)) for category in categories):
        yield f"    if isinstance({x}, str):"
        yield "        try:"
        yield f"            {x} = float({x})"
        yield "        except ValueError:"
        yield f"            {x} = {x}.strip()"
    words = tuple(category for category in categories if isinstance(category, str))
    if words:
        spellings = spellings_of(categories)
        yield f"    if isinstance({x}, str) and {x} not in {words!a}:"
        yield f'        {x} = " ".join({x}.split())'
        if spellings:
            yield f"        {x} = {spellings!a}.get({x}, {x})"


def _literal(category: object) -> str:
    if isinstance(category, (str, bool, int, float)):
        return ascii(category)
    raise TypeError(
        f"one_hot has the category {category!r}, a {type(category).__name__}; only strings and "
        "numbers can be written."
    )
