"""How good clusters are, against the slow way of finding it, and where rows come from."""

import base64
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from helpers.examples import mostly_slow
from helpers.pages import customers, shop_model
from helpers.plot_trees import MODELS
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine, make_blobs
from sklearn.metrics import silhouette_score
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from agathis import Kauri
from agathis._model.spec import FitSpec
from agathis._objective.cost import scatter as cost
from agathis._rules.columns import Indicator
from agathis.export import from_json, to_json
from agathis.report import summarise
from agathis.report._bins import categories
from agathis.report._figures import buys, steps
from agathis.report._fit_rows import kernel_points
from agathis.report._more_leaves import for_share
from agathis.report._page import render
from agathis.report._tuning import MAX_CATEGORIES, MAX_ROWS, N_HALVES

WINE = load_wine(as_frame=True)
SCALED = StandardScaler().fit_transform(WINE.data)


def naive_cost(points, labels):
    """Half the squared distances of all pairs in a cluster, over its size."""
    total = 0.0
    for k in set(labels.tolist()):
        part = points[labels == k]
        pairs = ((part[:, None] - part[None]) ** 2).sum()
        total += pairs / (2 * len(part))
    return total


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_the_cost_is_that_of_pairs(seed, k):
    random = np.random.default_rng(seed)
    points, labels = random.normal(size=(30, 3)), random.integers(0, k, 30)
    assert cost(points, labels) == pytest.approx(naive_cost(points, labels))


@pytest.mark.slow
def test_quality_in_the_scaling_of_the_fit():
    model = make_pipeline(StandardScaler(), Kauri(3, max_leaf_nodes=6)).fit(WINE.data)
    found = summarise(model, WINE.data)["quality"]
    labels = model.predict(WINE.data)
    whole = naive_cost(SCALED, np.zeros(len(SCALED), int))
    own = naive_cost(SCALED, labels)
    best = KMeans(3, n_init=20, random_state=1).fit(SCALED).inertia_
    assert found["explained"] == pytest.approx(1 - own / whole, rel=1e-5)
    assert found["kmeans"] == pytest.approx(1 - best / whole, rel=1e-3)
    assert found["relative_cost"] == pytest.approx(own / best, rel=1e-3)
    assert found["silhouette"] == pytest.approx(silhouette_score(SCALED, labels), rel=1e-5)
    assert found["stability"]["n_trees"] == N_HALVES
    assert 0.5 < found["stability"]["least"] <= found["stability"]["mean"] <= 1
    assert [step["allowed"] for step in found["leaves"]] == [3, 6, 12]
    for step in found["leaves"]:
        other = Kauri(3, max_leaf_nodes=step["allowed"]).fit(SCALED)
        assert step["n_leaves"] == other.n_leaves_
        share = 1 - naive_cost(SCALED, other.labels_) / whole
        assert step["explained"] == pytest.approx(share, rel=1e-5)
    # The same by other ways to say how rows were scaled.
    loaded = from_json(to_json(model))
    for each, more in (
        (loaded, {}),
        (model[-1], {"scaler": model[0]}),
    ):
        again = summarise(each, WINE.data, **more)["quality"]
        assert again["explained"] == pytest.approx(found["explained"], rel=1e-5)


def test_clear_groups_come_again_and_noise_does_not():
    X, _ = make_blobs(300, 4, centers=3, cluster_std=0.5, random_state=0)
    found = summarise(Kauri(3, max_leaf_nodes=None).fit(X), X)["quality"]
    assert found["stability"]["mean"] > 0.98
    assert found["silhouette"] > 0.7
    assert found["relative_cost"] == pytest.approx(1, abs=1e-5)
    noise = np.random.default_rng(0).uniform(size=(300, 6))
    found = summarise(Kauri(5, max_leaf_nodes=None).fit(noise), noise)["quality"]
    assert found["stability"]["mean"] < 0.8


def test_many_rows_are_sampled_and_it_is_said():
    X, _ = make_blobs(3 * MAX_ROWS, 3, centers=3, random_state=0)
    summary = summarise(Kauri(3, max_leaf_nodes=3).fit(X[:500]), X, ids=range(len(X)))
    found = summary["quality"]
    assert (found["n_rows"], found["n_sampled"]) == (3 * MAX_ROWS, MAX_ROWS)
    assert found["explained"] == pytest.approx(
        1 - cost(X, leaf_clusters(summary)) / cost(X, np.zeros(len(X), int)), abs=0.02
    )
    assert f"Computed on {MAX_ROWS:,} of the {3 * MAX_ROWS:,} rows" in render(summary)


