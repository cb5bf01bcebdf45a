"""Trees in SQLite: the same labels whether a table has types or came from a file as text."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest
from helpers.examples import examples
from helpers.exports import SEEDS
from hypothesis import given
from hypothesis import strategies as st

from agathis import Kauri
from agathis.export import to_sql

TRUE, FALSE = ["true", "True", "TRUE", "t", "1", "1.0"], ["false", "False", "F", "0", "0.0"]


def labels(sql: str, names, rows, types=None) -> list:
    """What SQLite answers; without types all columns are TEXT, as ``.import`` makes them."""
    base = sqlite3.connect(":memory:")
    types = types or ["TEXT"] * len(names)
    columns = ", ".join(f"`{name}` {kind}" for name, kind in zip(names, types, strict=True))
    base.execute(f"CREATE TABLE t ({columns})")
    base.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(names))})", rows)
    result = [row[0] for row in base.execute(f"SELECT {sql} FROM t ORDER BY rowid")]
    base.close()
    return result


@examples(40)
@given(seed=SEEDS, gaps=st.sampled_from([0.0, 0.2]), mark=st.sampled_from(["", "NA", "nan", "N/A"]))
def test_numbers_as_text(seed, gaps, mark):
    random = np.random.default_rng(seed)
    X = np.round(random.normal(size=(60, 3)) * [1, 30, 1000], 2)
    X[random.random(X.shape) < gaps] = np.nan
    model = Kauri(4, max_leaf_nodes=9, engine="binned", n_jobs=1).fit(X)
    names = ["a", "b", "c"]
    sql = to_sql(model, dialect="sqlite", feature_names=names)
    known = ~np.isnan(X)
    plain = [
        [float(v) if k else None for v, k in zip(*row, strict=True)]
        for row in zip(X, known, strict=True)
    ]
    texts = [[mark if v is None else repr(v) for v in row] for row in plain]
    expected = model.tree_.predict(X).tolist()
    assert labels(sql, names, texts) == expected
    assert labels(sql, names, plain, ["REAL"] * 3) == expected
    # A column without a type holds what it is given.
    assert labels(sql, names, plain, [""] * 3) == expected


def test_integers_and_values_next_to_a_threshold():
    model = Kauri(2, max_leaf_nodes=None).fit([[0.0], [2.0**53]])
    (threshold,) = {float(model.tree_.threshold[0])}
    rows = [[int(threshold) + step] for step in (-1, 0, 1, 2)]
    expected = model.predict(np.array(rows, dtype=float)).tolist()
    sql = to_sql(model, dialect="sqlite", feature_names=["x"])
    for kind in ("INTEGER", "REAL", "TEXT"):
        assert labels(sql, ["x"], rows, [kind]) == expected


@pytest.mark.parametrize("gaps", ["left", "right", "none"])
@pytest.mark.parametrize("category", [True, False])
def test_booleans_in_every_notation(gaps, category):
    flags = np.repeat([1.0, 0.0], [6, 5])
    other = {"left": flags == 0, "right": flags == 1, "none": None}[gaps]
    X = flags[:, None].copy()
    if other is not None:
        # Missing values learn their way from a second column.
        X = np.column_stack([flags, 9 * flags])
        extra = np.column_stack([np.full(3, np.nan), np.full(3, 9.0 * (gaps == "right"))])
        X = np.vstack([X, extra])
        X[:, 1] /= 1000
    model = Kauri(2, max_leaf_nodes=2, engine="binned").fit(X)
    names = ["flag", "y"][: X.shape[1]]
    sql = to_sql(model, dialect="sqlite", feature_names=names, one_hot={"flag": {"flag": category}})
    assert "flag" in sql
    ones, zeros = (TRUE, FALSE) if category else (FALSE, TRUE)
    written = [*ones, category == True, *zeros, category != True, "", "NA", None]  # noqa: E712
    codes = np.array([1.0] * (len(ones) + 1) + [0.0] * (len(zeros) + 1) + [np.nan] * 3)
    expected = model.tree_.predict(np.column_stack([codes] + [0 * codes] * (len(names) - 1)))
    rows = [[value, 0][: len(names)] for value in written]
    for kind in ("TEXT", ""):
        assert labels(sql, names, rows, [kind, "REAL"][: len(names)]) == expected.tolist()
    native = [row for row in rows if row[0] is None or isinstance(row[0], bool)]
    places = [i for i, row in enumerate(rows) if row in native]
    result = labels(sql, names, native, ["BOOLEAN", "REAL"][: len(names)])
    assert result == expected[places].tolist()


@pytest.mark.parametrize("categories", [["red", "it's", "blue"], [0, 1, 30], [0.5, 2.25, 7.0]])
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_categories_as_text(categories, gaps, seed):
    random = np.random.default_rng(seed)
    codes = random.integers(0, 3, 90)
    X = np.eye(3)[codes]
    if gaps:
        X[:: 3 + seed] = np.nan
    X = np.column_stack([X, random.normal(size=90) / 9 + (codes == 2)])
    model = Kauri(4, engine="binned", max_leaf_nodes=6).fit(X)
    names = ["c0", "c1", "c2", "size"]
    one_hot = {"c": dict(zip(names, categories, strict=False))}
    sql = to_sql(model, dialect="sqlite", feature_names=names, one_hot=one_hot)
    assert "`c`" in sql
    plain = [
        [None if np.isnan(x[0]) else categories[c], x[3]]
        for x, c in zip(X.tolist(), codes, strict=True)
    ]
    texts = [["NA" if c is None else str(c), repr(size)] for c, size in plain]
    # A word that the model does not know is none of its categories.
    expected = [*model.labels_, *model.tree_.predict([[0.0, 0, 0, 0.25]])]
    assert labels(sql, ["c", "size"], [*texts, ["other", "0.25"]]) == expected
    assert labels(sql, ["c", "size"], [*plain, ["other", 0.25]], ["", "REAL"]) == expected


def test_a_mark_of_missing_values_may_be_a_category():
    X = np.column_stack([np.eye(2)[[0, 0, 1, 1, 0, 1]], np.arange(6) / 100])
    X[0, :2] = np.nan
    model = Kauri(2, engine="binned", max_leaf_nodes=2).fit(X)
    one_hot = {"land": {"land_NA": "NA", "land_FR": "FR"}}
    sql = to_sql(
        model, dialect="sqlite", feature_names=["land_NA", "land_FR", "y"], one_hot=one_hot
    )
    result = labels(sql, ["land"], [["NA"], ["FR"], [""], [None]])
    assert result[0] != result[1]
    assert result[2] == result[3] == model.tree_.predict([[np.nan, np.nan, 0.0]])[0]
