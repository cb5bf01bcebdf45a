"""What verbose says: leaves, clusters, objective, time left out of the leaf budget, clocks."""

import errno
import io
import os
import re
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import rbf_kernel

from agathis import Kauri
from agathis._utils import progress as _progress
from agathis._utils.progress import Bar, Clocks, Progress

SECONDS = r"\d+\.\d+"
SPLIT = re.compile(
    r"^\[Kauri\] (?P<leaves>\d+)(?:/(?P<budget>\d+))? leaves, "
    r"(?P<clusters>\d+)/(?P<most>\d+) clusters, objective (?P<objective>\S+), "
    rf"{SECONDS} s(?:, at most (?P<left>{SECONDS}) s left|, no leaf limit)$"
)
DONE = re.compile(
    r"^\[Kauri\] done: (?P<leaves>\d+) leaves, (?P<clusters>\d+) clusters, "
    rf"objective (?P<objective>\S+) in {SECONDS} s "
    rf"\(engine (?P<engine>{SECONDS}) s, search (?P<search>{SECONDS}) s, "
    rf"commit (?P<commit>{SECONDS}) s; (?P<searches>\d+) leaf searches\)$"
)


class Clock:
    """A clock that stands still until it is told."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(_progress, "time", SimpleNamespace(perf_counter=clock))
    return clock


@pytest.fixture
def every_split(monkeypatch):
    monkeypatch.setattr(Progress, "interval", 0.0)


@pytest.fixture(scope="module")
def iris():
    return load_iris().data


class TestProgress:
    def make(self, verbose=True, max_leaves=10, trace=0.0):
        stream = io.StringIO()
        progress = Progress(verbose, max_leaves, 4, stream)
        progress.interval = 0
        progress.trace = trace
        return progress, stream

    def test_time_left_out_of_the_leaf_budget(self, clock):
        progress, stream = self.make(max_leaves=10)
        clock.now += 7.0
        progress.leaves(2, 2, 1.5)
        clock.now += 3.0
        progress.leaves(5, 3, 2.5)  # three splits in three seconds: five more in five
        clock.now += 5.0
        progress.leaves(10, 4, 3.5)
        assert stream.getvalue().splitlines() == [
            "[Kauri] 2/10 leaves, 2/4 clusters, objective 1.5, 7.0 s, at most 0.0 s left",
            "[Kauri] 5/10 leaves, 3/4 clusters, objective 2.5, 10.0 s, at most 5.0 s left",
            "[Kauri] 10/10 leaves, 4/4 clusters, objective 3.5, 15.0 s, at most 0.0 s left",
        ]

    def test_no_budget(self, clock):
        progress, stream = self.make(max_leaves=None)
        clock.now += 1.0
        progress.leaves(2, 2, 1.5)
        assert stream.getvalue() == (
            "[Kauri] 2 leaves, 2/4 clusters, objective 1.5, 1.0 s, no leaf limit\n"
        )

    def test_objective_is_in_the_units_of_the_user(self, clock):
        progress, stream = self.make(trace=100.0)
        progress.leaves(2, 2, -40.0)
        assert "objective 60," in stream.getvalue()

    def test_kernel_rows_of_the_root(self, clock):
        progress, stream = self.make()
        clock.now += 9.0  # what came before is no measure of the rows' speed
        progress.pairs(0, 5000)
        clock.now += 2.0
        progress.pairs(1000, 5000)
        assert stream.getvalue() == "[Kauri] root: 1,000 of 5,000 kernel rows, 8.0 s left\n"

    def test_clocks_at_the_end(self, clock):
        progress, stream = self.make()
        clocks = Clocks()
        clocks.gain_engine, clocks.search, clocks.commit, clocks.searches = 0.5, 0.25, 0.125, 17
        clock.now += 1.0
        progress.done(6, 3, 2.5, clocks)
        assert stream.getvalue() == (
            "[Kauri] done: 6 leaves, 3 clusters, objective 2.5 in 1.000 s "
            "(engine 0.500 s, search 0.250 s, commit 0.125 s; 17 leaf searches)\n"
        )

    def test_at_most_one_line_in_half_a_second(self, clock):
        stream = io.StringIO()
        progress = Progress(True, 100, 4, stream)
        for leaves in range(2, 42):
            clock.now += 0.125
            progress.leaves(leaves, 2, 1.0)
        assert len(stream.getvalue().splitlines()) == 10

    @pytest.mark.parametrize("verbose", [False, 0])
    def test_silence(self, clock, verbose):
        progress, stream = self.make(verbose=verbose)
        clock.now += 5.0
        progress.pairs(1, 10)
        progress.leaves(2, 2, 1.0)
        progress.done(2, 2, 1.0, Clocks())
        assert stream.getvalue() == ""


class TestEstimator:
    @pytest.mark.parametrize("verbose", [0, False])
    def test_silence(self, iris, capsys, verbose, every_split):
        Kauri(3, verbose=verbose, max_leaf_nodes=None).fit(iris).predict(iris)
        out, err = capsys.readouterr()
        assert out == err == ""

    @pytest.mark.parametrize("verbose", [1, 2, True])
    def test_last_line(self, iris, capsys, verbose):
        model = Kauri(3, verbose=verbose, max_leaf_nodes=6).fit(iris)
        out, err = capsys.readouterr()
        assert err == ""
        said = DONE.match(out.splitlines()[-1])
        assert int(said["leaves"]) == model.n_leaves_ == 6
        assert int(said["clusters"]) == model.n_clusters_ == 3
        assert said["objective"] == f"{model.objective_:.6g}"
        assert int(said["searches"]) >= 6

    @pytest.mark.parametrize("options", [{}, {"engine": "blocks"}, {"max_features": 2}])
    @pytest.mark.parametrize("kernel", ["linear", "rbf"])
    def test_a_line_a_split(self, iris, capsys, kernel, options, every_split):
        model = Kauri(3, kernel=kernel, max_leaf_nodes=7, verbose=1, random_state=0, **options).fit(
            iris
        )
        *lines, last = capsys.readouterr().out.splitlines()
        lines = [line for line in lines if "root:" not in line]
        said = [SPLIT.match(line) for line in lines]
        assert all(said), lines
        assert [int(s["leaves"]) for s in said] == list(range(2, model.n_leaves_ + 1))
        assert {int(s["budget"]) for s in said} == {7}
        assert {int(s["most"]) for s in said} == {3}
        clusters = [int(s["clusters"]) for s in said]
        assert clusters == sorted(clusters)
        assert clusters[-1] == model.n_clusters_
        # The objective after each split, from the gains of the tree.
        gain = np.array([g for _, g in sorted(zip(*_cuts(model.tree_), strict=True))])
        objective = model.objective_ - np.append(np.cumsum(gain[:0:-1])[::-1], 0.0)
        for s, value in zip(said, objective, strict=True):
            assert float(s["objective"]) == pytest.approx(value, rel=1e-4)
        assert said[-1]["objective"] == DONE.match(last)["objective"]
        assert DONE.match(last)["objective"] == f"{model.objective_:.6g}"

    def test_no_leaf_limit(self, iris, capsys, every_split):
        Kauri(3, verbose=1, max_leaf_nodes=None).fit(iris)
        lines = [s for s in capsys.readouterr().out.splitlines() if SPLIT.match(s)]
        assert lines
        assert all(line.endswith("no leaf limit") for line in lines)

    def test_weights(self, iris, capsys):
        weight = np.random.default_rng(0).uniform(0, 2, 150)
        model = Kauri(3, verbose=1, max_leaf_nodes=None).fit(iris, sample_weight=weight)
        said = DONE.match(capsys.readouterr().out.splitlines()[-1])
        assert said["objective"] == f"{model.objective_:.6g}"
        assert said["objective"] == f"{model.score(iris, sample_weight=weight):.6g}"

    def test_gram(self, iris, capsys):
        gram = rbf_kernel(iris)
        model = Kauri(3, kernel="precomputed", verbose=1, max_leaf_nodes=None).fit(iris, gram=gram)
        said = DONE.match(capsys.readouterr().out.splitlines()[-1])
        assert said["objective"] == f"{model.score(iris, gram=gram):.6g}"

    def test_verbose_changes_nothing(self, iris):
        quiet, loud = (
            Kauri(3, max_leaf_nodes=None).fit(iris),
            Kauri(3, verbose=1, max_leaf_nodes=None).fit(iris),
        )
        np.testing.assert_array_equal(quiet.tree_.threshold, loud.tree_.threshold)


def _cuts(tree):
    """Each cut's place in the order of growth, and its gain."""
    inner = ~tree.is_leaf
    return tree.children_left[inner], tree.gain[inner]


