"""Tables of the command line: what becomes of their columns, and what is said about it."""

from __future__ import annotations

import shlex

import numpy as np
import pyarrow as pa
import pytest

from agathis._cli.console import Messages
from agathis._cli.errors import WrongUse, in_options
from agathis._cli.fitting import prepare
from agathis._cli.inputs import read_input
from agathis._cli.names import encoder_options, split_names
from agathis._cli.options import Columns, options_typed
from agathis._columns.errors import BadTable
from agathis._io.table_reading import ReadOptions

QUIET = Messages(quiet=True)
N = 30


def table_of(**columns):
    return pa.table(columns)


def test_rows():
    table = table_of(
        color=["red", "blue", "red", None],
        color_red=[5.0, 6, 7, 8],
        flag=[True, False, True, True],
        kind=["u", "v", "u", "v"],
    )
    rows = prepare(table, Columns(target="kind", scale=["none"]), "t", QUIET)
    names = ["color_blue", "color_red_", "color_missing", "color_red", "flag_False", "flag_True"]
    assert rows.encoder.feature_names_ == names
    assert rows.encoder.one_hot_ == {
        "color": {"color_blue": "blue", "color_red_": "red", "color_missing": None},
        "flag": {"flag_False": False, "flag_True": True},
    }
    expected = [[0, 1, 0, 5, 0, 1], [1, 0, 0, 6, 1, 0], [0, 1, 0, 7, 0, 1], [0, 0, 1, 8, 0, 1]]
    np.testing.assert_array_equal(rows.raw, expected)
    assert list(rows.target) == ["u", "v", "u", "v"]
    assert [list(places) for places in rows.X.roles.one_hot] == [[0, 1, 2], [4, 5]]
    fewer = prepare(table, Columns(target="kind", missing="drop"), "t", QUIET)
    np.testing.assert_array_equal(fewer.raw, [row[:2] + row[3:] for row in expected[:3]])
    np.testing.assert_array_equal(fewer.rows, [0, 1, 2])
    assert (fewer.n_read, list(fewer.target)) == (4, ["u", "v", "u"])
    with pytest.raises(BadTable, match=r"missing values in color \(25 %\); 1 of 4 rows miss one"):
        prepare(table, Columns(target="kind", strict=True), "t", QUIET)


def test_what_is_said(capsys):
    table = table_of(id=range(12), x=[1.0, 2, 3] * 4, c=["a", "b"] * 6, same=[4] * 12)
    prepare(table, Columns(target="c"), "t", Messages())
    assert capsys.readouterr().err.splitlines() == [
        "Read 12 rows and 4 columns.",
        "Left out: id: it looks like an identifier (--keep id keeps it).",
        "Left out: same: its value is always 4 (--keep same keeps it).",
        "Kept for judging only: c.",
        "Numbers are standardised, with values clipped at the 1st and 99th percentiles. "
        "Rules are in your units.",
    ]
    prepare(table, Columns(), "t", QUIET)
    assert capsys.readouterr().err == ""


def test_columns_that_are_left_out_together(capsys):
    ids = [f"n{i}" for i in range(N)]
    dates = [f"{i + 1:02d}.05.2019" for i in range(N)]
    table = pa.table({"who am i": ids, "b": ids, "x": [1.0, 2, 5] * 10, "d": dates, "e": dates})
    prepare(table, Columns(), "t", Messages())
    said = capsys.readouterr().err
    assert (
        "Left out: who am i and b: they look like identifiers (--keep 'who am i' --keep b keeps "
        "them).\nLeft out: d and e: they hold dates or times (--dates parts encodes parts of them)."
    ) in said


