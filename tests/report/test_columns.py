"""Pages about tables with categories speak of the columns of the table, not of indicators."""

import csv
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from helpers.cli_runs import here, mixed_rows
from helpers.page_rules import in_words
from helpers.pages import shop_model

from agathis import Kauri, fit_table
from agathis._utils.result_table import csv_text
from agathis.export import to_rules
from agathis.report import summarise
from agathis.report._page import render


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def told(path):
    """What a page holds as data."""
    page = Path(path).read_text(encoding="utf-8")
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


def answers(engine, query, rows):
    """The clusters that a database gives the rows of the raw table."""
    with closing(engine.connect(":memory:")) as base:
        base.execute(
            "CREATE TABLE your_table "
            '(row_id INT, size DOUBLE, "drop table t; --" INT, color TEXT, paid BOOLEAN)'
        )
        base.executemany("INSERT INTO your_table VALUES (?, ?, ?, ?, ?)", rows)
        found = dict(base.execute(f"SELECT row_id, cluster FROM ({query}) AS t").fetchall())
    return [str(found[row[0]]) for row in rows]


@pytest.mark.parametrize(
    ("gaps", "names"),
    [
        pytest.param(0.0, [], marks=pytest.mark.slow),
        pytest.param(0.1, [], marks=pytest.mark.slow),
        (0.1, ["--names", "it's,b,c,d"]),
    ],
)
def test_the_code_is_for_the_raw_table(gaps, names, place, capsys):
    head, rows = mixed_rows(np.random.default_rng(1), 80, gaps)
    Path("t.csv").write_text(csv_text(head, rows))
    more = [*names, *(["--missing", "tree"] if gaps else [])]
    fit = ["fit", "t.csv", "-k", 4, "--leaves", 9, "-o", "m.json", "--report", "fit.html", *more]
    assert here(capsys, *fit).code == 0
    assert here(capsys, "report", "m.json", "t.csv", "-o", "report.html").code == 0
    done = here(capsys, "predict", "m.json", "t.csv")
    labels = [line["cluster"] for line in csv.DictReader(done.out.splitlines())]
    for page in ("fit.html", "report.html"):
        code = told(page)["code"]
        scope = {}
        exec(code["python"]["text"], scope)
        found = [scope["cluster_of"](dict(zip(head, row, strict=True))) for row in rows]
        assert [str(k) for k in found] == labels
        assert answers(duckdb, code["sql"]["duckdb"]["text"], rows) == labels
        assert answers(sqlite3, code["sql"]["sqlite"]["text"], rows) == labels


@pytest.fixture(scope="module")
def shop():
    return shop_model(12)


def test_a_model_from_a_file_knows_its_columns(shop):
    loaded, table = shop
    summary = summarise(loaded, table)
    words = {"one_hot": loaded.one_hot_, "value_names": loaded.value_names_}
    assert summary == summarise(loaded, table, **words)
    inner = [node for node in summary["nodes"] if node["children"]]
    assert {node["name"] for node in inner} == {"age", "plan", "letter", "vote"}
    for node in inner:
        left, right = (summary["nodes"][child]["condition"] for child in node["children"])
        if node["name"] in ("plan", "letter", "vote"):
            assert (left.startswith("is "), right.startswith("is ")) == (True, True)
    assert "0.5" not in json.dumps([node["condition"] for node in inner])


def test_or_says_what_it_joins(shop):
    loaded, table = shop
    summary = summarise(loaded, table)
    rules = to_rules(loaded, table)
    assert any("(" in rule["rule"] and "or missing)" in rule["rule"] for rule in rules)
    for cluster, rule in zip(summary["clusters"], rules, strict=True):
        boxes = [(len(box), in_words([box]).replace("≤", "<=")) for box in cluster["rule"]]
        texts = [f"({text})" if n > 1 and len(boxes) > 1 else text for n, text in boxes]
        # The page has the alternatives in another order.
        rest = rule["rule"]
        for text in texts:
            assert text in rest
            rest = rest.replace(text, "", 1)
        assert rest.replace(" or ", "") == ""
    alone = Kauri(2, engine="binned", max_leaf_nodes=None).fit([[0.0], [1.0], [9.0], [np.nan]])
    told = [in_words(c["rule"]) for c in summarise(alone, [[0.0]])["clusters"]]
    assert sum(text.endswith("or missing") for text in told) == 1


def test_columns_of_the_table_are_counted(shop):
    loaded, table = shop
    assert summarise(loaded, table)["about"]["n_features"] == len({"age", "plan", "letter", "vote"})
    assert summarise(loaded.tree_, table)["about"]["n_features"] == table.shape[1]


