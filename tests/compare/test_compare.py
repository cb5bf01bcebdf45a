"""Methods side by side: the protocol, the tables, and rows that say what went wrong."""

import re

import numpy as np
import pytest
from helpers.worker_models import Failing, Slow
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline

from agathis import Kauri, KernelKMeans, compare
from agathis._compare.result import MEASURES
from agathis._methods import METHODS
from agathis.metrics import (
    kernel_kmeans_score,
    weighted_average_depth,
    weighted_average_explanation_size,
)

X, Y = load_iris(return_X_y=True)
QUICK = {"n_clusters": 3, "n_runs": 2, "random_state": 0, "n_jobs": 1, "verbose": False}


class Remembers(Kauri):
    """Keeps the rows it was fitted to."""

    seen = None

    def fit(self, X, y=None):
        type(self).seen = [*(type(self).seen or []), (X, self.random_state, self.n_jobs)]
        return super().fit(X)


def test_what_is_measured():
    """Each figure of a row is that of the tree on the rows of the run."""
    Remembers.seen = None
    methods = {"mine": Remembers(3, max_leaf_nodes=5)}
    runs, _ = compare(X, Y, methods=methods, **{**QUICK, "n_runs": 3})
    assert len(Remembers.seen) == len(runs) == 3
    places = {tuple(row): i for i, row in enumerate(X)}
    for row, (rows, seed, n_jobs) in zip(runs, Remembers.seen, strict=True):
        assert rows.shape == (120, 4)
        assert n_jobs == 1
        model = Kauri(3, max_leaf_nodes=5, random_state=seed).fit(rows)
        least = KernelKMeans(3, random_state=seed).fit(rows).inertia_
        assert least == pytest.approx(KMeans(3, n_init=20).fit(rows).inertia_, rel=0.01)
        assert row["relative_score"] == pytest.approx(model.inertia_ / least, rel=1e-9)
        assert row["wad"] == pytest.approx(weighted_average_depth(model, rows))
        assert row["waes"] == pytest.approx(weighted_average_explanation_size(model, rows))
        assert (row["leaves"], row["clusters"]) == (5, 3)
        # Rows that are equal have the same class in this data, but for two.
        classes = Y[[places[tuple(r)] for r in rows]]
        assert row["ari"] == pytest.approx(adjusted_rand_score(classes, model.labels_), abs=0.01)
        assert row["seconds"] > 0
        assert (row["status"], row["note"]) == ("done", "")


def test_the_rows_of_a_run_are_the_same_for_all_and_differ_between_runs():
    Remembers.seen = None
    compare(X, methods={"a": Remembers(3), "b": Remembers(3)}, **QUICK)
    (a, b), (c, d) = Remembers.seen[:2], Remembers.seen[2:]
    np.testing.assert_array_equal(a[0], b[0])
    np.testing.assert_array_equal(c[0], d[0])
    assert a[1] == b[1] != c[1]
    assert not np.array_equal(a[0], c[0])


def test_summary_is_mean_and_deviation_of_the_runs():
    runs, summary = compare(X, Y, methods=["Kauri", "IMM", "RDM"], **{**QUICK, "n_runs": 4})
    assert summary["method"] == ["Kauri", "IMM", "RDM"]
    for row in summary:
        mine = [r for r in runs if r["method"] == row["method"]]
        assert row["runs"] == len(mine) == 4
        for measure in MEASURES:
            values = [r[measure] for r in mine]
            assert row[measure] == pytest.approx(np.mean(values))
            assert row[f"{measure}_std"] == pytest.approx(np.std(values))


def test_methods_by_default():
    names = compare(X, **{**QUICK, "n_runs": 1}).summary["method"]
    assert names == ["Kauri", "Kauri local", "KMeans+DT", "IMM", "ExShallow", "RDM"]
    names = compare(X, max_leaf_nodes=6, **{**QUICK, "n_runs": 1}).summary["method"]
    assert names == ["Kauri", "Kauri local", "KMeans+DT", "IMM", "ExKMC", "ExShallow", "RDM"]
    names = compare(X, kernel="rbf", **{**QUICK, "n_runs": 1}).summary["method"]
    assert names == ["Kauri", "KMeans+DT"]


