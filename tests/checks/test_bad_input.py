"""One bad input on each path from a tree: the error names the argument, what came, what may come.

What the estimators and the measures of labels say is in `test_errors` and `test_metrics_errors`.
"""

import re
from inspect import signature

import numpy as np
import pandas as pd
import pytest
from helpers.exports import BASELINES
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import MinMaxScaler, Normalizer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from agathis import Kauri, compare, export, metrics, plot

X, Y = load_iris(return_X_y=True)
MODEL = Kauri(3, max_leaf_nodes=4).fit(X)
GAPS = np.where(np.arange(600).reshape(150, 4) == 13, np.nan, X)  # one, in column 1

# Every public function that takes a model.
READERS = [
    (module, name)
    for module in (export, plot, metrics)
    for name in module.__all__
    if "model" in signature(getattr(module, name)).parameters
]
IDS = [name for _, name in READERS]


def call(module, name, model=MODEL, **given):
    """Ask a function for a model, with the rows where it needs them."""
    function = getattr(module, name)
    if module is plot:
        pytest.importorskip("matplotlib")
    if name == "to_onnx":
        pytest.importorskip("skl2onnx")
    parameter = signature(function).parameters.get("X")
    needed = parameter is not None and parameter.default is parameter.empty
    if name == "renamed":
        given = {"names": {0: "a"}, **given}
    return function(model, **({"X": X} if needed else {}), **given)


def takes(argument):
    found = [reader for reader in READERS if argument in signature(getattr(*reader)).parameters]
    return pytest.mark.parametrize(("module", "name"), found, ids=[name for _, name in found])


@pytest.mark.parametrize(("module", "name"), READERS, ids=IDS)
class TestModels:
    def test_not_fitted(self, module, name):
        with pytest.raises(NotFittedError, match="This Kauri instance is not fitted yet"):
            call(module, name, Kauri(3, max_leaf_nodes=None))

    @pytest.mark.parametrize(
        ("model", "found"),
        [
            (3, "it is 3"),
            ("oak", "it is 'oak'"),
            (Kauri, "it is <class 'agathis._kauri.Kauri'>"),
            (DecisionTreeClassifier().fit(X, Y), "it is a DecisionTreeClassifier, whose tree_ is"),
        ],
        ids=["number", "text", "class", "classifier"],
    )
    def test_no_tree(self, module, name, model, found):
        message = f"model must be a fitted estimator of agathis, or a Tree; {found}"
        with pytest.raises(TypeError, match=message):
            call(module, name, model)


@takes("feature_names")
@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a"], "feature_names has 1 names; the tree has 4 features"),
        ("abcd", "feature_names has 'abcd'; the tree has 4 features"),
        (3, "feature_names must be a sequence of 4 names; it is 3"),
    ],
)
def test_feature_names(module, name, names, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call(module, name, feature_names=names)


@takes("cluster_names")
@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a"], "cluster_names has 1 names; the tree has 3 clusters"),
        ("abc", "cluster_names has 'abc'; the tree has 3 clusters"),
        ({"a", "b", "c"}, "cluster_names must be a sequence of 3 names; it is {"),
    ],
)
def test_cluster_names(module, name, names, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call(module, name, cluster_names=names)


@takes("scaler")
@pytest.mark.parametrize(
    ("scaler", "message"),
    [
        (Normalizer(), r"scaler must be a fitted step .* it is Normalizer\(\): .* MinMaxScaler"),
        ("minmax", "scaler must be a fitted .* it is 'minmax'"),
        (MinMaxScaler(), r"scaler must be fitted .*; MinMaxScaler\(\) is not fitted"),
        (StandardScaler().fit(X[:, :2]), "scaler gives 2 features; the tree has 4"),
    ],
    ids=["another", "text", "not fitted", "other features"],
)
def test_scaler(module, name, scaler, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call(module, name, scaler=scaler)


@takes("X")
def test_rows_of_other_width(module, name):
    function = getattr(module, name)
    with pytest.raises(ValueError, match=r"X (has 2 features|must have shape .*4\); .*\(150, 2\))"):
        function(MODEL.tree_, X=X[:, :2])


@takes("ax")
@pytest.mark.parametrize("ax", [3, "left"])
def test_axes(module, name, ax):
    kind = type(ax).__name__
    with pytest.raises(TypeError, match=f"ax must be a matplotlib Axes; it is a {kind}"):
        call(module, name, ax=ax)


@takes("features")
@pytest.mark.parametrize(
    ("features", "message"),
    [
        (3, "features must be two features, by number or name; it is 3"),
        ([1], r"features must be two features, by number or name; it is \[1\]"),
        ([0, 4], r"features=\[0, 4\]: there is no feature 4; X has 4"),
        (["sl", "x[0]"], "there is no feature 'sl'; there are"),
        ([2, -2], r"features must be two different features; it is \[2, -2\]"),
    ],
)
def test_features(module, name, features, message):
    with pytest.raises(ValueError, match=message):
        call(module, name, features=features)


class TestSql:
    @pytest.mark.parametrize("dialect", ["oracle", None, ["ansi"]])
    def test_dialect(self, dialect):
        with pytest.raises(ValueError, match=r"dialect=.* is unknown; accepted are ansi, big"):
            export.to_sql(MODEL, dialect=dialect)

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"table": 3}, "table must be a name, a str; it is 3"),
            ({"table": ["s", None]}, "table must be a name, a str; it is None"),
            ({"table": []}, "table must have a name; it is empty"),
            ({"table": "t", "column": 3}, "column must be a name, a str; it is 3"),
        ],
    )
    def test_names(self, given, message):
        with pytest.raises((TypeError, ValueError), match=message):
            export.to_sql(MODEL, **given)