def leaf_clusters(summary):
    """The cluster of each row by its leaf."""
    lookup = summary["lookup"]
    leaf = np.frombuffer(base64.b64decode(lookup["data"]), dtype=f"<u{lookup['bytes']}")
    return np.array([summary["nodes"][node]["cluster"] for node in lookup["leaves"]])[leaf]


@pytest.mark.parametrize("name", mostly_slow((name for name in MODELS if name != "Kauri"), "ExKMC"))
def test_rivals_are_grown_again_in_their_way(name, blobs):
    X, _ = blobs
    found = summarise(clone(MODELS[name]).fit(X), X)["quality"]
    assert (found["stability"] is None) == (name == "ICOT")
    if found["leaves"]:
        assert name in ("KMeansTree", "ExKMC")


@pytest.mark.parametrize("kernel", ["rbf", "cosine", "polynomial"])
def test_points_have_the_distances_of_the_kernel(kernel):
    model = Kauri(3, kernel=kernel, max_leaf_nodes=3).fit(SCALED)
    points = kernel_points(FitSpec.of(model).kernel.resolve(), SCALED)
    params = {"coef0": 1, "degree": 3} if kernel == "polynomial" else {}
    gram = pairwise_kernels(SCALED, metric=kernel, **params)
    gram = gram - gram.mean(axis=0) - gram.mean(axis=1)[:, None] + gram.mean()
    np.testing.assert_allclose(points @ points.T, gram, atol=1e-6 * np.abs(gram).max())
    found = summarise(model, SCALED)["quality"]
    assert 0 < found["explained"] < 1


def test_kernels_that_are_matrices_have_no_points():
    gram = SCALED @ SCALED.T
    model = Kauri(3, kernel="precomputed", max_leaf_nodes=3).fit(SCALED, gram=gram)
    found = summarise(model, SCALED)["quality"]
    assert found["explained"] is found["silhouette"] is found["stability"] is None
    assert "kernel='precomputed' is a matrix of the training rows" in found["leaves_why"]


def test_what_has_no_quality():
    for X in ([[1.0]] * 9, [[1.0], [2.0]], [[1.0], [1.0], [1.0], [1.0], [1.0], [2.0]]):
        summary = summarise(Kauri(2, max_leaf_nodes=None).fit(X), X)
        assert "nan" not in repr(summary["quality"])
        render(summary)


def test_what_more_leaves_buy():
    quality = {
        "explained": 0.40,
        "kmeans": 0.60,
        "leaves_why": None,
        "leaves": [
            {"allowed": 3, "n_leaves": 3, "explained": 0.40},
            {"allowed": 6, "n_leaves": 6, "explained": 0.4555},
            {"allowed": 12, "n_leaves": 9, "explained": 0.50},
        ],
    }
    text = buys(quality, {"n_leaves": 3}).replace("\xa0", " ")
    assert text == (
        "3 leaves explain 40 % of the variance; 6 would explain 46 %, 6 points more; with up to 12 "
        "a tree has 9 and explains 50 %, 10 points more."
    )
    labels = [step["label"] for step in steps(quality, {"n_leaves": 3})]
    assert labels == ["3 leaves, this tree", "6 leaves", "up to 12: 9 leaves", "KMeans, no rules"]
    labels = [step["label"] for step in steps(quality, {"n_leaves": 7})]
    assert labels[:3] == ["3 leaves", "6 leaves", "7 leaves, this tree"]
    why = {**quality, "leaves": [], "leaves_why": "IMM has one leaf per cluster"}
    assert "No larger trees: IMM has one leaf per cluster." in buys(why, {"n_leaves": 3})
    assert "not fitted" in buys(quality, {"n_leaves": 12})
    flat = [{"allowed": 6, "n_leaves": 6, "explained": 0.401}]
    assert "next to nothing" in buys({**quality, "leaves": flat}, {"n_leaves": 3})


SEARCHES = {
    "greedy": {"max_leaf_nodes": None},
    "searched": {"search": "local", "max_leaf_nodes": 3},
    "optimal": {"search": "optimal"},
    "shallow": {"max_leaf_nodes": None, "max_depth": 2},
    "large leaves": {"max_leaf_nodes": None, "min_samples_leaf": 30},
}


