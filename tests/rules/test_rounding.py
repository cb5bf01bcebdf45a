"""Thresholds of few digits: every row goes its way, and no shorter number would do."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from helpers.examples import examples
from helpers.exports import BASELINES, SCALERS, trees
from helpers.rounding import rounded_model
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from agathis import Kauri
from agathis._model.conversion import fitted_model
from agathis._rules.numerals import NUMBERS, are_years, numeral
from agathis._rules.rounding import rounded, shortest
from agathis.export import from_json, to_json, to_python, to_rules, to_sklearn, to_sql, to_text


def n_digits(number: Decimal) -> int:
    return len(number.normalize().as_tuple().digits)


def n_decimals(number: Decimal) -> int:
    return max(0, -number.normalize().as_tuple().exponent)


@given(
    st.decimals(-2000, 2000, places=2),
    st.decimals("0.01", 300, places=2),
    st.floats(0, 1, exclude_max=True),
)
def test_shortest_by_trying_all(low, width, share):
    """Every decimal of two places is looked at; those of more have more digits than an end."""
    high = low + width
    value = float(low) + share * float(width)
    assume(float(low) <= value < float(high))

    def rank(number):
        return n_digits(number), n_decimals(number), abs(number - Decimal(value))

    result = Decimal(repr(shortest(value, float(low), float(high))))
    assert low <= result < high
    every = [Decimal(k) / 100 for k in range(int(low * 100), int(high * 100))]
    assert rank(result) == min(map(rank, every))


@given(st.floats(-1e308, 1e308), st.integers(1, 5))
def test_between_neighbours(low, steps):
    """However near the ends are, and however small or large."""
    high = low
    for _ in range(steps):
        high = math.nextafter(high, math.inf)
    assert low <= shortest(low, low, high) < high


@examples(60)
@given(made=trees())
def test_every_row_reaches_the_same_leaf(made):
    model, X, _ = made
    tree = rounded(model.tree_, X)
    np.testing.assert_array_equal(tree.apply(X), model.tree_.apply(X))
    for node in np.flatnonzero(~tree.is_leaf):
        assert len(repr(float(tree.threshold[node]))) <= 24
        assert digits_of(tree.threshold[node]) <= digits_of(model.tree_.threshold[node])
    tree.check()


def digits_of(value: float) -> int:
    return n_digits(Decimal(repr(float(value)))) if np.isfinite(value) else 0


@examples(40)
@given(made=trees(missing=False, kinds=("normal", "ties")), scaler=st.sampled_from([*SCALERS]))
def test_a_scaled_model(made, scaler):
    """Rows of which the scaler's own arithmetic sent them somewhere still go there."""
    _, X, _ = made
    model = make_pipeline(SCALERS[scaler](), Kauri(3, max_leaf_nodes=6, n_jobs=1))
    assume(len(np.unique(X, axis=0)) > 3)
    model.fit(X)
    result = rounded_model(model, X)
    np.testing.assert_array_equal(result.predict(X), model.predict(X))
    assert result.rounded
    read = from_json(to_json(result))
    assert read.rounded
    np.testing.assert_array_equal(read.tree_.threshold, result.tree_.threshold)
    # Texts have the thresholds as they are: reading them gives the same tree.
    text = to_text(read, digits=1)
    for node in np.flatnonzero(~read.tree_.is_leaf):
        assert numeral(float(read.tree_.threshold[node]), None) in text
    # Without rows no threshold is touched.
    np.testing.assert_array_equal(
        fitted_model(model).tree_.threshold, from_json(to_json(model)).tree_.threshold
    )


@pytest.mark.parametrize("name", BASELINES)
def test_baselines(name, iris):
    model = BASELINES[name](3).fit(iris)
    result = rounded_model(model, iris)
    np.testing.assert_array_equal(result.predict(iris), model.labels_)


def test_nodes_that_share_a_threshold_still_do():
    # Two cuts at 6.5, one of which has room down to 5 only, the other up to 8.
    X = np.array([[0, 3], [0, 5], [0, 8], [1, 5], [1, 9.0], [1, 12]])
    tree = Kauri(4, kernel="precomputed", max_leaf_nodes=None).fit(X, gram=np.eye(6)).tree_
    split = np.flatnonzero(~tree.is_leaf & (tree.feature == 1))
    tree.threshold[split] = 6.5
    assert len({float(t) for t in rounded(tree, X).threshold[split]}) == 1


