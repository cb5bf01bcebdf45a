"""Tables of the command line: how they are read, and what becomes of their columns."""

from __future__ import annotations

import gzip
import shlex

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from agathis._cli.columns import judge
from agathis._cli.console import Messages
from agathis._cli.errors import BadData, WrongUse
from agathis._cli.names import Wanted
from agathis._cli.prepare import prepare
from agathis._cli.table import Reading, read_table
from agathis._cli.text import layout_of

QUIET = Messages(quiet=True)


def read(tmp_path, data, name="t.csv", **options):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    as_text = options.pop("as_text", ())
    return read_table(str(path), Reading(**options), as_text).table


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
        gzip.compress(b"a,b\n1.5,x\n2.5,y\n"),
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
        assert read_table(str(tmp_path / name), Reading()).table.equals(table)


def test_the_index_of_pandas_is_no_column(tmp_path):
    import pandas as pd

    frame = pd.DataFrame({"a": [1.0, 2.0]}, index=pd.Index([7, 8], name="key"))
    frame.to_parquet(tmp_path / "t.parquet")
    assert read_table(str(tmp_path / "t.parquet"), Reading()).table.column_names == ["a"]


def test_encodings(tmp_path):
    text = "größe,b\n1,ä\n2,ö\n"
    for encoding in ("latin-1", "cp1252", "utf-16"):
        table = read(tmp_path, text.encode(encoding), encoding=encoding)
        assert table.to_pydict() == {"größe": [1, 2], "b": ["ä", "ö"]}


def test_half_characters(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"a,b\n+2AA-,1\nx,2\n")
    table = read_table(str(tmp_path / "t.csv"), Reading(encoding="utf-7")).table
    assert table.to_pydict() == {"a": ["?", "x"], "b": [1, 2]}


@pytest.mark.parametrize("sign", ["\u2028", "\x85", "\x0b"])
def test_names_with_signs_that_end_lines_elsewhere(sign, tmp_path):
    name = f"a{sign}b"
    (tmp_path / "t.csv").write_text(f"{name},c\n01,2\n02,3\n", encoding="utf-8", newline="")
    table = read_table(str(tmp_path / "t.csv"), Reading(), [name]).table
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
    "with a sign": (["?", *map(str, range(N))], "problem"),
    "comments": ([*(f"no {i} of it was good" for i in range(N)), None], "free text"),
    "repeated": ([f"no {i % 50} of it was good" for i in range(2 * N)], "free text"),
    "German dates": ([f"{i + 1:02d}.05.2019" for i in range(N)], "dates"),
    "other dates": ([f"{i % 12 + 1}/27/2019 10:30" for i in range(N)], "dates"),
    "short dates": ([f"{i + 1:02d}.05.19" for i in range(N)], "dates"),
    "years first": ([f"2019/05/{i + 1}" for i in range(N)], "dates"),
    "versions": ([f"1.{i % 3}.10" for i in range(N)], "category"),
    "truths": ([True, False, None] * 10, "boolean"),
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
    verdict = judge(name, column, keep=False, categorical=False)
    assert verdict.kind == expected or (verdict.kind == "out" and expected in verdict.why)
    if verdict.can_be_kept:
        assert judge(name, column, keep=True, categorical=False).kind != "out"


def test_categories_of_numbers():
    column = pa.chunked_array([pa.array([3, 1, None, 1])])
    assert judge("n", column, keep=False, categorical=True).categories == (1, 3)
    texts = pa.chunked_array([pa.array([str(i) for i in range(501)])])
    verdict = judge("n", texts, keep=False, categorical=True)
    assert verdict.kind == "problem"
    assert "501 different values; 500 categories are the most" in verdict.why


def table_of(**columns):
    return pa.table(columns)


def test_rows():
    table = table_of(
        color=["red", "blue", "red", None],
        color_red=[5.0, 6, 7, 8],
        flag=[True, False, True, True],
        kind=["u", "v", "u", "v"],
    )
    rows = prepare(table, Wanted(target="kind", missing="tree"), "t", QUIET)
    assert rows.names == ["color_blue", "color_red_", "color_red", "flag"]
    assert rows.one_hot == {
        "color": {"color_blue": "blue", "color_red_": "red"}, "flag": {"flag": True}
    }  # fmt: skip
    np.testing.assert_array_equal(
        rows.X,
        [[0, 1, 5, 1], [1, 0, 6, 0], [0, 1, 7, 1], [np.nan, np.nan, 8, 1]],
    )
    assert list(rows.target) == ["u", "v", "u", "v"]
    assert [list(places) for places in rows.sources()] == [[0, 1], [3]]
    fewer = prepare(table, Wanted(target="kind", missing="drop"), "t", QUIET)
    np.testing.assert_array_equal(fewer.X, rows.X[:3])
    np.testing.assert_array_equal(fewer.rows, [0, 1, 2])
    assert list(fewer.target) == ["u", "v", "u"]
    with pytest.raises(BadData, match=r"missing values in color \(1\); 1 of 4 rows miss one"):
        prepare(table, Wanted(target="kind"), "t", QUIET)


