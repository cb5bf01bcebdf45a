"""Sums of two columns in words and in few digits: what is told is what the tree does, or near."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from helpers.examples import examples
from helpers.pair_trees import STEPS, pair_builder, pair_model, pair_models, pair_pipelines
from helpers.rounding import rounded_model
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from agathis._encoding.table_encoder import TableEncoder
from agathis._fit_table import as_pipeline, new_model, prepare
from agathis._rules.boxes import inside
from agathis._rules.described_tree import describe
from agathis._rules.linear_terms import _with_needed_bounds, describe_sum, shape_of
from agathis._rules.regions import tree_regions
from agathis._rules.rounding import rounded
from agathis._rules.rules import cluster_boxes
from agathis._rules.short_thresholds import short_thresholds
from agathis._rules.split_axes import SumAxis
from agathis._rules.titles import cluster_titles
from agathis._trees.builder import TreeBuilder
from agathis._trees.stepped import Step, SteppedTree, after
from agathis.export import FittedModel, to_json, to_rules, to_text

SEEDS = st.integers(0, 2**32 - 1)


def built(terms, threshold=0.5, n=2):
    builder = TreeBuilder()
    _, right = builder.cut(0, terms[0][0], threshold, terms=terms)
    builder.cluster[right] = 1
    builder.n_node_samples = [2, 1, 1]
    return builder.build(n)


@pytest.mark.parametrize(
    ("weights", "left", "right"),
    [
        ((1.0, 0.43), "a + 0.43 × b <= 2.9", "a + 0.43 × b > 2.9"),
        ((1.0, -2.0), "a - 2 × b <= 2.9", "a - 2 × b > 2.9"),
        ((-2.0, 1.0), "b - 2 × a <= 2.9", "b - 2 × a > 2.9"),
        ((-1.0, -3.0), "a + 3 × b >= -2.9", "a + 3 × b < -2.9"),
        ((2.0, 2.0), "a + b <= 1.45", "a + b > 1.45"),
        ((12500.0, 3.0), "12500 × a + 3 × b <= 2.9", "12500 × a + 3 × b > 2.9"),
    ],
)
def test_text(weights, left, right):
    tree = built(((0, weights[0]), (1, weights[1])), 2.9)
    assert describe(tree, feature_names=["a", "b"]).sides(0) == (left, right)


def test_both_bounds_of_a_turned_sum():
    builder = TreeBuilder()
    terms = ((0, -1.0), (1, -1.0))
    _, right = builder.cut(0, 0, 1.0, terms=terms)
    left, last = builder.cut(right, 0, 4.0, terms=terms)
    builder.cluster[left], builder.cluster[last] = 1, 2
    rules = to_rules(builder.build(2), feature_names=["a", "b"])
    assert [rule["rule"] for rule in rules] == ["a + b >= -1", "-4 <= a + b < -1", "a + b < -4"]


def test_missing_values_are_mentioned():
    builder = TreeBuilder()
    _, right = builder.cut(0, 0, 1.0, terms=((0, 1.0), (1, 2.0)), missing=1)
    builder.cluster[right] = 1
    described = describe(builder.build(2), feature_names=["a", "b"])
    assert described.sides(0) == ("a + 2 × b <= 1 or missing", "a + 2 × b > 1")


def test_clipped_and_transformed_columns_are_named():
    covered = (Step("at_least", 1.0), Step("at_most", 6.5), Step("subtract", 2.0))
    messages = describe_sum([1.0, 1.0], (covered, (Step("at_most", 3.0),)), ["a", "b"], [0.5])
    # Where b is 3 the sum is above its threshold, whatever a is.
    assert messages.name == "a (held within 1 to 6.5) + b"
    messages = describe_sum([1.0, 1.0], (covered, (Step("at_most", 3.0),)), ["a", "b"], [3.0])
    assert messages.name == "a (at most 6.5) + b (at most 3)"
    steps = make_pipeline(FunctionTransformer(np.log), StandardScaler())
    X = np.random.default_rng(0).uniform(1, 9, (30, 2))
    model = pair_model(steps.fit_transform(X), pair_builder(np.random.default_rng(1), X, 1, 1.0))
    text = to_text(make_pipeline(steps, model), feature_names=["price", "size"])
    assert "log of price" in text


@given(SEEDS)
def test_omitted_bounds_change_no_split(seed):
    """Rows far out, beyond all bounds, get the answer of the columns that are held."""
    random = np.random.default_rng(seed)
    steps = tuple(
        (Step("at_least", low), Step("at_most", low + 2.0), Step("multiply", 0.5))
        for low in random.integers(-3, 3, 2).astype(float).tolist()
    )
    raw = random.choice([-1.0, -0.5, 0.5, 1.0], 2)
    thresholds = random.normal(0, 2, 2).round(2) + 0.001
    shapes = [shape_of(own) for own in steps]
    messages = _with_needed_bounds(raw, shapes, 2 * raw, thresholds)
    U = random.choice([-100.0, -3, -2, -1, 0, 1, 2, 3, 4, 100], (200, 2))
    covered, free = (
        raw[0] * a.values(U[:, 0]) + raw[1] * b.values(U[:, 1]) for a, b in (shapes, messages)
    )
    for threshold in thresholds:
        np.testing.assert_array_equal(covered <= threshold, free <= threshold)


@given(SEEDS, st.sampled_from(sorted(STEPS)))
def test_shapes_are_what_steps_do(seed, name):
    """Slope, offset, bounds and filling give the values of the steps, but for rounding."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(30, 3)) * 10.0 ** random.integers(-2, 3, 3)
    X[random.random(X.shape) < 0.1] = np.nan
    X[0] = 1.0
    before = STEPS[name]().fit(X)
    Z = np.asarray(before.transform(X), dtype=float)
    tree = built(((0, 1.0), (Z.shape[1] - 1, 0.7)), n=Z.shape[1])
    axis = describe(make_pipeline(before, FittedModel(tree))).splits[0].axis
    assert isinstance(axis, SumAxis)
    for (f, _), steps, g in zip(axis.terms, axis.steps, (0, Z.shape[1] - 1), strict=True):
        np.testing.assert_array_equal(after(X[:, f], steps), Z[:, g])
        shape = shape_of(steps)
        u = X[:, f] if shape.fill is None else np.where(np.isnan(X[:, f]), shape.fill, X[:, f])
        np.testing.assert_allclose(shape.slope * shape.values(u) + shape.offset, Z[:, g], atol=1e-9)