class Terminal(io.StringIO):
    def isatty(self):
        return True


class TestBar:
    def test_rows_and_leaves(self, monkeypatch):
        monkeypatch.setenv("TERM", "xterm-256color")
        stream = Terminal()
        monkeypatch.setattr(_progress.sys, "stdout", stream)
        X = np.random.default_rng(0).normal(size=(200, 3))
        Kauri(3, engine="binned", max_leaf_nodes=5, verbose=1).fit(X)
        text = stream.getvalue()
        assert "[Kauri] rows of a leaf" in text
        assert "[Kauri] leaves" in text
        assert "5/5" in text
        # The bar is gone, and the last line is that of the clocks.
        assert DONE.match(text.splitlines()[-1].split("\x1b[2K")[-1])

    def test_from_one_block_of_rows_to_the_next(self, monkeypatch):
        shown = []
        monkeypatch.setattr(_progress.Bar, "show", lambda bar, *what: shown.append(what))
        with Progress(1, 10, 4, Terminal()) as progress:
            progress.rows(10, 30)
            progress.rows(30, 30)
            progress.rows(7, None, "rows read")
        assert shown == [
            ("rows of a leaf", 10, 30),
            ("rows of a leaf", 30, 30),
            ("rows read", 7, None),
        ]

    def test_an_interrupt_removes_the_bar(self):
        stream = Terminal()
        progress = Progress(1, 10, 4, stream)

        def cut_short():
            with progress:
                progress.rows(10, 30)
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            cut_short()
        assert progress.bar is None
        assert stream.getvalue().count("\x1b[?25l") == stream.getvalue().count("\x1b[?25h")

    def test_lines_where_there_is_no_terminal(self):
        stream = io.StringIO()
        with Progress(1, 10, 4, stream) as progress:
            progress.interval = 0
            progress.rows(10, 30)
            progress.rows(7, None, "rows read")
        assert stream.getvalue() == "[Kauri] rows of a leaf: 10 of 30\n[Kauri] rows read: 7\n"


