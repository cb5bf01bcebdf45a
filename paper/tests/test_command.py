"""``python -m paper``: the files it writes, its messages, its exit codes."""

import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from paper.__main__ import main
from paper.experiments.plan import QUICK_SETS
from paper.experiments.result_cells import COLUMNS
from paper.experiments.store import NAME, Store
from paper.tests.helpers.paper_tables import write_quick_sets

ROOT = Path(__file__).parents[2]
FILES = {"runs.jsonl", "cells.csv", "tables.md", "tables.tex", "index.html", "figures"}
#: Seconds after which a test is taken to hang.
PATIENCE = 300


def command(*args):
    return [sys.executable, "-m", "paper", *map(str, args)]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    write_quick_sets(folder)
    return folder


@pytest.mark.slow  # a quick run of all experiments
def test_a_quick_run_and_its_rendering(home, tmp_path):
    folder = tmp_path / "results"
    settings = {
        "cwd": ROOT,
        "env": {**os.environ, "AGATHIS_DATA": str(home)},
        "capture_output": True,
        "text": True,
        "check": False,
    }
    done = subprocess.run(command("run", "--quick", "-o", folder), **settings)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "minutes left" in done.stderr
    assert done.stderr.endswith(f"The page is {folder / 'index.html'}.\n")
    assert {path.name for path in folder.iterdir()} == FILES
    with open(folder / "cells.csv", newline="") as file:
        cells = list(csv.DictReader(file))
    assert tuple(cells[0]) == COLUMNS
    assert {cell["dataset"] for cell in cells} == set(QUICK_SETS)
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    done = subprocess.run(command("render", "--quick", "-o", folder), **settings)
    assert done.returncode == 0, done.stderr
    assert {path: path.read_bytes() for path in before} == before


def test_one_experiment_without_messages(home, tmp_path, capsys):
    out = tmp_path / "out"
    options = ["--only", "large", "--quick", "-q", "--jobs", "1", "--data-home", str(home)]
    assert main(["run", "-o", str(out), *options]) == 0
    assert capsys.readouterr() == ("", "")
    with open(out / "cells.csv", newline="") as file:
        assert {cell["leaves"] for cell in csv.DictReader(file)} == {"4k"}


def test_unknown_arguments(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["run", "--only", "big"])
    message = capsys.readouterr().err
    assert "--only: invalid choice: 'big'" in message
    assert "small" in message


def test_no_rows_to_render(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["render", "-o", "nowhere"]) == 1
    assert "Error: folder has no rows: 'nowhere" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("package", ["matplotlib", "jinja2"])
def test_a_missing_package_is_reported_before_any_fit(package, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, package, None)
    assert main(["run", "--quick", "-o", str(tmp_path / "out")]) == 1
    assert f'needs {package}: pip install "agathis[paper]"' in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("stored", [0, pytest.param(4, marks=pytest.mark.slow)])
def test_an_interrupt_keeps_the_rows(stored, home, tmp_path):
    out = tmp_path / "out"
    options = ["--quick", "-q", "-o", out, "--data-home", home, "--jobs", 1]
    with subprocess.Popen(
        # Without rows: the data sets are being loaded.
        command("run", *options) if stored else [sys.executable, "-c", LOADING, *map(str, options)],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        # A process in the background of a shell has been told to ignore the keyboard.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        until = time.monotonic() + PATIENCE
        while not (out / NAME).exists() or (out / NAME).read_bytes().count(b"\n") <= stored:
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < until
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        message = process.communicate(timeout=PATIENCE)[1]
    rows = len(list(Store(out).rows()))
    assert rows >= stored
    if stored:
        assert process.returncode == 3, message
        assert message == (
            f"Interrupted: {rows} rows of results stored in {out}; the same command resumes from "
            "there.\n"
        )
    else:
        assert (process.returncode, message) == (130, "Interrupted.\n")


#: The command, with data sets that take longer to load than the test.
LOADING = f"""
import sys, time
from paper import __main__
from paper.experiments import runner
runner.load = lambda *args, **params: time.sleep({PATIENCE})
sys.exit(__main__.main(["run", *sys.argv[1:]]))
"""
