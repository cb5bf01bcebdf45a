"""The page and the files around it: whole, escaped, self-contained, and honest about what lacks."""

import csv
import re
from html.parser import HTMLParser

import pytest
from helpers.pages import Opened

from paper.experiments import render
from paper.experiments.reasons import find_reasons
from paper.experiments.result_cells import make_cells
from paper.tests.helpers.experiment_rows import keep, row, some_rows

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

VOID = {"meta", "link", "img", "br"}


class Page(HTMLParser):
    """Reads a page: its text, what it refers to, and whether its tags match."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.addresses, self.words, self.tags = [], [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            if name in ("src", "href", "srcset", "action", "data", "poster"):
                self.addresses.append(value)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def rows():
    return some_rows(("iris",))


@pytest.fixture(scope="module")
def folder(tmp_path_factory, rows):
    folder = keep(tmp_path_factory.mktemp("results"), rows)
    assert render(folder) == folder / "index.html"
    return folder


@pytest.fixture(scope="module")
def page(folder):
    return Page((folder / "index.html").read_text(encoding="utf-8"))


class TestPage:
    def test_refers_to_nothing_outside(self, folder, page):
        assert page.addresses
        inside = {f"#{name}" for name in page.ids}
        for address in page.addresses:
            assert address in inside or address.startswith("data:"), address[:80]
        text = (folder / "index.html").read_text(encoding="utf-8")
        assert "url(" not in text
        assert "@import" not in text
        assert "script" not in page.tags

    def test_names_are_given_once(self, page):
        assert len(page.ids) == len(set(page.ids))

    def test_says_no_place_on_this_machine(self, folder, page):
        assert str(folder) not in page.text

    def test_counts_and_lists_what_differs(self, rows, page):
        cells = make_cells(rows)
        known = [cell for cell in cells if cell.agrees is not None]
        reasons = find_reasons(cells)
        assert 0 < len(reasons) < len(known)
        assert f"{len(known) - len(reasons)} of {len(known)} of all cells" in page.text
        assert f"{len(reasons)} cells of the tables differ" in page.text
        # In the list and in its table.
        assert page.text.count("✗") == 2 * len(reasons) + 1
        assert all(reason.text in page.text for reason in reasons)

    def test_says_what_is_missing(self, page):
        assert "Not all fits of the plan are there" in page.text
        assert "figure: The tree of the Congress votes" in page.text
        assert "fits: clusters that kernel KMeans keeps" in page.text

    def test_names_are_escaped(self, tmp_path):
        keep(tmp_path, [row("small", "<script>alert(1)</script>", "kauri")])
        text = render(tmp_path).read_text(encoding="utf-8")
        assert "script" not in Page(text).tags
        assert "&lt;script&gt;" in text


class TestFiles:
    def test_all_are_there(self, folder):
        names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))
        assert names == [
            "cells.csv",
            "figures/imm.png",
            "figures/imm.svg",
            "index.html",
            "runs.jsonl",
            "tables.md",
            "tables.tex",
        ]

    def test_cells_have_a_line_each(self, folder, rows):
        with open(folder / "cells.csv", encoding="utf-8", newline="") as file:
            lines = list(csv.DictReader(file))
        cells = make_cells(rows)
        assert len(lines) == len(cells)
        for line, cell in zip(lines, cells, strict=True):
            assert float(line["mean"]) == cell.mean
            assert line["agrees"] == {True: "yes", False: "no", None: ""}[cell.agrees]

    def test_same_rows_same_files(self, folder):
        before = {path: path.read_bytes() for path in folder.rglob("*.*")}
        render(folder)
        assert before == {path: path.read_bytes() for path in folder.rglob("*.*")}

    @pytest.mark.slow
    def test_wine_is_drawn_where_it_was_fitted(self, tmp_path):
        keep(tmp_path, [row("kernels", "wine", "kauri", kernel="chi2")])
        render(tmp_path, quick=True)
        assert (tmp_path / "figures" / "wine.svg").exists()
        text = (tmp_path / "index.html").read_text(encoding="utf-8")
        assert "This is a quick run" in text

    def test_rows_of_no_table(self, tmp_path):
        keep(tmp_path, [row("lost", "target", "kernel_kmeans", 0, "polynomial")])
        text = Page(render(tmp_path).read_text(encoding="utf-8")).text
        assert "No cell of the paper's tables is among the rows" in text
        assert "There is nothing to compare" in text
        assert (tmp_path / "figures" / "lost_clusters.png").exists()


class TestWrong:
    def test_no_rows(self, tmp_path):
        with pytest.raises(ValueError, match="folder has no rows"):
            render(tmp_path / "nothing")
        assert not (tmp_path / "nothing").exists()

    def test_another_file(self, tmp_path):
        (tmp_path / "runs.jsonl").write_text('{"format": "another"}\n')
        with pytest.raises(ValueError, match="is no file of agathis-experiments"):
            render(tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["runs.jsonl"]

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"experiment": "tiny"}, "is of experiment 'tiny'; there are small, large"),
            ({"ari": "high"}, "has ari='high'; it must be a number"),
            ({"wad": None}, "has wad=None"),
            ({"run": [1]}, "has run="),
        ],
    )
    def test_rows_of_something_else(self, tmp_path, changes, message):
        keep(tmp_path, [row("small", "iris", "kauri") | changes])
        with pytest.raises(ValueError, match=message):
            render(tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["runs.jsonl"]

    @pytest.mark.parametrize("wrong", [{"quick": "yes"}, {"data_home": 3}])
    def test_arguments(self, tmp_path, wrong):
        with pytest.raises((TypeError, ValueError), match=next(iter(wrong))):
            render(tmp_path, **wrong)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_a_browser(browser, folder, scheme):
    screen = {"viewport": {"width": 400, "height": 800}, "color_scheme": scheme}
    page = Opened(browser, folder / "index.html", **screen)
    assert page.page.evaluate("document.documentElement.scrollWidth") == 400
    background = page.style("body", "background-color")
    # Nothing was asked for but the file, and nothing went wrong.
    page.close()
    light = sum(map(int, re.findall(r"\d+", background)[:3])) > 3 * 128
    assert light == (scheme == "light")
