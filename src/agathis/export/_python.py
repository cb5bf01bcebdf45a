"""A tree as a function in Python that needs no package at all.

Its rows may be those of ``csv.DictReader``, all text. Each value that the tree asks for is first
made what the tree compares: a number, a truth, or a category, and NaN or None where it is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from keyword import iskeyword

from sklearn.base import BaseEstimator

from agathis._columns.missing_values import BOOLEANS, MARKS, NO_NUMBERS
from agathis._rules.admissible_values import AdmissibleValues, Categories, Range
from agathis._rules.columns import Column, Indicator, Number, categories_of
from agathis._rules.described_tree import Described, describe
from agathis._rules.split_axes import Axis, CategoryAxis, NumberAxis, SumAxis
from agathis._trees.tree import Tree
from agathis.export._python_dates import date_lines, variable_of
from agathis.export._sums import python_sum

#: Names that the function may use itself.
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
    r'''Write a tree as the source of a function in Python.

    The function takes a row: a mapping from names to values, of which those that the tree asks
    for are enough, or a sequence of values in the order of the features. It returns the cluster.
    A value is missing where it is None, NaN, an empty text or one such as "NA", and goes where it
    goes in the tree. Numbers are compared as float64, as ``predict`` does. Numbers and truths may
    be texts, as those of ``csv.DictReader`` are. Parts of dates are taken from the date: one of
    ``datetime``, of pandas, or a text.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        As for :func:`agathis.export.to_text`.
    function : str, default="cluster_of"
        The name of the function.
    scaler, feature_names : optional
        As for :func:`agathis.export.to_text`.
    cluster_names : sequence of str, optional
        What the function returns; by default the numbers of clusters.
    one_hot : mapping or OneHotEncoder, optional
        As for :func:`agathis.export.to_text`. The function then asks for the sources: a row has
        ``"color": "red"``. A sequence has a value for each source, in the place of the first of
        its columns.

    Returns
    -------
    source : str
        Names and texts in it are escaped; it imports nothing, but for dates ``datetime``.

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
    place = {name: i for i, name in enumerate(names)}
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
    if any(not isinstance(column, Indicator) for own in used.values() for column in own):
        yield f"    missing = {NO_NUMBERS!r}"
    for name, own in used.items():
        i, column = place[name], own[0]
        yield f"    x{i} = row[{name!a} if named else {i}]"
        if isinstance(column, Indicator):
            yield from _category(f"x{i}", categories_of(columns, name))
        elif column.when is not None:
            parts = [one.when for one in own if isinstance(one, Number) and one.when is not None]
            yield from date_lines(f"x{i}", parts)
        else:
            yield f'    x{i} = float("nan" if str(x{i}).strip().lower() in missing else x{i})'
    for leaf, turns in described.turns():
        answer = described.label(leaf)
        answer = ascii(answer) if isinstance(answer, str) else answer
        if turns:
            asked = " and ".join(_asked(axis, allowed, place) for axis, allowed in turns.items())
            yield f"    if {asked}:"
            yield f"        return {answer}"
        else:
            yield f"    return {answer}"


def _asked(axis: Axis, allowed: AdmissibleValues, place: dict[str, int]) -> str:
    if isinstance(axis, CategoryAxis) and isinstance(allowed, Categories):
        return _of_source(axis, allowed, f"x{place[axis.name]}")
    if not isinstance(axis, (NumberAxis, SumAxis)) or not isinstance(allowed, Range):
        raise TypeError(f"{axis.name!r} does not go with {allowed!r}.")
    if isinstance(axis, SumAxis):
        x = python_sum(axis, _on_or_off, lambda column: _variable(column, place))
    else:
        x = _variable(axis.column, place)
    if allowed.high == float("inf"):
        return f"{x} == {x}"
    # NaN is not more than anything.
    return f"not {x} > {allowed.high!r}" if allowed.missing else f"{x} <= {allowed.high!r}"


def _variable(column: Column, place: dict[str, int]) -> str:
    x = f"x{place[column.column]}"
    if isinstance(column, Indicator) or column.when is None:
        return x
    return variable_of(x, column.when)


def _on_or_off(column: Indicator, closed: bool, x: str) -> str:
    """1 where a source has a category, else 0; NaN where it is missing and that is none."""
    on = f"{x} is None" if column.of_missing else f"{x} == {_literal(column.category)}"
    return f"({on})" if closed else f'(float("nan") if {x} is None else {on})'


def _of_source(axis: CategoryAxis, allowed: Categories, x: str) -> str:
    named = [axis.categories[place] for place in sorted(allowed.indices) if place >= 0]
    words = [_literal(category) for category in named if category is not None]
    if axis.missing_index in allowed.indices:
        if not words:
            return f"{x} is None"
        words.append("None")
    return f"{x} == {words[0]}" if len(words) == 1 else f"{x} in ({', '.join(words)})"


def _category(x: str, categories: list[object]) -> Iterator[str]:
    """What makes a value one that compares with the categories, and None where it is missing."""
    if all(isinstance(category, bool) for category in categories):
        words: dict[str, bool | None] = {
            word: truth for truth, written in BOOLEANS.items() for word in written
        }
        words |= dict.fromkeys(NO_NUMBERS)
        yield f"    {x} = {words!r}.get(str({x}).strip().lower(), {x})"
        return
    marks = tuple(mark for mark in MARKS if mark not in categories)
    # The texts come first: a missing value of pandas is not even equal to itself or not.
    yield f"    if {x} is None or str({x}) in {marks!r} or {x} != {x}:"
    yield f"        {x} = None"
    if any(isinstance(category, (int, float)) for category in categories):
        yield f"    if isinstance({x}, str):"
        yield "        try:"
        yield f"            {x} = float({x})"
        yield "        except ValueError:"
        yield f"            {x} = {x}.strip()"


def _literal(category: object) -> str:
    if isinstance(category, (str, bool, int, float)):
        return ascii(category)
    raise TypeError(
        f"one_hot has the category {category!r}, a {type(category).__name__}; only texts and "
        "numbers can be written."
    )
