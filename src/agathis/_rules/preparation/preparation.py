"""The steps before a tree: how its features are computed, and its splits in raw values.

``steps.preparation_of`` creates it from the steps of a pipeline. ``tree`` returns the tree over raw
features, and ``rows`` computes these features of a raw table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from agathis._encoding.date_parts import DatePart
from agathis._rules.columns import is_missing
from agathis._rules.preparation.arithmetic import indicator_term, steps_of_line
from agathis._rules.preparation.column_transforms import Is, Line, transformed_by
from agathis._rules.preparation.known_steps import (
    encoding,
    takes_missing,
)
from agathis._rules.preparation.raw_columns import (
    RawColumn,
    RawFeature,
    features_of,
    rows_of_table,
)
from agathis._rules.preparation.raw_splits import RawSplit, Values, category_split, number_splits
from agathis._trees.stepped import Steps, with_steps
from agathis._trees.tree import Tree


@dataclass(frozen=True, eq=False)
class Preparation:
    """The steps before a tree.

    Attributes
    ----------
    lines : list of Line
        The steps to each feature of the tree.
    sources : list of RawColumn
        The raw columns of the lines.
    features : list of RawFeature
        The features of the tree over raw columns.
    names : list or None
        The names of all columns of the fitted raw table, if any.
    n_columns : int
        Their number.
    by_name : bool
        Whether a raw table may have another order of columns, and additional ones.
    title : str
        The name of the steps in errors.
    encode : callable or None
        Computes the raw features of a table, if the first step does.
    thresholds : mapping
        Known raw thresholds, by feature and threshold.
    """

    lines: list[Line]
    sources: list[RawColumn]
    features: list[RawFeature]
    names: list[Any] | None
    n_columns: int
    by_name: bool
    title: str
    encode: Callable[[Any], np.ndarray] | None = None
    thresholds: Mapping[tuple[int, float], float] = field(default_factory=dict)
    #: The raw terms of sums by feature, shared by all nodes.
    _terms: dict[int, tuple[int, Steps]] = field(default_factory=dict, init=False, repr=False)

    @property
    def one_hot(self) -> dict[str, dict[str, object]]:
        """Map each categorical column to its features and their categories."""
        out: dict[str, dict[str, object]] = {}
        for feature in self.features:
            source = self.sources[feature.source]
            if not source.is_number:
                out.setdefault(source.name, {})[feature.name] = feature.category
        return out

    @property
    def date_parts(self) -> dict[str, DatePart]:
        """Map the name of each date-part feature to its column and part."""
        return {f.name: f.when for f in self.features if f.when is not None}

    @property
    def fills_missing(self) -> bool:
        """Whether the steps accept missing values of some raw column.

        An encoder of raw tables accepts them all: if the training rows had none, they go to the
        child with more rows.
        """
        return self.encode is not None or any(source.fills_missing for source in self.sources)

    def can_be_named(self, names: Sequence[str]) -> bool:
        """Return whether there are as many names as raw columns, or features."""
        return (
            hasattr(names, "__len__")
            and not isinstance(names, str)
            and (self._names_columns(names) or len(names) == len(self.features))
        )

    def renamed(self, names: Sequence[str]) -> Preparation:
        """Rename all raw columns if there are as many names, else the features."""
        if self._names_columns(names):
            sources = [replace(s, name=str(names[s.column])) for s in self.sources]
            return replace(self, sources=sources, features=features_of(sources))
        features = [replace(f, name=str(n)) for f, n in zip(self.features, names, strict=True)]
        return replace(self, features=features)

    def _names_columns(self, names: Sequence[str]) -> bool:
        return self.encode is None and len(names) == self.n_columns

    def rows(self, X: ArrayLike, takes_missing: bool) -> np.ndarray:
        """Compute the raw features of the rows of a table.

        Parameters
        ----------
        X : array or data frame
        takes_missing : bool
            Whether the model accepts missing values that no step imputes.
        """
        if self.encode is not None:
            return self.encode(X)
        return rows_of_table(
            X, self.sources, self.features, self.names, self.n_columns, takes_missing
        )

    def tree(self, tree: Tree) -> Tree:
        """Return the equivalent tree over raw features.

        It sends a raw row to the leaf where ``tree`` sends the transformed row.
        """
        if len(self.lines) != tree.n_features:
            raise ValueError(
                f"{self.title} gives {len(self.lines)} features; the tree has {tree.n_features}."
            )
        splits = self._splits(tree)
        feature, threshold = tree.feature.copy(), tree.threshold.copy()
        left, right = tree.children_left.copy(), tree.children_right.copy()
        missing, missing_left = tree.missing.copy(), tree.missing_left
        # For each node the sources whose missing values a node above sent elsewhere.
        sent_elsewhere: dict[int, frozenset[int]] = {0: frozenset()}
        n_terms = np.zeros(tree.node_count + 1, dtype=np.int32)
        term_feature: list[int] = []
        term_weight: list[float] = []
        term_steps: list[Steps] = []
        for node, split in sorted(splits.items()):
            if split.weights:
                sent_elsewhere[int(left[node])] = sent_elsewhere[int(right[node])] = sent_elsewhere[
                    node
                ]
                feature[node] = split.terms[0]
                n_terms[node + 1] = len(split.terms)
                term_feature += split.terms
                term_weight += split.weights
                term_steps += split.steps
                continue
            source = self.features[split.terms[0]].source
            goes_left = bool(missing_left[node]) if split.missing == 0 else split.missing == 1
            sent_elsewhere[int(left[node])] = sent_elsewhere[node] | (
                frozenset() if goes_left else {source}
            )
            sent_elsewhere[int(right[node])] = sent_elsewhere[node] | (
                {source} if goes_left else frozenset()
            )
            # They are mentioned all the same by a split that separates missing values only.
            is_unreachable = (
                split.filled and source in sent_elsewhere[node] and np.isfinite(split.threshold)
            )
            direction = 0 if is_unreachable else split.missing
            feature[node], threshold[node], missing[node] = (
                split.terms[0],
                split.threshold,
                direction,
            )
            if len(split.terms) > 1:
                n_terms[node + 1] = len(split.terms)
                term_feature += split.terms
                term_weight += [1.0] * len(split.terms)
                term_steps += [()] * len(split.terms)
            if split.swapped:
                n_left, n_right = tree.n_node_samples[[left[node], right[node]]]
                left[node], right[node] = right[node], left[node]
                # Missing values that were not seen go left on a tie.
                missing[node] = (2 if n_left == n_right else 0, 2, 1)[direction]
        out = replace(
            tree,
            children_left=left,
            children_right=right,
            feature=feature,
            threshold=threshold,
            missing=missing,
            n_features=len(self.features),
            term_start=np.cumsum(n_terms, dtype=np.int32),
            term_feature=np.array(term_feature, dtype=np.int32),
            term_weight=np.array(term_weight, dtype=np.float64),
        )
        return with_steps(out, term_steps)

    def _splits(self, tree: Tree) -> dict[int, RawSplit]:
        """Return the raw split of each internal node."""
        features_of_source: dict[int, list[int]] = {}
        for f, feature in enumerate(self.features):
            features_of_source.setdefault(feature.source, []).append(f)
        values: dict[int, Values] = {}
        out: dict[int, RawSplit] = {}
        numbers: list[int] = []
        direction = np.where(tree.missing_left, 1, 2)
        larger = np.where(replace(tree, missing=np.zeros_like(tree.missing)).missing_left, 1, 2)
        for node in np.flatnonzero(~tree.is_leaf).tolist():
            terms = tree.terms(node) or ((int(tree.feature[node]), 1.0),)
            sources = {self.lines[f].source for f, _ in terms}
            of_numbers = any(self.sources[s].is_number for s in sources)
            if len(terms) > 1 and (of_numbers or len(sources) > 1):
                out[node] = self._sum(tree, node, features_of_source)
                continue
            if of_numbers:
                numbers.append(node)
                continue
            for f, _ in terms:
                if f not in values:
                    values[f] = self.category_values(
                        self.lines[f], features_of_source[self.lines[f].source]
                    )
            out[node] = category_split(
                [(values[f], weight) for f, weight in terms],
                float(tree.threshold[node]),
                int(direction[node]),
                int(tree.missing[node]),
                int(larger[node]),
            )
        lines = [self.lines[tree.feature[node]] for node in numbers]
        of_number = number_splits(
            lines,
            tree.threshold[numbers],
            tree.missing[numbers],
            [features_of_source[line.source][0] for line in lines],
        )
        for node, split in zip(numbers, of_number, strict=True):
            known = self._known_threshold(int(tree.feature[node]), float(tree.threshold[node]))
            out[node] = split if known is None else replace(split, threshold=known)
        return out

    def _known_threshold(self, feature: int, threshold: float) -> float | None:
        """Return the raw threshold that the model knows, if its image is this threshold."""
        known = self.thresholds.get((feature, threshold))
        if known is None:
            return None
        return (
            known
            if transformed_by(self.lines[feature], np.array([known]))[0] == threshold
            else None
        )

    def _sum(
        self, tree: Tree, node: int, features_of_source: Mapping[int, Sequence[int]]
    ) -> RawSplit:
        """Return a sum of columns as a sum of raw features after the operations of their lines."""
        for f, _ in tree.terms(node):
            if f not in self._terms:
                line = self.lines[f]
                features, source = features_of_source[line.source], self.sources[line.source]
                if source.is_number:
                    self._terms[f] = features[0], steps_of_line(line)
                else:
                    values_of = partial(self.category_values, features=features)
                    self._terms[f] = indicator_term(line, source.name, values_of)
        terms = [(*self._terms[f], weight) for f, weight in tree.terms(node)]
        raw, steps, weights = zip(*terms, strict=True)
        threshold, missing = float(tree.threshold[node]), int(tree.missing[node])
        return RawSplit(raw, threshold, missing, False, False, weights, steps)

    def category_values(self, line: Line, features: Sequence[int]) -> Values:
        """Compute the values of a feature of categories."""
        source = self.sources[line.source]
        assert source.categories is not None
        blank = _missing_of(line)
        probes = [blank if category is None else category for category in source.categories]
        known = len(probes)
        unknown = missing = None
        if source.takes_unknown:
            unknown = len(probes)
            probes.append(_unknown_to(source.categories))
        if None not in source.categories and takes_missing(line):
            missing = len(probes)
            probes.append(blank)
        raw = np.empty(len(probes), dtype=object)
        raw[:] = probes
        values = transformed_by(line, raw).astype(np.float64)
        return Values(
            dict(zip(features, values[:known].tolist(), strict=True)),
            None if unknown is None else float(values[unknown]),
            None if missing is None else float(values[missing]),
            handles_missing=encoding(line) is not line.links[0],
        )


def _missing_of(line: Line) -> object:
    """Return the value that the steps of a line regard as missing."""
    link = encoding(line)
    if link is not None:
        blanks = [value for value in link.step.categories_[link.input_column] if is_missing(value)]
        if blanks:
            return blanks[0]
    if isinstance(line.links[0].step, Is):
        return None
    return getattr(line.links[0].step, "missing_values", float("nan"))


def _unknown_to(categories: Sequence[object]) -> object:
    """Return a value of the type of the categories that is none of them."""
    known = [category for category in categories if category is not None]
    numbers = [category for category in known if isinstance(category, (bool, int, float))]
    if numbers and len(numbers) == len(known):
        return max(map(float, numbers)) + 1.0
    out = "?"
    while out in known:
        out += "?"
    return out
