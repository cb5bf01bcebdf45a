"""``fit --report`` and ``report`` on the model it wrote give the same page, byte for byte."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from helpers.cli_runs import NOT_SHOWN, here
from helpers.examples import mostly_slow
from helpers.pages import page_data

from agathis import Kauri, fit_table
from agathis.export import from_json
from agathis.report._tuning import N_HALVES


def mixed(n: int = 120) -> pd.DataFrame:
    """Numbers, categories, missing values, identifiers, classes and a column that is left out."""
    random = np.random.default_rng(1)
    group = random.integers(0, 3, n)
    table = pd.DataFrame(
        {
            "id": [f"N{i:04d}" for i in range(n)],
            "size": (random.normal(size=n) + 5 * group).round(2),
            "age": 20.0 + 10 * group + random.integers(0, 9, n),
            "color": np.array(["red", "green", "blue"])[(group + (random.random(n) < 0.2)) % 3],
            "plan": np.array(["a", "b"])[random.integers(0, 2, n)],
            "class": np.array(["u", "v", "w"])[group],
            "same": 1,
        }
    )
    table.loc[::11, "age"] = np.nan
    table.loc[5::17, "color"] = None
    return table


KERNELS = ("linear", "rbf", "laplacian", "polynomial", "cosine", "chi2")
METHODS = ("kmeans-dt", "imm", "exkmc", "exshallow", "rdm", "icot")
CASES = {
    **{f"kernel {kernel}": ["--kernel", kernel] for kernel in KERNELS},
    # No feature map has it as its inner product: it takes no missing values.
    "kernel sigmoid": ["--kernel", "sigmoid", "--missing", "drop"],
    **{f"method {method}": ["--method", method] for method in METHODS},
    "greedy": ["--search", "greedy", "--leaves", "7"],
    "optimal": ["--search", "optimal"],
    "pairs": ["--pairs"],
    "effort": ["--search-effort", "3", "--leaves", "5"],
    "dropped rows": ["--missing", "drop"],
    "dropped rows and a kernel": ["--missing", "drop", "--kernel", "rbf", "--gamma", "0.3"],
    "scales": ["--scale", "size=log", "--scale", "age=rank", "--weight", "equal"],
    "roles": ["--no-split", "size", "--no-count", "plan", "--show", "same"],
    "names": ["--names", "one,two,three", "--min-leaf", "0.1"],
}


@pytest.mark.parametrize(
    "name", mostly_slow(CASES, "kernel rbf", "method imm", "pairs", "dropped rows", "scales")
)
def test_it_is_the_same_page(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    mixed().to_csv("t.csv", index=False)
    fit = ["fit", "t.csv", "-k", 3, "--target", "class", "-o", "m.json", "--report", "fit.html"]
    fit += ["--id", "id", "--title", "Groups of things"]
    assert here(capsys, *fit, *CASES[name]).code in (0, NOT_SHOWN)
    assert here(capsys, "report", "m.json", "t.csv", "-o", "again.html").code == 0
    assert Path("fit.html").read_bytes() == Path("again.html").read_bytes()
    data = page_data(Path("fit.html").read_text(encoding="utf-8"))
    assert (data["target"], data["ids"]["name"]) == ("class", "id")
    assert data["title"] == "Groups of things"
    assert data["quality"]["explained"] is not None


def rings(n: int = 160) -> pd.DataFrame:
    """A disc in a ring, which the linear kernel does not tell apart."""
    random = np.random.default_rng(0)
    angle = random.uniform(0, 2 * np.pi, n // 2)
    ring = np.column_stack([4 * np.cos(angle), 4 * np.sin(angle)])
    disc = 0.3 * random.normal(size=(n // 2, 2))
    return pd.DataFrame(np.vstack([disc, ring]).round(3), columns=["x", "y"])


def test_a_page_computes_with_the_kernel_of_the_model(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table = rings()
    table.to_csv("rings.csv", index=False)
    fit = ["fit", "rings.csv", "-k", 2, "--leaves", 6, "--kernel", "rbf", "--gamma", 1]
    assert here(capsys, *fit, "-o", "m.json", "--report", "r.html").code == 0
    found = page_data(Path("r.html").read_text(encoding="utf-8"))["quality"]
    model = from_json(Path("m.json"))
    Z = np.asarray(model.encode(table))
    gram = np.exp(-np.sum((Z[:, None] - Z[None]) ** 2, axis=2))
    labels = model.predict(table)

    def cost(labels):
        """The kernel KMeans cost: the trace less the mean of each cluster's block, times size."""
        blocks = [gram[np.ix_(labels == k, labels == k)] for k in np.unique(labels)]
        return np.trace(gram) - sum(block.sum() / len(block) for block in blocks)

    whole = cost(np.zeros(len(Z), int))
    assert found["explained"] == pytest.approx(1 - cost(labels) / whole, rel=1e-5)
    assert found["stability"]["n_trees"] == N_HALVES
    assert found["stability"]["mean"] > 0.9
    own = next(step for step in found["leaves"] if step["allowed"] == 8)
    spec = model.spec
    other = spec.to_estimator(max_leaf_nodes=8, search_effort=1.0).fit(Z)
    assert isinstance(other, Kauri)
    assert own["explained"] >= 1 - cost(other.labels_) / whole - 0.005