def test_advice_can_be_pasted():
    """All columns at fault are named, as a shell takes them; and what is advised helps."""
    many = [f"t{i // 2}" for i in range(60)]
    most = [f"t{i}" for i in range(600)] * 2
    for texts, columns in ((many, ["yearly spend (€)", "it's", "x"]), (most, ["a b"])):
        table = pa.table({**dict.fromkeys(columns, texts), "y": np.arange(len(texts)) ** 2})
        prepare(table, Columns(), "t", QUIET)
        with pytest.raises(BadTable) as caught:
            prepare(table, Columns(strict=True), "t", QUIET)
        drop, *categorical = in_options(caught.value).partition("Ways out:\n")[2].splitlines()
        assert len(categorical) == (texts is many)
        for line in (drop, *categorical):
            words = shlex.split(line.split("  leaves")[0].split("  treats")[0])
            assert words[1::2] == columns
            (option,) = set(words[::2])
            prepare(table, Columns(**{option[2:]: words[1::2]}, strict=True), "t", QUIET)
    wide = pa.table({**{f"c{i}": many for i in range(11)}, "y": np.arange(60) ** 2})
    with pytest.raises(BadTable) as caught:
        prepare(wide, Columns(strict=True), "t", QUIET)
    drop = " ".join(f"--drop c{i}" for i in range(8))
    assert f"{drop} and 3 more  leaves them" in in_options(caught.value)


def test_names_with_commas_between(tmp_path):
    table = pa.table({"a": [1, 5, 9], "b": [2, 4, 1], "c,d": [3, 3, 4], "e": [1, 1, 2]})
    found = prepare(table, Columns(drop=["a, b", "c,d"]), "t", QUIET)
    assert [column_type.name for column_type in found.encoder.used()] == ["e"]
    with pytest.raises(WrongUse, match="--drop z: there is no such column"):
        prepare(table, Columns(drop=["a,z"]), "t", QUIET)
    (tmp_path / "t.csv").write_text("a;b;c\n01;02;03\n01;02;04\n")
    path = str(tmp_path / "t.csv")
    found = read_input(path, ReadOptions(), lambda names: split_names(["a,b"], names))
    assert found.table.to_pydict() == {"a": ["01", "01"], "b": ["02", "02"], "c": ["03", "04"]}


def test_no_row_is_left():
    table = table_of(a=[1.0, None], b=[None, 2.0])
    with pytest.raises(BadTable) as caught:
        prepare(table, Columns(missing="drop"), "t", QUIET)
    assert in_options(caught.value).startswith("--missing drop leaves no row of t")


def test_two_columns_of_one_name():
    table = pa.Table.from_arrays([pa.array([1, 2])] * 2 + [pa.array([5, 9])], ["a", "a", "b"])
    with pytest.raises(BadTable, match="2 columns of the name a"):
        prepare(table, Columns(strict=True), "t", QUIET)
    for wanted in (Columns(), Columns(drop=["a"])):
        assert [v.name for v in prepare(table, wanted, "t", QUIET).encoder.used()] == ["b"]


def test_scales_and_weights_as_they_are_typed():
    names = ["price", "a=b"]

    def scale(*given):
        return encoder_options(Columns(scale=list(given)), names, "t")["scale"]

    def weight(*given):
        return encoder_options(Columns(weight=list(given)), names, "t")["weight"]

    assert scale() == "auto"
    assert scale("log") == "log"
    assert scale("price=log", "a=b=rank") == {"price": "log", "a=b": "rank"}
    assert scale("minmax", "price=log") == {"price": "log", "a=b": "minmax"}
    assert weight("price=2", "a=b=0.5") == {"price": 2.0, "a=b": 0.5}
    assert (weight(), weight("equal")) == ("learned", "equal")
    for wrong, message in (
        (["cube"], "COLUMN=VALUE is needed"),
        (["price=cube"], "HOW is one of auto"),
        (["log", "rank"], "HOW is one of auto"),
        (["prize=log"], "Did you mean price"),
    ):
        with pytest.raises(WrongUse, match=message):
            scale(*wrong)
    for wrong, message in (("price=x", "is no number"), ("price=0", "must be above 0")):
        with pytest.raises(WrongUse, match=message):
            weight(wrong)
    typed = options_typed(
        Columns(drop=["x"], scale=["log"], dates="parts", missing="drop", strict=True)
    )
    assert shlex.join(typed) == "--scale log --drop x --dates parts --missing drop --strict"
