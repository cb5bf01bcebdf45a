"""Trees that cut sums of two columns, put by hand in the place of what a method grew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    RobustScaler,
    StandardScaler,
)

from agathis import Kauri
from agathis._kernels.kernel import Kernel
from agathis._objective.objective import kernel_objective
from agathis._rules.described_tree import describe
from agathis._rules.linear_terms import shape_of
from agathis._rules.split_axes import SumAxis
from agathis._trees.builder import TreeBuilder
from agathis._trees.completion import completed
from agathis._utils.numbers import threshold_between
from helpers.exports import rows_of
from helpers.models import filled
from helpers.pipelines import quiet

#: Steps that shift, scale, hold, fill in: all are arithmetic.
STEPS = {
    "standard": StandardScaler,
    "minmax": lambda: MinMaxScaler((-1, 3)),
    "clipped": lambda: MinMaxScaler(clip=True),
    "maxabs": MaxAbsScaler,
    "robust": RobustScaler,
    "twice": lambda: make_pipeline(RobustScaler(), MinMaxScaler(clip=True), StandardScaler()),
    "negative": lambda: make_pipeline(StandardScaler(), FunctionTransformer(np.negative)),
    "filled": lambda: make_pipeline(SimpleImputer(), StandardScaler()),
    "some": lambda: make_column_transformer(
        (MinMaxScaler(), [0]), remainder="passthrough", verbose_feature_names_out=False
    ),
    "weighted": lambda: make_column_transformer(
        (StandardScaler(), [1]), (MinMaxScaler(), [0]), remainder="passthrough"
    ),
    "times": lambda: ColumnTransformer(
        [("a", StandardScaler(), slice(0, None)), ("b", MinMaxScaler(), slice(0, None))],
        transformer_weights={"a": 3.0},
    ),
}


def digits3(value: float) -> float:
    return float(f"{value:.3g}")


def pair_builder(random, X: np.ndarray, n_cuts: int, share: float = 0.7) -> TreeBuilder:
    """Cuts of columns and of sums of two, each between rows that come to it; a cluster a leaf."""
    builder, rows = TreeBuilder(), {0: np.arange(len(X))}
    for _ in range(n_cuts):
        open_ = [node for node, own in rows.items() if len(own) > 1]
        if not open_:
            break
        node = open_[random.integers(len(open_))]
        own = X[rows[node]]
        terms: tuple = ()
        columns = np.sort(random.permutation(X.shape[1])[:2]).tolist()
        if len(columns) == 2 and random.random() < share:
            weights = random.choice([1.0, -1.0, 2.0, -3.0, 0.43, digits3(random.normal())], 2)
            terms = tuple(zip(columns, [float(w) or 1.0 for w in weights], strict=True))
        value = np.zeros(len(own))
        for f, weight in terms or ((columns[0], 1.0),):
            value = value + weight * own[:, f]
        seen = np.unique(value[~np.isnan(value)])
        if len(seen) < 2:
            continue
        at = random.integers(len(seen) - 1)
        threshold = threshold_between(float(seen[at]), float(seen[at + 1]))
        missing = int(random.integers(3)) if np.isnan(value).any() else 0
        left, right = builder.cut(node, columns[0], threshold, terms=terms, missing=missing)
        goes = (value <= threshold) | (np.isnan(value) & (missing == 1))
        rows[left], rows[right] = rows[node][goes], rows[node][~goes]
        del rows[node]
    leaves = [node for node, child in enumerate(builder.children_left) if child < 0]
    for cluster, leaf in enumerate(leaves):
        builder.cluster[leaf] = cluster % 3
    return builder


def with_builder(model: Kauri, builder: TreeBuilder, X: np.ndarray) -> Kauri:
    """The fitted model with another tree, and all that goes with it."""
    kernel, points = Kernel("linear"), filled(X, None)
    tree, _ = completed(builder, X, None, kernel, 1)
    model.tree_ = replace(tree, gain=np.nan_to_num(tree.gain))
    model.labels_ = tree.predict(X)
    model.n_clusters_, model.n_leaves_ = tree.n_clusters, tree.n_leaves
    model.objective_ = kernel_objective(kernel, points, model.labels_, None, 1)
    return model


def pair_model(X, builder: TreeBuilder, names=None) -> Kauri:
    """A Kauri of rows with the tree of a builder."""
    X = np.asarray(X, dtype=float)
    model = Kauri(2, n_jobs=1, engine="binned", max_leaf_nodes=None).fit(X)
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    return with_builder(model, builder, X)


@st.composite
def pair_models(draw, missing: bool = True, kinds=("normal", "ties"), d: int = 3):
    """A Kauri with cuts of sums, its rows, and rows to come, some of them at the thresholds."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rows_of(random, draw(st.integers(4, 40)), d, draw(st.sampled_from(kinds)))
    if missing and draw(st.booleans()):
        X[random.random(X.shape) < 0.15] = np.nan
    builder = pair_builder(random, X, draw(st.integers(1, 7)))
    model = pair_model(X, builder)
    return model, X, at_pairs(random, model, X, missing)


@st.composite
def pair_pipelines(draw, steps=tuple(STEPS), missing: bool = True, kinds=("normal", "ties")):
    """The same behind fitted steps, with raw rows."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rows_of(random, draw(st.integers(4, 40)), 3, draw(st.sampled_from(kinds)))
    chosen = draw(st.sampled_from(steps))
    if missing and (chosen == "filled" or draw(st.booleans())):
        X[random.random(X.shape) < 0.15] = np.nan
        X[0] = 1.0
    before = STEPS[chosen]().fit(X)
    Z = np.asarray(quiet(before.transform, X), dtype=float)
    model = pair_model(Z, pair_builder(random, Z, draw(st.integers(1, 6))))
    raw = np.vstack([X, X + random.normal(size=X.shape) * np.nanstd(X, axis=0)])
    pipeline = make_pipeline(before, model)
    return pipeline, X, at_pairs(random, pipeline, raw, missing)


def at_pairs(random, model, X: np.ndarray, missing: bool) -> np.ndarray:
    """Rows about those of X; of some the sum of a node is at its threshold, or a bit beside it."""
    rows = [X, np.where(np.isnan(X), 0.0, X) + random.normal(size=X.shape)]
    described = describe(model)
    for node, split in described.splits.items():
        if not isinstance(split.axis, SumAxis):
            continue
        (i, a), (j, b) = split.axis.terms
        if i == j:
            continue
        one, other = map(shape_of, split.axis.steps)
        near = np.nan_to_num(X[random.integers(len(X), size=9)])
        first = a * (one.slope * np.clip(near[:, i], one.low, one.high) + one.offset)
        rest = described.tree.threshold[node] - first - b * other.offset
        near[:, j] = rest / (b * other.slope)
        for row, steps in zip(near, range(-4, 5), strict=True):
            row[j] += steps * np.spacing(row[j])
        rows.append(near)
    out = np.vstack(rows)
    if missing:
        out[len(X) :][random.random(out[len(X) :].shape) < 0.1] = np.nan
    return out
