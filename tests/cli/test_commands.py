"""The command line from end to end; in a process of its own where that is what is looked at."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import get_args

import pytest
from helpers.cli_runs import NOT_SHOWN, command, example, here, iris_csv, on_terminal, run

from agathis._cli import COMMANDS

DOCS = Path(__file__).parents[2] / "docs" / "command-line.md"
NEEDS_REPORT = pytest.mark.skipif(find_spec("agathis.report") is None, reason="no agathis.report")
MARKS = {
    "report": NEEDS_REPORT,
    **dict.fromkeys(("demo", "compare", "suggest"), pytest.mark.slow),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a table, new rows and a model."""
    folder = tmp_path_factory.mktemp("cli")
    lines = iris_csv(folder).read_text().splitlines(keepends=True)
    (folder / "new.csv").write_text("".join(lines[:6]))
    done = run("fit", "iris.csv", "-k", "3", "--target", "species", "-o", "model.json", cwd=folder)
    assert done.code == 0, done.err
    assert [line.split(" is where ")[0] for line in done.out.splitlines()] == [
        "cluster 0", "cluster 1", "cluster 2"
    ]  # fmt: skip
    assert re.search(r"ARI 0\.[5-9]", done.err)
    return folder


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=MARKS.get(name, ())) for name in COMMANDS],
)
def test_examples_of_the_help(name, place, capsys, monkeypatch, tmp_path):
    words = shlex.split(example(name))
    assert words[:2] == ["agathis", name]
    if name == "rename":  # the model of the other tests keeps its names
        place = shutil.copytree(place, tmp_path / "copy")
    monkeypatch.chdir(place)
    done = here(capsys, *words[1:])
    assert done.code == 0, done.err
    if "-o" in words:
        assert (place / words[words.index("-o") + 1]).stat().st_size
    else:
        assert done.out or "Wrote" in done.err
    assert [name for name in os.listdir(place) if name.endswith(".tmp")] == []


def test_help_names_all_commands_and_imports_little():
    code = (
        "import sys\nfrom agathis._cli import main\n"
        "sys.argv = ['agathis', '--help']\n"
        "try:\n    main()\nexcept SystemExit as stop:\n    assert not stop.code\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for name in COMMANDS:
        assert re.search(rf"^  {name} +\w", done.stdout, re.MULTILINE)
    imported = set(done.stderr.split())
    assert "agathis._cli.commands.fit" in imported
    assert {"numpy", "sklearn", "pyarrow", "rich.console", "agathis._kauri"}.isdisjoint(imported)


@pytest.mark.slow
def test_pipes(place):
    """From stdin to stdout: a model on its way from fit to show, rows on theirs to predict."""
    data = (place / "iris.csv").read_bytes()
    fitted = run("fit", "-", "-k", "3", "--drop", "species", "-o", "-", stdin=data)
    assert fitted.code == 0
    assert json.loads(fitted.out)["format"] == "agathis-tree"
    shown = run("show", "-", stdin=fitted.out.encode())
    assert "petal_" in shown.out
    assert "\x1b" not in shown.out
    labels = run("predict", "model.json", "-", cwd=place, stdin=data)
    head, *found = labels.out.splitlines()
    assert head == "cluster"
    assert len(found) == 150
    assert set(found) == {"0", "1", "2"}


@pytest.mark.parametrize(
    ("data", "code", "said"),
    [
        (b"", 1, "t.csv is empty"),
        (b"\xef\xbb\xbfa,b\n1,2\n3,4\n9,1\n", NOT_SHOWN, "Found 2 clusters"),
        (b"a;b\n1,5;2\n3,5;4\n9,5;1\n", NOT_SHOWN, "Found 2 clusters"),
        (
            b"a,b,c,c\n1,2,3,4\n4,5,6,6\n7,9,9,8\n",
            NOT_SHOWN,
            "Left out: c: two columns have that name",
        ),
        (b"a,b\n1" + 30 * b"0" + b",2\n3,4\n5,6\n", NOT_SHOWN, "Found 2 clusters"),
    ],
    ids=["empty", "mark", "semicolons", "two of one name", "huge integer"],
)
def test_files_of_all_kinds(data, code, said, tmp_path, capsys, monkeypatch):
    (tmp_path / "t.csv").write_bytes(data)
    monkeypatch.chdir(tmp_path)
    done = here(capsys, "fit", "t.csv", "-k", "2", "-o", "m.json")
    assert done.code == code
    assert said in done.err
    assert sorted(os.listdir(tmp_path)) == (["t.csv"] if code == 1 else ["m.json", "t.csv"])
    if code == NOT_SHOWN:
        assert "cluster 0 is where a <= " in done.out
        names = json.loads((tmp_path / "m.json").read_text())["feature_names"]
        assert names == ["a", "b"]


@pytest.mark.slow
def test_who_reads_may_have_enough(place):
    """Stdout is closed before anything is written to it."""
    for args in (["show", "model.json"], ["predict", "model.json", "iris.csv"]):
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run(
            command(*args), cwd=place, stdout=write, stderr=subprocess.PIPE, check=False
        )
        os.close(write)
        assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="a shell closes streams")