@examples(60)
@given(made=pair_pipelines(missing=False, kinds=("normal",)))
def test_text_is_close_to_the_tree(made):
    """Rows that are not at the line go where the sentence sends them."""
    model, X, _ = made
    described = describe(model)
    for node, split in described.splits.items():
        axis = split.axis
        if not isinstance(axis, SumAxis):
            continue
        threshold = float(described.tree.threshold[node])
        total, written = axis.total(X), axis.total_as_written(X)
        # In units of the scaled columns; rows are within some five of these.
        far = np.abs(total - threshold) > 0.01 * max(abs(w) for _, w in axis.terms)
        left = written <= axis.description.bounds[threshold]
        if axis.description.turned:
            left = written >= axis.description.bounds[threshold]
        np.testing.assert_array_equal(left[far], (total <= threshold)[far])


@examples(60)
@given(made=pair_models())
def test_rules_hold_their_rows_and_no_other(made):
    model, X, _ = made
    described = describe(model)
    labels = model.tree_.predict(X)
    seen = np.isnan(X).any(axis=1) & (model.tree_.missing == 0).any()
    for cluster, boxes in enumerate(cluster_boxes(described)):
        covered = np.zeros(len(X), dtype=bool)
        for box in boxes:
            covered |= inside(X, box)
        np.testing.assert_array_equal(covered[~seen], (labels == cluster)[~seen])
    assert len(set(cluster_titles(described))) == model.tree_.n_clusters


