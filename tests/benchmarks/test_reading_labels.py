"""The labels of columns against which the reading of tables is measured."""

from collections import defaultdict

import pytest
from reading.tables import HALVES, KINDS, half_of, labelled_columns, load_table

LABELS = labelled_columns()
TABLES = sorted({(one.table, one.package) for one in LABELS})


def test_there_are_enough_columns_of_enough_tables_in_both_halves():
    assert len(LABELS) >= 300
    assert len(TABLES) >= 40
    for half in HALVES:
        part = labelled_columns(half)
        assert {one.kind for one in part} == set(KINDS)
        assert len({one.table for one in part}) >= 20


def test_halves_follow_from_names_of_tables():
    assert all(one.half == half_of(one.table) for one in LABELS)


def test_a_column_has_one_label_of_the_known_kinds():
    assert len({(one.table, one.column) for one in LABELS}) == len(LABELS)
    for one in LABELS:
        assert {one.kind, *one.accepts} <= set(KINDS)
        assert one.kind not in one.accepts
        assert bool(one.copy_of) == (one.kind == "copy-of")


@pytest.mark.parametrize(("table", "package"), TABLES)
def test_labelled_columns_are_in_their_tables(table, package):
    pytest.importorskip({"scikit-learn": "sklearn"}.get(package, package))
    frame = load_table(table, package)
    columns = [one for one in LABELS if one.table == table]
    assert {one.column for one in columns} <= set(frame)
    for one in columns:
        assert frame[one.column].nunique() > 1, f"{one.column} is constant"
        if one.copy_of:
            assert_function(frame[[one.copy_of, one.column]].dropna(), one)


def assert_function(pair, label):
    """A value of the original comes with one value of the copy."""
    values = defaultdict(set)
    for original, copy in pair.round(4).itertuples(index=False):
        values[original].add(copy)
    several = sum(len(copies) > 1 for copies in values.values())
    assert several <= 0.02 * len(values), f"{label.column} is no function of {label.copy_of}"
