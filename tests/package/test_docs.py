"""The pages of docs/: examples run and print what they say, and links lead somewhere."""

import contextlib
import io
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def blocks(page):
    """The examples and outputs of a page as they come."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(r"```(python|text)\n(.*?)```", text, re.DOTALL)


def without_seconds(text):
    """A table without its last column where that is a time, which no two runs share."""
    lines = text.splitlines()
    if not lines[0].endswith("seconds"):
        return lines
    width = lines[0].index("seconds")
    return [line[:width].rstrip() for line in lines]


@pytest.mark.parametrize(
    "page",
    [
        pytest.param("comparing.md", marks=pytest.mark.slow),  # many methods, many runs
        "datasets.md",
        "export.md",
        "pipelines.md",
        "report.md",
        "tables.md",
    ],
)
def test_examples(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, printed, outputs = {}, "", 0
    for kind, text in blocks(page):
        if kind == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(text, names)
            printed = out.getvalue()
        else:
            outputs += 1
            assert without_seconds(printed) == without_seconds(text)
    assert outputs


@pytest.mark.parametrize("page", sorted(path.name for path in DOCS.glob("*.md")))
def test_links(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", text)
    assert [link for link in links if not (DOCS / link).exists()] == []
