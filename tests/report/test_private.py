"""No page holds a value that fewer than five rows share, unless an option names its column."""

import re
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from helpers.cli_runs import here
from helpers.examples import examples
from helpers.pages import page_data
from hypothesis import given
from hypothesis import strategies as st

from agathis import fit_table
from agathis._model.conversion import fitted_model
from agathis.report import summarise
from agathis.report._page import render
from agathis.report._private import RARE, quantiles
from agathis.report._tuning import FEW


@st.composite
def tables(draw):
    """Tables with words, numbers and identifiers, some of whose values few rows share."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, k = draw(st.integers(12, 90)), draw(st.integers(2, 4))
    group = random.integers(0, k, n)
    n_words = draw(st.integers(2, 9))
    words = np.array([f"Word{i}q{random.integers(10**6)}" for i in range(n_words)])
    weights = random.dirichlet(np.full(n_words, 0.6))
    table = pd.DataFrame(
        {
            "mail": [f"p{i}x{random.integers(10**6)}@example.org" for i in range(n)],
            "salary": (random.lognormal(10, 1, n) * (1 + group)).round(2),
            "count": random.integers(0, 10**6, n),
            "city": words[random.choice(n_words, n, p=weights)] + "z",
            "plan": words[(group + random.choice(n_words, n, p=weights)) % n_words] + "p",
            "class": words[group % n_words] + "c",
        }
    )
    grades = [f"{word}g" for word in words]
    chosen = np.clip(group + random.choice(n_words, n, p=weights), 0, n_words - 1)
    table["grade"] = pd.Categorical([grades[i] for i in chosen], grades, ordered=True)
    if draw(st.booleans()):
        table.loc[random.random(n) < 0.2, "city"] = None
        table["salary"] = table["salary"].astype(object)
        table.loc[random.integers(0, n), "salary"] = "ask Zoe"
    return table, draw(st.integers(2, 5)), draw(st.sampled_from([None, "class"]))


def rare_words(table):
    """The words that few rows share."""
    out = []
    for name in table:
        counts = table[name].dropna().astype(str).value_counts()
        out += [word for word in counts.index[counts < FEW] if re.search("[a-z]", word)]
    return out


def numbers_in(text):
    """All numbers of a page, as values."""
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", unescape(text).replace("\u2212", "-"))
    return {float(one) for one in re.findall(r"\d+\.?\d*(?:e[-+]?\d+)?", plain)}


@examples(25)
@given(tables())
def test_no_page_holds_a_rare_value(made):
    table, k, target = made
    model = fit_table(table, k, target=target, keep=["count"], random_state=0, max_leaf_nodes=2 * k)
    y = None if target is None else table[target]
    summary = summarise(fitted_model(model), table, y)
    page = render(summary)
    for word in rare_words(table):
        assert word not in unescape(page)
    # Numbers that are found are thresholds of rules.
    thresholds = {
        one["histogram"]["threshold"]
        for one in summary["nodes"]
        if one["histogram"] and "threshold" in one["histogram"]
    }
    data = page[page.index("<body>") : page.index('id="data">')]
    data += re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1]
    salaries = pd.to_numeric(table["salary"], errors="coerce").dropna()
    rare = {float(one) for one in salaries if (salaries == one).sum() < FEW}
    assert not {one for one in (rare - thresholds) & numbers_in(data) if one != round(one)}
    assert summary["lookup"] is None
    assert "No raw rows inside" in page


def test_rare_categories_share_a_name():
    group = np.repeat([0, 1], 30)
    city = np.where(group, "Bern", "Rome").astype(object)
    city[[0, 1, 2]], city[[30, 31]] = "Kleinort", "Winzighausen"
    table = pd.DataFrame({"city": city, "size": group + np.arange(60) / 60})
    model = fitted_model(fit_table(table, 2, no_count=["size"], random_state=0))
    summary = summarise(model, table)
    names = next(one for one in summary["profile"] if one["name"] == "city")
    assert sorted(names["labels"]) == ["Bern", "Rome", RARE]
    assert names["counts"][names["labels"].index(RARE)] == 5
    page = render(summary)
    assert "it is called &ldquo;a rare value&rdquo;" in page
    shown = summarise(model, table, show=table[["city"]])
    assert "Kleinort" in render(shown)
    assert "1 shown column inside" in render(shown)


def test_code_that_names_rare_categories_is_left_out():
    city = np.repeat(["Bern", "Rome", "Kleinort"], [30, 30, 3])
    table = pd.DataFrame({"city": city, "size": [0.0] * 30 + [1.0] * 30 + [0.0] * 3})
    table["more"] = table["size"] * 2 + np.arange(63) / 99
    model = fit_table(table, 2, no_split=["size", "more"], random_state=0)
    found = summarise(fitted_model(model), table)
    texts = str(found["code"])
    assert "Kleinort" not in texts
    error = found["code"]["python"].get("error")
    assert error is None or "agathis export" in error


def test_classes_of_few_rows_are_others():
    X = np.arange(40.0)[:, None]
    y = ["a"] * 20 + ["b"] * 16 + ["secret", "hidden", "hidden", "secret"]
    model = fit_table(pd.DataFrame({"x": X[:, 0] + 0.5}), 2, random_state=0)
    found = summarise(fitted_model(model), pd.DataFrame({"x": X[:, 0] + 0.5}), y)
    assert found["classes"] == ["a", "b", "2 others"]


def test_quantiles_are_means_of_neighbours():
    values = np.arange(100.0) ** 2
    low, middle, high = quantiles(values, (0, 0.5, 1), 5)
    assert low == values[:5].mean()
    assert high == values[-5:].mean()
    assert middle == values[48:53].mean()
    assert quantiles(values, (0.5,), 1) == [np.median(values)]


@pytest.fixture
def crm(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    group = np.repeat([0, 1, 2], 30)
    table = pd.DataFrame(
        {
            "e-mail": [f"person{i}@example.org" for i in range(90)],
            "visits": 10 * group + random.integers(0, 5, 90),
            "spent": (40.0 * group + random.random(90)).round(2),
            "note": [f"note {i}" for i in range(90)],
        }
    )
    table.to_csv("crm.csv", index=False)
    return table


def test_the_command_embeds_identifiers_only_where_asked(crm, capsys):
    fit = ["fit", "crm.csv", "-k", 3, "--report", "r.html"]
    assert here(capsys, *fit, "-o", "m.json").code == 0
    page = Path("r.html").read_text(encoding="utf-8")
    assert "@example.org" not in page
    assert 'id="lookup-form"' not in page
    assert "No raw rows inside" in page
    done = here(capsys, *fit, "--id", "e-mail", "--show", "note")
    assert done.code == 0, done.err
    page = Path("r.html").read_text(encoding="utf-8")
    assert page.count("@example.org") == 90
    assert "90 identifiers and 1 shown column inside" in page
    assert page_data(page)["ids"]["name"] == "e-mail"
    used = {one["column"]: one for one in page_data(page)["provenance"]["columns"]}
    assert used["e-mail"]["why"] == "it finds rows on this page"
    # A number that finds rows is no feature.
    assert here(capsys, *fit, "--id", "visits").code == 0
    columns = page_data(Path("r.html").read_text(encoding="utf-8"))["provenance"]["columns"]
    assert not next(one for one in columns if one["column"] == "visits")["used"]
    done = here(capsys, *fit, "--id", "mail")
    assert done.code == 2
    assert "--id mail: there is no such column. Did you mean e-mail?" in done.err
