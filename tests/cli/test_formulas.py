"""Texts that a spreadsheet would execute: escaped in CSV and TSV, unless they are asked for."""

from __future__ import annotations

import csv

import pytest
from helpers.cli_runs import NOT_SHOWN, here

from agathis._utils.result_table import Table, csv_text, without_formula
from agathis.export import from_json, to_rules

FORMULA = "=cmd|'/c calc'!A1"
HEAD = ["size", "=HYPERLINK(1)", "note", "phone"]
ROWS = [
    ["-5", "1", FORMULA, "+49 170 1234567"],
    ["-4.5", "2", "@SUM(A1)", "-"],
    ["+7e2", "3", "\t=1+1", "-1,234.50"],
    ["900", "4", "plain", "-2+3"],
    ["950", "5", "a=1", "'=kept"],
]
ESCAPED = [
    ["-5", "1", f"'{FORMULA}", "'+49 170 1234567"],
    ["-4.5", "2", "'@SUM(A1)", "-"],
    ["+7e2", "3", "'\t=1+1", "-1,234.50"],
    ["900", "4", "plain", "'-2+3"],
    ["950", "5", "a=1", "'=kept"],
]


@pytest.fixture
def model(tmp_path, monkeypatch, capsys):
    """A model with a cluster whose name is a formula, and a table full of them."""
    monkeypatch.chdir(tmp_path)
    with open("t.csv", "w", newline="") as file:
        csv.writer(file).writerows([HEAD, *ROWS])
    fit = ["-k", 2, "--search", "greedy", "--drop", "note", "--drop", "phone", "-o", "m.json"]
    assert here(capsys, "fit", "t.csv", *fit).code == NOT_SHOWN
    assert here(capsys, "rename", "m.json", f"0={FORMULA}", "1=large").code == 0
    return "m.json"


def read(path, separator=","):
    with open(path, newline="") as file:
        return list(csv.reader(file, delimiter=separator))


@pytest.mark.parametrize(("name", "separator"), [("out.csv", ","), ("out.tsv", "\t")])
def test_labels_and_cells(model, name, separator, capsys):
    predict = ["predict", model, "t.csv", "-o", name]
    assert here(capsys, *predict).code == 0
    labels = {label for (label,) in read(name, separator)[1:]}
    assert labels == {f"'{FORMULA}", "large"}
    assert here(capsys, *predict, "--keep-formulas").code == 0
    assert {label for (label,) in read(name, separator)[1:]} == {FORMULA, "large"}
    assert here(capsys, *predict, "--with-data").code == 0
    head, *rows = read(name, separator)
    assert head == ["size", "'=HYPERLINK(1)", "note", "phone", "cluster"]
    assert [row[:-1] for row in rows] == ESCAPED
    assert {row[-1] for row in rows} == labels
    assert here(capsys, *predict, "--with-data", "--keep-formulas").code == 0
    head, *rows = read(name, separator)
    assert head == [*HEAD, "cluster"]
    assert [row[:-1] for row in rows] == ROWS


def test_no_cell_is_a_formula_to_a_spreadsheet(model, tmp_path, capsys):
    openpyxl = pytest.importorskip("openpyxl")

    def types(*options):
        done = here(capsys, "predict", model, "t.csv", "--with-data", "-o", "out.csv", *options)
        assert done.code == 0
        book = openpyxl.Workbook()
        for row in read("out.csv"):
            book.active.append(row)
        book.save(tmp_path / "out.xlsx")
        sheet = openpyxl.load_workbook(tmp_path / "out.xlsx").active
        return {cell.data_type for row in sheet.iter_rows() for cell in row}

    assert types() == {"s"}
    assert types("--keep-formulas") == {"s", "f"}


def test_other_forms_have_the_names_as_they_are(model, capsys):
    parquet = pytest.importorskip("pyarrow.parquet")
    assert here(capsys, "predict", model, "t.csv", "--with-data", "-o", "out.parquet").code == 0
    table = parquet.read_table("out.parquet")
    assert set(table["cluster"].to_pylist()) == {FORMULA, "large"}
    assert table["note"].to_pylist() == [row[2] for row in ROWS]
    with open(model) as file:
        assert from_json(file.read()).cluster_names_[0] == FORMULA


def test_tables_of_the_library(model):
    with open(model) as file:
        rules = to_rules(from_json(file.read()))
    column = next(name for name in rules.columns if FORMULA in rules[name])
    assert f"'{FORMULA}" in rules.to_csv()
    kept = list(csv.DictReader(rules.to_csv(keep_formulas=True).splitlines()))
    assert kept[0][column] == FORMULA


@pytest.mark.parametrize(
    "value", [-5, -5.0, float("-inf"), None, True, "", "x-1", "-.5", "-5.", "-5%", "-5e-1%", "-nan"]
)
def test_numbers_and_plain_texts_stay_as_they_are(value):
    assert without_formula(value) is value


@pytest.mark.parametrize(
    "text",
    [
        "=",
        "=1",
        "+a",
        "-a1",
        "@x",
        "\t",
        "\r=1",
        "\n=1",
        "-5+A1",
        "--1",
        "-E1",
        "+e12",
        "-e1%",
        "-,",
    ],
)
def test_what_may_be_a_formula_gets_an_apostrophe(text):
    assert without_formula(text) == f"'{text}"
    assert Table([{text: text}])[0] == {text: text}
    assert csv_text([text], [], keep_formulas=True) != csv_text([text], [])


@pytest.mark.parametrize("name", ["out.xlsx", "OUT.XLSX", "out.csv.gz", "out.json", "out.feather"])
def test_names_of_formats_that_are_not_written(model, name, tmp_path, capsys):
    ended = here(capsys, "predict", model, "t.csv", "-o", name)
    assert ended.code == 2
    assert f"-o {name}: predict writes .csv, .tsv and .parquet files." in ended.err
    assert not (tmp_path / name).exists()
