"""What works with the core dependencies alone, and what names the extra that it needs."""

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXTRAS = ("jinja2", "matplotlib", "pandas", "pyarrow", "rich", "skl2onnx", "typer")

# As where none of them is installed, and with a terminal that is not one.
HEAD = f"""
import io, sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {EXTRAS!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

class Terminal(io.StringIO):
    def isatty(self):
        return True

for name in [name for name in sys.modules if name.partition(".")[0] in {EXTRAS!r}]:
    del sys.modules[name]
sys.meta_path.insert(0, Blocked())

def told(function, *args, **params):
    try:
        function(*args, **params)
    except ImportError as error:
        return str(error)

import agathis
X = [[i % 7, i % 3, i // 20 * 50.0] for i in range(60)]
"""


@pytest.fixture(scope="module")
def run():
    def run(code):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", HEAD + textwrap.dedent(code)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout, done.stderr

    return run


@pytest.mark.slow
def test_fits_and_their_lines(run):
    """On a terminal too: there is no bar without rich."""
    out, err = run(
        """
        from agathis._utils.progress import Progress
        Progress.interval = 0.0
        real = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = Terminal(), Terminal()
        model = agathis.Kauri(3, max_leaf_nodes=4, verbose=1).fit(X)
        found = agathis.suggest(X, max_clusters=4, verbose=1)
        compared = agathis.compare(
            X, n_clusters=3, methods=["Kauri", "IMM"], n_runs=1, random_state=0, n_jobs=1, verbose=1
        )
        said = sys.stdout.getvalue() + sys.stderr.getvalue()
        sys.stdout, sys.stderr = real
        print(said)
        print(model.n_clusters_, found.n_clusters)
        print(compared)
        """
    )
    lines = out.splitlines()
    assert err == ""
    assert "\x1b" not in out
    assert any(re.match(r"\[Kauri\] \d/4 leaves, ", line) for line in lines)
    assert any(line.startswith("[Kauri] done: ") for line in lines)
    assert [line for line in lines if line.startswith("[suggest] ")] == [
        f"[suggest] halves of the rows: {k} of 11" for k in range(11)
    ]
    assert "[compare] fits, including kernel KMeans: 3 of 3" in lines
    # Three values at equal distances are no modes: no groups are shown.
    assert "3 1" in lines
    table = lines[lines.index("3 1") + 1 :][:3]
    assert [line.split()[0] for line in table] == ["method", "Kauri", "IMM"]


@pytest.mark.slow
def test_processes(run):
    """Methods of a script are sent as code."""
    out, _ = run(
        """
        common = dict(n_clusters=3, n_runs=1, random_state=0, n_jobs=2, verbose=False)
        print(agathis.compare(X, methods=["Kauri", "IMM"], **common).summary["runs"])

        class Mine(agathis.Kauri):
            pass

        print(agathis.compare(X, methods={"mine": Mine(3)}, **common).summary["runs"])
        """
    )
    assert out.splitlines() == ["[1, 1]", "[1]"]


def test_what_needs_more_names_its_extra(run):
    out, _ = run(
        """
        model = agathis.Kauri(3).fit(X)
        print(told(agathis.plot.plot_tree, model))
        print(told(agathis.report.write, model, X, "page.html"))
        print(told(agathis.export.to_onnx, model))
        print(told(agathis.fit_file, "table.csv", 3))
        from agathis.__main__ import main
        try:
            main()
        except SystemExit as end:
            print(end)
        """
    )
    assert out.splitlines() == [
        'drawing needs matplotlib: pip install "agathis[plot]"',
        'a report needs jinja2: pip install "agathis[report]"',
        'to_onnx needs skl2onnx: pip install "agathis[onnx]"',
        'reading tables needs pyarrow: pip install "agathis[io]"',
        'Error: the command line needs typer: pip install "agathis[cli]"',
    ]


def test_quotes():
    """A shell takes brackets without them for a pattern."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("src/**/*.py")]
    pages += [*ROOT.glob("examples/**/*.py"), *ROOT.glob(".github/**/*.yml"), ROOT / "noxfile.py"]
    found = [p.name for p in pages if re.search(r"pip install\s+agathis\[", p.read_text("utf-8"))]
    assert found == []
