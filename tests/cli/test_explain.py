"""``agathis explain``: the same model as the function, its rules and messages."""

import pandas as pd
import pytest
from helpers.cli_runs import here, iris_csv

from agathis import explain
from agathis.export import from_json, to_json


@pytest.fixture
def place(tmp_path, monkeypatch):
    iris_csv(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_model_is_that_of_the_function(place, capsys):
    done = here(capsys, "explain", "iris.csv", "--labels", "species", "-o", "model.json")
    assert done.code == 0, done.err
    model = from_json(place / "model.json")
    expected = explain(pd.read_csv("iris.csv"), "species", random_state=0)
    assert to_json(model.tree_) == to_json(expected.tree_)
    assert model.agreement == expected.agreement
    assert expected.agreement.summary() in done.err
    lines = done.out.splitlines()
    assert [line.split(" is where ")[0] for line in lines] == model.classes_.tolist()


def test_noise(place, capsys):
    table = pd.read_csv("iris.csv")
    table["cluster"] = table["species"].map({"setosa": -1, "versicolor": 0, "virginica": 1})
    table.to_csv("clusters.csv", index=False)
    args = ["explain", "clusters.csv", "--labels", "cluster", "--drop", "species"]
    done = here(capsys, *args, "-o", "model.json", "--leaves", 2)
    assert "Noise, labelled -1: 50 rows, of weight 0." in done.err
    assert from_json(place / "model.json").agreement.n_noise == 50
    done = here(capsys, *args, "--noise", "label")
    assert "-1 is where" in done.out


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["--labels", "Species"], 2, "Did you mean species?"),
        (["--labels", "sepal length (cm)"], 1, "integers or strings"),
        (["--labels", "species", "--report", "-"], 2, "a report is a file"),
        (["--labels", "species", "--open"], 2, "--open opens the report"),
    ],
)
def test_mistakes(place, capsys, args, code, message):
    names = pd.read_csv("iris.csv").columns
    args = [names[0] if arg.startswith("sepal") else arg for arg in args]
    done = here(capsys, "explain", "iris.csv", *args)
    assert done.code == code
    assert message in done.err
