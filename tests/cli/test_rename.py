"""``agathis rename`` and what ``agathis report`` tells by names."""

import json
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import numpy as np
import pytest
from helpers.cli_runs import here

from agathis import Kauri
from agathis.export import from_json, to_json


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X = np.array([[0.0], [1.0], [9.0], [30.0], [31.0]])
    to_json(Kauri(3, max_leaf_nodes=None).fit(X), "m.json", feature_names=["age"], indent=1)
    return Path("m.json")


def names(path="m.json"):
    return from_json(Path(path)).cluster_names_


def test_in_place_and_elsewhere(model, capsys):
    done = here(capsys, "rename", "m.json", "0=young", "2=old = wise")
    assert (done.code, done.out) == (0, "")
    assert "Wrote m.json" in done.err
    assert names() == ["young", "cluster 1", "old = wise"]
    before = model.read_text()
    assert here(capsys, "rename", "m.json", "old = wise=old", "-o", "n.json", "-q").err == ""
    assert model.read_text() == before
    assert names("n.json") == ["young", "cluster 1", "old"]
    done = here(capsys, "rename", "m.json", "1=middle", "-o", "-")
    assert json.loads(done.out)["cluster_names"][1] == "middle"
    assert "young" in here(capsys, "show", "m.json").out
    assert sorted(path.name for path in Path().iterdir()) == ["m.json", "n.json"]


def test_from_stdin(model, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(model.read_bytes())))
    done = here(capsys, "rename", "-", "1=middle")
    assert from_json(done.out).cluster_names_ == ["cluster 0", "middle", "cluster 2"]
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(b"a,b\n1,2\n")))
    done = here(capsys, "rename", "-", "1=middle")
    assert done.code == 1
    assert done.err.startswith("Error: standard input is not a tree of agathis: ")


@pytest.mark.parametrize(
    ("typed", "code", "message"),
    [
        (["0"], 2, "0 must be a cluster and its name, such as 0=small"),
        (["7=a"], 2, "CLUSTER=NAME has 7, which is not a cluster; clusters are 0 (age"),
        (["0=a", "1=a"], 2, "gives 'a' to the clusters 0 and 1; names must be unique"),
        (["0=a", "cluster 0=b"], 2, "cluster 0 is named twice, a and b"),
        (["0="], 2, "an empty name"),
        ([], 2, "CLUSTER=NAME"),
    ],
)
def test_mistakes(model, capsys, typed, code, message):
    before = model.read_text()
    done = here(capsys, "rename", "m.json", *typed)
    assert done.code == code
    assert message in " ".join(done.err.split())
    assert model.read_text() == before


def test_what_is_no_model(model, capsys):
    Path("t.csv").write_text("a,b\n1,2\n")
    done = here(capsys, "rename", "t.csv", "0=a")
    assert done.code == 1
    assert "it seems to be a table" in done.err
    assert here(capsys, "rename", "no.json", "0=a").code == 1


def test_a_page_knows_the_target_and_identifiers(model, capsys):
    lines = ["age,who,kind", "0,ann,young", "1,bob,young", "9,cy,young", "30,di,old", "31,,old"]
    Path("t.csv").write_text("\n".join(lines) + "\n")
    done = here(capsys, "report", "m.json", "t.csv", "--target", "kind", "--id", "who")
    assert done.code == 0, done.err
    page = Path("report.html").read_text(encoding="utf-8")
    found = json.loads(page.split('id="data">')[1].split("</script>")[0])
    assert found["target"] == "kind"
    assert found["ids"]["name"] == "who"
    assert found["ids"]["values"] == ["ann", "bob", "cy", "di", ""]
    done = here(capsys, "report", "m.json", "t.csv", "--id", "whom")
    assert done.code == 2
    assert "--id whom: there is no such column. Did you mean who?" in done.err
