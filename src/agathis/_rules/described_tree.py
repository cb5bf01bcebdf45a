"""A tree in the units of the data, with names of features and clusters.

All exports and plots start here: ``describe`` converts a model, or a pipeline that ends in one,
into a ``Described``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any, TypedDict

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from agathis._encoding.date_parts import DatePart
from agathis._rules.admissible_values import Range
from agathis._rules.boxes import Box
from agathis._rules.columns import Column, Indicator, columns_of
from agathis._rules.numerals import check_numbers
from agathis._rules.preparation.preparation import Preparation
from agathis._rules.preparation.steps import preparation_of
from agathis._rules.split_axes import Split, SumAxis, splits_of
from agathis._trees.model import tree_of
from agathis._trees.tree import Tree


@dataclass(frozen=True)
class NodeLabels:
    """A node as text; the condition is the one that leads to it, empty for the root."""

    number: int
    parent: int
    depth: int
    cluster: str
    size: int
    is_leaf: bool
    condition: str


@dataclass(frozen=True, eq=False)
class TreeInUnits:
    """A tree that takes rows from before the steps of a pipeline.

    Attributes
    ----------
    tree : Tree
        Its features are raw columns, in their units; categories are columns of 0 and 1.
    model : estimator or Tree
        The model without these steps.
    preparation : Preparation or None
        The steps, if any.
    fitted_names : list of str or None
        Feature names of the tree, if it was fitted to named columns.
    """

    tree: Tree
    model: BaseEstimator | Tree
    preparation: Preparation | None
    fitted_names: list[str] | None

    @property
    def scaled(self) -> bool:
        """Whether values are transformed before the model."""
        return self.preparation is not None and any(p.links for p in self.preparation.lines)

    @property
    def takes_missing(self) -> bool:
        """Whether the tree accepts missing values, all or those that a step imputes."""
        filled = self.preparation is not None and self.preparation.fills_missing
        return filled or bool(getattr(self.model, "_takes_missing", True))


@dataclass(frozen=True, eq=False)
class Described(TreeInUnits):
    """A tree in original units, with names.

    Attributes
    ----------
    features, clusters : list of str
    columns : list of Column
        The meaning of each feature.
    named_features, named_clusters : bool
        Whether the names were given by the user.
    digits : int or None
        Significant digits of thresholds in text; ``None`` is all.
    numbers : {"plain", "grouped", "words"}
        The number format.
    shortened : bool
        Whether thresholds have as few digits as the rows allow.
    """

    features: list[str]
    clusters: list[str]
    columns: list[Column]
    named_features: bool
    named_clusters: bool
    digits: int | None = 4
    numbers: str = "plain"
    shortened: bool = False

    def label(self, leaf: int) -> int | str:
        """The name of a leaf's cluster if it was given, else its number."""
        cluster = int(self.tree.cluster[leaf])
        return self.clusters[cluster] if self.named_clusters else cluster

    def used(self) -> list[int]:
        """The features that the tree splits on, in their order."""
        single = self.tree.feature[~self.tree.is_leaf]
        return np.unique(np.concatenate([single, self.tree.term_feature])).tolist()

    @cached_property
    def splits(self) -> dict[int, Split]:
        """The split of each internal node."""
        return splits_of(self.tree, self.columns, self.digits, self.numbers)

    @cached_property
    def sums(self) -> dict[int, SumAxis]:
        """The splits on a sum of columns that are not categories of one feature.

        If the meaning of columns is unknown, a sum with weights of 1 and a threshold below 1 is
        taken as a split on categories, unless another node splits one of the columns below 0 or
        above 1.
        """
        tree, out = self.tree, {}
        groups = getattr(getattr(self.model, "roles_", None), "one_hot", None)
        known = self.preparation is not None or any(isinstance(c, Indicator) for c in self.columns)
        plain = ~tree.is_leaf & (np.diff(tree.term_start) == 0) & (tree.threshold < np.inf)
        beyond = plain & ((tree.threshold < 0) | (tree.threshold >= 1))
        for node, split in self.splits.items():
            axis, threshold = split.axis, float(tree.threshold[node])
            if not isinstance(axis, SumAxis):
                continue
            if known:
                of_source = False
            elif groups is not None:
                of_source = any({*axis.features} <= {*map(int, group)} for group in groups)
            else:
                of_source = 0 < threshold < 1
                of_source &= not (beyond & np.isin(tree.feature, axis.features)).any()
                of_source &= all(weight == 1 for _, weight in axis.terms)
            if not of_source or any(axis.steps):
                out[node] = axis
        return out

    def sides(self, node: int) -> tuple[str, str]:
        """The conditions of the two children."""
        name = self.splits[node].axis.name
        (left, end), (right, other_end) = self.around(node)
        return f"{left}{name}{end}", f"{right}{name}{other_end}"

    def around(self, node: int) -> tuple[tuple[str, str], tuple[str, str]]:
        """Return the text before and after the name in the conditions of the two children.

        It mentions only values that can reach the node: categories, and missing values if training
        rows had some and no node above sent them elsewhere. So the conditions along a path agree
        with the rule of its leaf.
        """
        split = self.splits[node]
        reached = self.boxes[node].get(split.axis, split.axis.everything)
        out = []
        for side in (split.left, split.right):
            if isinstance(reached, Range) and isinstance(side, Range):
                # Bounds of the nodes above are in their conditions.
                side = replace(side, missing=side.missing and reached.missing)
            else:
                side = side.intersection(reached)
            before, after, _ = split.axis.around(side)
            out.append((before, after))
        return out[0], out[1]

    @cached_property
    def boxes(self) -> dict[int, Box]:
        """The box of each node: the admissible values of the axes of the splits above."""
        out: dict[int, Box] = {0: {}}
        # Children have larger numbers than their parents.
        for node, split in self.splits.items():
            box, axis = out[node], split.axis
            allowed = box.get(axis, axis.everything)
            out[int(self.tree.children_left[node])] = {
                **box,
                axis: allowed.intersection(split.left),
            }
            out[int(self.tree.children_right[node])] = {
                **box,
                axis: allowed.intersection(split.right),
            }
        return out

    def leaves(self) -> list[int]:
        """Return the leaves from left to right."""
        return [node for node in self._preorder() if self.tree.is_leaf[node]]

    def nodes(self) -> Iterator[NodeLabels]:
        """Yield the nodes in preorder: a parent, its left subtree, its right subtree."""
        tree, parents = self.tree, self.tree.parents().tolist()
        for node in self._preorder():
            parent, condition = parents[node], ""
            if parent >= 0:
                condition = self.sides(parent)[int(tree.children_right[parent] == node)]
            cluster, size = self.clusters[tree.cluster[node]], int(tree.n_node_samples[node])
            is_leaf, depth = bool(tree.is_leaf[node]), int(tree.depth[node])
            yield NodeLabels(node, parent, depth, cluster, size, is_leaf, condition)

    def _preorder(self) -> Iterator[int]:
        tree, todo = self.tree, [0]
        while todo:
            node = todo.pop()
            yield node
            if not tree.is_leaf[node]:
                todo += [int(tree.children_right[node]), int(tree.children_left[node])]

    def turns(self) -> Iterator[tuple[int, Box]]:
        """Yield the leaves as a chain of ``if ... elif ... else``, with the conditions by axis.

        First come the leaves below the child whose values can be listed: the left one for numbers,
        and for categories the one without unknown values. Rows that reach a later leaf satisfy none
        of the conditions before, so that no condition needs a negation. The last leaf has no
        condition; leaves that no row can reach are omitted.
        """
        tree = self.tree
        todo: list[tuple[int, Box]] = [(0, {})]
        while todo:
            node, conditions = todo.pop()
            if any(allowed.is_empty for allowed in conditions.values()):
                continue
            if tree.is_leaf[node]:
                # Intervals that contain all values are no conditions.
                conditions = {a: v for a, v in conditions.items() if v != Range()}
                yield node, conditions
                if not conditions:
                    return
                continue
            split = self.splits[node]
            left, right = int(tree.children_left[node]), int(tree.children_right[node])
            first, second, side = left, right, split.left
            if not split.left_first:
                first, second, side = right, left, split.right
            met = conditions[split.axis].intersection(side) if split.axis in conditions else side
            todo += [(second, conditions), (first, {**conditions, split.axis: met})]


