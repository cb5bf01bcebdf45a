"""Numbers that went through steps: raw rows go where the model sends what the steps make of them.

Scalers are exact to the last bit. Powers, quantiles and functions may be wrong in their last bits,
so that nothing is promised of rows whose feature is that near to a threshold.
"""

from __future__ import annotations

import numpy as np
import pytest
from helpers.exports import SCALERS, SEEDS, rows_of
from helpers.pipelines import at_thresholds, check_routes, quiet, with_tree
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    PowerTransformer,
    QuantileTransformer,
    StandardScaler,
)

from agathis._rules.described_tree import describe
from agathis._rules.preparation.known_steps import FUNCTIONS

EXACT = {
    **SCALERS,
    "negative": lambda: FunctionTransformer(np.negative),
    "identity": FunctionTransformer,
    "binarizer": lambda: Binarizer(threshold=0.3),
}
#: Of positive numbers.
ROUNDED = {
    "uniform": lambda: QuantileTransformer(n_quantiles=10),
    "normal": lambda: QuantileTransformer(n_quantiles=10, output_distribution="normal"),
    "yeo-johnson": PowerTransformer,
    "yeo-johnson alone": lambda: PowerTransformer(standardize=False),
    "box-cox": lambda: PowerTransformer(method="box-cox"),
    **{f.__name__: (lambda f=f: FunctionTransformer(f)) for f in FUNCTIONS if f},
}


def without_some(random, X, share):
    """With missing values, and at least one known value in each column."""
    X = X.copy()
    X[1:][random.random(X[1:].shape) < share] = np.nan
    return X


@given(
    seed=SEEDS,
    kind=st.sampled_from(["normal", "ties", "close"]),
    names=st.lists(st.sampled_from(sorted(EXACT)), min_size=1, max_size=3),
    fill=st.sampled_from(["none", "first", "last"]),
    missing=st.booleans(),
)
def test_exact_steps(seed, kind, names, fill, missing):
    random = np.random.default_rng(seed)
    X = rows_of(random, int(random.integers(3, 40)), 3, kind)
    X = without_some(random, X, 0.3) if missing else X
    steps = [EXACT[name]() for name in names]
    if fill != "none":
        steps.insert(len(steps) if fill == "last" else 0, SimpleImputer(strategy="median"))
    if "binarizer" in names and fill != "first":
        # It takes no missing values.
        X = X[~np.isnan(X).any(axis=1)]
    pipeline = with_tree(random, make_pipeline(*steps).fit(X), X)
    check_routes(pipeline, at_thresholds(random, describe(pipeline).tree, X))


@given(
    seed=SEEDS,
    first=st.sampled_from(sorted(ROUNDED)),
    then=st.sampled_from(["", "standard", "minmax", "uniform", "yeo-johnson", "tanh", "negative"]),
    missing=st.booleans(),
)
def test_rounded_steps(seed, first, then, missing):
    random = np.random.default_rng(seed)
    X = random.gamma(2.0, size=(int(random.integers(5, 40)), 2)) + 0.01
    X = without_some(random, X, 0.2) if missing else X
    steps = make_pipeline(ROUNDED[first](), {**EXACT, **ROUNDED}[then]() if then else None)
    pipeline = with_tree(random, quiet(steps.fit, X), X)
    rows = at_thresholds(random, describe(pipeline).tree, X)
    check_routes(pipeline, rows[~(rows <= 0).any(axis=1)], exact=False)


@given(seed=SEEDS, weight=st.floats(0.01, 100))
def test_columns_with_several_lines(seed, weight):
    """One raw column in several features, others left out, a factor."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(30, 5))
    columns = ColumnTransformer(
        [
            ("a", StandardScaler(), [3, 0]),
            ("b", make_pipeline(FunctionTransformer(np.negative), StandardScaler()), [0]),
            ("c", "drop", [1]),
            ("d", "passthrough", slice(3, 4)),
            (
                "e",
                KBinsDiscretizer(3, encode="ordinal", strategy="uniform"),
                [True, False, False, False, False],
            ),
        ],
        remainder=SCALERS["minmax"](),
        transformer_weights={"a": weight},
    )
    pipeline = with_tree(random, quiet(columns.fit, X), X, n_cuts=8)
    described = check_routes(pipeline, X)
    assert described.tree.n_features == 4
    assert described.features == [f"x[{i}]" for i in (0, 2, 3, 4)]


def test_missing_values_are_mentioned_once():
    """Below a node that they have left, nothing is said of them."""
    X = np.array([[0.0], [1.0], [2.0], [3.0], [np.nan]])
    imputer = SimpleImputer(strategy="constant", fill_value=-1.0).fit(X)
    random = np.random.default_rng(1)
    for _ in range(10):
        tree = check_routes(with_tree(random, make_pipeline(imputer), X), X).tree
        for node in np.flatnonzero(tree.missing > 0):
            for up in tree.path(node)[:-1]:
                ways = (tree.children_left[up], tree.children_right[up])
                assert ways[0 if tree.missing_left[up] else 1] in tree.path(node)


def test_values_outside_the_domain_of_a_function():
    """They are below all others, which the model takes for missing or refuses."""
    X = np.array([[1.0], [2.0], [8.0]])
    pipeline = with_tree(np.random.default_rng(0), FunctionTransformer(np.log2), X, 1)
    tree = describe(pipeline).tree
    assert (tree.predict(np.array([[-1.0], [0.0], [1.0]])) == pipeline.predict([[1.0]])).all()


@pytest.mark.parametrize("n_features", [1, 300])
def test_many_features(n_features):
    random = np.random.default_rng(0)
    X = random.normal(size=(20, n_features))
    pipeline = with_tree(random, make_pipeline(StandardScaler()).fit(X), X, n_cuts=40)
    check_routes(pipeline, at_thresholds(random, describe(pipeline).tree, X))