@takes("path")
def test_paths(module, name, tmp_path):
    with pytest.raises(TypeError, match="path must be a str or a PathLike; it is 3"):
        call(module, name, path=3)
    with pytest.raises(FileNotFoundError, match=r"directory of path is missing: .*no/tree\.x"):
        call(module, name, path=tmp_path / "no" / "tree.x")


@pytest.mark.parametrize("make", BASELINES.values(), ids=BASELINES)
class TestRivals:
    def test_more_clusters_than_rows(self, make):
        with pytest.raises(ValueError, match="n_samples=3 should be >= n_clusters=8"):
            make(8).fit(X[:3])

    @pytest.mark.filterwarnings("ignore:(Only 2 of n_clusters=8|Number of distinct clusters)")
    def test_more_clusters_than_distinct_rows(self, make):
        model = make(8).fit(np.repeat(X[[0, 60]], 5, axis=0))
        assert model.n_clusters_ == 2
        assert model.inertia_ == pytest.approx(0, abs=1e-12)

    @pytest.mark.parametrize(
        ("rows", "error", "message"),
        [
            (GAPS, ValueError, "X contains NaN, for example in column 1"),
            (pd.DataFrame(GAPS, columns=list("abcd")), ValueError, "NaN, .* in column 'b'"),
            ([["a", "b"]] * 9, ValueError, "X must be numeric: .*'a'"),
            (sparse.csr_matrix(X), TypeError, "Sparse data was passed for X, but dense"),
            (X[:, 0], ValueError, "X: Expected 2D array"),
        ],
        ids=["NaN", "NaN in a frame", "strings", "sparse", "one column"],
    )
    def test_rows(self, make, rows, error, message):
        with pytest.raises(error, match=message):
            make(3).fit(rows)


class TestTables:
    """Rows that are given to no estimator."""

    @pytest.mark.parametrize(
        "ask",
        [
            lambda rows: compare(rows, n_clusters=3, n_runs=1, verbose=False),
            lambda rows: metrics.kernel_kmeans_score(rows, Y),
            lambda rows: metrics.mmd_gemini(rows, Y),
            lambda rows: metrics.relative_kmeans_score(rows, Y, reference=1.0),
            lambda rows: metrics.relative_kmeans_score(rows, MODEL.tree_, reference=1.0),
        ],
        ids=["compare", "cost", "gemini", "relative", "relative of a tree"],
    )
    def test_what_is_not_a_number_is_told_by_column(self, ask):
        with pytest.raises(ValueError, match=r"X contains NaN, for example in column 1\. .*impute"):
            ask(GAPS)
        with pytest.raises(ValueError, match="X contains NaN, for example in column 'b'"):
            ask(pd.DataFrame(GAPS, columns=list("abcd")))
        with pytest.raises(ValueError, match="X contains infinity"):
            ask(np.where(np.isnan(GAPS), np.inf, X))
        both = GAPS.copy()
        both[0, 0] = np.inf
        with pytest.raises(ValueError, match="X contains NaN, for example in column 1"):
            ask(both)
        with pytest.raises(ValueError, match="X must be numeric"):
            ask([["a", "b"]] * 150)
        with pytest.raises(ValueError, match=r"X must be numeric; .* 'day' \(dates\)"):
            ask(pd.DataFrame({"day": pd.date_range("2020", periods=150), "b": 1.0}))
        with pytest.raises(TypeError, match="Sparse data was passed for X"):
            ask(sparse.csr_matrix(X))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"methods": ["oak"]}, r"methods has 'oak'; names are Kauri, .*ICOT or 'all'"),
        ({"n_runs": 0}, r"'n_runs' parameter of compare must be .* \[1, inf\). Got 0"),
        ({"n_clusters": 200}, "subsample=0.8 is 120 of the 150 rows.*n_clusters=200"),
        ({"y": Y[:3]}, "y has 3 values; X has 150 rows"),
    ],
)
def test_compare(given, message):
    with pytest.raises(ValueError, match=message):
        compare(X, **{"n_clusters": 3, "verbose": False, **given})


@pytest.mark.parametrize("kind", ["frame", "polars", "arrow", "array"])
def test_text_asks_for_the_encoder(kind):
    """With the line to paste, whatever holds the text."""
    columns = {"size": [1.0, 2.0, 9.0], "city": ["Bonn", "Rome", "Oslo"]}
    X = {
        "frame": lambda: pytest.importorskip("pandas").DataFrame(columns),
        "polars": lambda: pytest.importorskip("polars").DataFrame(columns),
        "arrow": lambda: pytest.importorskip("pyarrow").table(columns),
        "array": lambda: np.array([columns["size"], columns["city"]], dtype=object).T,
    }[kind]()
    table = "X" if kind == "array" else "df"
    told = "could not convert string to float: 'Bonn'" if kind == "array" else "'city' (text)"
    line = f"make_pipeline(agathis.TableEncoder(), Kauri(n_clusters=2)).fit({table})"
    with pytest.raises(ValueError, match=re.escape(f"{told}. Encode text")) as raised:
        Kauri(2).fit(X)
    assert str(raised.value).endswith(line)
