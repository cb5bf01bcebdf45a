"""Ordered answers: recognised or given, encoded by rank, and split in order in all exports."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from helpers.cli_runs import here
from sklearn.metrics import adjusted_rand_score

from agathis import TableEncoder, fit_table
from agathis._columns.scales import ordered_levels
from agathis.export import from_json, to_json, to_python, to_rules, to_sql, to_text

#: Values as they come, by column name, from low to high.
ORDERED = {
    "agreement": "Strongly disagree; Disagree; Neutral; Agree; Strongly agree",
    "Zustimmung": "trifft gar nicht zu; trifft eher nicht zu; teils/teils; trifft eher zu; "
    "trifft voll zu",
    "accord": "pas du tout d'accord; plutôt pas d'accord; plutôt d'accord; tout à fait d'accord",
    "size": "XS; S; M; L; XL; XXL",
    "risk": "low; medium; high",
    "Risiko": "niedrig; mittel; hoch",
    "grade": "F; E; D; C; B; A",
    "education": "Primary; Secondary; Bachelor; Master; PhD",
    "Abschluss": "Hauptschule; Realschule; Abitur; Bachelor; Master",
    "age": "under 18; 18-25; 26-35; 36-65; 66+",
    "income": "under 10,000; 10,000 to 24,999; 25,000 to 49,999; 50,000 and more",
    "Alter": "unter 20; 20 bis 39; 40 bis 59; ab 60",
    "frequency": "never; rarely; sometimes; most of time; always",
    "shelf": "Bad; Medium; Good",
    "rank": "AsstProf; AssocProf; Prof",
    "condition": "1_Good; 2_Fair; 3_Poor",
    "hours": "<1; 1-2; 3; 4-5; 6+",
    "answer": "1 - strongly disagree; 2; 3; 4; 5 - strongly agree",
    "plan": "Level 1; Level 2; Level 10",
    "stars": "1 star; 2 stars; 5 stars",
}
UNORDERED = {
    "group": "A; B; C",
    "cohort": "Group 1; Group 2; Group 3",
    "city": "Rome; Paris; Oslo",
    "marital": "M; S; D",
    "answer": "yes; no; maybe",
    "when": "2019-20; 2020-21; 2021-22; spring",
    "mixed": "low; medium; blue",
    "two": "low; high",
    "numbers": "1; 2; 3; 4",
    "prices": "5 €; 7 $; 9",
}


@pytest.mark.parametrize("name", ORDERED)
def test_scales_are_recognised(name):
    levels = ORDERED[name].split("; ")
    shuffled = list(np.random.default_rng(0).permutation(levels))
    found = ordered_levels(name, shuffled)
    assert found is not None
    assert list(found[0]) == levels
    assert found[1].startswith("its values are")


@pytest.mark.parametrize("name", UNORDERED)
def test_other_columns_are_not(name):
    assert ordered_levels(name, UNORDERED[name].split("; ")) is None


LEVELS = ORDERED["agreement"].split("; ")


def survey(n: int = 200) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(1)
    group = np.arange(n) % 2
    table = {}
    for topic in ("price", "quality", "support"):
        level = np.clip(np.round(random.normal(np.array([0.6, 3.4])[group], 0.5)), 0, 4)
        table[topic] = np.array(LEVELS)[level.astype(int)]
    return pd.DataFrame(table), group


def test_rules_split_in_order_and_all_exports_agree():
    table, group = survey()
    model = fit_table(table, 2, random_state=0)
    assert adjusted_rand_score(group, model.predict(table)) > 0.9
    assert list(model[0].columns_["became"]) == ["rank of 5 values"] * 3
    assert "cluster 0 is where quality <= Neutral:" in str(to_rules(model, table))
    assert "cluster 1 is where quality >= Agree:" in str(to_rules(model, table))
    assert "quality <= Neutral" in to_text(model)
    new = table.copy()
    new.loc[3, "price"], new.loc[4, "quality"], new.loc[5, "support"] = None, " AGREE ", "neutral"
    labels = model.predict(new)
    assert np.array_equal(from_json(to_json(model)).predict(new), labels)
    names = {}
    exec(to_python(model), names)
    rows = new.astype(object).where(new.notna(), None).to_dict("records")
    assert [names["cluster_of"](row) for row in rows] == labels.tolist()
    sqlite3 = pytest.importorskip("sqlite3")
    connection = sqlite3.connect(":memory:")
    table.to_sql("t", connection, index=False)
    found = connection.execute(to_sql(model, table="t", dialect="sqlite")).fetchall()
    assert [row[-1] for row in found] == model.predict(table).tolist()


def test_levels_that_are_unknown_are_missing_and_counted():
    table, _ = survey()
    encoder = TableEncoder().fit(table)
    with pytest.warns(UserWarning, match="unknown categories in column 'price', 'perhaps', in 1"):
        X = encoder.transform(table.assign(price=["perhaps", *table["price"][1:]]))
    assert np.isnan(X[0, 0])
    assert not np.isnan(X[1:]).any()


def test_given_order():
    table = pd.DataFrame(
        {"plan": ["basic", "plus", "max", "plus"] * 10, "x": np.arange(40) % 7, "y": [1.5, 2] * 20}
    )
    levels = ["basic", "plus", "max"]
    encoder = TableEncoder(ordered={"plan": levels}).fit(table)
    assert encoder.encode(table).X[:4, 0].tolist() == [1, 2, 3, 2]
    assert "Ordered: plan (basic < plus < max)." in map(str, encoder.notes())
    assert TableEncoder().fit(table).column_types_[0].kind == "category"
    with pytest.raises(ValueError, match="lacks values of the column: 'max'"):
        TableEncoder(ordered={"plan": ["basic", "plus"]}).fit(table)
    with pytest.raises(ValueError, match="ordered names 'plans', which is no column"):
        TableEncoder(ordered={"plans": levels}).fit(table)
    with pytest.raises(TypeError, match="must be a list of strings"):
        TableEncoder(ordered={"plan": "basic<plus"}).fit(table)
    with pytest.raises(ValueError, match="differ by more than case"):
        TableEncoder(ordered={"plan": ["basic", "Basic"]}).fit(table)
    with pytest.raises(ValueError, match="ordered and categorical both name 'plan'"):
        TableEncoder(ordered={"plan": levels}, categorical=["plan"]).fit(table)


@pytest.mark.parametrize("of", ["pandas", "arrow", "dictionary chunks"])
def test_ordered_categoricals(of):
    levels = ["tin", "oak", "sea"]
    plan = pd.Categorical(["oak", "tin", "sea", "tin"] * 10, levels, ordered=True)
    table = pd.DataFrame({"plan": plan, "x": np.arange(40) % 7})
    if of != "pandas":
        table = pa.Table.from_pandas(table, preserve_index=False)
        if of == "dictionary chunks":
            table = pa.concat_tables([table, table])
    encoder = TableEncoder().fit(table)
    assert encoder.column_types_[0].kind == "ordered"
    assert encoder.encode(table).X[:4, 0].tolist() == [2, 1, 3, 1]
    plain = pd.DataFrame({"plan": plan.as_unordered(), "x": np.arange(40) % 7})
    assert TableEncoder().fit(plain).column_types_[0].kind == "category"


def test_the_command_takes_an_order(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    group = np.arange(90) % 3
    plan = np.array(["basic", "plus=", "max"])[group]
    pd.DataFrame({"plan": plan, "x": group * 5 + random.random(90)}).to_csv("t.csv", index=False)
    done = here(
        capsys, "fit", "t.csv", "-k", "3", "-o", "m.json", "--ordered", "plan=basic<plus=<max"
    )
    assert done.code == 0, done.err
    assert "Ordered: plan (basic < plus= < max)" in done.out + done.err
    model = from_json((tmp_path / "m.json").read_text())
    assert len(set(model.predict(pd.read_csv("t.csv")))) == 3
    done = here(capsys, "fit", "t.csv", "-k", "3", "-o", "m.json", "--ordered", "plan")
    assert "--ordered plan: COLUMN=A<B<C is needed." in done.err
    done = here(capsys, "fit", "t.csv", "-k", "3", "-o", "m.json", "--ordered", "plan=basic")
    assert done.code != 0
    assert "COLUMN=A<B<C" in done.err
