"""Whole tables: how they are read, and the verdicts on their columns."""

from __future__ import annotations

import gzip

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import csv, feather, json, parquet

from agathis._columns.errors import BadTable
from agathis._encoding.column_roles import KEEP
from agathis._encoding.column_types import infer_column_type
from agathis._io import csv_parsing, json_rows
from agathis._io.csv_layout import layout_of
from agathis._io.read_table import read_table
from agathis._io.stream_limits import MAX_BYTES
from agathis._io.table_reading import ReadOptions
from agathis._io.text_encoding import assumed_encoding


def read(tmp_path, data, name="t.csv", **options):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    as_text = options.pop("as_text", ())
    return read_table(str(path), ReadOptions(**options), as_text).table


@pytest.mark.parametrize(
    "data",
    [
        "a,b\n1.5,x\n2.5,y\n",
        "a;b\n1.5;x\n2.5;y\n",
        "a;b\n1,5;x\n2,5;y\n",
        "a\tb\n1,5\tx\n2,5\ty\n",
        "a|b\n1.5|x\n2.5|y",
        "\ufeffa,b\r\n1.5,x\r\n2.5,y\r\n",
        "a,b\r1.5,x\r2.5,y\r",
        " a , b\n1.5,x\n\n2.5,y\n\n",
        '"a","b"\n"1.5","x"\n"2.5","y"\n',
        gzip.compress(b"a,b\n1.5,x\n2.5,y\n", mtime=0),
    ],
)
def test_texts_that_mean_the_same(data, tmp_path):
    table = read(tmp_path, data)
    assert table.to_pydict() == {"a": [1.5, 2.5], "b": ["x", "y"]}


def test_formats(tmp_path):
    table = pa.table({"a": [1.5, 2.5], "b": ["x", None]})
    parquet.write_table(table, tmp_path / "t.parquet")
    feather.write_feather(table, tmp_path / "t.feather")
    # What a file is, its content tells, not its name.
    (tmp_path / "t.csv").write_bytes((tmp_path / "t.parquet").read_bytes())
    for name in ("t.parquet", "t.feather", "t.csv"):
        assert read_table(str(tmp_path / name), ReadOptions()).table.equals(table)


def test_the_index_of_pandas_is_no_column(tmp_path):
    import pandas as pd

    frame = pd.DataFrame({"a": [1.0, 2.0]}, index=pd.Index([7, 8], name="key"))
    frame.to_parquet(tmp_path / "t.parquet")
    assert read_table(str(tmp_path / "t.parquet"), ReadOptions()).table.column_names == ["a"]


def test_encodings(tmp_path):
    text = "größe,b\n1,ä\n2,ö\n"
    for encoding in ("latin-1", "cp1252", "utf-16"):
        table = read(tmp_path, text.encode(encoding), encoding=encoding)
        assert table.to_pydict() == {"größe": [1, 2], "b": ["ä", "ö"]}


def test_an_encoding_is_assumed_and_told(tmp_path):
    """What is no UTF-8 is read as cp1252; damaged UTF-8 is not."""
    path = tmp_path / "t.csv"
    text = "größe,b\n1,ä\n2,€\n"
    path.write_bytes(text.encode("cp1252"))
    found = read_table(str(path))
    assert found.table.to_pydict() == {"größe": [1, 2], "b": ["ä", "€"]}
    assert [str(note) for note in found.doubts] == [
        f"{path} is not UTF-8, and was read as cp1252; encoding= says so if it is another."
    ]
    assert found.cells().column_names == ["größe", "b"]
    path.write_bytes(text.encode())
    assert read_table(str(path)).doubts == []
    damaged = text.encode() + b"3,\xe4\n"
    for data in (damaged, b"a,b\n1,\x81\n"):
        path.write_bytes(data)
        with pytest.raises(BadTable, match=r"not text in UTF-8: byte 0x.*encoding='cp1252'"):
            read_table(str(path))
    path.write_bytes(text.encode("cp1252"))
    with pytest.raises(BadTable, match="not text in UTF-8"):
        read_table(str(path), ReadOptions(strict=True))


@given(st.text(st.characters(codec="cp1252", exclude_categories=("Cc",)), min_size=1))
def test_every_text_of_cp1252_is_read_as_such_or_as_utf8(text):
    data = text.encode("cp1252")
    found = assumed_encoding(data)
    if found is not None:
        assert data.decode(found) == text
    assert assumed_encoding(text.encode()) is None


def test_half_characters(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"a,b\n+2AA-,1\nx,2\n")
    table = read_table(str(tmp_path / "t.csv"), ReadOptions(encoding="utf-7")).table
    assert table.to_pydict() == {"a": ["?", "x"], "b": [1, 2]}


@pytest.mark.parametrize("sign", ["\u2028", "\x85", "\x0b"])
def test_names_with_signs_that_end_lines_elsewhere(sign, tmp_path):
    name = f"a{sign}b"
    (tmp_path / "t.csv").write_text(f"{name},c\n01,2\n02,3\n", encoding="utf-8", newline="")
    table = read_table(str(tmp_path / "t.csv"), ReadOptions(), [name]).table
    assert table.to_pydict() == {name: ["01", "02"], "c": [2, 3]}


def test_missing_values_and_texts(tmp_path):
    table = read(tmp_path, "a,b,c\nNA,,007\n1,null,nan\n?,none,8\n", as_text=["c"], na=["?"])
    assert table.to_pydict() == {
        "a": [None, 1, None], "b": [None, None, "none"], "c": ["007", None, "8"]
    }  # fmt: skip


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators_within_quotes(separator):
    others = "".join({",", ";", "\t", "|"} - {separator})
    line = separator.join([f'"a{others}{others}"', "b", f'"c{separator}"'])
    layout = layout_of(f"{line}\n{line}\n".encode(), None)
    assert layout.separator == separator
    assert layout.header == (f"a{others}{others}", "b", f"c{separator}")