def test_streams_that_are_closed(place):
    def shell(*args, streams):
        words = f"{shlex.join(command(*args))} {streams}"
        return subprocess.run(["sh", "-c", words], cwd=place, capture_output=True, check=False)

    done = shell("predict", "model.json", "new.csv", "--drop", streams="2>&-")
    assert (done.returncode, done.stdout) == (2, b"")
    done = shell("fit", "iris.csv", "-k", 3, "-o", "-", streams="2>&-")
    assert done.returncode == 0
    assert json.loads(done.stdout)["n_clusters"] == 3
    done = shell("show", "-", streams="<&-")
    assert done.returncode == 1
    assert done.stderr.startswith(b"Error: standard input is not a tree")


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_a_full_disk(place):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command("show", "model.json"),
            cwd=place,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == b"Error: No space left on device.\n"


def test_stopped_by_the_keyboard(place, tmp_path):
    with subprocess.Popen(
        command("fit", "-", "-k", "2", "-o", tmp_path / "m.json"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A process in the background of a shell has been told not to mind the keyboard.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        # More than a pipe holds: once it is written, somebody reads it and waits for more.
        process.stdin.write(b"a,b\n" + 50_000 * b"1,2\n3,4\n")
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        code = process.wait(60)
        err = process.stderr.read()
    assert code == 130
    assert err.endswith(b"Stopped.\n")
    assert b"Traceback" not in err
    assert os.listdir(tmp_path) == []


@pytest.mark.slow
def test_colours(place):
    """On a terminal clusters have their colours, unless NO_COLOR is set."""
    coloured = on_terminal("show", "model.json", cwd=place)
    assert "48;2;0;114;178m" in coloured  # the first of Okabe and Ito's
    assert "48;2" not in on_terminal("show", "model.json", cwd=place, env={"NO_COLOR": "1"})


@NEEDS_REPORT
def test_from_a_table_to_a_report(place, capsys, monkeypatch):
    monkeypatch.chdir(place)
    done = here(
        capsys, "fit", "iris.csv", "-k", "3", "--target", "species", "--report", "page.html"
    )
    assert done.code == 0, done.err
    page = Path("page.html").read_text(encoding="utf-8")
    assert page.lstrip().lower().startswith("<!doctype html")
    assert "petal_" in page


@pytest.mark.slow
def test_docs(tmp_path, capsys, monkeypatch):
    """The commands of the page run one after another, and print what it says."""
    text = DOCS.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    iris_csv(tmp_path)
    blocks = re.findall(r"```(sh|text)\n(.*?)```", text, re.DOTALL)
    printed, outputs = "", 0
    for kind, block in blocks:
        if kind == "text":
            outputs += 1
            assert printed == block
            continue
        for line in block.splitlines():
            words = shlex.split(line, comments=True)
            if not words or (words[1] == "report" and find_spec("agathis.report") is None):
                continue
            assert words[0] == "agathis"
            done = here(capsys, *words[1:])
            assert done.code == 0, (line, done.err)
            printed = done.out
    assert outputs


@NEEDS_REPORT
@pytest.mark.skipif(os.name == "nt", reason="the browser is a shell script")
def test_one_command_from_a_table_to_an_opened_page(place, tmp_path):
    """As in README; the browser is a script that writes down what it was asked to show."""
    browser, shown = tmp_path / "browser", tmp_path / "shown"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > "{shown}"\n')
    browser.chmod(0o755)
    args = ("fit", "iris.csv", "-k", "3", "--report", "opened page.html", "--open")
    done = run(*args, cwd=place, env={"BROWSER": f"{browser} %s"})
    assert done.code == 0, done.err
    page = place / "opened page.html"
    assert shown.read_text() == page.resolve().as_uri()
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_choices_are_those_of_the_registries():
    from agathis import export
    from agathis._checks.searches import SEARCHES
    from agathis._cli import options
    from agathis._cli.commands.export import Dialect, Form
    from agathis._kernels.names import KERNELS
    from agathis._methods import METHODS
    from agathis.export._dialects import DIALECTS
    from agathis.export._formats import FORMATS

    typed = [method.typed for method in METHODS.values()]
    assert [choice.value for choice in options.Compared] == typed
    assert list(get_args(options.Method)) == [
        method.typed for method in METHODS.values() if method.search is None
    ]
    assert set(get_args(options.Kernel)) == KERNELS.keys() - {"poly", "additive_chi2"}
    assert list(get_args(options.Search)) == list(SEARCHES)
    assert list(get_args(Dialect)) == sorted(DIALECTS)
    assert list(get_args(Form)) == list(FORMATS)
    assert {form.writer for form in FORMATS.values()} == {
        name for name in export.__all__ if name.startswith("to_") and name != "to_sklearn"
    }