class Names(TypedDict, total=False):
    """Names and number formats, the keyword arguments of ``describe`` and of exports."""

    scaler: object
    feature_names: Sequence[str] | None
    cluster_names: Sequence[str] | None
    one_hot: object
    value_names: Mapping[Any, Any] | None
    digits: int | None
    numbers: str


def describe(
    model: BaseEstimator | Pipeline | Tree,
    *,
    scaler: object = None,
    feature_names: Sequence[str] | None = None,
    cluster_names: Sequence[str] | None = None,
    one_hot: object = None,
    value_names: Mapping[Any, Any] | None = None,
    digits: int | None = 4,
    numbers: str = "plain",
) -> Described:
    """Describe the tree of a model; parameters as in ``to_text``."""
    is_integer = isinstance(digits, Integral) and not isinstance(digits, bool)
    if digits is not None and (not is_integer or digits < 1):
        raise ValueError(f"digits must be an integer, at least 1, or None; it is {digits!r}.")
    check_numbers(numbers)
    converted = in_units(model, scaler)
    shortened = _is_rounded(model, converted)
    if shortened:
        # Thresholds are written in full, since they are rounded.
        digits = None
    tree, model = converted.tree, converted.model
    features = converted.fitted_names if feature_names is None else feature_names
    date_parts: Mapping[str, DatePart] = {}
    if converted.preparation is not None:
        prepared = converted.preparation
        if feature_names is not None and prepared.can_be_named(feature_names):
            prepared = prepared.renamed(feature_names)
            features = [feature.name for feature in prepared.features]
        one_hot = (prepared.one_hot or None) if one_hot is None else one_hot
        date_parts = prepared.date_parts
    fitted = getattr(model, "feature_names_in_", None)
    if feature_names is None or (fitted is not None and list(feature_names) == list(fitted)):
        # The meaning of columns in a model file is by their fitted names.
        one_hot = getattr(model, "one_hot_", None) if one_hot is None else one_hot
        value_names = getattr(model, "value_names_", None) if value_names is None else value_names
        date_parts = date_parts or getattr(model, "date_parts_", {})
    clusters = cluster_names
    if clusters is None:
        clusters = getattr(model, "cluster_names_", None)
    named = features is not None, clusters is not None
    if features is None:
        features = [f"x[{f}]" for f in range(tree.n_features)]
    if clusters is None:
        clusters = [f"cluster {k}" for k in range(tree.n_clusters)]
    features = _check_names("feature_names", features, tree.n_features, "features")
    clusters = _check_names("cluster_names", clusters, tree.n_clusters, "clusters")
    thresholds: dict[int, list[float]] = {}
    for node in np.flatnonzero(~tree.is_leaf & (np.diff(tree.term_start) == 0)):
        thresholds.setdefault(int(tree.feature[node]), []).append(float(tree.threshold[node]))
    columns = columns_of(features, thresholds, one_hot, value_names, digits, numbers, date_parts)
    return Described(
        **vars(converted),
        features=features,
        clusters=clusters,
        columns=columns,
        named_features=named[0],
        named_clusters=named[1],
        digits=digits,
        numbers=numbers,
        shortened=shortened,
    )


