"""SIGINT to a command that is searching: which code it ends with, and what it leaves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from agathis._cli.errors import INTERRUPTED, PARTIAL_RESULT
from agathis.export import from_json

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
#: Seconds after which a test is taken to hang.
PATIENCE = 300

# The command, which says when a function of the search begins; what it does then is told by WAIT.
SCRIPT = """
import sys, time
from agathis._search import tree_search
search = tree_search.{function}
def begun(*args, **params):
    print("searching", file=sys.stderr, flush=True)
    {wait}
    return search(*args, **params)
tree_search.{function} = begun
from agathis._cli.app import run
sys.argv = ["agathis", *sys.argv[1:]]
run()
"""


@pytest.fixture
def table(tmp_path):
    X = np.random.default_rng(0).random((4000, 6))
    path = tmp_path / "t.csv"
    np.savetxt(path, X, delimiter=",", header="a,b,c,d,e,f", comments="", fmt="%.6f")
    return path


def interrupted(words, folder, function="TreeSearch.run", wait="pass"):
    """A command that gets SIGINT once it is searching: its code, stdout and stderr."""
    code = SCRIPT.format(function=function, wait=wait)
    with subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A process in the background of a shell has been told not to mind the keyboard.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        said = ""
        for line in process.stderr:
            said += line
            if line == "searching\n":
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in said + err
    return process.returncode, out, said + err


# Without an interrupt each of them takes hours.
SEARCHES = {
    "local": ("TreeSearch.run", ["--leaves", 30, "--search-effort", 1000]),
    "optimal": ("TreeSearch.prove", ["--search", "optimal", "--search-effort", 0.1]),
}


@pytest.mark.parametrize(("function", "options"), SEARCHES.values(), ids=SEARCHES)
def test_the_best_tree_so_far_is_written(function, options, table, tmp_path):
    code, out, err = interrupted(
        ["fit", table, "-k", 8, "-o", "m.json", *options], tmp_path, function
    )
    assert code == PARTIAL_RESULT == 3, err
    assert err.endswith(
        "Interrupted: the best tree found so far was written to m.json and standard output.\n"
    )
    assert from_json((tmp_path / "m.json").read_text()).n_clusters_ == 8
    assert out.count(" is where ") == 8


@pytest.mark.slow
def test_the_best_tree_so_far_goes_to_stdout_and_a_report(table, tmp_path):
    options = ["-k", 8, "-o", "-", "-q", "--report", "page.html", *SEARCHES["local"][1]]
    code, out, err = interrupted(["fit", table, *options], tmp_path)
    assert code == PARTIAL_RESULT
    assert err.endswith("was written to page.html and standard output.\n")
    assert json.loads(out)["n_clusters"] == 8
    assert (tmp_path / "page.html").stat().st_size


def test_a_comparison_is_not_made_of_searches_that_were_cut_short(table, tmp_path):
    words = ["compare", table, "-k", 3, "--method", "kauri-local", "--runs", 1, "--jobs", 1]
    code, out, err = interrupted([*words, "-o", "out.txt"], tmp_path, wait="time.sleep(200)")
    assert (code, out) == (INTERRUPTED, "")
    assert err.endswith("Stopped.\n")
    assert not (tmp_path / "out.txt").exists()
