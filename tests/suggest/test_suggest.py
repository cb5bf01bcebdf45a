"""How many clusters are suggested, and why."""

import numpy as np
import pandas as pd
import pytest
from helpers.invariants import valid_tree
from sklearn.datasets import make_blobs

from agathis import Kauri, fit_table, suggest
from agathis._encoding.table_encoder import TableEncoder
from agathis._evidence import Repeats
from agathis._fit_table import prepare, suggested
from agathis._objective.cost import scatter

CENTRES = [[0, 0], [0, 9], [9, 0], [9, 9]]


@pytest.fixture(scope="module")
def planted():
    return make_blobs(160, centers=CENTRES, cluster_std=0.7, random_state=1)[0]


@pytest.fixture(scope="module")
def found(planted):
    return suggest(planted, max_clusters=6, random_state=0)


def test_planted_clusters_are_found(found):
    assert found.n_clusters == 4
    assert found.table["clusters"] == [2, 3, 4, 5, 6]
    decided = ["coarser", "coarser", "suggested", "not shown", "not shown"]
    assert found.table["decided"] == decided
    assert found.reasons.startswith("4 clusters: random halves of the rows are split so")
    assert "one more would add 0 %" in found.reasons
    assert found.doubts() == []
    assert str(found) == repr(found)
    assert repr(found).endswith(f"\n\n{found.reasons}")
    assert found._repr_html_().endswith(f"<p>{found.reasons}</p>")


def test_trees_are_nested_and_explain_what_is_said(found, planted):
    total = scatter(planted, np.zeros(len(planted), dtype=np.intp))
    finer = found.finest
    for candidate in reversed(found.candidates):
        tree = found.tree(candidate.clusters)
        valid_tree(tree, planted)
        assert tree.n_leaves == tree.n_clusters == candidate.clusters
        labels, below = tree.predict(planted), finer.predict(planted)
        assert candidate.explained == pytest.approx(1 - scatter(planted, labels) / total)
        for cluster in np.unique(below):
            assert len(np.unique(labels[below == cluster])) == 1
        finer = tree
    assert found.tree(1).n_leaves == 1
    with pytest.raises(ValueError, match="n_clusters=7 must be from 1 to 6"):
        found.tree(7)


def test_nested_trees_with_categories():
    random = np.random.default_rng(0)
    letters = np.array(list("abc"))[random.integers(3, size=90)]
    table = pd.DataFrame({"x": random.normal(size=90), "k": letters, "y": random.random(90)})
    prepared = prepare(table, TableEncoder())
    suggestion = suggested(prepared, Repeats.of(prepared.X, 0))
    assert suggestion.finest.has_terms
    for k in range(1, 9):
        assert suggestion.tree(k).n_leaves == k
        suggestion.tree(k).check()


def test_no_groups_is_an_answer():
    X = np.random.default_rng(0).normal(size=(200, 4))
    nothing = suggest(X, random_state=0)
    assert nothing.n_clusters == 1
    assert set(nothing.table["decided"]) == {"not shown"}
    assert nothing.reasons.startswith("No groups could be shown in these 200 rows")
    assert [str(doubt) for doubt in nothing.doubts()] == [nothing.reasons]


def test_one_answer_for_a_suggestion_and_a_fit(planted):
    table = pd.DataFrame(planted, columns=["x", "y"])
    model = fit_table(table, random_state=0)
    assert (model[-1].n_clusters_, model[-1].n_leaves_) == (4, 4)
    assert model.evidence_.shown


def test_the_last_number_that_was_tried(planted):
    last = suggest(planted, max_clusters=4, random_state=0)
    assert last.n_clusters == 4
    assert "last that was tried: max_clusters may show more" in last.reasons
    assert "--max-k may show" in last.in_words("--max-k")


def test_the_same_state_gives_the_same_figures(planted):
    first, again = (suggest(planted, max_clusters=4, random_state=3) for _ in range(2))
    assert first.candidates == again.candidates
    assert first.evidence == again.evidence


def test_of_many_rows_a_sample_is_looked_at(planted, monkeypatch):
    monkeypatch.setattr("agathis._evidence.repeats.MAX_ROWS", 140)
    sampled = suggest(planted, max_clusters=5, random_state=0)
    assert sampled.n_clusters == 4
    assert sampled.reasons.endswith("The figures are those of 140 of the 160 rows.")


def test_missing_values(planted):
    X = planted.copy()
    X[::80, 0] = np.nan
    assert suggest(X, max_clusters=5, random_state=0).n_clusters == 4


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
    few = suggest(X)
    assert few.n_clusters == 1
    assert f"{n} rows are too few" in few.reasons


@pytest.mark.parametrize(("name", "value"), [("max_clusters", 1), ("verbose", "yes")])
def test_arguments_are_checked(planted, name, value):
    with pytest.raises(ValueError, match=f"The {name!r} parameter of suggest must be"):
        suggest(planted, **{name: value})


def test_progress_is_told_only_when_asked(planted, capsys):
    suggest(planted, max_clusters=3)
    assert capsys.readouterr() == ("", "")
    suggest(planted, max_clusters=3, verbose=1)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"[suggest] halves of the rows: {i} of 11" for i in range(11)]


def test_leaves_are_splits_that_make_clusters(iris):
    """Each split of the nested tree makes one more cluster."""
    tree = suggest(iris, random_state=0).finest
    assert tree.n_leaves == tree.n_clusters == 8
    assert Kauri(8, min_samples_leaf=0.02).fit(iris).n_leaves_ == 8
