"""Trees, labels and exports are those of the golden file, whose changes all have a reason."""

import sys
from pathlib import Path

import pytest
from helpers import golden_cases

sys.path.append(str(Path(__file__).parents[2] / "tools"))

import golden

GOLDEN = golden.read()


@pytest.mark.parametrize("group", golden_cases.groups())
def test_a_group_of_cases_gives_what_it_gave(group):
    fits = {n: fit for n, fit in golden_cases.cases().items() if golden_cases.group_of(n) == group}
    was = {n: case for n, case in GOLDEN["cases"].items() if golden_cases.group_of(n) == group}
    found = {name: golden_cases.outcome(fit) for name, fit in fits.items()}
    assert golden.differences(was, found) == {}


def test_every_change_of_the_file_has_a_reason():
    assert GOLDEN["changes"][-1]["digest"] == golden_cases.digest(GOLDEN["cases"])
    assert all(line["why"].strip() for line in GOLDEN["changes"])
    assert set(GOLDEN["cases"]) == set(golden_cases.cases())


def test_most_cases_have_a_tree():
    fitted = [case for case in GOLDEN["cases"].values() if "tree" in case]
    assert len(fitted) > 250


def test_a_changed_tree_is_a_difference():
    name = "kauri/linear/features/greedy/plain"
    fit = golden_cases.cases()[name]
    model, X = fit()
    node = int((model.tree_.children_left >= 0).argmax())
    model.tree_.threshold[node] *= 1.001
    found = {name: golden_cases.outcome(lambda noise: (model, X))}
    lines = golden.differences({name: GOLDEN["cases"][name]}, found)
    assert lines == {name: f"{name}: ansi, json, python, rules, sqlite, tree"}
