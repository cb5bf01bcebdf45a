"""How far the command looks for a better tree."""

import re
from types import SimpleNamespace

import pytest
from helpers.cli_runs import here, iris_csv
from helpers.examples import mostly_slow

from agathis._cli.commands.fit import _tell_proof
from agathis._cli.console import Messages
from agathis.export import from_json


@pytest.fixture
def table(tmp_path):
    return iris_csv(tmp_path)


@pytest.mark.parametrize(
    "options",
    mostly_slow(
        [
            ["--search", "greedy"],
            [],
            ["--search-effort", "3"],
            ["--search", "optimal"],
            ["--pairs"],
        ],
        ["--search", "greedy"],
        ["--search", "optimal"],
        ["--pairs"],
    ),
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
        (["--search", "optimal", "--leaves", "5"], "one leaf per cluster"),
        (["--method", "imm", "--search", "local"], "for --method kauri"),
        (["--method", "imm", "--pairs"], "for --method kauri"),
        (["--search", "better"], "'better' is not one of"),
        (["--search-effort", "0"], "Invalid value for '--search-effort'"),
        (["--time-limit", "5"], "for the proof of --search optimal"),
        (["--search", "optimal", "--time-limit", "0"], "Invalid value for '--time-limit'"),
    ],
)
def test_mistakes(options, message, table, capsys):
    done = here(capsys, "fit", table, "-k", "3", *options)
    assert done.code == 2
    assert message in " ".join(done.err.split())


@pytest.mark.slow
def test_a_proof_is_told(table, capsys):
    told = here(capsys, "fit", table, "-k", "3", "--target", "species", "--search", "optimal").err
    assert "Proven: no tree with 3 leaves is better." in told
    told = here(capsys, "fit", table, "-k", "3", "--target", "species").err
    assert "no tree with" not in told


def test_a_proof_that_time_ends_tells_what_is_known(table, capsys):
    limit = ["--search", "optimal", "--search-effort", "0.1", "--time-limit", "0.001"]
    done = here(capsys, "fit", table, "-k", "8", "--target", "species", *limit)
    assert done.code == 0
    (most,) = re.findall(r"no tree with 8 leaves is more than (\S+) % better", done.err)
    assert 0 < float(most) <= 100


@pytest.mark.parametrize(
    ("gap", "told"), [(0.12341, "12.4 %"), (0.0001, "0.1 %"), (1.0, "100.0 %")]
)
def test_what_is_known_is_rounded_up(gap, told, capsys):
    _tell_proof(SimpleNamespace(gap_=gap, is_optimal_=False, n_clusters=4), Messages())
    assert f"no tree with 4 leaves is more than {told} better" in capsys.readouterr().err
