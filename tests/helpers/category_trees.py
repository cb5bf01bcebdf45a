"""Trees that no method grows, with sources of categories of every kind, and raw rows for them.

Splits are cuts of numbers, of a column of 0 and 1, or of several of them, and tell missing values
from known ones; the rows have missing values and categories that no column stands for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from agathis._trees.builder import TreeBuilder
from agathis._trees.tree import Tree

#: Kinds of sources: their categories by column, and that without a column where it is known.
KINDS = {
    "texts": (["red", "it's", 'say "blue"', "NA-ish", "green"], None),
    "numbers": ([1, 2, 30], None),
    "truth": ([True], None),
    "truths": ([True, False], None),
    "one": (["only"], None),
    "with missing": (["a", "b", None], None),
    "dropped": (["low", "high"], "middle"),
    "many": ([f"c{i}" for i in range(12)], None),
}
UNKNOWN = {"texts": "purple", "numbers": 7, "one": "else", "with missing": "c", "many": "new"}


@dataclass(repr=False)
class Made:
    """A tree, what its columns are, raw rows and the same rows as numbers."""

    tree: Tree
    names: list[str]
    one_hot: dict[str, dict[str, object]]
    kinds: dict[str, str]
    raw: list[dict[str, object]]
    X: np.ndarray

    def __repr__(self) -> str:
        return f"Made({self.tree.to_dict()}, {self.names}, {self.one_hot})"

    @property
    def sources(self) -> list[str]:
        """Columns of the raw table, in their order."""
        return list(self.raw[0])


def encoded(names, one_hot, row) -> list[float]:
    """A raw row as numbers, from the definition."""
    home = {column: source for source, columns in one_hot.items() for column in columns}
    out = []
    for name in names:
        source = home.get(name)
        if source is None:
            value = row[name]
            out.append(np.nan if value is None else value)
            continue
        value, closed = row[source], None in one_hot[source].values()
        if value is None and not closed:
            out.append(np.nan)
        else:
            out.append(float(value == one_hot[source][name]))
    return out


@st.composite
def category_trees(draw, sums: bool = False, max_splits: int = 9, kinds=tuple(KINDS)):
    """Any such tree; with ``sums`` also splits on sums of any columns."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    chosen = [kinds[i] for i in random.permutation(len(kinds))[: random.integers(1, 4)]]
    names: list[str] = [f"n{i}" for i in range(random.integers(0, 3))]
    numbers, one_hot = list(names), {}
    for i, kind in enumerate(chosen):
        columns, rest = KINDS[kind]
        one_hot[f"s{i}"] = {f"s{i}_{j}": category for j, category in enumerate(columns)}
        names += one_hot[f"s{i}"]
        if rest is not None:
            one_hot[f"s{i}"][""] = rest
    kinds = {f"s{i}": kind for i, kind in enumerate(chosen)}
    tree = _tree(random, names, numbers, one_hot, draw(st.integers(0, max_splits)), sums)
    raw = [_row(random, numbers, one_hot, kinds) for _ in range(60)]
    X = np.array([encoded(names, one_hot, row) for row in raw])
    return Made(tree, names, one_hot, kinds, raw, X)


def _row(random, numbers, one_hot, kinds) -> dict[str, object]:
    row: dict[str, object] = {}
    for name in numbers:
        row[name] = None if random.random() < 0.2 else float(random.integers(-1, 6)) / 2
    for source, columns in one_hot.items():
        values = list(columns.values())
        kind = kinds[source]
        if kind in UNKNOWN:
            values.append(UNKNOWN[kind])
        if kind == "truth":
            values.append(False)
        values.append(None)
        row[source] = values[random.integers(len(values))]
    return row


def _tree(random, names, numbers, one_hot, n_splits, sums) -> Tree:
    place = {name: f for f, name in enumerate(names)}
    builder = TreeBuilder()
    for _ in range(n_splits):
        leaf = int(random.choice([i for i, c in enumerate(builder.children_left) if c < 0]))
        missing = int(random.integers(3))
        what = random.random()
        if sums and what < 0.3:
            columns = sorted(random.permutation(len(names))[: random.integers(1, 4)].tolist())
            weights = random.choice([1.0, 1.0, -0.5, 2.0], len(columns)).tolist()
            terms = tuple(zip(columns, weights, strict=True))
            builder.cut(leaf, columns[0], float(random.choice([0.5, 1.25])), terms=terms,
                        missing=missing)  # fmt: skip
            continue
        if numbers and what < 0.5:
            f = place[str(random.choice(numbers))]
            threshold = float(random.choice([0.0, 0.5, 1.0, 1.25, np.inf]))
            builder.cut(leaf, f, threshold, missing=missing)
            continue
        source = str(random.choice(list(one_hot)))
        own = [place[column] for column in one_hot[source] if column in place]
        some = sorted(random.permutation(own)[: random.integers(1, len(own) + 1)].tolist())
        threshold = np.inf if random.random() < 0.1 else 0.5
        terms = tuple((column, 1.0) for column in some) if len(some) > 1 else ()
        if threshold == np.inf:
            terms = ()
        builder.cut(leaf, some[0], float(threshold), terms=terms, missing=missing)
    nodes = len(builder.depth)
    leaves = [i for i, child in enumerate(builder.children_left) if child < 0]
    clusters = random.integers(0, 3, len(leaves))
    for leaf, cluster in zip(leaves, np.unique(clusters, return_inverse=True)[1], strict=True):
        builder.cluster[leaf] = int(cluster)
    counts = random.integers(1, 9, nodes)
    for node in range(nodes)[::-1]:
        if builder.children_left[node] >= 0:
            children = builder.children_left[node], builder.children_right[node]
            counts[node] = sum(counts[child] for child in children)
    builder.n_node_samples = counts.tolist()
    builder.weighted_n_node_samples = counts.astype(float).tolist()
    return builder.build(len(names))
