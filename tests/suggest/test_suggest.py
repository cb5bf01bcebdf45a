"""How many clusters are suggested, and why."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, silhouette_score

from agathis import Kauri, suggest
from agathis._suggest import Candidate, Suggestion, resampling
from agathis._suggest.figures import grown, leaves_enough
from agathis.plot import gain_curve

CENTRES = [[0, 0], [0, 9], [9, 0], [9, 9]]


@pytest.fixture(scope="module")
def planted():
    return make_blobs(160, centers=CENTRES, cluster_std=0.7, random_state=1)[0]


def made(*figures, note=""):
    """Of clusters, leaves, explained, silhouette, chance, stability."""
    return Suggestion(tuple(Candidate(*one) for one in figures), note)


def test_planted_clusters_are_found(planted):
    found = suggest(planted, max_clusters=6)
    assert (found.n_clusters, found.max_leaf_nodes) == (4, 4)
    assert found.table["clusters"] == [2, 3, 4, 5, 6]
    assert found.table["decided"][2] == "suggested"
    assert found.best.stability == pytest.approx(1)
    assert found.best.silhouette > found.best.chance + 0.2
    explained = found.table["explained"]
    assert explained == sorted(explained)
    assert str(found) == repr(found)
    assert repr(found).endswith(f"\n\n{found.reasons}")
    assert found._repr_html_().endswith(f"<p>{found.reasons}</p>")


def test_of_those_that_are_as_clear_the_fewest_are_taken():
    first = (2, 2, 0.5, 0.4, 0.3, 1.0), (3, 3, 0.7, 0.61, 0.3, 0.95)
    found = made(*first, (4, 5, 0.8, 0.65, 0.3, 0.9), (5, 5, 0.85, 0.5, 0.3, 0.9))
    assert (found.n_clusters, found.max_leaf_nodes, found.next_best.clusters) == (3, 3, 4)
    words = ["less clear", "suggested", "as clear, not fewer", "less clear"]
    assert found.table["decided"] == words
    assert found.reasons.startswith("3 clusters: the fewest that are as clear as any, and stable.")
    assert "one more adds 10 %" in found.reasons
    assert "Next are 4 clusters, with a silhouette of 0.65 (0.30 by chance)" in found.reasons


def test_chance_is_taken_off():
    found = made((2, 2, 0.5, 0.6, 0.55, 1.0), (3, 3, 0.7, 0.5, 0.3, 1.0))
    assert found.n_clusters == 3
    assert "0.50, where rows without groups would give 0.30" in found.reasons


def test_what_is_not_stable_is_out():
    found = made((2, 2, 0.5, 0.4, 0.3, 0.95), (3, 3, 0.7, 0.8, 0.3, 0.7))
    assert found.n_clusters == 2
    assert found.table["decided"] == ["suggested", "less stable"]
    assert "the clearest groups of those that are stable" in found.reasons
    assert found.next_best.clusters == 3


def test_doubts_are_told():
    last = made((2, 2, 0.5, 0.4, 0.3, 1.0), (3, 3, 0.7, 0.6, 0.3, 1.0))
    assert last.reasons.endswith("most that were tried: max_clusters allows more.")
    assert "--max-k allows more" in last.in_words("--max-k")
    weak = made((2, 2, 0.1, 0.1, 0.1, 0.9), (3, 3, 0.15, 0.02, 0.1, 0.9))
    assert "run into each other" in weak.reasons
    assert "run into each other" in made((2, 2, 0.5, 0.5, 0.6, 0.9)).reasons
    shaky = made((2, 2, 0.5, 0.5, 0.3, 0.3), (3, 3, 0.5, 0.4, 0.3, 0.2))
    assert "Other rows may give other groups" in shaky.reasons
    assert "that are stable" not in shaky.reasons
    only = made((2, 2, 0.5, 0.4, 0.3, 1.0), note="Of some rows.")
    assert only.next_best is None
    assert "Next" not in only.reasons
    assert only.reasons.endswith("Of some rows.")


def test_stability_is_the_agreement_of_halves(planted):
    halves = resampling.halvings(len(planted), np.random.RandomState(0))
    naive = []
    for first, second in halves:
        assert sorted([*first, *second]) == list(range(len(planted)))
        labels = [
            Kauri(3, max_leaf_nodes=5, min_samples_leaf=0.02).fit(planted[half]).predict(planted)
            for half in (first, second)
        ]
        naive.append(adjusted_rand_score(*labels))
    found = resampling.stability(planted, 3, 5, halves, "auto")
    assert found == pytest.approx(np.mean(naive))
    assert resampling.stability(planted[:5], 3, 3, [], "auto") == 0


def test_clouds_spread_as_the_rows_but_have_no_groups():
    X = make_blobs(400, 3, centers=2, random_state=0)[0]
    X[:, 1] += 3 * X[:, 0]
    clouds = resampling.clouds(X, np.random.RandomState(0))
    together = np.cov(np.concatenate(clouds).T)
    np.testing.assert_allclose(together, np.cov(X.T), atol=0.15 * np.abs(np.cov(X.T)).max())
    naive = np.mean([silhouette_score(one, grown(one, 2, 2, "auto").labels_) for one in clouds])
    assert resampling.silhouette_by_chance(clouds, 2, 2, "auto") == pytest.approx(naive)
    assert naive < silhouette_score(X, grown(X, 2, 2, "auto").labels_)


def test_the_same_state_gives_the_same_figures(planted):
    first, again = (suggest(planted, max_clusters=4, random_state=3) for _ in range(2))
    assert first.candidates == again.candidates


def test_of_many_rows_a_sample_is_looked_at(planted, monkeypatch):
    monkeypatch.setattr("agathis._suggest.search.MANY", 100)
    found = suggest(planted, max_clusters=5)
    assert found.n_clusters == 4
    assert found.reasons.endswith("The figures are those of 100 of the 160 rows.")


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


@pytest.mark.parametrize("n", [3, 4, 5, 7])
def test_few_rows(n):
    X = make_blobs(n, centers=2, cluster_std=0.1, random_state=0)[0]
    found = suggest(X)
    assert 2 <= found.n_clusters < n


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
        assert leaves_enough(model.tree_) == max(curve.leaves_for(0.99), clusters)


def test_progress_is_told_only_when_asked(planted, capsys):
    suggest(planted, max_clusters=3)
    assert capsys.readouterr() == ("", "")
    suggest(planted, max_clusters=3, verbose=1)
    assert capsys.readouterr().err.splitlines() == [
        "[suggest] numbers of clusters: 0 of 2",
        "[suggest] numbers of clusters: 1 of 2",
    ]
