"""Awkward files: they are read as they are meant, and better than by readers that only guess."""

from __future__ import annotations

import datetime

import pytest
from helpers.awkward_tables import FILES, means

from agathis._columns.errors import BadTable
from agathis._encoding.column_roles import DATES
from agathis._encoding.column_types import infer_column_type
from agathis._io.read_table import read_table
from agathis._io.table_reading import ReadOptions


def columns_of(path, as_text=(), **options):
    table = read_table(str(path), ReadOptions(**options), as_text).table
    return {
        name: [datetime.date.min] * table.num_rows
        if infer_column_type(name, table.column(name)).why == DATES
        else table.column(name).to_pylist()
        for name in table.column_names
    }


def written(folder, name):
    path = folder / ("t.csv.gz" if name == "gzip" else "t.csv")
    path.write_bytes(FILES[name][0])
    return path


@pytest.mark.parametrize("name", FILES)
def test_read_as_meant(name, tmp_path):
    path, expected = written(tmp_path, name), FILES[name][1]
    if name == "latin-1":
        with pytest.raises(BadTable, match="encoding="):
            columns_of(path, strict=True)
    assert means(columns_of(path), expected)


def by_pyarrow(path):
    from pyarrow import csv

    return csv.read_csv(path).to_pydict()


def by_duckdb(path):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as base:
        found = base.execute("SELECT * FROM read_csv(?)", [str(path)])
        names = [column[0] for column in found.description]
        return dict(zip(names, map(list, zip(*found.fetchall(), strict=True)), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("reader", [by_pyarrow, by_duckdb])
def test_readers_that_guess_all_of_it_read_fewer(reader, tmp_path):
    """If one of them comes to read as many, there is no need for a reader of our own."""

    def good(name):
        try:
            return means(reader(written(tmp_path, name)), FILES[name][1])
        except Exception:  # they have errors of many kinds
            return False

    assert sum(map(good, FILES)) < len(FILES) / 2