def test_integers_and_years():
    X = pd.DataFrame({"flipper": [180, 190, 206, 207, 220, 230]})
    model = Kauri(2, max_leaf_nodes=2).fit(X)
    model.tree_.threshold[0] = 206.5
    assert to_rules(rounded_model(model, X))["rule"] == ["flipper <= 206", "flipper > 206"]
    assert '"flipper" <= 206 THEN' in to_sql(rounded_model(model, X))


def test_columns_of_categories_keep_their_half():
    X = pd.DataFrame({"sex_male": [0.0, 1, 1], "sex_female": [1.0, 0, 0]})
    model = Kauri(2, max_leaf_nodes=None).fit(X)
    one_hot = {"sex": ["sex_male", "sex_female"]}
    assert rounded_model(model, X, one_hot=one_hot).tree_.threshold[0] == 0.5
    assert rounded_model(model, X).tree_.threshold[0] == 0.0


def test_no_digits_of_the_machine():
    iris = load_iris(as_frame=True).data
    model = make_pipeline(StandardScaler(), Kauri(3, max_leaf_nodes=3)).fit(iris)
    assert "2.4499999999999997" in to_sql(model)
    result = rounded_model(model, iris)
    sql = to_sql(result)
    assert '"petal length (cm)" <= 2 ' in sql
    assert "99999" not in sql + to_python(result) + to_json(result)


def test_scikit_learn_has_values_at_thresholds():
    """Short thresholds are often values of rows, and float32 rounds those up or down."""
    wine = load_wine().data
    for k in range(2, 6):
        model = make_pipeline(StandardScaler(), Kauri(k, max_leaf_nodes=2 * k)).fit(wine)
        result = rounded_model(model, wine)
        np.testing.assert_array_equal(to_sklearn(result).predict(wine), model.predict(wine))


@pytest.mark.parametrize(
    ("value", "plain", "grouped", "words"),
    [
        (52_500_000.0, "52500000", "52,500,000", "52.5 million"),
        (1e9, "1000000000", "1,000,000,000", "1 billion"),
        (-2.25e12, "-2250000000000", "-2,250,000,000,000", "-2.25 trillion"),
        (52_512_345.5, "52512345.5", "52,512,345.5", "52,512,345.5"),
        (1234.5, "1234.5", "1,234.5", "1,234.5"),
        (0.25, "0.25", "0.25", "0.25"),
        (1e-9, "1e-09", "1e-09", "1e-09"),
        (1e30, "1e+30", "1e+30", "1e+30"),
        (float("inf"), "inf", "inf", "inf"),
    ],
)
def test_number_formats(value, plain, grouped, words):
    assert [numeral(value, None, way) for way in NUMBERS] == [plain, grouped, words]


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(NUMBERS))
def test_numerals_are_read_back(value, way):
    text = numeral(value, None, way).replace(",", "")
    number, _, word = text.partition(" ")
    factor = {"": 0, "million": 6, "billion": 9, "trillion": 12}[word]
    assert float(Decimal(number).scaleb(factor)) == value


def test_years_have_no_separators():
    frame = pd.DataFrame({"year": [1999, 2001, 2010, 2012], "price": [1900.0, 2500, 9e7, 9.5e7]})
    model = Kauri(2, max_leaf_nodes=None).fit(frame)
    tree = model.tree_
    cut_at = {"year": 2005.0, "price": 52_500_000.0}
    for f, (name, threshold) in enumerate(cut_at.items()):
        tree.feature[0], tree.threshold[0] = f, threshold
        text = to_text(model, numbers="words").splitlines()[0]
        assert text == {"year": "year <= 2005", "price": "price <= 52.5 million"}[name]
    assert are_years([2005.0, 1999.5])
    assert not are_years([2005.25])
    assert "price <= 52,500,000" in str(to_rules(model, numbers="grouped"))
    with pytest.raises(ValueError, match="numbers='loud' is unknown; accepted are plain, grouped"):
        to_text(model, numbers="loud")
