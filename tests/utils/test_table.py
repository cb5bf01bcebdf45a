"""The small table: what it holds, and how it is written."""

import csv
import io
import pickle
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agathis._utils.result_table import ROWS_SHOWN, Table

ROWS = [
    {"method": "Kauri", "ARI": np.float64(0.79), "runs": np.int64(30), "note": None},
    {"method": "KMeans + tree", "ARI": 0.7, "runs": 5},
    {"method": "IMM", "note": "a <= 3 | b"},
]


@pytest.fixture
def table():
    return Table(ROWS)


def test_it_is_a_list_of_rows(table):
    assert len(table) == 3
    assert table.columns == ["method", "ARI", "runs", "note"]
    assert table[0] == {"method": "Kauri", "ARI": 0.79, "runs": 30, "note": None}
    assert table[-1]["note"] == "a <= 3 | b"
    assert list(table) == [table[0], table[1], table[2]]
    assert table["runs"] == [30, 5, None]
    assert type(table["runs"][0]) is int
    assert type(table["ARI"][0]) is float
    assert table[1:] == Table(ROWS[1:], table.columns)
    assert table != Table(ROWS[1:], table.columns)
    assert table != ROWS
    assert table[0] in table
    with pytest.raises(IndexError):
        table[3]
    with pytest.raises(KeyError, match="'AMI' is no column; there are method, ARI, runs, note"):
        table["AMI"]


def test_rows_cannot_be_changed_from_outside(table):
    table[0]["method"] = "other"
    next(iter(table))["method"] = "other"
    assert table[0]["method"] == "Kauri"


def test_columns_may_be_given():
    table = Table([{"b": 1, "a": 2}], columns=["a", "b", "c"])
    assert table[0] == {"a": 2, "b": 1, "c": None}
    with pytest.raises(ValueError, match=r"columns lacks \['b'\]"):
        Table([{"b": 1, "a": 2}], columns=["a"])
    with pytest.raises(ValueError, match="columns must be different"):
        Table([], columns=["a", "a"])


def test_text(table):
    assert str(table).split("\n") == [
        "method          ARI  runs  note",
        "Kauri          0.79    30",
        "KMeans + tree  0.70     5",
        "IMM                        a <= 3 | b",
    ]
    assert repr(table) == str(table)


def test_numbers_in_text():
    def column(*values):
        return str(Table([{"x": v} for v in values])).split("\n")[1:]

    assert column(1 / 3, 2.0) == ["0.3333", "2.0000"]
    assert column(12345.678, 0.5) == ["12345.7", "    0.5"]
    assert column(3.0, 250.0) == ["  3", "250"]
    assert column(1e-9, 0.25) == ["1e-09", " 0.25"]
    assert column(1.5, None, float("nan"), float("inf")) == ["1.5", "", "nan", "inf"]
    assert column(1, 2.5, 10) == ["  1", "2.5", " 10"]
    assert column(True, False) == ["True", "False"]
    assert column("a", 1.25) == ["a", "1.25"]
    assert column(-0.5, 0.25) == ["-0.50", " 0.25"]


def test_wide_letters_and_line_breaks_keep_their_columns():
    lines = str(Table([{"名前": "木", "n": 1}, {"名前": "a\n\tb", "n": 20}])).split("\n")
    assert lines == ["名前   n", "木     1", "a b   20"]


def test_many_rows():
    table = Table([{"n": i} for i in range(ROWS_SHOWN + 2)])
    assert len(str(table).split("\n")) == ROWS_SHOWN + 3
    lines = repr(table).split("\n")
    assert lines[-1] == "... and 2 more rows"
    assert len(lines) == ROWS_SHOWN + 2
    assert repr(table[:-1]).endswith("... and 1 more row")


def test_an_empty_table():
    assert str(Table([])) == ""
    assert str(Table([], columns=["a", "bc"])) == "a  bc"
    assert len(Table([])) == 0
    assert Table([]).to_dict() == {}
    assert Table([], columns=["a"]).to_csv() == "a\n"
    assert Table([], columns=["a"]).to_pandas().shape == (0, 1)
    assert Table([], columns=["a"])._repr_html_().count("<tr>") == 1


