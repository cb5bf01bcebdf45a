"""The made files say what their truth says: other readers find it in them."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from reading.bases import LIKERT, customers, laboratory
from reading.clean import LABELLED
from reading.files import reading_files, write_files
from reading.tables import KINDS, half_of
from reading.truth import plain_name
from reading.writers import cells_of, write_text

FILES = {one.name: one for one in reading_files()}
#: How pandas is told to read some of them.
HINTS = {
    "title_rows.csv": partial(pd.read_csv, skiprows=2),
    "total.csv": partial(pd.read_csv, skipfooter=1, engine="python"),
    "utf16.csv": partial(
        pd.read_csv, sep=";", decimal=",", encoding="utf-16", dayfirst=True, parse_dates=[6]
    ),
    "leading_columns.csv": partial(pd.read_csv, skiprows=1, usecols=range(2, 7)),
    "whitespace.txt": partial(pd.read_csv, sep=r"\s+"),
    "aligned.txt": partial(pd.read_csv, sep=r"\s+"),
    "thousands.csv": partial(pd.read_csv, thousands=","),
    "kunden.csv": partial(pd.read_csv, sep=";", decimal=",", dayfirst=True, parse_dates=[6]),
    "title_rows.xlsx": partial(pd.read_excel, skiprows=2),
    "customers.csv": pd.read_csv,
    "customers.parquet": pd.read_parquet,
    "customers.xlsx": pd.read_excel,
    "laboratory.xlsx": pd.read_excel,
    "errors.xlsx": pd.read_excel,
    "sheets_data_second.xlsx": partial(pd.read_excel, sheet_name="Data"),
    "linnerud_exercise.csv": partial(pd.read_csv, sep=" "),
}


def test_there_are_enough_files_of_all_sorts():
    assert len(FILES) >= 60
    assert sum(one.is_clean for one in FILES.values()) >= 15
    assert {name.rsplit(".", 1)[1] for name in FILES} >= {"csv", "xlsx", "parquet", "jsonl", "txt"}


@pytest.mark.parametrize("name", FILES)
def test_the_truth_is_complete(name):
    one = FILES[name]
    assert len(one.table) > 0
    for column in one.table:
        assert set(one.accepted(column)) <= set(KINDS)
    assert {*one.exact, *one.noted, *one.also, *one.any_unit} <= set(one.table)
    assert one.groups is None or len(one.groups) == len(one.table)


@pytest.mark.parametrize("name", HINTS)
def test_pandas_finds_the_truth_if_told_how(name, tmp_path):
    if name.endswith(".xlsx"):
        pytest.importorskip("openpyxl")
    one = FILES[name]
    write_files(tmp_path, [one])
    found = HINTS[name](tmp_path / name)
    assert list(found) == list(one.table)
    assert len(found) == len(one.table)
    for column in one.table:
        truth = one.table[column]
        if pd.api.types.is_numeric_dtype(truth):
            np.testing.assert_allclose(found[column].astype(float), truth, rtol=1e-9)
        elif pd.api.types.is_datetime64_any_dtype(truth):
            assert (pd.to_datetime(found[column]) == truth).all()
        else:
            assert found[column].tolist() == truth.tolist()


@pytest.mark.slow
def test_all_files_are_the_same_in_every_run(tmp_path):
    pytest.importorskip("openpyxl")
    first, second = tmp_path / "first", tmp_path / "second"
    write_files(first, FILES.values())
    write_files(second, reading_files())
    for name in FILES:
        # The archive of a workbook holds the time when it was written.
        if not name.endswith(".xlsx"):
            assert (first / name).read_bytes() == (second / name).read_bytes(), name
        else:
            sheets = [
                pd.read_excel(f / name, sheet_name=None, header=None) for f in (first, second)
            ]
            assert list(sheets[0]) == list(sheets[1])
            assert all(sheets[0][title].equals(sheets[1][title]) for title in sheets[0])


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, one in FILES.items() if one.groups is not None])
def test_groups_are_far_apart(name):
    """The nearest centre, in a few of the numbers, is that of the own group."""
    one = FILES[name]
    numbers = one.table.select_dtypes("number").dropna(axis=1)
    if not numbers.shape[1]:
        answers = one.table.iloc[:, :5]
        levels = next(known for known in LIKERT.values() if answers.isin(known).all(axis=None))
        numbers = answers.apply(lambda column: column.map(levels.index))
    scaled = (numbers - numbers.mean()) / numbers.std()
    centres = scaled.groupby(one.groups).mean()
    distances = ((scaled.to_numpy()[:, None] - centres.to_numpy()[None]) ** 2).sum(axis=2)
    assert (distances.argmin(axis=1) == one.groups).mean() >= 0.9


def test_cells_that_need_quotes_have_them(tmp_path):
    table = pd.DataFrame({"a": ["x, y", 'say "z"'], "b": [1.5, None]})
    write_text(tmp_path / "t.csv", cells_of(table))
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "t.csv"), table, check_dtype=False)


def test_a_base_has_the_same_rows_in_every_run():
    pd.testing.assert_frame_equal(customers(seed=7).table, customers(seed=7).table)
    assert not laboratory(seed=7).table.equals(laboratory(seed=8).table)


def test_files_show_only_tables_of_the_open_half():
    assert {half_of(name) for name in LABELLED} == {"open"}


def test_names_are_compared_without_signs():
    assert plain_name("Address.City ") == plain_name("address_city") == "address city"