def test_typical_categories_are_counted():
    loaded, table = shop_model(3)
    labels = loaded.predict(table)
    summary = summarise(loaded, table)
    seen = set()
    for k, cluster in enumerate(summary["clusters"]):
        sources = []
        for item in cluster["typical"]:
            feature = summary["features"][item["feature"]]
            values = table.loc[labels == k].iloc[:, item["feature"]]
            if feature["kind"] == "indicator":
                # Of all rows, those that miss it too.
                assert item["mean"] == float(f"{(values == 1).sum() / len(values):.6g}")
                assert item["overall"] == float(
                    f"{(table.iloc[:, item['feature']] == 1).mean():.6g}"
                )
                assert (item["often"] == "never") == (values != 1).all()
                assert (item["often"] == "always") == (values == 1).all()
                sources.append(feature["source"])
                seen.add(item["often"])
        assert len(set(sources)) == len(sources)
    assert seen


def test_no_row_of_a_category_is_none():
    """Not nearly none, as a mean that is put together from differences would be."""
    kind = np.repeat([0, 1, 2], [70, 60, 47])
    table = np.eye(3)[kind]
    one_hot = {"kind": {f"x[{k}]": word for k, word in enumerate("abc")}}
    summary = summarise(Kauri(3, max_leaf_nodes=None).fit(table), table, one_hot=one_hot)
    (told,) = summary["profile"]
    assert (told["name"], told["labels"], told["counts"]) == ("kind", ["a", "b", "c"], [70, 60, 47])
    assert sorted(each["counts"] for each in told["clusters"]) == [
        [0, 0, 47],
        [0, 60, 0],
        [70, 0, 0],
    ]
    # Rules say all of it: nothing is left that is typical.
    assert [cluster["typical"] for cluster in summary["clusters"]] == [[], [], []]
    text = " ".join(re.sub("<[^>]+>", " ", render(summary)).split())
    assert "kind a · b · c a 40 %" in text


def test_truths_are_said_in_words():
    table = pd.DataFrame({"paid_True": [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]})
    summary = summarise(
        Kauri(2, max_leaf_nodes=None).fit(table), table, one_hot={"paid": {"paid_True": True}}
    )
    assert summary["nodes"][0]["histogram"]["labels"] == ["false", "true"]
    assert summary["features"][0]["category"] == "true"


def test_the_page_says_how_rows_are_counted_and_numbers_rounded():
    X = np.arange(6.0)[:, None]
    text = " ".join(
        render(summarise(Kauri(2, max_leaf_nodes=None).fit(X), X, digits=3, ids=X[:, 0])).split()
    )
    assert "the first row below the header; the last one is 5" in text
    assert "rounded to 3 significant digits; here they are exact" in text


@pytest.mark.slow
def test_dates_are_told_as_people_read_them():
    days = pd.date_range("2012-01-01", "2020-12-31", freq="60h")
    price = np.where(days.month > 6, 52_000.0, 11_000.0) + days.year
    frame = pd.DataFrame({"sold": days, "price": price, "year_built": 1900.0 + days.day})
    model = fit_table(frame, 4, dates="parts")
    summary = summarise(model, frame)
    told = {one["name"]: one for one in summary["profile"]}
    # A month, and not the sine of it.
    assert {"sold: month", "sold: year", "sold: weekday"} <= set(told)
    assert not [name for name in told if name.endswith(("sin", "cos"))]
    features = summary["features"]
    assert [one["hidden"] for one in features] == [
        one["name"].endswith((": sin", ": cos")) for one in features
    ]
    for node in summary["nodes"]:
        assert not any(features[one["feature"]]["hidden"] for one in node["telling"])
    assert summary["about"]["n_features"] == 3
    # Years have no commas, other numbers do, in rules too.
    assert told["sold: year"]["year"]
    assert told["year_built"]["year"]
    assert not told["price"]["year"]
    page = render(summary)
    assert "2012 to 2020" in page
    assert "2,012" not in page
    rules = " ".join(in_words(cluster["rule"]) for cluster in summary["clusters"])
    assert not re.search(r"price (≤|>) \d{4}", rules)


def test_what_is_told_of_many_categories_has_a_name():
    random = np.random.default_rng(0)
    common = random.choice(list("abcdefghijklm"), 300)
    word = np.where(np.arange(600) % 2, np.resize(common, 600), [f"rare {i}" for i in range(600)])
    frame = pd.DataFrame({"word": word, "size": np.arange(600) % 2 * 9.0 + random.random(600)})
    (found,) = (
        one
        for one in summarise(fit_table(frame, 2), frame, show=frame)["profile"]
        if one["shown"] and one["name"] == "word"
    )
    assert found["labels"][-1] == "others"
    assert found["n_named"] == len(found["labels"]) - 1
    assert sum(found["counts"]) == 600
    assert found["counts"][-1] > 300