def _is_rounded(model: BaseEstimator | Pipeline | Tree, converted: TreeInUnits) -> bool:
    """Return whether thresholds have as few digits as the rows allow."""
    prepared = converted.preparation
    if isinstance(model, Pipeline) and prepared is not None:
        short, tree = {*prepared.thresholds.values()}, converted.tree
        numbers = [prepared.sources[feature.source].is_number for feature in prepared.features]
        splits = np.flatnonzero(~tree.is_leaf & (np.diff(tree.term_start) == 0))
        return bool(short) and all(
            float(tree.threshold[node]) in short for node in splits if numbers[tree.feature[node]]
        )
    return bool(getattr(converted.model, "rounded", False))


def in_units(model: BaseEstimator | Pipeline | Tree, scaler: object = None) -> TreeInUnits:
    """Return the tree of a model over raw columns; parameters as in ``to_text``."""
    title, steps = "scaler", [("scaler", scaler)]
    if isinstance(model, Pipeline):
        inside = [(f"model[{name!r}]", step) for name, step in model.steps[:-1]]
        model = last_step(model)
        if inside and scaler is not None:
            raise ValueError("scaler is given, and model is a Pipeline with steps of its own.")
        if inside:
            title, steps = "model[:-1]", inside
    tree = tree_of(model)
    names = getattr(model, "feature_names_in_", None)
    prepared = preparation_of(steps, tree.n_features, names, title)
    if prepared is None:
        return TreeInUnits(tree, model, None, None if names is None else list(map(str, names)))
    prepared = replace(prepared, thresholds=getattr(model, "raw_thresholds_", {}))
    fitted: list[str] | None = [feature.name for feature in prepared.features]
    if prepared.names is None and fitted == [f"x[{f}]" for f in range(len(prepared.lines))]:
        fitted = None
    return TreeInUnits(prepared.tree(tree), model, prepared, fitted)


def last_step(model: BaseEstimator | Pipeline | Tree) -> BaseEstimator | Tree:
    """The estimator at the end of a pipeline, or the model itself."""
    return model.steps[-1][1] if isinstance(model, Pipeline) else model


def _check_names(argument: str, names: Sequence[str], n: int, what: str) -> list[str]:
    """Validate names of ``n`` features or clusters."""
    if not hasattr(names, "__len__") or not hasattr(names, "__getitem__"):
        raise TypeError(f"{argument} must be a sequence of {n} names; it is {names!r}.")
    if isinstance(names, str) or len(names) != n:
        given = f"{names!r}" if isinstance(names, str) else f"{len(names)} names"
        raise ValueError(f"{argument} has {given}; the tree has {n} {what}.")
    return [str(name) for name in names]