N = 30
COLUMNS = {
    "numbers": (np.linspace(0, 1, N), "number"),
    "whole numbers": (np.arange(N) % 7, "number"),
    "numbers in any order": (np.random.default_rng(0).permutation(N), "number"),
    "numbers as decimals": (pa.array([1.5, 2] * 15).cast(pa.decimal128(9, 2)), "number"),
    "huge numbers": (np.arange(N) * 1e30, "number"),
    "going up by one": (np.arange(N) + 5, "identifier"),
    "customer_id": (np.random.default_rng(0).permutation(N), "identifier"),
    "userId": (np.arange(N) * 3, "identifier"),
    "ID": (np.arange(N) * 3, "identifier"),
    "humid": (np.arange(N) * 3, "number"),
    "shop_id": (np.arange(N) % 4, "number"),
    "names": ([f"n{i}" for i in range(N)], "identifier"),
    "words": (["a", "b", "c"] * 10, "category"),
    "dictionary": (pa.array(["a", "b", "c"] * 10).dictionary_encode(), "category"),
    "large text": (pa.array(["a", "b", "c"] * 10, pa.large_string()), "category"),
    "texts": ([f"n{i // 2 + (i > 28)}" for i in range(2 * N)], "problem"),
    "with a sign": (["see below", *map(str, range(N))], "problem"),
    "comments": ([*(f"no {i} of it was good" for i in range(N)), None], "free text"),
    "repeated": ([f"no {i % 50} of it was good" for i in range(2 * N)], "free text"),
    "German dates": ([f"{i + 1:02d}.05.2019" for i in range(N)], "dates"),
    "other dates": ([f"{i % 12 + 1}/27/2019 10:30" for i in range(N)], "dates"),
    "short dates": ([f"{i + 1:02d}.05.19" for i in range(N)], "dates"),
    "years first": ([f"2019/05/{i + 1}" for i in range(N)], "dates"),
    "versions": ([f"1.{i % 3}.10" for i in range(N)], "category"),
    "truths": ([True, False, None] * 10, "category"),
    "truths as numbers": ([1, 0, 0] * 10, "category"),
    "ranks": (np.random.default_rng(0).permutation(60) + 1, "identifier"),
    "ship_zip": (np.arange(N) * 911 + 10000, "codes"),
    "zeros": ([f"{i * 37:05d}" for i in range(N)], "codes"),
    "year": ([2007, 2008, 2009] * 10, "date or time"),
    "year_built": (1900 + np.arange(N) * 3, "number"),
    "month": (np.arange(N) % 12 + 1, "date or time"),
    "months": (np.arange(N) % 15 * 3, "number"),
    "dep_time": ([517, 1745, 2359] * 10, "date or time"),
    "day": (["Thur", "Fri", "Sat"] * 10, "date or time"),
    "dates with names": ([f"May {i + 1}, 2019" for i in range(N)], "dates"),
    "always": ([7] * N, "always"),
    "nothing": ([None] * N, "empty"),
    "dates": (np.arange("2020-01-01", "2020-01-31", dtype="datetime64[D]"), "dates"),
    "lists": ([[1, 2]] * N, "problem"),
    "": (np.arange(N) * 1.5, "no name"),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_verdicts(name):
    values, expected = COLUMNS[name]
    column = pa.chunked_array([values if isinstance(values, pa.Array) else pa.array(values)])
    column_type = infer_column_type(name, column, keep=False, categorical=False)
    assert column_type.kind == expected or (
        column_type.kind == "out" and expected in column_type.why
    )
    if column_type.way == KEEP:
        assert infer_column_type(name, column, keep=True, categorical=False).kind != "out"


def test_categories_of_numbers():
    column = pa.chunked_array([pa.array([3, 1, None, 1])])
    assert infer_column_type("n", column, keep=False, categorical=True).categories == (1, 3, None)
    texts = pa.chunked_array([pa.array([str(i) for i in range(501)] + ["7"] * 100)])
    column_type = infer_column_type("n", texts, keep=False, categorical=True)
    assert len(column_type.categories) == 500
    assert column_type.n_other == 1


@pytest.mark.parametrize("options", [csv.ReadOptions, json.ReadOptions])
def test_the_largest_block_of_pyarrow(options):
    assert options(block_size=MAX_BYTES).block_size == MAX_BYTES
    with pytest.raises(OverflowError):
        options(block_size=MAX_BYTES + 1)


def test_texts_of_more_than_the_largest_block(tmp_path, monkeypatch):
    """Here of 64 KiB: they are parsed in several blocks, and a column has one type."""
    for reader in (csv_parsing, json_rows):
        monkeypatch.setattr(reader, "MAX_BYTES", 1 << 16)
    n = 20_000
    rows = "a,b\n" + "1.5,x\n" * n
    lines = '{"a": 1.5, "b": "x"}\n' * n
    for data in (rows, lines):
        found = read(tmp_path, data)
        assert found.column(0).num_chunks > 1
        assert (found["a"].to_pylist(), found["b"].to_pylist()) == ([1.5] * n, ["x"] * n)
    for data in (rows + "x,x\n", lines + '{"a": "x"}\n'):
        assert read(tmp_path, data)["a"].to_pylist() == ["1.5"] * n + ["x"]