def test_kauri_local_is_searched():
    """By whatever name; its trees are those of the estimator, and never cost more than greedy."""
    runs, _ = compare(X, methods=["kauri", "KAURI-LOCAL"], **{**QUICK, "n_runs": 3})
    assert set(runs["method"]) == {"Kauri", "Kauri local"}
    cost = dict(zip(zip(runs["method"], runs["run"]), runs["relative_score"]))  # noqa: B905
    assert all(cost["Kauri local", run] <= cost["Kauri", run] + 1e-9 for run in range(3))
    runs, _ = compare(X, methods=["Kauri local"], subsample=1.0, **{**QUICK, "n_runs": 1})
    model = Kauri(3, max_leaf_nodes=3, search="local", random_state=1).fit(X)
    best = KernelKMeans(3, random_state=0).fit(X).inertia_
    assert runs["relative_score"][0] == pytest.approx(model.inertia_ / best, rel=1e-3)


def test_every_method_comes_to_its_end():
    small = X[::2]
    runs, summary = compare(
        small, Y[::2], methods="all", max_leaf_nodes=6, **{**QUICK, "n_runs": 1}
    )
    assert runs["method"] == list(METHODS)
    assert set(runs["status"]) == {"done"}
    leaves = dict(zip(runs["method"], runs["leaves"], strict=True))
    assert leaves["IMM"] == leaves["ExShallow"] == leaves["RDM"] == 3
    assert all(3 < leaves[name] <= 6 for name in ("Kauri", "KMeans+DT", "ExKMC"))
    assert all(score > 0.99 for score in summary["relative_score"])


def test_kernels_judge_by_themselves():
    runs, _ = compare(
        X, methods=["Kauri"], kernel="rbf", gamma=0.1, subsample=1.0, **{**QUICK, "n_runs": 1}
    )
    model = Kauri(3, kernel="rbf", gamma=0.1, max_leaf_nodes=3).fit(X)
    cost = kernel_kmeans_score(X, model.labels_, kernel="rbf", gamma=0.1)
    assert model.inertia_ == pytest.approx(cost)
    assert 1 - 1e-9 <= runs[0]["relative_score"] < 2


@pytest.mark.slow
def test_same_random_state_same_table():
    first = compare(X, Y, methods=["Kauri", "RDM"], **QUICK).runs
    for n_jobs in (1, 2):
        again = compare(X, Y, methods=["Kauri", "RDM"], **{**QUICK, "n_jobs": n_jobs}).runs
        for measure in set(first.columns) - {"seconds"}:
            assert first[measure] == again[measure], measure
    other = compare(X, Y, methods=["Kauri", "RDM"], **{**QUICK, "random_state": 1}).runs
    assert other["relative_score"] != first["relative_score"]


@pytest.mark.slow
def test_failures_and_timeouts_are_rows_and_others_continue():
    methods = {"slow": Slow(3), "failing": Failing(3), "Kauri": Kauri(3, max_leaf_nodes=None)}
    runs, summary = compare(X, Y, methods=methods, **{**QUICK, "n_runs": 1, "n_jobs": 2}, timeout=5)
    status = dict(zip(runs["method"], runs["status"], strict=True))
    assert status == {"slow": "timeout", "failing": "failed", "Kauri": "done"}
    notes = dict(zip(runs["method"], runs["note"], strict=True))
    assert notes["failing"] == "RuntimeError: no tree today"
    assert notes["slow"] == "took longer than 5 s"
    assert runs[0]["ari"] is None
    assert summary["runs"] == [0, 0, 1]
    assert (summary["failed"], summary["timeouts"]) == ([0, 1, 0], [1, 0, 0])


def test_an_estimator_without_a_tree_fails_with_a_row():
    runs, _ = compare(X, methods={"KMeans": KMeans(3)}, **{**QUICK, "n_runs": 1})
    assert runs["status"] == ["failed"]
    assert "tree" in runs[0]["note"]


def test_warnings_are_noted():
    class Warns(Kauri):
        def fit(self, X, y=None):
            import warnings

            warnings.warn("take care", UserWarning, stacklevel=2)
            return super().fit(X)

    runs, _ = compare(X, methods={"warns": Warns(3)}, **{**QUICK, "n_runs": 1})
    assert runs[0]["note"] == "take care"


