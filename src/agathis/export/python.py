"""A tree as a function in Python that needs no package at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from keyword import iskeyword

from sklearn.base import BaseEstimator

from agathis._tree import Tree
from agathis.export._columns import Indicator
from agathis.export._described import Described, Turn, describe


def to_python(
    model: BaseEstimator | Tree,
    *,
    function: str = "cluster_of",
    scaler: object = None,
    feature_names: Sequence[str] | None = None,
    cluster_names: Sequence[str] | None = None,
    one_hot: object = None,
) -> str:
    """Write a tree as the source of a function in Python.

    The function takes a row: a mapping from names to values, of which those that the tree asks
    for are enough, or a sequence of values in the order of the features. It returns the cluster.
    A value is missing where it is None or NaN, and goes where it goes in the tree. Numbers are
    compared as float64, as ``predict`` does.

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
        Names and texts in it are escaped; it imports nothing.

    Examples
    --------
    >>> from agathis import Kauri
    >>> from agathis.export import to_python
    >>> source = to_python(Kauri(2).fit([[0.0], [1.0], [9.0]]), feature_names=["age"])
    >>> print(source)
    def cluster_of(row):
        # A mapping from names to values, or a sequence of 1 value.
        named = hasattr(row, "keys")
        if not named and len(row) != 1:
            raise ValueError("a row must have 1 value; it has %d" % len(row))
        x0 = row['age' if named else 0]
        x0 = float("nan") if x0 is None else float(x0)
        if not x0 > 5.0:
            return 0
        return 1
    <BLANKLINE>
    >>> names = {}
    >>> exec(source, names)
    >>> names["cluster_of"]({"age": 7.5}), names["cluster_of"]([3])
    (1, 0)
    """
    if not isinstance(function, str) or not function.isidentifier() or iskeyword(function):
        raise ValueError(f"function must be a name that Python accepts; it is {function!r}.")
    if function in ("hasattr", "len", "float", "ValueError"):
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
    names = list(dict.fromkeys(column.name for column in columns))
    numbers = [column.name for column in columns if not isinstance(column, Indicator)]
    if len(set(numbers)) < len(numbers):
        raise ValueError("feature_names has a name twice; a row could not tell them apart.")
    place = {name: i for i, name in enumerate(names)}
    many = f"{len(names)} value{'s'[: len(names) != 1]}"
    yield f"def {function}(row):"
    yield f"    # A mapping from names to values, or a sequence of {many}."
    yield '    named = hasattr(row, "keys")'
    yield f"    if not named and len(row) != {len(names)}:"
    yield f'        raise ValueError("a row must have {many}; it has %d" % len(row))'
    used = {columns[f].name: columns[f] for f in described.used()}
    for name, column in used.items():
        i = place[name]
        # ASCII only: the source is the same in every encoding.
        yield f"    x{i} = row[{name!a} if named else {i}]"
        # What is not a number is only compared with categories.
        if not isinstance(column, Indicator):
            yield f'    x{i} = float("nan") if x{i} is None else float(x{i})'
    for leaf, turns in described.turns():
        answer = described.label(leaf)
        answer = ascii(answer) if isinstance(answer, str) else answer
        if turns:
            asked = " and ".join(_asked(described, turn, place) for turn in turns)
            yield f"    if {asked}:"
            yield f"        return {answer}"
        else:
            yield f"    return {answer}"
            return


def _asked(described: Described, turn: Turn, place: dict[str, int]) -> str:
    column = described.columns[turn.feature]
    x = f"x{place[column.name]}"
    if isinstance(column, Indicator):
        return _asked_of_source(column, turn, x)
    if turn.high == float("inf"):
        return f"{x} == {x}"
    # NaN is not more than anything.
    return f"not {x} > {turn.high!r}" if turn.missing else f"{x} <= {turn.high!r}"


def _asked_of_source(column: Indicator, turn: Turn, x: str) -> str:
    missing, known = f"({x} is None or {x} != {x})", f"({x} is not None and {x} == {x})"
    if column.of_missing:
        return known if turn.high < 1 else "True"
    if turn.high >= 1:
        # All known values; where missing ones are a category, there are no others.
        return "True" if column.closed else known
    other = f"{x} != {_literal(column.category)}"
    if turn.missing or column.closed:
        # None is not the category; NaN is not either.
        return other
    return f"({other} and not {missing})"


def _literal(category: object) -> str:
    if isinstance(category, (str, bool, int, float)):
        return ascii(category)
    raise TypeError(
        f"one_hot has the category {category!r}, a {type(category).__name__}; only texts and "
        "numbers can be written."
    )
