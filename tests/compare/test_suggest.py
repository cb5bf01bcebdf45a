"""How many clusters are suggested, and why."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from agathis import Kauri, suggest
from agathis._suggest import Candidate, Suggestion, _leaves_enough
from agathis.plot import gain_curve

CENTRES = [[0, 0], [0, 9], [9, 0], [9, 9]]


@pytest.fixture(scope="module")
def planted():
    return make_blobs(160, centers=CENTRES, cluster_std=0.7, random_state=1)[0]


def made(*figures):
    return Suggestion(tuple(Candidate(*one) for one in figures))


def test_planted_clusters_are_found(planted):
    found = suggest(planted, max_clusters=6)
    assert (found.n_clusters, found.max_leaf_nodes) == (4, 4)
    assert found.table["clusters"] == [2, 3, 4, 5, 6]
    assert found.next_best is max(
        (one for one in found.candidates if one.clusters != 4), key=lambda one: one.silhouette
    )
    explained = found.table["explained"]
    assert explained == sorted(explained)
    assert str(found) == repr(found)
    assert repr(found).endswith(f"\n\n{found.reasons}")
    assert found._repr_html_().endswith(f"<p>{found.reasons}</p>")


def test_of_those_that_are_as_good_the_most_are_taken():
    first = (2, 2, 0.5, 0.4), (3, 3, 0.7, 0.61)
    assert made(*first, (4, 5, 0.8, 0.615), (5, 5, 0.85, 0.605), (6, 6, 0.9, 0.5)).n_clusters == 5
    found = made(*first, (4, 5, 0.8, 0.58))
    assert (found.n_clusters, found.max_leaf_nodes, found.next_best.clusters) == (3, 3, 4)
    assert "one more adds 10 %" in found.reasons
    assert "Next are 4 clusters, with a silhouette of 0.58." in found.reasons


def test_doubts_are_told():
    last = made((2, 2, 0.5, 0.4), (3, 3, 0.7, 0.6))
    assert last.reasons.endswith("last that was tried: max_clusters may show a better one.")
    assert "--max-k may show" in last.in_words("--max-k")
    weak = made((2, 2, 0.1, 0.1), (3, 3, 0.15, 0.02))
    assert "run into each other" in weak.reasons
    only = made((2, 2, 0.5, 0.4))
    assert only.next_best is None
    assert "Next" not in only.reasons


def test_missing_values(planted):
    X = planted.copy()
    X[::80, 0] = np.nan
    for engine in ("auto", "binned"):
        assert suggest(X, max_clusters=5, engine=engine).n_clusters == 4
    with pytest.raises(
        ValueError, match=r"NaN, for example in column 0.*engine='auto' or 'binned'"
    ):
        suggest(X, engine="features")


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([[1.0, 2.0]], "in 1 row: these are too few"),
        ([[1.0, 2.0], [3.0, 5.0]], "in 2 rows: these are too few"),
        ([[1.0, 2.0]] * 5, "in 5 rows: all of them are alike"),
    ],
)
def test_rows_without_clusters(X, words):
    with pytest.raises(ValueError, match=f"there are no two clusters {words}"):
        suggest(X)


@pytest.mark.parametrize(
    ("name", "value"), [("max_clusters", 1), ("engine", "fast"), ("n_jobs", "all")]
)
def test_arguments_are_checked(planted, name, value):
    with pytest.raises(ValueError, match=f"The {name!r} parameter of suggest must be"):
        suggest(planted, **{name: value})


def test_leaves_are_those_of_the_gain_curve(iris):
    for k in range(2, 6):
        model = Kauri(k, max_leaf_nodes=4 * k).fit(iris)
        curve = gain_curve(model)
        clusters = curve.n_leaves[curve.n_clusters >= model.n_clusters_][0]
        assert _leaves_enough(model.tree_) == max(curve.leaves_for(0.99), clusters)


def test_progress_is_told_only_when_asked(planted, capsys):
    suggest(planted, max_clusters=3)
    assert capsys.readouterr() == ("", "")
    suggest(planted, max_clusters=3, verbose=1)
    assert capsys.readouterr().err.splitlines() == [
        "[suggest] numbers of clusters: 0 of 2",
        "[suggest] numbers of clusters: 1 of 2",
    ]
