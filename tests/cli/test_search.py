"""How far the command looks for a better tree."""

import pytest
from helpers.cli_runs import here, iris_csv

from agathis.export import from_json


@pytest.fixture
def table(tmp_path):
    return iris_csv(tmp_path)


@pytest.mark.parametrize(
    "options",
    [["--search", "greedy"], [], ["--effort", "3"], ["--search", "optimal"], ["--pairs"]],
    ids=" ".join,
)
def test_all_ways_give_a_model(options, table, tmp_path, capsys):
    file = tmp_path / "model.json"
    done = here(
        capsys, "fit", table, "-k", "3", "--target", "species", "-o", file, "--quiet", *options
    )
    assert done.code == 0
    assert from_json(file.read_text()).n_leaves_ == 3
    assert done.out.count("cluster") == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--search", "optimal", "--leaves", "5"], "a leaf is a cluster"),
        (["--method", "imm", "--search", "local"], "for --method kauri"),
        (["--method", "imm", "--pairs"], "for --method kauri"),
        (["--search", "better"], "'better' is not one of"),
        (["--effort", "0"], "Invalid value for '--effort'"),
    ],
)
def test_mistakes(options, message, table, capsys):
    done = here(capsys, "fit", table, "-k", "3", *options)
    assert done.code == 2
    assert message in " ".join(done.err.split())
