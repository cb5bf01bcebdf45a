"""How what was read is held against the truth: every kind of fault is noticed."""

from dataclasses import replace

import pandas as pd
import pytest
from reading.adapter import ColumnRead, Doubt, WhatWasRead, reading_of
from reading.bases import customers, laboratory
from reading.compare import compare, fault_of, refusal, right_kinds, same_values
from reading.run import reading_summary
from reading.tables import LabelledColumn
from reading.truth import ReadingFile

BASE = customers(rows=60)


def file_of(base=BASE, item="test", **more):
    return ReadingFile("t.csv", item, base.table, base.kinds, lambda path: None, **more)


def as_meant(base=BASE, **kinds):
    """What a perfect reader reads, but for some kinds."""
    columns = [
        ColumnRead(name, kinds.get(name, kind.split("|")[0]), base.table[name])
        for name, kind in base.kinds.items()
    ]
    return WhatWasRead(columns, len(base.table))


def with_column(read, column, **changes):
    columns = [replace(one, **changes) if one.name == column else one for one in read.columns]
    return replace(read, columns=columns)


def test_a_perfect_reading_is_right():
    found = compare(file_of(), as_meant(), 1.0)
    assert found.outcome == "right"
    assert found.kinds_right == found.n_columns == 7
    # Which kind of number it is makes no difference, unless the file is there for that.
    assert compare(file_of(), as_meant(Orders="quantity"), 1.0).kinds_right == 6
    assert compare(file_of(exact=("Orders",)), as_meant(Orders="quantity"), 1.0).outcome == "silent"


def test_what_is_wrong_needs_a_note_on_it():
    wrong = as_meant(Segment="free text")
    assert compare(file_of(), wrong, 1.0).outcome == "silent"
    for columns, outcome in ((("Age",), "silent"), (("Segment",), "noted"), ((), "noted")):
        doubted = replace(wrong, doubts=[Doubt("is it?", columns)])
        assert compare(file_of(), doubted, 1.0).outcome == outcome


@pytest.mark.parametrize("rows", [59, 61])
def test_rows_too_many_or_too_few_need_a_note_on_the_file(rows):
    wrong = replace(as_meant(), n_rows=rows)
    assert compare(file_of(), wrong, None).outcome == "silent"
    on_column = replace(wrong, doubts=[Doubt("is it?", ("Age",))])
    assert compare(file_of(), on_column, None).outcome == "silent"
    on_file = replace(wrong, doubts=[Doubt("is the last row a total?")])
    assert compare(file_of(), on_file, None).outcome == "noted"


def test_other_names_and_other_columns_are_wrong():
    renamed = with_column(as_meant(), "Age", name="Customer Age")
    assert compare(file_of(), renamed, 1.0).outcome == "silent"
    assert compare(file_of(also={"Age": ("customer_age",)}), renamed, 1.0).outcome == "right"
    assert compare(file_of(has_names=False), renamed, 1.0).outcome == "right"
    fewer = replace(as_meant(), columns=as_meant().columns[1:])
    assert compare(file_of(has_names=False), fewer, 1.0).outcome == "silent"


def test_groups_and_notes_that_are_missing_are_wrong():
    assert compare(file_of(), as_meant(), 0.5).wrong == ("groups not found, ARI 0.50",)
    assert compare(file_of(noted=("Age",)), as_meant(), 1.0).outcome == "silent"
    noted = replace(as_meant(), doubts=[Doubt("is it?", ("Age",))])
    assert compare(file_of(noted=("Age",)), noted, 1.0).outcome == "right"


def test_values_are_compared_with_what_they_mean():
    numbers = pd.Series([1.0, 2.0, None])
    assert same_values(numbers, pd.Series([1, 2, None]))
    assert not same_values(numbers, pd.Series([1.0, 2.1, None]))
    assert not same_values(numbers, pd.Series([1.0, 2.0, 0.0]))
    assert same_values(numbers, numbers * 60, any_unit=True)
    names = pd.Series(["yes", "no", "yes"])
    assert same_values(names, pd.Series([True, False, True]))
    assert not same_values(names, pd.Series(["Yes", "no", "YES"]))
    assert not same_values(names, pd.Series(["yes", "yes", "yes"]))
    dates = pd.Series(pd.to_datetime(["2024-05-01", None]))
    assert same_values(dates, pd.Series(["2024-05-01T00:00", None]))
    assert not same_values(dates, pd.Series(["2024-01-05", None]))


def test_a_fault_of_values_is_one():
    cents = ColumnRead("Revenue", "quantity", BASE.table["Revenue"] * 100)
    assert fault_of(file_of(), "Revenue", cents) == "other values"
    assert fault_of(file_of(any_unit=("Revenue",)), "Revenue", cents) == ""


def test_a_column_or_its_original_may_be_called_the_copy():
    def label(column, kind, copy_of=""):
        return LabelledColumn("open", "t", "p", column, kind, (), copy_of, "")

    def read(wage, logwage):
        values = pd.Series([1.0])
        columns = [ColumnRead(n, kind, values, of) for n, kind, of in (wage, logwage)]
        return WhatWasRead(columns, 1)

    labels = [label("wage", "quantity"), label("logwage", "copy-of", "wage")]
    told = read(("wage", "quantity", ""), ("logwage", "copy-of", "wage"))
    assert right_kinds(labels, told) == [True, True]
    swapped = read(("wage", "copy-of", "logwage"), ("logwage", "quantity", ""))
    assert right_kinds(labels, swapped) == [True, True]
    unseen = read(("wage", "quantity", ""), ("logwage", "quantity", ""))
    assert right_kinds(labels, unseen) == [True, False]
    assert right_kinds(labels, WhatWasRead([], 0)) == [False, False]


def test_the_summary_counts_files_and_notes_on_clean_ones():
    rows = [
        {"item": "clean", "outcome": "right", "kinds": "4 of 4", "noted": 1, "ari": 1.0},
        {"item": "totals", "outcome": "silent", "kinds": "2 of 4", "noted": 3, "ari": None},
    ]
    text = reading_summary(rows)
    for expected in ("2 files, 1 of them clean", "Right without options: 50.0%", "1 files, 50.0%",
                     "with a note: 25.0%", "exactly right: 75.0%"):  # fmt: skip
        assert expected in text
    assert refusal(file_of(), "no table").outcome == "refused"


def test_the_package_reads_a_plain_file(tmp_path):
    base = laboratory(rows=60)
    path = tmp_path / "t.csv"
    base.table.to_csv(path, index=False)
    read = reading_of(path)
    assert read.n_rows == 60
    assert compare(file_of(base, "clean"), read, None).outcome == "right"
