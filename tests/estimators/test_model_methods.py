"""The methods of a model that call functions: rules, a picture, a report, SQL."""

import re

import pandas as pd
import pytest
from helpers.exports import BASELINES
from sklearn.datasets import load_iris

from agathis import Kauri, fit_table
from agathis.export import from_json, to_json, to_rules, to_sql

NAMES = ["sl", "sw", "pl", "pw"]
MODELS = {
    "Kauri": lambda table: Kauri(3).fit(table),
    "a pipeline": lambda table: fit_table(table, 3, search="greedy"),
    "from JSON": lambda table: from_json(to_json(Kauri(3).fit(table))),
    **{name: lambda table, make=make: make(3).fit(table) for name, make in BASELINES.items()},
}


@pytest.fixture(scope="module")
def table():
    return pd.DataFrame(load_iris().data, columns=NAMES)


@pytest.fixture(scope="module", params=MODELS)
def model(request, table):
    return MODELS[request.param](table)


def test_rules(model, table):
    found = model.rules(table, load_iris().target, digits=3)
    assert found.to_dict() == to_rules(model, table, load_iris().target, digits=3).to_dict()
    assert "is where" in str(model.rules())


def test_sql(model):
    assert model.to_sql(dialect="duckdb") == to_sql(model, dialect="duckdb")
    assert "FROM" in model.to_sql(table="flowers")


def test_picture(model):
    figures = pytest.importorskip("matplotlib.figure")
    ax = figures.Figure().add_subplot()
    assert model.plot(ax=ax, digits=2) is ax
    assert any(text.get_text() in NAMES for text in ax.texts)


@pytest.mark.parametrize("name", ["Kauri", "a pipeline", "from JSON", "IMM"])
def test_report(name, table, tmp_path):
    pytest.importorskip("jinja2")
    model = MODELS[name](table)
    path = tmp_path / "iris.html"
    assert model.report(path, table, title="Three irises") is None
    page = path.read_text(encoding="utf-8")
    assert re.search("<title>[^<]*Three irises", page)


def test_they_need_a_fit():
    with pytest.raises(ValueError, match="not fitted"):
        Kauri(3).rules()
