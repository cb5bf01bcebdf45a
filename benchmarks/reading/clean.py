"""Files about which there is nothing to say, and files that packages carry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
from reading import bases
from reading.tables import labelled_columns, load_table
from reading.truth import ReadingFile
from reading.writers import cells_of, rows_of, write_sheets, write_text

Writer = Callable[[pd.DataFrame, Path], None]


def _csv(table: pd.DataFrame, path: Path) -> None:
    write_text(path, cells_of(table))


def _german_csv(table: pd.DataFrame, path: Path) -> None:
    write_text(path, cells_of(table, ",", "%d.%m.%Y"), separator=";")


def _parquet(table: pd.DataFrame, path: Path) -> None:
    table.to_parquet(path, index=False)


def _feather(table: pd.DataFrame, path: Path) -> None:
    table.to_feather(path)


def _excel(table: pd.DataFrame, path: Path) -> None:
    write_sheets(path, {"Sheet1": rows_of(table)})


def _json_lines(table: pd.DataFrame, path: Path) -> None:
    table.to_json(path, orient="records", lines=True, date_format="iso", force_ascii=False)


def clean_files() -> Iterator[ReadingFile]:
    """Made tables without anything odd, in all formats."""
    made: tuple[tuple[str, bases.Base, Writer], ...] = (
        ("customers.csv", bases.customers(seed=201), _csv),
        ("customers.parquet", bases.customers(seed=202), _parquet),
        ("customers.xlsx", bases.customers(seed=203), _excel),
        ("customers.feather", bases.customers(seed=204), _feather),
        ("customers.jsonl", bases.customers(seed=205), _json_lines),
        ("kunden.xlsx", bases.customers("de", seed=206), _excel),
        ("kunden.csv", bases.customers("de", seed=207), _german_csv),
        ("kunden.parquet", bases.customers("de", seed=208), _parquet),
        ("laboratory.csv", bases.laboratory(seed=209), _csv),
        ("laboratory.parquet", bases.laboratory(seed=210), _parquet),
        ("laboratory.xlsx", bases.laboratory(seed=211), _excel),
        ("large.csv", bases.customers(rows=3000, seed=212), _csv),
        ("large.parquet", bases.laboratory(rows=5000, seed=213), _parquet),
        ("small.csv", bases.laboratory(rows=45, seed=214), _csv),
        ("artikel.csv", bases.products(seed=215), _german_csv),
        ("artikel.xlsx", bases.products(seed=216), _excel),
        ("answers.csv", bases.survey(seed=217), _csv),
        ("answers.parquet", bases.survey(seed=218), _parquet),
    )
    for name, base, writer in made:
        write = partial(writer, base.table)
        yield ReadingFile(name, "clean", base.table, base.kinds, write, base.groups)


#: Tables whose columns are all labelled, written as CSV; of the open half, as faults are shown.
LABELLED = (
    "carData.Salaries",
    "carData.WVS",
    "ISLR.Carseats",
    "ISLR.Credit",
    "AER.Affairs",
    "nlme.MathAchieve",
)


def package_files() -> Iterator[ReadingFile]:
    """Tables of packages as CSV, and files as packages carry them."""
    for table in LABELLED:
        columns = [one for one in labelled_columns() if one.table == table]
        package = columns[0].package
        if find_spec(package) is None:
            continue
        kinds = {one.column: "|".join((one.kind, *one.accepts)) for one in columns}
        frame = load_table(table, package)
        kinds = {name: kinds[name] for name in frame}
        write = partial(_csv, frame)
        yield ReadingFile(f"{table}.csv", "package", frame, kinds, write)
    yield from files_of_scikit_learn()


def files_of_scikit_learn() -> Iterator[ReadingFile]:
    """Files with blanks between the cells, without names, and with counts for a header."""
    from sklearn import datasets

    folder = Path(datasets.__file__).parent / "data"
    for item in ("exercise", "physiological"):
        name = f"linnerud_{item}.csv"
        table = pd.read_csv(folder / name, sep=" ")
        kinds = dict.fromkeys(table, "count|quantity")
        write = partial(_copy, folder / name)
        yield ReadingFile(name, "whitespace", table, kinds, write)
    table = pd.read_csv(folder / "iris.csv", header=None, skiprows=1)
    table.columns = ["sepal length", "sepal width", "petal length", "petal width", "target"]
    kinds = dict.fromkeys(table, "quantity") | {"target": "outcome-like|category|code"}
    write = partial(_copy, folder / "iris.csv")
    yield ReadingFile("iris.csv", "counts for a header", table, kinds, write, has_names=False)
    table = pd.read_csv(folder / "diabetes_data_raw.csv.gz", header=None, sep=r"\s+")
    table.columns = ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"]
    kinds = dict.fromkeys(table, "quantity|count") | {"sex": "code|category"}
    write = partial(_copy, folder / "diabetes_data_raw.csv.gz")
    yield ReadingFile("diabetes.csv.gz", "headerless", table, kinds, write, has_names=False)


def _copy(source: Path, path: Path) -> None:
    path.write_bytes(source.read_bytes())