@pytest.mark.parametrize("name", mostly_slow(SEARCHES, *list(SEARCHES)[:1]))
def test_k_2k_and_4k_leaves_are_always_compared(name):
    """Whatever a model asks for: all three are there, more explain no less, limits are told."""
    limits = SEARCHES[name]
    model = Kauri(3, random_state=0, **limits).fit(SCALED)
    found = summarise(model, SCALED)["quality"]
    assert [step["allowed"] for step in found["leaves"]] == [3, 6, 12]
    if "search" in limits:
        assert found["leaves"][0]["explained"] >= found["explained"] - 1e-6
    for few, many in pairwise(found["leaves"]):
        assert few["n_leaves"] <= few["allowed"]
        # A search gives a thousandth of the cost back for shorter rules.
        assert many["explained"] >= few["explained"] - 0.002
    if "max_depth" in limits:
        assert found["leaves_why"] == "max_depth=2 allows at most 4 leaves"
        assert found["leaves"][-1]["n_leaves"] <= 4
    if "min_samples_leaf" in limits:
        assert (
            found["leaves_why"] == f"min_samples_leaf=30 allows at most {len(SCALED) // 30} leaves"
        )
        assert found["leaves"][-1]["n_leaves"] <= len(SCALED) // 30


def test_why_fewer_leaves_are_compared(blobs):
    X, _ = blobs
    reasons = {}
    for name, model in MODELS.items():
        summary = summarise(clone(model).fit(X), X)
        reasons[name] = summary["quality"]["leaves_why"]
        text = render(summary)
        assert reasons[name] is None or reasons[name] in text
    assert reasons["Kauri"] is None
    assert reasons["IMM"] == "IMM has one leaf per cluster"
    assert "ICOT is too slow" in reasons["ICOT"]
    few = X[:14]
    found = summarise(Kauri(3, max_leaf_nodes=3).fit(few), few)["quality"]
    assert [step["allowed"] for step in found["leaves"]] == [3, 6]
    assert found["leaves_why"] == "12 leaves are too many for 14 rows"
    # A file holds the settings.
    loaded = from_json(to_json(Kauri(3, max_leaf_nodes=3).fit(X)))
    found = summarise(loaded, X)["quality"]
    assert [step["allowed"] for step in found["leaves"]] == [3, 6, 12]


def test_limits_that_count_rows_shrink_with_a_sample():
    grower = Kauri(3, min_samples_leaf=50, min_samples_split=4, max_leaf_nodes=None)
    half = for_share(grower, 0.5)
    assert (half.min_samples_leaf, half.min_samples_split) == (25, 2)
    assert for_share(grower, 0.001).get_params()["min_samples_leaf"] == 1
    assert (
        for_share(Kauri(3, min_samples_leaf=0.1, max_leaf_nodes=None), 0.5).min_samples_leaf == 0.1
    )


def test_provenance_is_told():
    X = WINE.data.iloc[:, :2]
    told = {
        "source": "wine.csv",
        "rows_read": 180,
        "rows_used": 178,
        "rows_why": "2 were <empty>",
        "scaling": "clipped, then standardised",
        "columns": [
            {"column": "alcohol", "kind": "number", "became": "standardised"},
            {"column": "postcode", "kind": "number", "why": "a code, no quantity", "used": False},
            {"column": "grower", "used": None},
        ],
    }
    summary = summarise(Kauri(2, max_leaf_nodes=None).fit(X), X, provenance=told)
    text = " ".join(render(summary).split())
    for words in (
        "wine.csv", "of 180 read", "2 were &lt;empty&gt;", "clipped, then standardised",
        "a code, no quantity", "1 left out", "1 only shown",
    ):  # fmt: skip
        assert words in text
    found = summarise(Kauri(2, max_leaf_nodes=None).fit(X), X)["provenance"]
    assert [column["column"] for column in found["columns"]] == ["alcohol", "malic_acid"]
    assert found["rows_used"] == 178


@pytest.mark.parametrize(
    ("provenance", "error"),
    [
        ([], "provenance must be a mapping"),
        ({"row": 3}, "provenance has 'row'; it may have source"),
        ({"rows_read": -1}, r"provenance\['rows_read'\] must be a number of rows; it is -1"),
        ({"columns": "a"}, "must be a list of mappings"),
        ({"columns": [{"name": "a"}]}, "must have mappings with 'column'"),
        ({"columns": [{"column": "a", "used": "no"}]}, "used must be true, false or None"),
    ],
)
def test_wrong_provenance(provenance, error):
    with pytest.raises((TypeError, ValueError), match=error):
        summarise(Kauri(2, max_leaf_nodes=None).fit(WINE.data), WINE.data, provenance=provenance)