def test_what_is_said(capsys):
    table = table_of(id=range(12), x=[1.0, 2, 3] * 4, c=["a", "b"] * 6, same=[4] * 12)
    prepare(table, Wanted(target="c"), "t", Messages())
    assert capsys.readouterr().err.splitlines() == [
        "Read 12 rows and 4 columns.",
        "Left out: id: it looks like an identifier (--keep id keeps it).",
        "Left out: same: its value is always 4 (--keep same keeps it).",
        "Kept for judging only: c.",
    ]
    prepare(table, Wanted(), "t", QUIET)
    assert capsys.readouterr().err == ""


def test_columns_that_are_left_out_together(capsys):
    ids = [f"n{i}" for i in range(N)]
    dates = [f"{i + 1:02d}.05.2019" for i in range(N)]
    table = pa.table({"who am i": ids, "b": ids, "x": [1.0, 2, 5] * 10, "d": dates, "e": dates})
    prepare(table, Wanted(), "t", Messages())
    said = capsys.readouterr().err
    assert (
        "Left out: who am i and b: they look like identifiers (--keep 'who am i' --keep b keeps "
        "them).\nLeft out: d and e: they hold dates or times; turn them"
    ) in said


def test_advice_can_be_pasted():
    """All columns at fault are named, as a shell takes them; and what is advised helps."""
    many = [f"t{i // 2}" for i in range(60)]
    most = [f"t{i}" for i in range(600)] * 2
    for texts, columns in ((many, ["yearly spend (€)", "it's", "x"]), (most, ["a b"])):
        table = pa.table({**dict.fromkeys(columns, texts), "y": np.arange(len(texts)) ** 2})
        with pytest.raises(BadData) as caught:
            prepare(table, Wanted(), "t", QUIET)
        drop, *categorical = str(caught.value).partition("Ways out:\n")[2].splitlines()
        assert len(categorical) == (texts is many)
        for line in (drop, *categorical):
            words = shlex.split(line.split("  leaves")[0].split("  takes")[0])
            assert words[1::2] == columns
            (option,) = set(words[::2])
            prepare(table, Wanted(**{option[2:]: words[1::2]}), "t", QUIET)
    wide = pa.table({**{f"c{i}": many for i in range(11)}, "y": np.arange(60) ** 2})
    with pytest.raises(BadData, match=r"--drop c0 --drop c1 .* --drop c7 and 3 more  leaves them"):
        prepare(wide, Wanted(), "t", QUIET)


def test_names_with_commas_between(tmp_path):
    table = pa.table({"a": [1, 5, 9], "b": [2, 4, 1], "c,d": [3, 3, 4], "e": [1, 1, 2]})
    assert prepare(table, Wanted(drop=["a, b", "c,d"]), "t", QUIET).names == ["e"]
    with pytest.raises(WrongUse, match="--drop z: there is no such column"):
        prepare(table, Wanted(drop=["a,z"]), "t", QUIET)
    found = read(tmp_path, "a;b;c\n01;02;03\n01;02;04\n", as_text=["a,b"])
    assert found.to_pydict() == {"a": ["01", "01"], "b": ["02", "02"], "c": [3, 4]}


def test_no_row_is_left():
    table = table_of(a=[1.0, None], b=[None, 2.0])
    with pytest.raises(BadData, match="--missing drop leaves no row of t"):
        prepare(table, Wanted(missing="drop"), "t", QUIET)


def test_two_columns_of_one_name():
    table = pa.Table.from_arrays([pa.array([1, 2])] * 2 + [pa.array([5, 9])], ["a", "a", "b"])
    with pytest.raises(BadData, match="2 columns of the name a"):
        prepare(table, Wanted(), "t", QUIET)
    assert prepare(table, Wanted(drop=["a"]), "t", QUIET).names == ["b"]