def test_text():
    outcome = compare(X, Y, methods=["Kauri", "IMM"], **QUICK)
    lines = str(outcome).splitlines()
    assert lines[0].split() == [
        "method", "ari", "relative", "wad", "waes", "leaves", "clusters", "seconds"
    ]  # fmt: skip
    assert re.match(r"Kauri +0\.\d\d±0\.\d\d  1\.\d\d±0\.\d\d ", lines[1])
    assert max(map(len, lines)) <= 80
    assert "IMM" in outcome._repr_html_()
    assert "ari" not in str(compare(X, methods=["Kauri"], **QUICK))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"methods": ["Kauri", "oak"]}, "methods has 'oak'"),
        ({"methods": []}, "methods is empty"),
        ({"methods": {"a": 3}}, r"methods\['a'\] must be an estimator"),
        ({"methods": {"a": Kauri}}, r"methods\['a'\] must be an estimator"),
        ({"methods": {"a": None}}, r"methods\['a'\] must be an estimator"),
        (
            {"methods": {"a": make_pipeline(Kauri(3, max_leaf_nodes=None))}},
            "is a Pipeline, which has no tree",
        ),
        ({"methods": ["all", "oak"]}, "methods has 'all'"),
        ({"methods": 3}, "methods must be names"),
        ({"max_leaf_nodes": 2}, "max_leaf_nodes=2 is less than n_clusters=3"),
        ({"methods": ["IMM"], "kernel": "rbf"}, "'IMM', which only supports"),
        ({"kernel": "precomputed"}, "kernel"),
        ({"n_clusters": 0}, "n_clusters"),
        ({"n_clusters": 151}, "n_clusters"),
        ({"n_runs": 0}, "n_runs"),
        ({"subsample": 0.0}, "subsample"),
        ({"subsample": 1.5}, "subsample"),
        ({"subsample": 151}, "subsample=151 is 151 of the 150 rows"),
        ({"subsample": 0.01}, "subsample=0.01 is 2 of the 150 rows"),
        ({"timeout": 0}, "timeout"),
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"y": Y[:3]}, "y"),
    ],
)
def test_bad_arguments(change, message):
    settings = {"methods": ["Kauri"], "y": Y, **QUICK, **change}
    with pytest.raises((ValueError, TypeError), match=message):
        compare(X, **settings)


def test_missing_values_are_an_error():
    bad = X.copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        compare(bad, **QUICK)


def test_estimators_of_the_user_are_not_touched():
    mine = Kauri(3, max_leaf_nodes=None)
    compare(X, methods={"mine": mine}, **QUICK)
    assert isinstance(mine, BaseEstimator)
    assert not hasattr(mine, "tree_")
    assert mine.random_state is None


def test_float32_is_measured_as_float64():
    """Tight groups: in single precision their cost would be nothing."""
    random = np.random.default_rng(0)
    tight = (np.repeat(np.eye(3), 30, axis=0) + 1e-4 * random.normal(size=(90, 3))).astype("f4")
    settings = {"methods": ["Kauri", "KMeans+DT"], "kernel": "rbf", **QUICK}
    single = compare(tight, **settings).runs
    double = compare(tight.astype(np.float64), **settings).runs
    assert single["relative_score"] == pytest.approx(double["relative_score"], rel=1e-6)
    assert min(single["relative_score"]) > 0.99


def test_any_name_of_a_method():
    runs, summary = compare(
        X,
        methods={
            "kernel KMeans": Kauri(3, max_leaf_nodes=None),
            "b": Kauri(3, max_leaf_nodes=None),
        },
        **QUICK,
    )
    assert summary["runs"] == [2, 2]
    assert runs["method"] == ["kernel KMeans", "b"] * 2


def test_ours_by_name_beside_another():
    runs, _ = compare(
        X, methods={"IMM": None, "mine": Kauri(3, max_leaf_nodes=None)}, **{**QUICK, "n_runs": 1}
    )
    assert runs["status"] == ["done", "done"]


def test_another_number_of_clusters_is_noted():
    runs, _ = compare(X, methods={"five": Kauri(5, max_leaf_nodes=None)}, **{**QUICK, "n_runs": 1})
    assert runs[0]["note"] == "n_clusters=5, but 3 of the reference"


def test_reasons_are_below_the_table():
    text = str(compare(X, methods={"failing": Failing(3)}, **QUICK))
    assert text.splitlines()[-4:] == [
        "failing: failed in 2 runs: RuntimeError: no tree today",
        "",
        "2 of 2 fits did not finish.",
        "No method finished, so there is no recommendation.",
    ]
