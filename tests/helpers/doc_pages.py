"""Runs the code of a page of docs/, block by block, as a reader would, with what it includes.

Blocks of ``python`` share their names. A block of ``text`` is what the block before it prints.
Lines of ``sh`` run in a shell, one by one, but for those that install, build or take an hour: of
these it is checked that what they name is there. What a reader has at hand and the page does not
show, such as the file of the first command, is made by a comment that begins with ``before``.
"""

import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from helpers.cli_runs import NOT_SHOWN

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
_INCLUDED = re.compile(r"^```\{include\} ((?:\.\./)+[\w/]*[A-Z_]+\.md)\n.*?^```$", re.M | re.S)
_BLOCK = re.compile(r"^```(python|text|sh)\n(.*?)^```$|^<!-- (before)\n(.*?)^-->$", re.M | re.S)
#: Lines that are not run, and where what they name has to be found.
_PIP, _MAKE, _HOURS = "pip install ", "make ", "python -m paper run"


class Block(NamedTuple):
    """A block of code, or what it prints."""

    kind: str
    text: str
    line: int


def pages():
    """The pages with code, as paths from docs/."""
    found = (path for path in sorted(DOCS.rglob("*.md")) if not made(path))
    return [path.relative_to(DOCS).as_posix() for path in found if blocks(text_of(path))]


def text_of(path):
    """The text of a page, and of files outside docs/ that it includes, as CONTRIBUTING.md."""
    text = path.read_text(encoding="utf-8")
    return _INCLUDED.sub(lambda match: (path.parent / match[1]).read_text(encoding="utf-8"), text)


def made(path):
    """Whether a file is made by the site's build."""
    return path.relative_to(DOCS).parts[0] in ("_made", "api", "gallery")


def blocks(text):
    """The blocks of a page as they come."""
    return [
        Block(match[1] or match[3], match[2] or match[4] or "", text.count("\n", 0, match.start()))
        for match in _BLOCK.finditer(text)
    ]


def run(text):
    """Run a page in the folder of the process; each output that is shown, with what was printed."""
    names = {"__name__": "page"}
    printed, shown = "", []
    for kind, code, line in blocks(text):
        if kind == "text":
            shown.append((line, code, printed))
        elif kind == "sh":
            printed = "".join(run_line(one) for one in code.splitlines())
        elif code.startswith(">>>"):
            run_doctest(code, names, line)
        else:
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(code, f"line {line}", "exec"), names)
            printed = out.getvalue()
    return shown


def run_doctest(code, names, line):
    """Run examples with prompts: what they print stands below them."""
    test = doctest.DocTestParser().get_doctest(code, names, "page", None, line)
    told = []
    doctest.DocTestRunner(verbose=False).run(test, out=told.append, clear_globs=False)
    names.update(test.globs)
    assert not told, "".join(told)


def run_line(line):
    """Run a line in a shell, and give what it prints; an error is one."""
    words = line.split()
    if not words or words[0] == "#":
        return ""
    if line.startswith((_PIP, _MAKE, _HOURS)):
        assert known(line), line
        return ""
    folder = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", line], env=environment, capture_output=True, text=True, check=False
    )
    # A fit that shows no groups ends with a code of its own.
    shown = (0, NOT_SHOWN) if line.startswith("agathis fit ") else (0,)
    assert done.returncode in shown, f"{line}\n{done.stderr}"
    return done.stdout


def known(line):
    """Whether the target of make, or the extra of pip, is there."""
    if line.startswith(_MAKE):
        makefile = (ROOT / "Makefile").read_text("utf-8")
        # A rule may have several targets, which stand before its colon.
        return all(
            re.search(rf"^(?:[\w-]+ )*{word}(?: [\w-]+)*:", makefile, re.M)
            for word in line.split()[1:2]
        )
    if line.startswith(_PIP):
        pyproject = (ROOT / "pyproject.toml").read_text("utf-8")
        extras = [extra for some in re.findall(r"\[([\w,]+)\]", line) for extra in some.split(",")]
        return all(re.search(rf"^{extra} = \[", pyproject, re.M) for extra in extras)
    return True


def without_seconds(text):
    """A table without its last column where that is a time, which no two runs share."""
    lines = text.splitlines()
    if not lines or not lines[0].endswith("seconds"):
        return lines
    width = lines[0].index("seconds")
    return [line[:width].rstrip() for line in lines]
