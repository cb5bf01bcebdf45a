"""A table as numbers: what is made of it for a fit, and said about it.

    columns -> verdicts (_columns) -> numbers and columns of 0 and 1 (_values) -> rows without gaps

All that is wrong with a table is told at once, with the options that help.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from agathis._cli.columns import Verdict, judge, reason
from agathis._cli.console import Messages, count, listed
from agathis._cli.errors import BadData
from agathis._cli.names import Wanted, name_of, typed
from agathis._cli.values import as_numbers, as_words, plain
from agathis._tables.indicators import indicators

if TYPE_CHECKING:
    import pyarrow as pa


#: What follows longer advice is not put in line.
WIDE = 30
#: The squares of larger numbers are no numbers of float64.
LARGEST = 1e150


@dataclass(frozen=True)
class Prepared:
    """Rows of numbers.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        NaN where a value is missing, if that was asked for.
    names : list of str
        Of the features; all are different.
    one_hot : dict
        For each source its columns with their categories, as exporters take it.
    target : ndarray of str, or None
    rows : ndarray of int
        Which rows of the table these are.
    """

    X: np.ndarray
    names: list[str]
    one_hot: dict[str, dict[str, object]]
    target: np.ndarray | None
    rows: np.ndarray

    def sources(self) -> list[np.ndarray]:
        """The places of the features that were made of each source of categories."""
        place = {name: i for i, name in enumerate(self.names)}
        return [np.array([place[name] for name in made]) for made in self.one_hot.values()]


def prepare(table: pa.Table, wanted: Wanted, name: str, messages: Messages) -> Prepared:
    """Turn a table into numbers, and say what became of its columns."""
    wanted = wanted.of(table.column_names)
    messages.say(f"Read {count(table.num_rows, 'row')} and {count(table.num_columns, 'column')}.")
    verdicts = _verdicts(table, wanted, name)
    _tell(verdicts, wanted, messages)
    used = [v for v in verdicts if v.kind != "out"]
    if not used:
        raise BadData(
            f"{name} has no column left to cluster by."
            + "".join(f" {name_of(v.name)}: {v.why}." for v in verdicts)
            + " --keep NAME uses a column all the same." * any(v.can_be_kept for v in verdicts)
        )
    blocks, names, one_hot = [], [], {}
    taken = {v.name for v in used}
    for verdict in used:
        block, made = _block(verdict, plain(table.column(verdict.name)), taken)
        blocks.append(block)
        names += made or [verdict.name]
        if made:
            one_hot[verdict.name] = made
    X = np.column_stack(blocks)
    for verdict, block in zip(used, blocks, strict=True):
        if np.nanmax(np.abs(block), initial=0.0) > LARGEST:
            raise BadData(
                f"{name_of(verdict.name)} has numbers beyond {LARGEST:g}: "
                f"{typed('--drop', [verdict.name])} leaves it out."
            )
    rows = _complete_rows(X, used, blocks, wanted.missing, name, messages)
    target = None if wanted.target is None else target_of(table, wanted.target)[rows]
    return Prepared(X[rows], names, one_hot, target, rows)


def target_of(table: pa.Table, name: str) -> np.ndarray:
    """The classes of the rows as texts."""
    if table.column_names.count(name) > 1:
        raise BadData(f"--target {name_of(name)}: there are two columns of that name.")
    words = as_words(plain(table.column(name)))
    return np.array(["(missing)" if word is None else word for word in words])


def _verdicts(table: pa.Table, wanted: Wanted, name: str) -> list[Verdict]:
    counts = Counter(table.column_names)
    left = [n for n in counts if n not in wanted.drop and n != wanted.target]
    twice = [n for n in left if counts[n] > 1 and n]
    if twice:
        raise BadData(
            f"{name} has {counts[twice[0]]} columns of the name {name_of(twice[0])}, so that no "
            f"rule could tell them apart. Rename them, or leave them out: "
            + typed("--drop", twice[:1])
        )
    verdicts = [
        judge(
            n,
            table.column(table.column_names.index(n)),
            keep=n in wanted.keep,
            categorical=n in wanted.categorical,
        )
        for n in left
    ]
    problems = [v for v in verdicts if v.kind == "problem"]
    if problems:
        lines = [f"  {name_of(v.name)} {v.why}." for v in problems]
        few = [v.name for v in problems if v.has_few_values]
        drop = typed("--drop", [v.name for v in problems])
        ways = {drop: "leaves it out" if len(problems) == 1 else "leaves them out"}
        if few:
            ways[typed("--categorical", few)] = "takes each value for a category"
        raise BadData(
            f"{name} has columns that are neither numbers nor categories:\n"
            + "\n".join(lines)
            + _ways_out(ways)
        )
    return verdicts


def _tell(verdicts: Sequence[Verdict], wanted: Wanted, messages: Messages) -> None:
    categories = [
        f"{name_of(v.name)} ({count(len(v.categories), 'value')})"
        for v in verdicts
        if v.kind == "category"
    ]
    if categories:
        messages.say(f"Categories: {listed(categories)}.")
    reasons: dict[tuple[str, bool], list[str]] = {}
    for v in verdicts:
        if v.kind == "out":
            reasons.setdefault((v.why, v.can_be_kept), []).append(v.name)
    for (why, can_be_kept), names in reasons.items():
        keeps = f"keeps {'it' if len(names) == 1 else 'them'}"
        way = f" ({typed('--keep', names)} {keeps})" if can_be_kept else ""
        messages.say(f"Left out: {listed(map(name_of, names))}: {reason(why, len(names))}{way}.")
    if wanted.target is not None:
        messages.say(f"Kept for judging only: {name_of(wanted.target)}.")


def _block(
    verdict: Verdict, column: pa.Array, taken: set[str]
) -> tuple[np.ndarray, dict[str, object]]:
    """The columns of a feature, with the categories of those that come from such."""
    if verdict.kind == "number":
        return as_numbers(column)[:, None], {}
    if verdict.kind == "boolean":
        return as_numbers(column)[:, None], {verdict.name: True}
    made: dict[str, object] = {}
    for category in verdict.categories:
        name = f"{verdict.name}_{category}"
        # Another column may have that very name.
        while name in taken:
            name += "_"
        taken.add(name)
        made[name] = category
    return indicators(as_words(column), verdict.categories), made


def _complete_rows(
    X: np.ndarray,
    used: Sequence[Verdict],
    blocks: Sequence[np.ndarray],
    missing: str,
    name: str,
    messages: Messages,
) -> np.ndarray:
    gaps = [int(np.isnan(block[:, 0]).sum()) for block in blocks]
    lacking = [f"{name_of(v.name)} ({n:,})" for v, n in zip(used, gaps, strict=True) if n]
    every = np.arange(len(X))
    if not lacking:
        return every
    complete = np.flatnonzero(~np.isnan(X).any(axis=1))
    dropped = len(X) - len(complete)
    if missing == "error":
        worst = used[int(np.argmax(gaps))].name
        ways = {
            "--missing drop": "leaves these rows out",
            "--missing tree": "keeps them: each split learns where they go",
            typed("--drop", [worst]): "leaves a column out",
        }
        raise BadData(
            f"{name} has missing values in {listed(lacking)}; {dropped:,} of {len(X):,} rows miss "
            f"one.{_ways_out(ways)}"
        )
    if missing == "tree":
        messages.say(f"Missing values in {listed(lacking)}: each split learns where they go.")
        return every
    if not len(complete):
        raise BadData(f"--missing drop leaves no row of {name}: each misses a value.")
    messages.say(
        f"Left out: {count(dropped, 'row')} with missing values, in {listed(lacking)}. "
        f"That leaves {count(len(complete), 'row')}."
    )
    return complete


def _ways_out(ways: dict[str, str]) -> str:
    width = min(WIDE, max(map(len, ways)))
    return "\nWays out:" + "".join(f"\n  {way:<{width}}  {what}" for way, what in ways.items())
