"""A tree that explains given labels."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from helpers.examples import examples
from helpers.invariants import valid_tree
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier

from agathis import explain
from agathis._checks.roles import EncodedRows, FeatureRoles
from agathis._dataset.fit_input import dataset_of
from agathis._fit.fit import fit
from agathis._fit.labels import with_labels
from agathis._model.spec import FitSpec
from agathis.export import from_json, to_json


def reference(X, labels, weight, n_leaves):
    """The smallest Gini criterion and the largest agreement of all trees, from their definitions.

    Both are sums over leaves: the weight times the Gini impurity, and the weight of the majority.
    """

    def leaf(rows):
        sums = np.bincount(labels[list(rows)], weight[list(rows)])
        return sums.sum() - (sums**2).sum() / sums.sum(), sums.max()

    @cache
    def best(rows, leaves):
        gini, agreement = leaf(rows)
        for column in X.T if leaves > 1 else ():
            for threshold in np.unique(column[list(rows)])[:-1]:
                left = tuple(row for row in rows if column[row] <= threshold)
                right = tuple(row for row in rows if column[row] > threshold)
                for n_left in range(1, leaves):
                    sides = best(left, n_left), best(right, leaves - n_left)
                    gini = min(gini, sides[0][0] + sides[1][0])
                    agreement = max(agreement, sides[0][1] + sides[1][1])
        return gini, agreement

    return best(tuple(range(len(X))), n_leaves)


@st.composite
def problems(draw, n_rows=9, n_labels=3):
    """Few rows with ties, labels, weights and a number of leaves."""
    random = np.random.RandomState(draw(st.integers(0, 10**6)))
    n = draw(st.integers(4, n_rows))
    X = random.randint(4, size=(n, 2)).astype(float)
    labels = np.concatenate([[0, 1], random.randint(n_labels, size=n - 2)])
    return X, labels, random.randint(1, 4, size=n), draw(st.integers(2, 4))


@examples(100)
@given(problems())
def test_optimal_trees_are_those_of_all_trees(problem):
    X, labels, weight, n_leaves = problem
    gini, agreement = reference(X, labels, weight, n_leaves)
    n_leaves = min(n_leaves, len(X))
    spec = FitSpec.of_method("Kauri", n_clusters=n_leaves, search="optimal", random_state=0)
    rows = EncodedRows.of(X, FeatureRoles.plain(2))
    dataset = with_labels(
        dataset_of(spec.to_estimator(), rows, weight), labels, int(labels.max()) + 1
    )
    np.testing.assert_allclose(fit(dataset, spec).others["inertia_"], gini, atol=1e-9)
    model = explain(
        X, labels, sample_weight=weight, max_leaf_nodes=n_leaves, search="optimal", random_state=0
    )
    assert model.agreement.agreement <= agreement / weight.sum() + 1e-9
    if gini < 1e-9:
        assert model.agreement.agreement == 1


@pytest.mark.parametrize("search", ["greedy", "local", "optimal"])
@examples(40)
@given(problems(40, 4))
def test_never_below_a_decision_tree(search, problem):
    X, labels, weight, n_leaves = problem
    other = DecisionTreeClassifier(max_leaf_nodes=n_leaves, random_state=0)
    other.fit(X, labels, sample_weight=weight)
    model = explain(
        X, labels, sample_weight=weight, max_leaf_nodes=n_leaves, search=search, random_state=0
    )
    reached = model.agreement.agreement
    assert reached >= other.score(X, labels, sample_weight=weight) - 1e-12
    predicted = model.classes_[model.predict(X)]
    assert reached == pytest.approx(np.average(predicted == labels, weights=weight))
    valid_tree(model.tree_, X, weight=weight, max_leaf_nodes=n_leaves, kauri=False)
    # Missing values: scikit-learn's tree has them too.
    X = np.where(np.random.RandomState(0).rand(*X.shape) < 0.2, np.nan, X)
    if search != "optimal":
        other.fit(X, labels, sample_weight=weight)
        model = explain(
            X, labels, sample_weight=weight, max_leaf_nodes=n_leaves, search=search, random_state=0
        )
        expected = other.score(X, labels, sample_weight=weight)
        assert model.agreement.agreement >= expected - 1e-12


@examples(40)
@given(problems(30, 3))
def test_weights_are_repeated_rows_and_noise_has_none(problem):
    X, labels, weight, n_leaves = problem
    options = {"max_leaf_nodes": n_leaves, "random_state": 0}
    weighted = explain(X, labels, sample_weight=weight, **options)
    repeated = explain(np.repeat(X, weight, axis=0), np.repeat(labels, weight), **options)
    assert weighted.agreement.agreement == pytest.approx(repeated.agreement.agreement)
    assert_array_equal(weighted.predict(X), repeated.predict(X))
    plain = explain(X, labels, **options)
    noisy = explain(np.vstack([X, 10 * X + 1]), [*labels, *[-1] * len(X)], **options)
    assert to_json(plain.tree_) == to_json(noisy.tree_)
    assert noisy.agreement.n_noise == len(X)
    reached = np.bincount(noisy.predict(10 * X + 1), minlength=len(noisy.agreement.labels))
    assert [each.n_noise for each in noisy.agreement.labels] == reached.tolist()
    assert sum(each.n_noise for each in noisy.agreement.leaves) == len(X)
    assert noisy.agreement.agreement == plain.agreement.agreement


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_the_numbers_of_the_agreement(load):
    data = load()
    model = explain(data.data, data.target, random_state=0)
    told, leaves = model.classes_[model.predict(data.data)], model.apply(data.data)
    right, found = told == data.target, model.agreement
    assert found.agreement == pytest.approx(right.mean())
    for each in found.labels:
        rows = data.target == int(each.label)
        assert each.n_samples == rows.sum()
        assert each.agreement == pytest.approx(right[rows].mean())
        assert each.precision == pytest.approx(right[told == int(each.label)].mean())
    for leaf in found.leaves:
        assert leaf.n_samples == (leaves == leaf.node).sum()
        assert leaf.agreement == pytest.approx(right[leaves == leaf.node].mean())
    assert found.n_folds == 5
    assert found.n_held_out == len(right)
    shares = [each.held_out * each.n_samples for each in found.labels]
    assert found.held_out == pytest.approx(sum(shares) / len(right))
    assert found.held_out < found.agreement
    assert found == explain(data.data, data.target, random_state=0).agreement


@pytest.fixture(scope="module")
def customers():
    random = np.random.RandomState(0)
    segment = random.randint(3, size=150)
    return pd.DataFrame(
        {
            "visits": 5 * segment + random.randint(6, size=150),
            "spent": np.where(segment == 1, np.nan, 10.0 * segment + random.normal(0, 3, 150)),
            "country": np.where(segment == 2, "fr", random.choice(["de", "it"], 150)),
            "segment": np.array(["new", "casual", "loyal"])[segment],
        }
    )


def test_raw_tables(customers):
    model = explain(customers, "segment", random_state=0)
    assert model.classes_.tolist() == ["casual", "loyal", "new"]
    assert "segment" not in model.feature_names_in_
    assert model.provenance.target == "segment"
    right = model.classes_[model.predict(customers)] == customers["segment"]
    assert model.agreement.agreement == pytest.approx(right.mean())
    assert "agrees with" in model.agreement.summary()
    assert str(model.rules()).count("casual is") == 1
    again = from_json(to_json(model))
    assert again.agreement == model.agreement
    assert to_json(again) == to_json(model)
    assert_array_equal(again.classes_, model.classes_)


@pytest.mark.parametrize(
    "given_as",
    [
        lambda table: table["segment"],
        lambda table: table["segment"].astype("category"),
        lambda table: table["segment"].to_numpy(dtype=str),
        lambda table: table["segment"].tolist(),
    ],
)
def test_the_same_labels_in_other_types(customers, given_as):
    expected = explain(customers, "segment", random_state=0)
    model = explain(customers.drop(columns="segment"), given_as(customers), random_state=0)
    assert to_json(model.tree_) == to_json(expected.tree_)
    assert model.classes_.tolist() == expected.classes_.tolist()


def test_a_column_given_as_a_series_is_no_feature(customers):
    model = explain(customers, customers["segment"], random_state=0)
    assert "segment" not in " ".join(model.feature_names_in_)


def test_integer_labels_are_returned_as_integers():
    X = np.arange(6.0)[:, None]
    model = explain(X, [7, 7, 3, 3, 12, 12], random_state=0)
    assert model.classes_.tolist() == [3, 7, 12]
    assert model.classes_[model.predict(X)].tolist() == [7, 7, 3, 3, 12, 12]
    assert explain(X, [7.0, 7, 3, 3, 12, 12], random_state=0).classes_.tolist() == [3, 7, 12]


def test_noise_may_be_a_label():
    X = np.arange(6.0)[:, None]
    model = explain(X, [-1, -1, 0, 0, 1, 1], noise="label", random_state=0)
    assert model.classes_.tolist() == [-1, 0, 1]
    assert model.agreement.n_noise == 0
    with pytest.raises(ValueError, match="noise='label' makes a label of -1"):
        explain(X, [-1, -1, 1, 1, 1, 1])


def test_each_label_has_a_leaf_if_leaves_are_added():
    random = np.random.RandomState(0)
    X = np.vstack([random.rand(60, 1), random.rand(60, 1) + 2, [[0.5], [0.5001]]])
    X = np.hstack([X, random.rand(122, 1)])
    labels = np.repeat(["a", "b", "rare"], [60, 60, 2])
    few = explain(X, labels, max_leaf_nodes=3, random_state=0).agreement
    assert few.labels[-1].label == "rare"
    assert few.labels[-1].n_leaves == 0
    assert "No rule predicts label rare (2 rows)" in " ".join(map(str, few.notes()))
    model = explain(X, labels, random_state=0)
    assert sorted(model.classes_) == ["a", "b", "rare"]
    assert 3 < model.n_leaves_ <= 6


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1, 1, 1, 1], "one label only, '1'"),
        ([-1, -1, -1, -1], "no label"),
        (["a", None, "b", None], "2 missing values in 4 rows"),
        ([1.0, np.nan, 2.0, 1.0], "1 missing value in 4 rows"),
        (pd.Categorical(["a", "b", None, "a"]), "1 missing value in 4 rows"),
        ([0.5, 1.0, 1.5, 2.0], "integers or strings"),
        ([f"id {n}" for n in range(40)], "40 different values in 40 rows"),
        ([0, 1], "labels has 2 values; X has 4 rows"),
        ("segment", "is no column of X"),
    ],
)
def test_labels_that_cannot_be_explained(labels, message):
    with pytest.raises(ValueError, match=message):
        explain(np.arange(40.0 if len(labels) == 40 else 4.0)[:, None], labels)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"noise": "drop"}, "noise='drop' must be 'ignore' or 'label'"),
        ({"search": "best"}, "search"),
        ({"max_leaf_nodes": None}, "max_leaf_nodes"),
        ({"missing": "mean"}, "missing='mean'"),
    ],
)
def test_options_that_do_not_exist(option, message):
    with pytest.raises(ValueError, match=message):
        explain(np.arange(4.0)[:, None], [0, 0, 1, 1], **option)


def test_many_rows_use_a_sample(monkeypatch):
    import agathis._explain as module
    import agathis._fit.labels as of_labels

    random = np.random.RandomState(0)
    X = random.rand(1200, 3)
    labels = (X[:, 0] > 0.5).astype(int) + (X[:, 1] > 0.7)
    monkeypatch.setattr(of_labels, "EXACT_ROWS", 500)
    monkeypatch.setattr(module, "CROSS_FITTED_ROWS", 300)
    model = explain(X, labels, max_leaf_nodes=4, min_samples_leaf=0.1, random_state=0)
    assert model.agreement.agreement > 0.95
    assert model.agreement.held_out > 0.9
    assert model.agreement.n_folds == 1
    assert model.agreement.n_held_out == 900
    assert model.tree_.n_node_samples[model.tree_.is_leaf].min() >= 120