def test_a_file_tells_how_its_table_was_read(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = mixed(60).drop(columns="class").to_csv(index=False, sep=";", decimal=",", na_rep="?")
    Path("t.csv").write_text(text)
    options = ["--sep", ";", "--decimal", ",", "--na", "?"]
    fit = ["fit", "t.csv", "-k", 2, "-o", "m.json", "--report", "a.html", *options]
    assert here(capsys, *fit).code == 0
    known = json.loads(Path("m.json").read_text())["provenance"]["reading"]
    given = {"separator": ";", "decimal": ",", "na": ["?"]}
    detected = {"format": "text", "header_row": 1, "header_lines": 1, "header_given": False}
    assert known == given | detected
    assert here(capsys, "report", "m.json", "t.csv", "-o", "b.html").code == 0
    assert Path("a.html").read_bytes() == Path("b.html").read_bytes()


def test_every_doubt_is_on_the_page(tmp_path, monkeypatch, capsys):
    """What the terminal says of doubts stays with the model, without the cells that it quotes."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(5)
    table = pd.DataFrame(random.normal(size=(90, 4)).round(3), columns=list("abcd"))
    table["c"] = (table["a"] + table["c"] / 9).round(3)
    table["d"] = (table["a"] - table["d"] / 9).round(3)
    table["e"] = np.where(random.random(90) < 0.5, "yes", "no")
    table["a"] = table["a"].astype(object)
    table.loc[3, "a"] = "ask Ann"
    table.loc[7, "b"] = 70707
    table.to_csv("t.csv", index=False)
    done = here(capsys, "fit", "t.csv", "-o", "m.json", "--report", "a.html")
    assert done.code == NOT_SHOWN
    found = page_data(Path("a.html").read_text(encoding="utf-8"))["provenance"]["doubts"]
    assert found == json.loads(Path("m.json").read_text())["provenance"]["doubts"]
    said = " ".join(found)
    for words in (
        "treated as missing",
        "Outliers are clipped",
        "less weight (--weight equal",
    ):
        assert words in said
        assert words in done.err
    assert "ask Ann" in done.err
    assert "70707" in done.err
    assert "ask Ann" not in said
    assert "70707" not in said
    assert done.err.count("Note: ") == len(found)
    assert here(capsys, "report", "m.json", "t.csv", "-o", "b.html").code == 0
    assert Path("a.html").read_bytes() == Path("b.html").read_bytes()
    # A file without the entry, of an older version, is read.
    data = json.loads(Path("m.json").read_text())
    del data["provenance"]["doubts"]
    assert from_json(json.dumps(data)).provenance.doubts == ()


def test_doubts_of_the_library_are_those_of_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table = pd.DataFrame(np.random.default_rng(1).normal(size=(80, 4)), columns=list("abcd"))
    table.to_csv("t.csv", index=False)
    assert here(capsys, "fit", "t.csv", "-o", "m.json").code == NOT_SHOWN
    doubts = json.loads(Path("m.json").read_text())["provenance"]["doubts"]
    assert doubts[0].startswith("No groups could be shown in these 80 rows")
    assert list(fit_table(table, random_state=0).provenance_.doubts) == doubts
