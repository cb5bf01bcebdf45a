"""``agathis experiments``: the examples of its help, what it leaves, and what it says."""

import csv
import shlex

import pytest
from helpers.cli_runs import example, here, run
from helpers.paper_tables import write_quick_sets

from agathis.experiments._cells import COLUMNS
from agathis.experiments._plan import QUICK_SETS

FILES = {"runs.jsonl", "cells.csv", "tables.md", "tables.tex", "index.html", "figures"}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    write_quick_sets(folder)
    return folder


@pytest.mark.slow  # a quick run of all experiments
def test_examples_of_the_help(home, tmp_path):
    env = {"AGATHIS_DATA": str(home)}
    assert example("experiments") == example("experiments", "run")
    words = shlex.split(example("experiments", "run"))
    assert words[:3] == ["agathis", "experiments", "run"]
    done = run(*words[1:], cwd=tmp_path, env=env)
    assert done.code == 0, done.err
    assert done.out == ""
    assert "minutes left" in done.err
    assert "results/index.html" in done.err
    folder = tmp_path / "results"
    assert {path.name for path in folder.iterdir()} == FILES
    with open(folder / "cells.csv", newline="") as file:
        cells = list(csv.DictReader(file))
    assert tuple(cells[0]) == COLUMNS
    assert {cell["dataset"] for cell in cells} == set(QUICK_SETS)
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    words = shlex.split(example("experiments", "render"))
    done = run(*words[1:], "--quick", cwd=tmp_path, env=env)
    assert done.code == 0, done.err
    assert {path: path.read_bytes() for path in before} == before


def test_a_run_can_be_some_of_it_and_quiet(home, tmp_path, capsys):
    out = tmp_path / "out"
    options = ("--only", "large", "--quick", "-q", "--jobs", "1", "--data-home", home)
    done = here(capsys, "experiments", "run", "-o", out, *options)
    assert (done.code, done.out, done.err) == (0, "", "")
    with open(out / "cells.csv", newline="") as file:
        assert {cell["leaves"] for cell in csv.DictReader(file)} == {"4k"}


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (("run", "--only", "big"), 2, "--only big: there are small, large"),
        (("run", "--runs", "3"), 2, "No such option"),
        (("render", "-o", "nowhere"), 1, "nowhere"),
    ],
)
def test_mistakes_are_told(args, code, says, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = here(capsys, "experiments", *args)
    assert done.code == code
    assert says in done.err
    assert list(tmp_path.iterdir()) == []