SCRIPT = """
from sklearn.datasets import load_iris
from agathis import compare
found = compare(
    load_iris().data, n_clusters=3, methods=["Kauri", "IMM"], n_runs=2, random_state=0, n_jobs=1,
    verbose={verbose},
)
print(found.summary["runs"])
"""


def test_long_steps_have_a_remaining_time():
    bar = Bar(io.StringIO(), "test")
    try:
        now = 0.0
        bar.progress.get_time = lambda: now
        for done in range(4):
            bar.show("steps", done, 8)
            now += 90.0
        (task,) = bar.progress.tasks
        assert task.time_remaining == 5 * 90
    finally:
        bar.close()


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
class TestTerminal:
    """Bars in a process of their own, with and without a terminal."""

    def said(self, verbose, terminal):
        """What the process writes to stdout, a pipe, and to stderr."""
        import pty

        if terminal:
            ours, theirs = pty.openpty()
        else:
            ours, theirs = os.pipe()
        try:
            with subprocess.Popen(
                [sys.executable, "-c", SCRIPT.format(verbose=verbose)],
                stdout=subprocess.PIPE,
                stderr=theirs,
                env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"},
            ) as process:
                os.close(theirs)
                theirs = None
                err = b"".join(iter(lambda: self.some(ours), b""))
                out = process.stdout.read()
            assert process.returncode == 0, err.decode()
        finally:
            os.close(ours)
            if theirs is not None:
                os.close(theirs)
        return out.decode(), err.decode()

    def some(self, descriptor):
        try:
            return os.read(descriptor, 1 << 16)
        except OSError as error:
            # On Linux this is how a terminal says that nobody writes to it any more.
            if error.errno != errno.EIO:
                raise
            return b""

    def test_a_bar_on_a_terminal(self):
        out, err = self.said(verbose=True, terminal=True)
        assert out == "[2, 2]\n"
        assert "[compare] fits, including kernel KMeans" in err
        # Two runs of two methods, and of the reference.
        assert "6/6" in err
        # At its end the cursor is back and the line is cleared.
        assert err.count("\x1b[?25l") == err.count("\x1b[?25h") == 1
        assert err.rindex("\x1b[2K") > err.rindex("6/6")

    @pytest.mark.slow
    @pytest.mark.parametrize(("verbose", "terminal"), [(True, False), (False, True)])
    def test_silence(self, verbose, terminal):
        assert self.said(verbose, terminal) == ("[2, 2]\n", "")