def test_distributions_count_all_rows_missing_ones_too():
    model, table = shop_model(3)
    labels = model.predict(table)
    raw, words = customers()
    plans = words["one_hot"]["plan"]
    summary = summarise(model, table)
    told = {item["name"]: item for item in summary["profile"]}
    assert set(told) == {"age", "plan", "letter", "vote"}
    plan = pd.Series("missing", index=raw.index)
    for column, word in plans.items():
        plan[raw[column] == 1] = word
    for k, part in [(None, told["plan"]), *enumerate(told["plan"]["clusters"])]:
        here = plan if k is None else plan[labels == k]
        assert part["missing"] == (here == "missing").sum()
        counts = [(here == label).sum() for label in told["plan"]["labels"]]
        assert part["counts"] == counts
    ages = told["age"]
    first, step, count = ages["scale"]
    edges = first + step * np.arange(count + 1)
    for k, part in enumerate(ages["clusters"]):
        values = raw["age"][labels == k].dropna()
        assert sum(part["counts"]) == len(values)
        assert part["missing"] == (labels == k).sum() - len(values)
        middle = [((values > low) & (values <= high)).sum() for low, high in pairwise(edges[1:-1])]
        assert part["counts"][1:-1] == middle
    assert told["vote"]["labels"] == ["against", "for"]


def test_many_categories_are_put_together():
    n = MAX_CATEGORIES + 7
    kind = np.repeat(np.arange(n), np.arange(n, 0, -1))
    table = np.eye(n)[kind]
    found = categories(table, [Indicator("kind", f"k{i}") for i in range(n)])
    assert found.labels[: MAX_CATEGORIES - 1] == [f"k{i}" for i in range(MAX_CATEGORIES - 1)]
    assert found.labels[-1] == "8 others"
    assert np.bincount(found.index).sum() == len(kind)
    # A row in none of the columns has another value.
    found = categories(np.array([[1.0, 0.0], [0.0, 0.0], [np.nan, np.nan]]),
                       [Indicator("kind", "a"), Indicator("kind", "b")])  # fmt: skip
    assert sorted(found.labels) == ["a", "b", "other"]
    assert found.index[2] == -1


def test_the_target_by_its_name():
    X, y = WINE.data, pd.Series(np.where(WINE.target == 0, "yes", "no"), name="survived")
    text = " ".join(render(summarise(Kauri(2, max_leaf_nodes=None).fit(X), X, y)).split())
    assert '<span class="name">survived</span>: <span class="name">' in text
    assert "of class" not in text
    assert (
        summarise(Kauri(2, max_leaf_nodes=None).fit(X), X, y, target_name="alive")["target"]
        == "alive"
    )
    assert summarise(Kauri(2, max_leaf_nodes=None).fit(X), X, y.to_numpy())["target"] is None


def test_typical_is_what_the_rule_does_not_say():
    summary = summarise(Kauri(3, max_leaf_nodes=6).fit(SCALED), SCALED)
    some = 0
    for cluster in summary["clusters"]:
        said = {parts[1] for parts in cluster["rule"][0]}
        names = {summary["features"][item["feature"]]["name"] for item in cluster["typical"]}
        assert not said & names
        some += len(names)
    assert some


def test_identifiers_only_of_few_rows():
    X = np.arange(12.0)[:, None]
    found = summarise(
        Kauri(2, max_leaf_nodes=None).fit(X),
        X,
        ids=[f"r{i}" for i in range(11)] + [None],
        id_name="who",
    )
    assert found["ids"]["values"][-2:] == ["r10", ""]
    assert found["ids"]["name"] == "who"
    many = np.arange(5001.0)[:, None]
    model = Kauri(2, max_leaf_nodes=2).fit(X)
    found = summarise(model, many, ids=np.arange(5001))
    assert found["ids"]["values"] is None
    assert "Identifiers are included for at most 5,000 rows" in render(found)
    with pytest.raises(ValueError, match="ids has 3 values; X has 12 rows"):
        summarise(model, X, ids=[1, 2, 3])
    assert summarise(model, X)["ids"] is None


@pytest.mark.parametrize(
    ("kernel", "value", "why"),
    [
        ("rbf", np.nan, "Kauri does not accept missing values with these settings"),
        ("chi2", -5.0, "Negative values in data: kernel='chi2' needs non-negative X"),
    ],
)
def test_rows_that_the_method_does_not_take(kernel, value, why):
    """A page about other rows than those of the fit is written all the same."""
    X = WINE.data.iloc[:, :3]
    model = from_json(to_json(Kauri(3, kernel=kernel, max_leaf_nodes=3).fit(X)))
    model.takes_missing = True
    other = X.copy()
    other.iloc[3, 1] = value
    summary = summarise(model, other)
    assert summary["quality"]["stability"] is None
    assert summary["quality"]["leaves_why"].startswith(why)
    render(summary)
