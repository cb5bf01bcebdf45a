"""The two readers of text, whole and block by block: the same names, numbers and refusals."""

from __future__ import annotations

import datetime
import gzip
import json

import numpy as np
import pytest
from helpers.awkward_tables import FILES

from agathis._columns.arrow_values import holds_numbers
from agathis._columns.errors import BadTable
from agathis._columns.missing_values import MARKS
from agathis._encoding.feature_rows import feature_rows
from agathis._fit_file import fit_file
from agathis._io.read_table import read_table
from agathis._io.table_reader import open_table
from agathis._io.table_reading import ReadOptions

ENCODINGS = {"latin-1": "latin-1", "utf-16": "utf-16"}


def whole(path, encoding=None):
    """The names of a table, and the numbers of its columns of numbers."""
    table = read_table(str(path), ReadOptions(encoding=encoding), title=f"file {str(path)!r}").table
    numbers = [f.name for f in table.schema if holds_numbers(f.type)]
    return table.column_names, {name: table.column(name).to_pylist() for name in numbers}


def in_blocks(path, encoding=None):
    source = open_table(path, encoding=encoding)
    numbers = [f.name for f in source.schema if holds_numbers(f.type)]
    out = {name: [] for name in numbers}
    for batch in source.batches(numbers, 7) if numbers else ():
        for name in numbers:
            out[name] += batch.column(name).to_pylist()
    return source.names, out


def written(folder, data, name="t.csv"):
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", FILES)
def test_the_same_names_and_numbers(name, tmp_path):
    path, encoding = written(tmp_path, FILES[name][0]), ENCODINGS.get(name)
    assert whole(path, encoding) == in_blocks(path, encoding)


@pytest.mark.parametrize("ending", ["csv", "tsv", "tab", "TAB", "csv.gz", "tab.gz"])
def test_the_same_of_every_ending(ending, tmp_path):
    path = written(tmp_path, b" a \tb, c\n1\t2\n5\t7\n", f"t.{ending}")
    names, numbers = whole(path)
    assert names == ["a", "b, c"]
    assert (names, numbers) == in_blocks(path)


def test_of_a_text_that_is_longer_than_its_head(tmp_path):
    # The head ends within a character.
    data = " größe ,n\n".encode() + "ä,1.5\n".encode() * 20_000
    for shift in range(2):
        path = written(tmp_path, b"\n" * shift + data)
        assert whole(path) == in_blocks(path)


REFUSED = {
    "nothing": b"",
    "empty lines": b"\n\n \n",
    "sep line alone": b"sep=;\n",
    "page": b"<!DOCTYPE html><html><p>a,b</p>\n",
    "model": b'{"format": "agathis-tree", "version": 1}',
    "control byte": b"a,b\n1,\x07\n2,x\n",
    "zero bytes": bytes(40),
    "spreadsheet": b"PK\x03\x04rest",
    "image": b"\x89PNG\r\n\x1a\n",
    "gzip in gzip": gzip.compress(gzip.compress(b"a,b\n1,2\n")),
    "an open quote": b'a,b\n1,x\n2,"y\n3,z\n',
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_same_refusals(name, tmp_path):
    path, said = written(tmp_path, REFUSED[name]), []
    for reader in (whole, in_blocks):
        with pytest.raises(ValueError, match=r"t\.csv") as caught:
            reader(path)
        said.append(str(caught.value))
    assert said[0] == said[1]


@pytest.mark.parametrize("encoding", ["base64", "no-such"])
def test_the_same_of_encodings_that_are_none(encoding, tmp_path):
    path = written(tmp_path, b"a,b\n1,2\n")
    for reader in (whole, in_blocks):
        with pytest.raises(ValueError, match=f"encoding='{encoding}' is unknown"):
            reader(path, encoding)


@pytest.mark.parametrize("text", ["inf", "-inf", "Infinity"])
def test_infinite_numbers_are_counted(text, tmp_path):
    path = written(tmp_path, f"a,b\n1,2\n2,{text}\n5,4\n".encode())
    with pytest.raises(ValueError, match=r"column 'b': -?inf in row 1 \(counted from 0\)"):
        fit_file(path, 2)
    table = read_table(str(path)).table
    found = feature_rows(table, ["a", "b"], {})
    assert found.infinite == {"b": 1}
    assert found.within([0, -7], [9, 8]).X[:, 1].tolist() == [2, -7 if text[0] == "-" else 8, 4]
    # A column that is not asked for may hold anything, and whoever means a gap says so.
    assert feature_rows(table, ["a", "b"], {}, ["a"]).n_incomplete == 0
    table = read_table(str(path), ReadOptions(na=[text])).table
    assert feature_rows(table, ["a", "b"], {}).n_incomplete == 1


@pytest.mark.parametrize("mark", MARKS)
def test_what_is_missing_is_so_in_files_and_in_frames(mark, tmp_path):
    import pandas as pd

    path = written(tmp_path, f'n,c\n1,x\n"{mark}","{mark}"\n5,y\n'.encode())
    assert whole(path)[1]["n"] == in_blocks(path)[1]["n"] == [1, None, 5]
    names, one_hot = ["n", "x", "y"], {"c": {"x": "x", "y": "y"}}
    frame = pd.DataFrame({"n": ["1", mark, "5"], "c": ["x", mark, "y"]})
    for table in (frame, read_table(str(path)).table):
        found = feature_rows(table, names, one_hot)
        assert (found.n_incomplete, found.unseen) == (1, {})
        assert np.isnan(found.X[1]).all()
        assert found.X[[0, 2]].tolist() == [[1, 1, 0], [5, 0, 1]]


def test_json_is_a_table_of_its_own(tmp_path):
    rows = [{"a": 1, "b": "x"}, {"a": None, "b": "NA"}, {"b": "y"}]
    lines = "\n".join(map(json.dumps, rows)).encode()
    expected = {"a": [1, None, None], "b": ["x", None, "y"]}
    for data in (lines, json.dumps(rows).encode(), b"\xef\xbb\xbf" + lines):
        assert read_table(str(written(tmp_path, data))).table.to_pydict() == expected
    mixed = b'{"a": 1, "b": [1]}\n{"a": "x", "b": null}\n'
    table = read_table(str(written(tmp_path, mixed))).table
    assert table.column("a").to_pylist() == ["1", "x"]
    for wrong in (b'{"a": 1}\n{"a": \n', b"[1, 2]", b'{"a":' * 50_000):
        with pytest.raises(BadTable, match=r"t\.csv"):
            read_table(str(written(tmp_path, wrong)))
    with pytest.raises(ValueError, match="data in JSON"):
        open_table(written(tmp_path, lines))


def test_the_first_sheet_of_a_spreadsheet(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    when = datetime.datetime(2020, 5, 1, 10, 30)
    for row in (
        [],
        ["size", " kind ", "paid", "when", "mixed", None],
        [1.5, "a", True, when, 1],
        [2, "NA", False, when, "x"],
        [None, "b", None, None, None],
    ):
        sheet.append(row)
    path = tmp_path / "t.xlsx"
    book.save(path)
    table = read_table(str(path)).table
    assert table.to_pydict() == {
        "size": [1.5, 2.0, None],
        "kind": ["a", None, "b"],
        "paid": [True, False, None],
        "when": [when, when, None],
        "mixed": ["1", "x", None],
    }
    damaged = tmp_path / "d.xlsx"
    damaged.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(BadTable, match=r"d\.xlsx"):
        read_table(str(damaged))
