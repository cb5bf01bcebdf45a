"""The pages of docs/: code runs and prints what they say, figures have files, links lead on."""

import doctest
import inspect
import os
import re
import sys
from statistics import mean

import pytest
from helpers import doc_pages
from helpers.doc_pages import DOCS, ROOT

sys.path += [str(DOCS), str(ROOT / "tools")]

import figures
from site_parts import gallery, links, substitutions

#: Pages that take more than a few seconds: new processes, many runs.
SLOW = {
    "command-line.md",
    "comparing.md",
    "guide/how-many-groups.md",
    "guide/scaling.md",
    "paper.md",
    "report.md",
    "scale.md",
    "start.md",
}
PAGES = sorted(path for path in DOCS.rglob("*.md") if not doc_pages.made(path))


def name(path):
    return path.relative_to(DOCS).as_posix()


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.slow] if page in SLOW else [])
        for page in doc_pages.pages()
    ],
)
# A cluster of another test that runs at the same time may have that port, and what tried it first
# is not closed.
@pytest.mark.filterwarnings("ignore:.*Port 8787 is already in use:UserWarning")
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
def test_code_runs_and_prints_what_the_page_says(page, tmp_path, monkeypatch):
    if page == "paper.md" and "AGATHIS_DATA" not in os.environ:
        pytest.skip("AGATHIS_DATA does not name the folder of the data sets")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    shown = doc_pages.run(doc_pages.text_of(DOCS / page))
    for line, told, printed in shown:
        assert doc_pages.without_seconds(printed) == doc_pages.without_seconds(told), line


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_every_block_of_code_is_of_a_kind_that_is_run(path):
    kinds = re.findall(r"^ *```+([^`\n]+)$", doc_pages.text_of(path), re.M)
    unknown = [kind for kind in kinds if not re.match(r"(python|sh|text|none|\{[\w-]+\})", kind)]
    assert unknown == []
    assert not [kind for kind in kinds if kind.startswith("{code")]


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_every_block_of_code_is_fenced_and_has_a_kind(path):
    """Indented code, and fences without a kind, would be run by no test."""
    markdown_it = pytest.importorskip("markdown_it")
    parser = markdown_it.MarkdownIt("commonmark").enable("table")
    tokens = parser.parse(doc_pages.text_of(path))
    assert [token.content for token in tokens if token.type == "code_block"] == []
    bare = [token.content for token in tokens if token.type == "fence" and not token.info]
    assert bare == []


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_links(path):
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = re.findall(r"\]\((?!https?:)([^)#\s]+)\)", text)
    built = re.compile(r"(\.\./)*(gallery|_made)/")
    lost = [link for link in targets if not (built.match(link) or (path.parent / link).exists())]
    assert lost == []


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_links_to_the_gallery_have_their_example(path):
    text = path.read_text(encoding="utf-8")
    for example in re.findall(r"gallery/([\w/]+)\.rst", text):
        assert (ROOT / "examples" / f"{example}.py").exists()
    for folder, example in re.findall(r"gallery/(\w+)/images/sphx_glr_(\w+)_\d+\.png", text):
        assert (ROOT / "examples" / folder / f"{example}.py").exists()


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_figures_in_prose_have_their_file(path):
    found = substitutions.figures(ROOT)
    for group, figure in re.findall(r"\{\{ (\w+)\.(\w+) \}\}", path.read_text(encoding="utf-8")):
        assert found[group][figure] is not None


@pytest.mark.parametrize("path", figures.pages(), ids=lambda path: path.name)
def test_pages_of_the_repository_have_the_figures_of_the_files(path):
    text = path.read_text(encoding="utf-8")
    _, changed = figures.filled(text, substitutions.figures(ROOT))
    assert changed == [], "python tools/figures.py"
    # Who reads the page in the repository would see the braces.
    assert not re.search(r"\{\{ \w+\.\w+ \}\}", text)
    # A line that begins with a comment is no part of its paragraph.
    assert not re.search(r"^ *<!-- =[\w.]+ -->.", text, re.M)
    assert len(re.findall("<!-- =", text)) == 2 * len(figures.MARKED.findall(text))


