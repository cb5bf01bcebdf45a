"""Runs of the command line for tests: in a process of its own, or here, which is quicker."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from sklearn.datasets import load_iris
from typer.main import get_command

from agathis._cli import make_app
from agathis._utils.result_table import csv_text

#: The exit code of a fit that wrote its results, of rows too few or too much alike to show groups.
NOT_SHOWN = 4


class Run(NamedTuple):
    code: int
    out: str
    err: str


def command(*args) -> list[str]:
    return [sys.executable, "-m", "agathis", *map(str, args)]


def run(*args, cwd=None, stdin=b"", env=None) -> Run:
    """A process; none of them may show a traceback."""
    done = subprocess.run(
        command(*args),
        cwd=cwd,
        input=stdin,
        capture_output=True,
        check=False,
        env={**os.environ, **(env or {})},
    )
    err = done.stderr.decode()
    assert "Traceback" not in err, err
    return Run(done.returncode, done.stdout.decode(), err)


def on_terminal(*args, cwd=None, env=None) -> str:
    """What a process shows where its stdout is a terminal."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command(*args),
        cwd=cwd,
        stdout=theirs,
        env={**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", **(env or {})},
    ) as process:
        os.close(theirs)
        out = b""
        try:
            while piece := os.read(ours, 4096):
                out += piece
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        assert process.wait() == 0
    return out.decode()


def here(capsys, *args) -> Run:
    """The command in this process."""
    with pytest.raises(SystemExit) as stopped:
        make_app()([str(arg) for arg in args], prog_name="agathis")
    found = capsys.readouterr()
    return Run(stopped.value.code, found.out, found.err)


def example(*names: str) -> str:
    """The example at the end of the help of a command, as it is printed."""
    found = get_command(make_app())
    for name in names:
        found = found.commands[name]
    text = found.get_help(found.make_context(names[-1], [], resilient_parsing=True))
    (line,) = re.findall(r"^ *Example: (agathis .*)$", text, re.MULTILINE)
    assert text.rstrip().endswith(line)
    return line


def iris_csv(folder: Path) -> Path:
    iris = load_iris()
    names = [name.removesuffix(" (cm)").replace(" ", "_") for name in iris.feature_names]
    rows = [[*row, iris.target_names[k]] for row, k in zip(iris.data, iris.target, strict=True)]
    path = folder / "iris.csv"
    path.write_text(csv_text([*names, "species"], rows))
    return path


def mixed_rows(random, n: int, gaps: float = 0.0) -> tuple[list[str], list[list]]:
    """A table with numbers, categories with awkward names, and truths; some values are missing."""
    kinds = random.integers(0, 3, n)
    colours = ["red", "it's", 'a "b", c']
    rows = []
    for i, k in enumerate(kinds):
        row = [
            i + 100,
            round(float(random.normal(10.0 * k, 2)), 2),
            int(random.normal(50, 9)),
            colours[k if random.random() < 0.9 else int(random.integers(3))],
            bool(random.random() < (0.1, 0.5, 0.9)[k]),
        ]
        for j in range(1, len(row)):
            if random.random() < gaps:
                row[j] = None
        rows.append(row)
    return ["row_id", "size", "drop table t; --", "color", "paid"], rows
