"""The evidence of tables and splits: against the reference, and where the answer is known."""

import json

import numpy as np
import pandas as pd
import pytest
from helpers.evidence_reference import evidence_of_rule, evidence_of_split, splits_of_half
from sklearn.datasets import make_blobs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from agathis import Kauri, TableEncoder, evidence, fit_table
from agathis._checks.roles import EncodedRows, FeatureRoles
from agathis._evidence import Repeats
from agathis._evidence.dip_test import dip_pvalue
from agathis._evidence.halves import children_rows, greedy_tree
from agathis._model.conversion import fitted_model
from agathis._model.evidence import Evidence, RuleEvidence
from agathis.export import from_json, to_json

CENTRES = 6 * np.array([[0, 0], [1, 0], [0, 1]])


def groups(n=240, seed=0, apart=1.0, d=4):
    """Three groups in the first two columns."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    X[:, :2] += apart * CENTRES[np.arange(n) % 3]
    return X[random.permutation(n)]


def frame(X):
    return pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])


def encoded(X):
    return EncodedRows.of(X, FeatureRoles.plain(X.shape[1]))


@pytest.mark.parametrize("seed", range(3))
def test_it_is_that_of_the_reference(seed, monkeypatch):
    """The same halves, whose splits are tested one row at a time."""
    X = groups(120, seed)
    # Values without steps are not moved.
    monkeypatch.setattr("agathis._evidence.halves.recorded_step", lambda column: 0.0)
    monkeypatch.setattr("agathis._evidence.repeats.HALVINGS", 3)
    found = Repeats.of(encoded(X), seed)
    random = np.random.RandomState(seed)
    repeats = []
    for splits in found.splits:
        order = random.permutation(len(X))
        random.random_sample((len(X) - len(X) // 2, X.shape[1]))  # those that would be moved
        chooses, tests = np.sort(order[: len(X) // 2]), order[len(X) // 2 :]
        tree = greedy_tree(X[chooses], FeatureRoles.plain(4), 8)
        slow = splits_of_half(X, chooses, tests, tree, dip_pvalue)
        assert len(slow) == len(splits) == 7
        for one, (left, right, p) in zip(splits, slow, strict=True):
            assert (set(np.flatnonzero(one.left)), set(np.flatnonzero(one.right))) == (left, right)
            assert one.pvalue is None if p is None else one.pvalue == pytest.approx(p, rel=1e-6)
            assert one.feature is not None
            assert one.below == max(X[i, one.feature] for i in chooses if i in left)
            assert one.above == min(X[i, one.feature] for i in chooses if i in right)
        repeats.append(slow)
    model = Kauri(3).fit(X)
    for node, left, right in children_rows(model.tree_, X):
        split = found.evidence(model.tree_).of_node[node]
        children = set(np.flatnonzero(left)), set(np.flatnonzero(right))
        p, recurrence = evidence_of_split(children, repeats)
        assert split.pvalue == pytest.approx(p, rel=1e-6)
        assert split.recurrence == pytest.approx(recurrence)
    for rule in found.evidence(model.tree_).rules:
        rows = set(np.flatnonzero(model.labels_ == rule.cluster))
        p, recurrence = evidence_of_rule(rows, repeats)
        assert rule.pvalue == pytest.approx(p, rel=1e-6)
        assert rule.recurrence == pytest.approx(recurrence)


@pytest.mark.parametrize("seed", range(3))
def test_planted_groups_are_shown(seed):
    X = groups(seed=seed)
    found = evidence(Kauri(3).fit(X), X, random_state=seed)
    assert found.shown
    assert found.n_rows == 240
    assert found.pvalue < 0.01
    assert Repeats.of(encoded(X), seed).n_groups == 3
    assert [rule.cluster for rule in found.rules] == [0, 1, 2]
    assert all(rule.shown and rule.recurrence > 0.5 for rule in found.rules)
    assert found.doubts() == []
    for split in found.splits:
        assert split.low < split.high
        assert 0 <= split.pvalue <= 1


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["normal", "skewed", "rounded", "one factor", "categories"])
def test_rows_of_one_group_are_not_claimed_to_be_more(kind, seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(300, 5))
    if kind == "skewed":
        X = np.exp(X)
    elif kind == "one factor":
        X += 2 * random.normal(size=(300, 1))
    elif kind == "rounded":
        X = np.round(2 * X)
    table = frame(X)
    if kind == "categories":
        for j in range(3):
            table[f"k{j}"] = random.choice(list("abc"), 300, p=[0.6, 0.3, 0.1])
    model = fit_table(table, random_state=0)
    assert not model.evidence_.shown
    assert model[-1].n_clusters_ == 1
    assert any(doubt.startswith("No groups could be shown") for doubt in model.provenance_.doubts)


def test_missing_values_are_no_group():
    """Means in the place of missing values would be a mode of their own."""
    random = np.random.default_rng(0)
    X = random.exponential(size=(400, 3))
    X[random.random((400, 3)) < 0.3] = np.nan
    assert not fit_table(frame(X), 2, random_state=0).evidence_.shown
    planted = groups(400)
    planted[::7, 0] = np.nan
    assert fit_table(frame(planted), 3, random_state=0).evidence_.shown


def test_categories_are_seen_if_they_go_together():
    random = np.random.default_rng(0)
    group = random.integers(2, size=400)
    letters = np.array(list("ab"))

    def table(agree):
        return pd.DataFrame(
            {
                f"k{j}": letters[
                    np.where(random.random(400) < agree, group, random.integers(2, size=400))
                ]
                for j in range(7)
            }
        )

    assert fit_table(table(0.9), 2, random_state=0).evidence_.shown
    assert not fit_table(table(0.0), 2, random_state=0).evidence_.shown


def test_few_rows_show_nothing():
    X = groups(36)
    found = evidence(Kauri(3).fit(X), X)
    assert (found.pvalue, found.distance, found.fraction) == (1.0, None, None)
    assert "36 rows are too few" in found.not_shown()
    assert [split.recurrence for split in found.splits] == [0.0, 0.0]


def test_the_same_state_gives_the_same_evidence():
    X = groups(80)
    model = Kauri(2).fit(X)
    assert evidence(model, X, random_state=3) == evidence(model, X, random_state=3)


def test_many_rows_are_sampled(monkeypatch):
    monkeypatch.setattr("agathis._evidence.repeats.MAX_ROWS", 100)
    X = groups(150)
    assert evidence(Kauri(2).fit(X), X, random_state=0).n_rows == 100


def test_a_pipeline_keeps_it_and_its_file_too():
    table = frame(groups())
    table["c0"] = 100 + 10 * table["c0"]
    model = fit_table(table, 3, random_state=0)
    found = model.evidence_
    assert evidence(model, table, random_state=0) == found
    loaded = from_json(to_json(model))
    assert loaded.evidence_ == found
    assert fitted_model(loaded, cluster_names=["a", "b", "c"]).evidence_ == found
    # The interval of the threshold is in units of the table.
    inner = {split.node: split for split in found.splits}
    tree = fitted_model(model).tree_
    for node, split in inner.items():
        if split.low is not None and split.shown:
            spread = float(np.ptp(table.iloc[:, tree.feature[node]]))
            assert split.low - spread / 4 <= tree.threshold[node] <= split.high + spread / 4
    # The evidence of the loaded model is of the encoding of the fit.
    assert evidence(loaded, table, random_state=0).shown
    data = json.loads(to_json(model))
    data["evidence"]["splits"] = data["evidence"]["splits"][:1]
    with pytest.raises(ValueError, match="evidence is that of another tree"):
        from_json(json.dumps(data))
    assert model.rules()["pvalue"] == [rule.pvalue for rule in found.rules]
    data = json.loads(to_json(model))
    data["evidence"]["rules"] = data["evidence"]["rules"][1:]
    with pytest.raises(ValueError, match="evidence is that of other clusters"):
        from_json(json.dumps(data))
    del data["evidence"]
    assert from_json(json.dumps(data)).evidence_ is None


def test_models_that_are_taken():
    X = groups()
    scaled = make_pipeline(StandardScaler(), Kauri(3)).fit(X)
    assert evidence(scaled, X, random_state=0).shown
    table = frame(X)
    raw = make_pipeline(TableEncoder(), Kauri(3)).fit(table)
    assert evidence(raw, table, random_state=0).shown
    assert fit_table(table, 2, kernel="rbf", random_state=0).evidence_ is None
    with pytest.raises(ValueError, match="kernel='rbf'; the evidence is of groups of"):
        evidence(Kauri(2, kernel="rbf").fit(X), X)
    with pytest.raises(TypeError, match="must be a fitted estimator"):
        evidence(StandardScaler().fit(X), X)


def test_doubts():
    sure, weak = RuleEvidence(0, 0.01, 1.0), RuleEvidence(1, 0.5, 0.4)
    assert Evidence(0.01, 100, (), (sure,)).doubts() == []
    (doubt,) = Evidence(0.01, 100, (), (sure, weak)).doubts()
    assert doubt.doubtful
    assert str(doubt) == (
        "1 of the 2 groups is not confirmed by halves of the rows: other rows may give others in "
        "its place."
    )
    (doubt,) = Evidence(0.2, 300, (), (sure,), 4.2, 0.12).doubts()
    assert str(doubt).startswith("No groups could be shown in these 300 rows (p = 0.2), which does")
    assert "4.2 standard deviations apart" in str(doubt)
    assert "needs 12 % of the rows" in str(doubt)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_other_seeds(seed):
    X, _ = make_blobs(200, centers=[[0, 0, 0], [8, 0, 0]], random_state=seed)
    assert Repeats.of(encoded(X), seed).n_groups == 2
    one = np.random.default_rng(seed).normal(size=(200, 6))
    assert Repeats.of(encoded(one), seed).n_groups == 1
