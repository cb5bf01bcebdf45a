"""Readers of text files that guess, on files that are awkward: ``python benchmarks/awkward.py``.

How many of the files of ``tests/helpers/awkward_tables.py`` each reads as they are meant, without
being told anything, goes to ``awkward.json`` beside this file; ``docs/command-line.md`` has it from
there. Readers that are not installed are left out: ``pip install duckdb skrub`` brings them.
"""

import datetime
import json
import sys
import tempfile
import warnings
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

from helpers.awkward_tables import FILES, means  # noqa: E402


def by_agathis(path):
    from agathis._encoding.column_roles import DATES
    from agathis._encoding.column_types import infer_column_type
    from agathis._io.read_table import read_table
    from agathis._io.table_reading import ReadOptions

    table = read_table(str(path), ReadOptions()).table
    return {
        name: [datetime.date.min] * table.num_rows
        if infer_column_type(name, table.column(name)).why == DATES
        else table.column(name).to_pylist()
        for name in table.column_names
    }


def by_pyarrow(path):
    from pyarrow import csv

    return csv.read_csv(path).to_pydict()


def by_duckdb(path):
    import duckdb

    with duckdb.connect() as base:
        found = base.execute("SELECT * FROM read_csv(?)", [str(path)])
        names = [column[0] for column in found.description]
        return dict(zip(names, map(list, zip(*found.fetchall(), strict=True)), strict=True))


def by_skrub(path):
    """Cells as pandas cuts them, columns as skrub's Cleaner makes them."""
    import pandas as pd
    from skrub import Cleaner

    # Cells are texts here, so that it is the Cleaner that finds out what they are.
    cells = pd.read_csv(path, sep=None, engine="python", dtype=str)
    cleaned = Cleaner(parse_numbers=True).fit_transform(cells)
    gaps = cleaned.isna()
    return {name: cleaned[name].astype(object).mask(gaps[name], None).tolist() for name in cleaned}


READERS = {"agathis": by_agathis, "pyarrow": by_pyarrow, "duckdb": by_duckdb, "skrub": by_skrub}


def good(reader, folder, name):
    """Whether a reader reads a file as it is meant."""
    path = Path(folder) / ("t.csv.gz" if name == "gzip" else "t.csv")
    path.write_bytes(FILES[name][0])
    try:
        return means(reader(path), FILES[name][1])
    except ModuleNotFoundError:
        raise
    except Exception:  # they have errors of many kinds
        return False


def main():
    found = {"files": len(FILES), "read": {}, "versions": {}}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, reader in READERS.items():
            try:
                read = [file for file in FILES if good(reader, folder, file)]
            except ModuleNotFoundError as error:
                print(f"{name}: {error}")
                continue
            found["read"][name] = len(read)
            found["versions"][name] = version(name)
            print(f"{name} {version(name)} reads {len(read)} of {len(FILES)}")
    (HERE / "awkward.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
