"""The sentence at the end of a comparison: which method it takes, and what it owns up to."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from agathis import Kauri, compare
from agathis._compare.comparison import _sample_size
from agathis._compare.result import Comparison, summary_of
from agathis._utils.result_table import Table


def made(methods, n_runs=8, **status):
    """A comparison of methods by their mean cost and conditions; costs scatter together."""
    random = np.random.default_rng(0)
    together = random.normal(0, 0.05, n_runs)
    rows = []
    for name, (cost, waes, *rest) in methods.items():
        own = random.normal(0, 0.002, n_runs)
        for run in range(n_runs):
            one = {"method": name, "run": run, "waes": waes, "wad": 1 + waes, "seconds": 0.1}
            one |= {"relative_score": cost and cost + together[run] + own[run], "note": ""}
            one |= {"leaves": 3, "clusters": rest[0] if rest else 3}
            rows.append(one | {"status": status.get(name, "done")})
    runs = Table(rows)
    return Comparison(runs, summary_of(runs, list(methods)))


def taken(comparison):
    return comparison.advice.partition("Take ")[2].partition(":")[0].rstrip(".")


def test_the_lowest_cost_is_recommended():
    outcome = made({"A": (1.12, 1.6), "B": (1.05, 1.7), "C": (1.4, 1.5)})
    assert taken(outcome) == "B"
    assert "cost is 1.0" in outcome.advice
    assert "1.7 conditions per rule, the lowest cost here." in outcome.advice
    assert str(outcome).endswith(outcome.advice.split()[-1])


def test_a_little_more_is_paid_for_shorter_rules_but_not_much_more():
    outcome = made({"long": (1.00, 2.8), "short": (1.04, 1.7)})
    assert taken(outcome) == "short"
    assert "long costs less (1.0" in outcome.advice
    assert "longer by 1.1 conditions" in outcome.advice
    assert taken(made({"long": (1.00, 2.8), "short": (1.2, 1.7)})) == "long"


def test_without_significant_difference_conditions_decide():
    outcome = made({"A": (1.05, 1.8), "B": (1.051, 1.7), "C": (1.3, 1.7)})
    assert taken(outcome) == "B"
    assert "The same cost with longer rules: A." in outcome.advice
    outcome = made({"A": (1.05, 1.7), "B": (1.051, 1.7), "C": (1.3, 1.7)})
    assert taken(outcome) == "A"
    assert "Equally good: B." in outcome.advice
    assert "C" not in outcome.advice


def test_no_difference():
    outcome = made({"A": (1.05, 1.7), "B": (1.05, 1.7)})
    assert outcome.advice.startswith("There is no difference: A and B have the same cost (1.0")
    assert outcome.advice.endswith("Take A.")


def test_failures_and_fewer_clusters_are_not_recommended():
    methods = {"A": (1.3, 1.7), "B": (1.0, 1.7), "C": (1.0, 1.0, 2)}
    outcome = made(methods, B="failed")
    assert taken(outcome) == "A"
    assert outcome.failed == 8
    assert "8 of 24 fits did not finish." in str(outcome)
    nothing = made({"A": (1.0, 1.7)}, A="failed")
    assert nothing.advice == "No method finished, so there is no recommendation."
    assert "no recommendation" in made({"A": (None, 1.7), "B": (None, 1.7)}).advice


def test_one_method_alone():
    assert made({"A": (1.05, 1.7)}).advice.startswith("Only A was run: its cost is 1.0")


def test_high_costs_advise_more_leaves():
    assert made({"A": (1.5, 1.7), "B": (1.7, 1.7)}).advice.endswith("use more leaves.")


def test_advice_stands_in_every_form():
    X, _ = make_blobs(90, centers=3, random_state=0)
    settings = {"n_clusters": 3, "n_runs": 2, "random_state": 0, "n_jobs": 1, "verbose": False}
    outcome = compare(
        X, methods={"a": Kauri(3, max_leaf_nodes=3), "b": Kauri(3, max_leaf_nodes=None)}, **settings
    )
    assert outcome.to_markdown().endswith(outcome.advice)
    assert f"<p>{outcome.advice}</p>" in outcome._repr_html_()
    assert max(map(len, str(outcome).splitlines())) <= 80


@pytest.mark.parametrize(
    ("n", "d", "runs", "kernel", "size"),
    [
        (150, 4, 30, "linear", 120),
        (300_000, 10, 10, "linear", 20_000),
        (300_000, 10, 30, "linear", 6_666),
        (300_000, 400, 10, "cosine", 2_000),
        (300_000, 4, 1, "linear", 240_000),
        (300_000, 4, 10, "rbf", 2_000),
        (1_000, 4, 10, "rbf", 800),
    ],
)
def test_many_rows_are_sampled_by_default(n, d, runs, kernel, size):
    assert _sample_size(None, (n, d), 3, runs, kernel) == size
    assert _sample_size(0.5, (n, d), 3, runs, kernel) == n // 2
    assert _sample_size(140, (n, d), 3, runs, kernel) == 140


def test_a_sample_is_noted(monkeypatch):
    monkeypatch.setattr("agathis._compare.comparison.FEWEST", 50)
    monkeypatch.setattr("agathis._compare.comparison.CELLS", 100)
    X, _ = make_blobs(90, centers=3, random_state=0)
    settings = {"n_clusters": 3, "n_runs": 1, "random_state": 0, "n_jobs": 1, "verbose": False}
    outcome = compare(X, methods=["Kauri"], **settings)
    assert outcome.note == "Each run uses a sample of 50 of the 90 rows; see subsample."
    assert outcome.note in str(outcome)
    assert not compare(X, methods=["Kauri"], subsample=0.8, **settings).note
