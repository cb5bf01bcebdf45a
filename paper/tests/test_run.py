"""A run of the experiments: stopped anywhere, it goes on, and ends as one that was not stopped."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

import pytest

from paper.experiments import run
from paper.experiments.plan import QUICK_SETS, pieces, wanted
from paper.experiments.result_cells import as_table, make_cells
from paper.experiments.store import NAME, Store, key_of
from paper.tests.helpers.paper_tables import lookalike, write_lookalike, write_quick_sets
from paper.tests.helpers.source_server import publish, serving

ROOT = Path(__file__).parents[2]
SCRIPT = """
import sys
from paper.experiments import run
folder, home, *names = sys.argv[1:]
run(folder, experiments=names, quick=True, data_home=home, n_jobs=2, render=False, verbose=True)
"""
# Those that are short; a run of all of them is no other.
SHORT = ("large", "angle")
# Seconds that only a run that hangs would take.
PATIENCE = 1800


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Tables that look like those of a quick run."""
    folder = tmp_path_factory.mktemp("home")
    write_quick_sets(folder)
    return folder


@pytest.fixture(scope="module")
def whole(home, tmp_path_factory):
    """A quick run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    run(folder, quick=True, data_home=home, n_jobs=2, render=False)
    return folder


def short_rows(folder):
    return [row for row in Store(folder).rows() if row["experiment"] in SHORT]


def table(rows):
    return as_table(make_cells(rows)).to_csv()


@contextmanager
def started(folder, home):
    """A short run in a process of its own, which does not outlive the test."""
    command = [sys.executable, "-c", SCRIPT, str(folder), str(home), *SHORT]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def lines(folder):
    path = folder / NAME
    return path.read_bytes().count(b"\n") if path.exists() else 0


def wait_for_lines(count, folder, process):
    deadline = time.monotonic() + PATIENCE
    while lines(folder) < count:
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.slow
def test_a_whole_run_has_each_fit_once(whole):
    found = [key_of(row) for row in Store(whole).rows()]
    expected = {piece.key(method) for piece in pieces(quick=True) for method in wanted(piece)}
    assert len(found) == len(expected)
    assert set(found) == expected


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_to_the_same_table(whole, home, tmp_path):
    total = len(short_rows(whole)) + 1
    with started(tmp_path, home) as process:
        wait_for_lines(total // 2, tmp_path, process)
        process.kill()
        process.communicate()
    rows = len(list(Store(tmp_path).rows()))
    assert total // 2 - 1 <= rows < total - 1
    # A line that was cut short is among what is done again.
    with open(tmp_path / NAME, "ab") as file:
        file.write(b'{"experiment": "small", "data')
    with started(tmp_path, home) as again:
        _, said = again.communicate(timeout=PATIENCE)
    assert again.returncode == 0, said
    assert "minutes left" in said
    assert table(short_rows(tmp_path)) == table(short_rows(whole)) != ""
    keys = [key_of(row) for row in Store(tmp_path).rows()]
    assert len(keys) == len(set(keys)) == total - 1


@pytest.mark.slow
def test_a_finished_run_does_nothing_more(whole, home):
    before = (whole / NAME).stat().st_mtime_ns, lines(whole)
    run(whole, quick=True, data_home=home, n_jobs=1, render=False)
    assert ((whole / NAME).stat().st_mtime_ns, lines(whole)) == before


@pytest.mark.slow
def test_one_process_gives_the_same_rows(whole, home, tmp_path):
    run(tmp_path, experiments=["large"], quick=True, data_home=home, n_jobs=1, render=False)

    def told(folder):
        rows = (row for row in Store(folder).rows() if row["experiment"] == "large")
        return sorted((tuple({**row, "seconds": 0}.items()) for row in rows), key=repr)

    assert told(tmp_path) == told(whole)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no signal for one process")
def test_an_interrupt_keeps_what_is_done(home, tmp_path):
    with started(tmp_path, home) as process:
        wait_for_lines(20, tmp_path, process)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode != 0
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert len(list(Store(tmp_path).rows())) >= 19


@pytest.mark.slow
def test_a_progress_bar_on_a_terminal(tmp_path, monkeypatch):
    class Terminal(StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    run(tmp_path, experiments="angle", quick=True, n_jobs=1, verbose=True, render=False)
    message = sys.stderr.getvalue()
    assert "[experiments] seconds of work, about" in message
    assert "2/2" in message
    assert "minutes left" not in message


@pytest.mark.slow
def test_what_fails_is_told_and_the_rest_is_kept(tmp_path, monkeypatch):
    monkeypatch.delenv("AGATHIS_DATA", raising=False)
    empty = tmp_path / "home"
    empty.mkdir()
    for name in QUICK_SETS:
        if name != "congress":
            write_lookalike(name, empty)
    (empty / "congress.csv.gz").write_bytes(b"no table")
    with pytest.raises(RuntimeError, match=r"5 of 35 pieces of work failed, .*congress.* is not"):
        run(tmp_path / "out", experiments="small", quick=True, data_home=empty, render=False)
    assert len(list(Store(tmp_path / "out").rows())) == 30 * 6


def test_a_set_that_cannot_be_had_is_asked_for_once(tmp_path, monkeypatch):
    monkeypatch.delenv("AGATHIS_DATA", raising=False)
    monkeypatch.setenv("AGATHIS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    home = tmp_path / "home"
    home.mkdir()
    for name in set(QUICK_SETS) - {"tetra"}:
        write_lookalike(name, home)
    with serving() as site:
        publish("tetra", lookalike("tetra"), site, monkeypatch)
        site.files.clear()
        with pytest.raises(RuntimeError, match=r"5 of 35 pieces .*tetra.*could not be downloaded"):
            run(tmp_path, experiments="large", quick=True, data_home=home, n_jobs=1, render=False)
        assert len(site.asked) == 1
    assert len(list(Store(tmp_path).rows())) == 30 * 3


def test_a_folder_of_data_that_is_not_there_is_told_before_anything_is_done(tmp_path):
    with pytest.raises(ValueError, match=r"data_home must name a folder .*nowhere"):
        run(tmp_path / "out", experiments="angle", quick=True, data_home=tmp_path / "nowhere")
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize(
    ("names", "says"), [(["big"], "has 'big'; it may have small"), ([], "is empty; it may have")]
)
def test_experiments_are_known_ones(names, says, tmp_path):
    with pytest.raises(ValueError, match=says):
        run(tmp_path / "out", experiments=names)
    assert not os.listdir(tmp_path)