class TestRounding:
    @examples(80)
    @given(made=pair_models())
    def test_plain_sums(self, made):
        model, X, _ = made
        tree = rounded(model.tree_, X)
        np.testing.assert_array_equal(tree.apply(X), model.tree_.apply(X))
        np.testing.assert_array_equal(tree.term_weight, model.tree_.term_weight)

    @examples(80)
    @given(made=pair_pipelines())
    def test_sums_of_scaled_columns(self, made):
        model, X, _ = made
        tree = describe(model).tree
        short = rounded(tree, X)
        short.check()
        np.testing.assert_array_equal(short.apply(X), tree.apply(X))

    def test_they_become_sums_of_raw_columns(self, iris):
        model = scaled_iris(iris)
        assert to_text(rounded_model(model, iris, feature_names=list("abcd"))).splitlines() == [
            "c + d <= 3",
            "|   cluster 0 (50 samples)",
            "c + d > 3",
            "|   cluster 1 (100 samples)",
        ]
        assert '"terms": [[[' in to_json(rounded_model(model, iris))

    def test_bounds_that_rows_need_stay(self):
        """Two rows far out that are held where the others are."""
        X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 9.0], [9.0, 2.0], [1e6, -1e6], [-1e6, 1e6]])
        steps = (Step("at_least", 0.0), Step("at_most", 3.0), Step("multiply", 0.5))
        plain = built(((0, 1.0), (1, 1.0)), 1.25)
        tree = SteppedTree(**vars(plain), term_steps=(steps, steps))
        short = rounded(tree, X)
        np.testing.assert_array_equal(short.apply(X), tree.apply(X))
        assert [step.operation for step in short.term_steps[0]] == ["at_least", "at_most"]
        assert describe(short).sides(0)[0] == ("x[0] (at least 0) + x[1] (at least 0) <= 2")


def scaled_iris(iris):
    scaler = StandardScaler().fit(iris)
    Z = scaler.transform(iris)
    total = np.sort(Z[:, 2] + 0.5 * Z[:, 3])
    builder = TreeBuilder()
    _, right = builder.cut(0, 2, float(total[49:51].mean()), terms=((2, 1.0), (3, 0.5)))
    builder.cluster[right] = 1
    return make_pipeline(scaler, pair_model(Z, builder))


@pytest.fixture
def iris():
    return load_iris().data


def test_pipelines_of_raw_tables(iris):
    """The model of a table gets weights whose raw ones are short; its rows stay where they are."""
    table = pd.DataFrame(iris, columns=["sl", "sw", "pl", "pw"])
    prepared = prepare(table, TableEncoder())
    Z = np.asarray(prepared.X)
    model = new_model(prepared, 2).fit(prepared.X)
    total = np.sort(Z[:, 2] + 0.5 * Z[:, 3])
    model.tree_ = built(((2, 1.0), (3, 0.5)), float(total[49:51].mean()), 4)
    before = as_pipeline(prepared, model).predict(table)
    model.tree_, model.raw_thresholds_ = short_thresholds(
        model.tree_, np.asarray(prepared.X), prepared.X.units
    )
    pipeline = as_pipeline(prepared, model)
    np.testing.assert_array_equal(pipeline.predict(table), before)
    assert to_text(pipeline).startswith("pl (at least 1.2) + pw (at least 0.1) <= 3\n")
    assert to_rules(rounded_model(pipeline, table))[0]["rule"] == "pl + pw <= 3"


@given(SEEDS)
def test_regions_hold_their_rows(seed):
    """Corners of the leaves: a row is in the one of its leaf, and in no other."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(40, 2)) * [1, 30] + [5, -7]
    scaler = StandardScaler().fit(X)
    Z = scaler.transform(X)
    model = make_pipeline(scaler, pair_model(Z, pair_builder(random, Z, 5)))
    tree = describe(model).tree
    regions = tree_regions(tree, (0, 1))
    low, high = X.min(axis=0) - 1, X.max(axis=0) + 1
    frame = [(float(a), float(b)) for a, b in zip(low, high, strict=True)]
    result = np.full(len(X), -1)
    area = 0.0
    for region in regions:
        corners = region.corners(*frame)
        if not len(corners):
            continue
        after_ = np.roll(corners, -1, axis=0)
        # Left of every side, since corners go round against the clock.
        sides = [
            (b[0] - a[0]) * (X[:, 1] - a[1]) - (b[1] - a[1]) * (X[:, 0] - a[0])
            for a, b in zip(corners, after_, strict=True)
        ]
        result[np.all(np.array(sides) >= 0, axis=0)] = region.leaf
        area += np.sum(corners[:, 0] * after_[:, 1] - corners[:, 1] * after_[:, 0]) / 2
    np.testing.assert_array_equal(result, tree.apply(X))
    assert area == pytest.approx(np.prod(high - low))


def test_no_regions_where_edges_are_not_straight():
    steps = (Step("at_most", 0.3), Step("multiply", 2.0))
    plain = built(((0, 1.0), (1, 1.0)))
    assert tree_regions(SteppedTree(**vars(plain), term_steps=(steps, ())), (0, 1)) is None
    assert tree_regions(plain, (0, 2)) is None
    assert len(tree_regions(plain, (1, 0))) == 2
