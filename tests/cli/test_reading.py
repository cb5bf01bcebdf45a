"""Files as people have them, through the commands: what is told, stored, and applied again."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from helpers.cli_runs import here

from agathis._cli.options import TextFile, options_typed


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def customers(n=60):
    random = np.random.default_rng(2)
    high = np.arange(n) % 2
    return pd.DataFrame(
        {
            "Mail": [f"person{i}@example.org" for i in range(n)],
            "Country": random.choice(["France", "Spain"], n),
            "Age": 25 + 30 * high + random.integers(0, 9, n),
            "Spent": (100 + 500 * high + random.normal(0, 30, n)).round(2),
        }
    )


def as_text(table, before="", after="", **how):
    return before + table.to_csv(index=False, **how) + after


def write_workbook(path, sheets):
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)


def rows_of(table):
    return [list(table), *table.astype(object).to_numpy().tolist()]


LAYOUTS = {
    "titles": ("Report\nof 2025\n\n", "Total,,,25000\n", {}),
    "two lines": ("Who,,What,\n", "", {}),
    "no header": ("", "", {"header": False}),
    "German": ("", "", {"sep": ";", "decimal": ","}),
    "notes": ("", "\nSource: the shop, own figures\n", {}),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_rows_of_the_fit_are_those_of_predict(layout, place, capsys):
    before, after, how = LAYOUTS[layout]
    table = customers()
    Path("t.csv").write_text(as_text(table, before, after, **how))
    fit = here(capsys, "fit", "t.csv", "-k", 2, "-o", "m.json", "--report", "r.html")
    assert fit.code == 0, fit.err
    assert f"Read {len(table)} rows and 4 columns." in fit.err
    done = here(capsys, "predict", "m.json", "t.csv", "-o", "out.csv")
    assert done.code == 0, done.err
    labels = pd.read_csv("out.csv")["cluster"]
    assert len(labels) == len(table)
    assert labels.nunique() == 2
    assert (labels == labels[0]).tolist() == (np.arange(len(table)) % 2 == 0).tolist()
    page = Path("r.html").read_text()
    assert "How the file was read" in page
    assert "example.org" not in page


def test_decisions_are_stored_and_must_fit(place, capsys):
    table = customers()
    Path("t.csv").write_text(as_text(table, "Report of May\n"))
    assert here(capsys, "fit", "t.csv", "-k", 2, "-o", "m.json").code == 0
    known = json.loads(Path("m.json").read_text())["provenance"]["reading"]
    assert known["header_row"] == 2
    Path("june.csv").write_text(as_text(table, "Report of June\n"))
    assert here(capsys, "predict", "m.json", "june.csv").code == 0
    Path("july.csv").write_text(as_text(table, "Report of July\nas told\n"))
    done = here(capsys, "predict", "m.json", "july.csv")
    assert done.code == 1
    assert "--header-row 3 reads it so" in done.err
    assert here(capsys, "predict", "m.json", "july.csv", "--header-row", 3).code == 0
    assert here(capsys, "report", "m.json", "july.csv", "-o", "r.html").code == 1
    # A file of another kind has no such lines.
    table.to_parquet("t.parquet")
    assert here(capsys, "predict", "m.json", "t.parquet").code == 0


def test_options_that_were_given_are_applied_again(place, capsys):
    table = customers()
    Path("t.csv").write_text(as_text(table, "a,b,c,d\n", "z,z,1,1\n"))
    options = ["--skip-rows", 1, "--skip-footer", 1]
    assert here(capsys, "fit", "t.csv", "-k", 2, "-o", "m.json", *options).code == 0
    assert here(capsys, "predict", "m.json", "t.csv", "-o", "out.csv").code == 0
    assert len(pd.read_csv("out.csv")) == len(table)
    rows = rows_of(table)
    write_workbook("t.xlsx", {"May": rows, "June": rows[:51]})
    done = here(capsys, "fit", "t.xlsx", "-k", 2)
    assert done.code == 1
    assert "--sheet NAME names the one to read" in done.err
    done = here(capsys, "fit", "t.xlsx", "-k", 2, "-o", "m.json", "--sheet", "June")
    assert done.code == 0, done.err
    assert here(capsys, "predict", "m.json", "t.xlsx", "-o", "out.csv").code == 0
    assert len(pd.read_csv("out.csv")) == 50
    write_workbook("one.xlsx", {"July": rows})
    done = here(capsys, "predict", "m.json", "one.xlsx")
    assert "has no sheet 'June'; it has 'July': --sheet NAME" in done.err


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--header-row", "0"], 2, "--header-row 0: it is a line, counted from 1"),
        (["--header-row", "4-3"], 2, "--header-row 4-3: it is a line"),
        (["--header-row", "x"], 2, "--header-row x: it is a line"),
        (["--header-row", "1", "--no-header"], 2, "contradict each other"),
        (["--header-row", "999"], 1, "is empty, or after its first rows: --header-row N"),
        (["--skip-rows", "999"], 1, "nothing after its first 999 lines: --skip-rows N"),
        (["--sheet", "May"], 1, "--sheet NAME goes with Excel, and the table is text"),
        (["--sep", "ab"], 2, "--sep ab must be one ASCII character"),
    ],
)
def test_options_that_are_wrong(options, code, said, place, capsys):
    Path("t.csv").write_text(as_text(customers()))
    done = here(capsys, "inspect", "t.csv", *options)
    assert done.code == code
    assert said in done.err


def test_lines_of_names_are_joined_on_request(place, capsys):
    Path("t.csv").write_text(as_text(customers(), "A,A,B,B\n"))
    done = here(capsys, "inspect", "t.csv", "--header-row", "1-2")
    assert "B / Age" in done.out
    assert options_typed(TextFile(header_row="1-2", skip_footer=0)) == [
        "--header-row", "1-2", "--skip-footer", "0",
    ]  # fmt: skip


def test_inspect_prints_the_reading_and_writes_a_page(place, capsys):
    table = customers()
    table["<b>"] = ["<i>tag</i>"] * 30 + [f"rare{i}" for i in range(30)]
    table.loc[:5, "Age"] = None
    Path("t.csv").write_text(as_text(table, "Report\n", "Total,,,25000,\n"))
    done = here(capsys, "inspect", "t.csv", "-o", "p.html")
    assert done.code == 0
    for line in (
        "Header:       line 2",
        "Left out:     line 1, 1 title; line 63, 1 totals row",
        "Rows:         60",
    ):
        assert line in done.out.splitlines()
    assert "--header-row N if its names are in another line (confidence 95%)" in done.out
    assert "Line 63, 1 totals row, was left out of the table; --skip-footer 0" in done.err
    page = Path("p.html").read_text()
    assert "person3@example.org" not in page
    assert "rare" not in page
    assert "<i>tag" not in page
    assert "&lt;i&gt;tag&lt;/i&gt;" in page
    assert "line 63, 1 totals row" in page
    assert re.search(r"10(\.0)?.%.missing", page)
    assert "30 rows with other values" in page


def test_inspect_of_other_files(place, capsys):
    table = customers()
    table.assign(When=pd.date_range("2020-01-01", periods=60)).to_parquet("t.parquet")
    done = here(capsys, "inspect", "t.parquet", "-o", "p.html")
    assert done.out.splitlines()[0] == "Format:       Parquet"
    Path("t.jsonl").write_text('{"a": 1, "b": [1], "c": {"d": 2}}\n' * 9)
    done = here(capsys, "inspect", "t.jsonl", "-o", "p.html")
    assert done.code == 0
    assert "lists or records" in done.out
    assert "c.d" in done.out


def test_a_doubt_stops_with_strict(place, capsys):
    Path("t.csv").write_text(as_text(customers(), header=False))
    done = here(capsys, "fit", "t.csv", "-k", 2, "--strict")
    assert done.code == 1
    assert "Line 1 has values like the others" in done.err
    done = here(capsys, "fit", "t.csv", "-k", 2, "-o", "m.json", "--report", "r.html")
    assert "Note: Line 1 has values like the others" in done.err
    assert "Line 1 has values like the others" in Path("r.html").read_text().split("</main>")[0]
    doubts = json.loads(Path("m.json").read_text())["provenance"]["doubts"]
    assert "Line 1 has values like the others" in doubts[0]


@pytest.mark.parametrize("name", ["out.xlsx", "out.XLSX", "out.xls", "out.json"])
def test_labels_are_not_written_into_files_of_other_formats(name, place, capsys):
    Path("t.csv").write_text(as_text(customers()))
    assert here(capsys, "fit", "t.csv", "-k", 2, "-o", "m.json").code == 0
    done = here(capsys, "predict", "m.json", "t.csv", "-o", name)
    assert done.code == 2
    assert "predict writes .csv, .tsv and .parquet files" in done.err
    assert not Path(name).exists()
