"""Models that Python or somebody else wrote, at the command line."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from helpers.cli_runs import here, on_terminal
from sklearn.preprocessing import OneHotEncoder

from agathis import Kauri
from agathis.export import to_json


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def rows():
    random = np.random.default_rng(0)
    kind = random.integers(0, 2, 60)
    return pd.DataFrame(
        {
            "flag": kind == 1,
            "code": 2.0 * kind + 1,
            "number": kind + 4,
            "word": np.array(["no", "yes"])[kind],
            "x": random.normal(0, 0.1, 60),
        }
    )


def write_rows(rows, form):
    path = f"rows.{form}"
    rows.to_csv(path, index=False) if form == "csv" else rows.to_parquet(path)
    return path


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("drop", [None, "first"])
@pytest.mark.parametrize("source", ["flag", "code", "number", "word"])
def test_columns_of_an_encoder(source, drop, form, rows, place, capsys):
    encoder = OneHotEncoder(sparse_output=False, drop=drop).fit(rows[[source]])
    made = encoder.get_feature_names_out().tolist()
    X = np.column_stack([encoder.transform(rows[[source]]), rows["x"]])
    model = Kauri(2, max_leaf_nodes=None).fit(X)
    categories = encoder.categories_[0].tolist()[-len(made) :]
    to_json(
        model,
        "m.json",
        feature_names=[*made, "x"],
        one_hot={source: dict(zip(made, categories, strict=True))},
    )
    assert len(set(model.labels_)) == 2
    done = here(capsys, "predict", "m.json", write_rows(rows, form))
    assert done.code == 0
    # A category that the encoder dropped is not in the model.
    assert ("unknown categories" in done.err) == (drop is not None and source != "flag")
    assert [int(line) for line in done.out.split()[1:]] == model.labels_.tolist()


@pytest.mark.parametrize("truths", [["1", "0"], ["TRUE", "no"], [" true", "False"]])
def test_truths_as_they_are_written(truths, rows, place, capsys):
    model = Kauri(2, max_leaf_nodes=None).fit(
        np.column_stack([~rows["flag"], rows["x"]]).astype(float)
    )
    names = ["not flag", "x"]
    to_json(model, "m.json", feature_names=names, one_hot={"flag": {"not flag": False}})
    (place / "t.csv").write_text("flag,x\n" + "".join(f"{truth},0\n" for truth in truths))
    done = here(capsys, "predict", "m.json", "t.csv")
    yes, no = (int(line) for line in done.out.split()[1:])
    assert yes == model.labels_[rows["flag"]][0]
    if truths[1] == "no":
        assert "unknown categories, 'no', in 1 row" in done.err
    else:
        assert no != yes
        assert done.err == ""


def test_features_of_one_name(rows, place, capsys):
    X = rows[["code", "x"]].to_numpy()
    text = to_json(Kauri(2, max_leaf_nodes=None).fit(X), feature_names=["a", "a"])
    assert json.loads(text)["feature_names"] == ["a", "a"]
    (place / "m.json").write_text(text)
    (place / "t.csv").write_text("a\n1\n3\n")
    for args in (["predict", "m.json", "t.csv"], ["report", "m.json", "t.csv"]):
        done = here(capsys, *args)
        assert done.code == 1
        assert "the model has two features of the name 'a'" in done.err


def hostile_model(rows) -> str:
    """A model whose names give orders to terminals; one holds half a character."""
    data = json.loads(to_json(Kauri(2, max_leaf_nodes=None).fit(rows[["code", "x"]].to_numpy())))
    data |= {"feature_names": ["a\x1b[2J\ud800", "b"], "cluster_names": ["\x1b]0;title\x07", "c"]}
    return json.dumps(data)


@pytest.mark.slow
def test_names_do_nothing_to_a_terminal(rows, place):
    (place / "m.json").write_text(hostile_model(rows))
    seen = on_terminal("show", "m.json", cwd=place)
    assert r"a\x1b[2J\ud800" in seen
    assert r"\x1b]0;title\x07" in seen
    for order in ("\x1b[2J", "\x1b]0;", "\x07"):
        assert order not in seen
    seen = on_terminal("export", "m.json", "--to", "rules", cwd=place)
    assert "\x1b" not in seen
    assert r"a\x1b[2J\ud800" in seen


@pytest.mark.parametrize("form", ["dot", "rules", "text", "json", "python"])
def test_half_characters_are_no_reason_to_stop(form, rows, place, capsys):
    (place / "m.json").write_text(hostile_model(rows))
    done = here(capsys, "export", "m.json", "--to", form)
    assert (done.code, done.err) == (0, "")
    assert r"\ud800" in done.out


def test_half_characters_in_names_of_clusters(rows, place, capsys):
    data = json.loads(hostile_model(rows)) | {"feature_names": ["code", "x"]}
    (place / "m.json").write_text(json.dumps(data | {"cluster_names": ["a\ud800", "b"]}))
    rows.to_csv(place / "t.csv", index=False)
    done = here(capsys, "predict", "m.json", "t.csv")
    assert done.code == 0
    assert set(done.out.split()) == {"cluster", r"a\ud800", "b"}


def test_messages_do_nothing_to_a_terminal(place, capsys):
    (place / "t.csv").write_text("a\x1b[2J,b\n1,1\n1,5\n1,9\n")
    done = here(capsys, "fit", "t.csv", "-k", 2)
    assert r"Left out: a\x1b[2J: its value" in done.err
    done = here(capsys, "fit", "t.csv", "-k", 2, "--drop", "\x1b[31m")
    assert "\x1b" not in done.err


def test_a_report_of_rows_that_miss_values(rows, place, capsys):
    names = ["code", "x"]
    to_json(
        Kauri(2, max_leaf_nodes=None).fit(rows[names].to_numpy()), "m.json", feature_names=names
    )
    rows.loc[:4, names] = np.nan
    path = write_rows(rows, "csv")
    told = here(capsys, "predict", "m.json", path)
    done = here(capsys, "report", "m.json", path, "-o", "page.html")
    assert (told.code, done.code) == (0, 0), done.err
    assert "5 rows with missing values: no split has learnt where they go" in done.err
    page = (place / "page.html").read_text(encoding="utf-8")
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    sizes = [cluster["size"] for cluster in data["clusters"]]
    assert sizes == [told.out.split().count(str(k)) for k in range(2)]