def test_html_is_escaped():
    html = Table([{"<b>": "x <= 3 & <script>", "n": 1.5}])._repr_html_()
    assert "&lt;b&gt;" in html
    assert "x &lt;= 3 &amp; &lt;script&gt;" in html
    assert "<script>" not in html
    assert '<td style="text-align: right">1.5</td>' in html


def test_html_is_read_back(table):
    from html.parser import HTMLParser

    cells, here = [], []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            here.append(tag)
            if tag in ("td", "th"):
                cells.append("")

        def handle_endtag(self, tag):
            assert here.pop() == tag

        def handle_data(self, data):
            if here and here[-1] in ("td", "th"):
                cells[-1] += data

    Reader().feed(table._repr_html_())
    assert not here
    assert cells[:8] == ["method", "ARI", "runs", "note", "Kauri", "0.79", "30", ""]
    assert cells[-1] == "a <= 3 | b"


def test_markdown(table):
    assert table.to_markdown().split("\n") == [
        "| method | ARI | runs | note |",
        "| --- | ---: | ---: | --- |",
        "| Kauri | 0.79 | 30 |  |",
        "| KMeans + tree | 0.70 | 5 |  |",
        "| IMM |  |  | a <= 3 \\| b |",
    ]


VALUES = st.none() | st.text(max_size=5) | st.integers() | st.floats(allow_nan=False)


@given(st.lists(st.fixed_dictionaries({"a": VALUES, "b,": VALUES, 'c"': VALUES}), max_size=4))
def test_values_survive(rows):
    table = Table(rows, columns=["a", "b,", 'c"'])
    assert list(table) == rows
    assert table.to_dict() == {name: [row[name] for row in rows] for name in table.columns}
    head, *body = csv.reader(io.StringIO(table.to_csv(keep_formulas=True), newline=""))
    assert head == table.columns
    expected = [["" if v is None else str(v) for v in map(row.get, head)] for row in rows]
    assert body == expected
    assert pickle.loads(pickle.dumps(table)) == table
    assert len({line.count(" | ") for line in table[:0].to_markdown().split("\n")}) == 1
    str(table), table._repr_html_()
    assert len(table.to_markdown().split("\n")) == len(rows) + 2


@pytest.mark.parametrize("text", ["\r", "a\nb", "a\r\nb", 'say "a", b', " ", "\t"])
def test_any_text_survives_csv(text):
    written = Table([{"a": text, "b": 1}]).to_csv(keep_formulas=True)
    assert list(csv.reader(io.StringIO(written, newline=""))) == [["a", "b"], [text, "1"]]


def test_csv_file(table, tmp_path):
    path = tmp_path / "table.csv"
    assert table.to_csv(path) is None
    assert path.read_bytes().decode() == table.to_csv()
    read = pd.read_csv(path)
    assert read["ARI"].tolist()[:2] == [0.79, 0.7]
    assert read["note"][2] == "a <= 3 | b"


def test_numbers_are_handed_on_in_full():
    table = Table([{"x": 1 / 3}])
    assert table.to_csv() == f"x\n{1 / 3!r}\n"
    assert table.to_dict() == {"x": [1 / 3]}
    assert table.to_pandas()["x"][0] == 1 / 3


def test_data_frames(table):
    frame = table.to_pandas()
    assert list(frame.columns) == table.columns
    assert frame["method"].tolist() == ["Kauri", "KMeans + tree", "IMM"]
    assert frame["ARI"].isna().tolist() == [False, False, True]
    assert pl.DataFrame(table.to_dict())["runs"].to_list() == [30, 5, None]


def test_without_pandas(table, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)  # as where it is not installed
    with pytest.raises(ImportError, match="to_pandas needs pandas"):
        table.to_pandas()
    assert str(table)
