"""SQL in servers that are there: PostgreSQL and MariaDB agree with ``predict`` on every row."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from helpers.category_trees import category_trees
from helpers.examples import examples
from helpers.exports import AWKWARD, names_for, trees, with_none
from helpers.pair_trees import pair_models
from helpers.servers import SERVERS, server
from hypothesis import HealthCheck, given, settings
from sklearn.datasets import load_wine

from agathis import Kauri, fit_table
from agathis.export import to_sql

pytestmark = pytest.mark.slow
FEW = settings(examples(15), suppress_health_check=list(HealthCheck))
TYPES = {"numbers": "INTEGER", "truth": "BOOLEAN", "truths": "BOOLEAN"}


@pytest.fixture(scope="module", params=SERVERS)
def database(request):
    with server(request.param) as result:
        yield result


def as_numbers(labels) -> list:
    return [int(label) for label in labels]


@FEW
@given(made=trees())
def test_rows_and_what_lies_beside_thresholds(database, made):
    model, X, more = made
    rows = np.vstack([X, more])
    for node in np.flatnonzero(model.tree_.children_left >= 0):
        at, beside = model.tree_.threshold[node], np.repeat(rows[:1], 3, axis=0)
        if np.isfinite(at):
            column = model.tree_.feature[node]
            beside[:, column] = np.nextafter(at, -np.inf), at, np.nextafter(at, np.inf)
            rows = np.vstack([rows, beside])
    names = names_for(X.shape[1])
    sql = to_sql(model, dialect=database.dialect, feature_names=names)
    result = database.labels(names, map(with_none, rows), sql)
    assert as_numbers(result) == model.tree_.predict(rows).tolist()


@FEW
@given(made=category_trees(sums=True))
def test_categories(database, made):
    rows = [list(row.values()) for row in made.raw]
    kinds = [made.kinds.get(name) for name in made.sources]
    types = ["DOUBLE" if kind is None else TYPES.get(kind, "VARCHAR") for kind in kinds]
    words = {"feature_names": made.names, "one_hot": made.one_hot}
    sql = to_sql(made.tree, dialect=database.dialect, **words)
    result = database.labels(made.sources, rows, sql, types)
    assert as_numbers(result) == made.tree.predict(made.X).tolist()


@FEW
@given(made=pair_models())
def test_sums_of_columns(database, made):
    model, _, rows = made
    names = ["length", "width", "it's"]
    sql = to_sql(model, dialect=database.dialect, feature_names=names)
    result = database.labels(names, [with_none(row) for row in rows], sql)
    assert as_numbers(result) == model.tree_.predict(rows).tolist()


@pytest.mark.parametrize("kind", ["TIMESTAMP", "VARCHAR"])
def test_parts_of_dates(database, kind):
    days = pd.date_range("2019-01-01", "2020-12-31", freq="43h")
    price = 9.0 * (days.month > 6) + 3.0 * (days.day_of_week > 4) + 5.0 * (days.hour > 12)
    frame = pd.DataFrame({"sold": days, "price": price})
    frame.loc[::50, "sold"] = pd.NaT
    model = fit_table(frame, 8, max_leaf_nodes=12, dates="parts", no_split=["price"])
    rows = [[None if pd.isna(day) else str(day), 0.0] for day in frame["sold"]]
    sql = to_sql(model, dialect=database.dialect)
    result = database.labels(["sold", "price"], rows, sql, [kind, "DOUBLE"])
    assert as_numbers(result) == model.predict(frame).tolist()


@pytest.mark.parametrize("form", ["%Y/%m/%d %H:%M", "%d.%m.%Y %H:%M:%S", "%m/%d/%Y %H:%M"])
def test_date_strings_of_fixed_width(database, form):
    days = pd.date_range("2019-01-01", "2020-12-31", freq="43h")
    price = 9.0 * (days.month > 6) + 3.0 * (days.day_of_week > 4) + 5.0 * (days.hour > 12)
    frame = pd.DataFrame({"sold": days.strftime(form), "price": price})
    frame.loc[::50, "sold"] = None
    model = fit_table(frame, 8, max_leaf_nodes=12, dates="parts", no_split=["price"])
    sql = to_sql(model, dialect=database.dialect)
    sold = [None if pd.isna(text) else text for text in frame["sold"]]
    pairs = zip(days, sold, strict=True)
    moments = [None if text is None else str(day) for day, text in pairs]
    for texts, kind in ((sold, "VARCHAR"), (moments, "VARCHAR"), (moments, "TIMESTAMP")):
        rows = [[text, 0.0] for text in texts]
        result = database.labels(["sold", "price"], rows, sql, [kind, "DOUBLE"])
        assert as_numbers(result) == model.predict(frame).tolist()


def test_a_query_with_special_characters_in_names(database):
    # MariaDB takes no name that ends in spaces or has letters beyond the first 65,536.
    names = [name.replace("🌲", "").rstrip() for name in AWKWARD]
    X = np.random.default_rng(0).normal(size=(200, len(names)))
    model = Kauri(4, max_leaf_nodes=30).fit(X)
    # MariaDB's client makes one end of a line of the other in what it is given.
    clusters = ["it's\r\n", '"', "'; DROP TABLE t; --", "\\ \n\t"]
    sql = to_sql(
        model,
        dialect=database.dialect,
        feature_names=names,
        cluster_names=clusters,
        table='a "t" `;',
        column='the "cluster"',
    )
    quoted = {"postgres": '"a ""t"" `;"', "mysql": '`a "t" ``;`'}[database.dialect]
    script = database.script(names, X.tolist(), "1", table=quoted).rsplit("SELECT", 1)[0]
    result = sorted((int(row[-2]), row[-1]) for row in database.run(f"{script}\n{sql};"))
    assert [label for _, label in result] == [clusters[k] for k in model.labels_]


def test_categories_that_differ_in_accents(database):
    """To MariaDB's usual collation they are one; a cleaned column has one case and no blanks."""
    words = ["red", "réd", "rêd", "rèd", "rëd", "rød", "ręd"]
    frame = pd.DataFrame({"c": words * 30, "size": [1.0, 5.0, 9.0, 13.0, 17.0, 21.0, 25.0] * 30})
    model = fit_table(frame, 7, max_leaf_nodes=9, no_split=["size"], categorical=["c"])
    expected = model.predict(frame).tolist()
    assert len(set(expected)) > 3
    sql = to_sql(model, dialect=database.dialect)
    rows = frame[["c", "size"]].values.tolist()
    result = database.labels(["c", "size"], rows, sql, ["VARCHAR", "DOUBLE"])
    assert as_numbers(result) == expected


def test_wines(database):
    data = load_wine(as_frame=True)
    model = fit_table(data.data, 3, max_leaf_nodes=6)
    sql = to_sql(model, dialect=database.dialect)
    result = database.labels(list(data.data), data.data.values.tolist(), sql)
    assert as_numbers(result) == model.predict(data.data).tolist()