def test_the_paper_page_has_its_figures_from_files():
    marked = {found[1] for found in figures.MARKED.findall((DOCS / "paper.md").read_text("utf-8"))}
    assert {"paper.all", "paper.votes_ours", "checks.goes_on", "table.searched_sets"} <= marked


def test_a_figure_that_is_not_that_of_the_file_is_written_anew():
    assert doctest.testmod(figures).failed == 0


def test_what_the_guide_says_of_the_methods_holds():
    """guide/which-method.md tells in words what its tables show."""
    from site_parts.measured import PREPARED, means

    cells = substitutions.cells(ROOT)
    few = ("kauri", "kmeans_dt", "imm", "exshallow", "rdm", "icot")
    cost, _ = means(cells, "small_relative_same", "relative_same", few)
    ari, _ = means(cells, "small_ari", "ari", few)
    assert max(cost["imm"], cost["exshallow"]) < cost["kauri"] < cost["kmeans_dt"]
    assert abs(ari["kmeans_dt"] - ari["kauri"]) < 0.01
    many = ("kauri", "kmeans_dt", "exkmc")
    cost, _ = means(cells, "large_relative_same", "relative_same", many)
    size, _ = means(cells, "large_waes", "waes", many)
    ari, _ = means(cells, "large_ari", "ari", many)
    assert abs(cost["kauri"] - cost["exkmc"]) < 0.005
    assert min(size, key=size.get) == "kauri"
    assert max(ari, key=ari.get) == "kmeans_dt"
    rows = substitutions.read(ROOT / "benchmarks" / "panel.json")["fit"]["rows"]
    for some, first in ((rows, "agathis"), ([row for row in rows if row["mixed"]], "prototypes")):
        ari = {name: mean(row[name] for row in some) for name in PREPARED}
        assert max(ari, key=ari.get) == first


def test_results_have_the_figures_of_the_last_run():
    text = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    cases = substitutions.read(ROOT / "benchmarks" / "results.json")["cases"]
    assert [name for name, case in cases.items() if case["figure"] not in text] == []


def test_links_out_of_docs_are_mended():
    assert doctest.testmod(links).failed == 0
    assert links.mended("[x](../CHANGELOG.md) [y](export.md#sql)") == (
        "[x](/changelog.md) [y](export.md#sql)"
    )


def test_pages_outside_the_repository_view_are_found():
    for path, page in links.PAGES.items():
        assert (ROOT / path).exists() or (DOCS / path).exists()
        assert (DOCS / page).exists()


def test_every_public_name_has_an_example():
    import importlib

    import reference

    bare = [
        f"{module}.{own}"
        for module in reference.PUBLIC
        for own in importlib.import_module(module).__all__
        if own != "__version__"
        and "Examples\n" not in (inspect.getdoc(getattr(sys.modules[module], own)) or "")
    ]
    assert bare == []


def test_examples_of_the_gallery():
    examples = sorted((ROOT / "examples").glob("*/plot_*.py"))
    assert len(examples) >= 15
    for path in examples:
        text = path.read_text(encoding="utf-8")
        assert re.match(r'"""\n.+\n=+\n\n', text), path
        assert re.search(r"plot_\w+\(|plt\.subplots\(", text), path


def test_the_build_tells_how_long_examples_take(tmp_path):
    assert doctest.testmod(gallery).failed == 0
    assert gallery.times(tmp_path) == "Sphinx-Gallery kept no times of examples"


def test_the_page_of_commands_has_every_option():
    pytest.importorskip("typer")
    from site_parts import commands

    from agathis._cli.app import COMMANDS

    text = commands.page()
    for option in ("--report", "--search", "--dialect", "--runs", "--with-data"):
        assert option in text
    assert re.findall(r"^## `agathis (\w+)`$", text, re.M) == list(COMMANDS)


def test_files_that_a_build_compiles_are_counted():
    import sources

    installs = substitutions.read(DOCS / "installs.json")
    assert installs["c_files"] == len(sources.sources("c"))
    assert installs["cython_files"] == len(sources.sources("cython"))
