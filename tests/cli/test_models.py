"""Models of the command line: what they tell of raw tables is what the fitted tree told."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from helpers.cli_runs import NOT_SHOWN, here, iris_csv, mixed_rows
from helpers.examples import mostly_slow

import agathis
from agathis._cli.commands.demo import customers
from agathis._cli.options import METHOD_NAMES
from agathis._utils.result_table import csv_text
from agathis.export import from_json, to_json


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_table(path, head, rows):
    def cell(value):
        return str(value).lower() if isinstance(value, bool) else value

    Path(path).write_text(csv_text(head, [[cell(value) for value in row] for row in rows]))


def labels_of(capsys, *args):
    done = here(capsys, "predict", *args)
    assert done.code == 0, done.err
    return [line["cluster"] for line in csv.DictReader(done.out.splitlines())], done


@pytest.mark.parametrize("seed", mostly_slow(range(3), 0))
@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_all_forms_agree_on_the_raw_table(seed, gaps, place, capsys):
    head, rows = mixed_rows(np.random.default_rng(seed), 80, gaps)
    write_table("t.csv", head, rows)
    missing = ["--missing", "tree"] if gaps else []
    done = here(capsys, "fit", "t.csv", "-k", 4, "--leaves", 7, "-o", "m.json", *missing)
    assert done.code in (0, NOT_SHOWN), done.err
    assert "Left out: row_id" in done.err
    labels, _ = labels_of(capsys, "m.json", "t.csv")
    sizes = [int(n) for n in re.findall(r": (\d+) of 80 rows", done.out)]
    assert sizes == [labels.count(str(k)) for k in range(len(sizes))]

    code = here(capsys, "export", "m.json", "--to", "python").out
    names = {}
    exec(code, names)
    assert [str(names["cluster_of"](dict(zip(head, row, strict=True)))) for row in rows] == labels

    query = here(
        capsys, "export", "m.json", "--to", "sql", "--dialect", "duckdb", "--table", "t"
    ).out
    base = duckdb.connect()
    base.execute(
        'CREATE TABLE t (row_id INT, size DOUBLE, "drop table t; --" INT, color TEXT, paid BOOLEAN)'
    )
    base.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", rows)
    found = dict(base.execute(f"SELECT row_id, cluster FROM ({query})").fetchall())
    assert [str(found[row[0]]) for row in rows] == labels


def test_predict_finds_columns_by_name(place, capsys):
    head, rows = mixed_rows(np.random.default_rng(5), 60)
    write_table("t.csv", head, rows)
    assert here(capsys, "fit", "t.csv", "-k", 3, "--leaves", 6, "-o", "m.json").code == 0
    labels, _ = labels_of(capsys, "m.json", "t.csv")
    # Another order, with more columns, as Parquet.
    base = duckdb.connect()
    base.execute("CREATE TABLE t AS SELECT * FROM read_csv('t.csv')")
    base.execute(
        "COPY (SELECT paid, 1 AS more, color, \"drop table t; --\", size FROM t) TO 't.parquet'"
    )
    assert labels_of(capsys, "m.json", "t.parquet")[0] == labels
    # A semicolon table with decimal commas holds the same.
    changed = [[str(v).replace(".", ",") if isinstance(v, float) else v for v in r] for r in rows]
    Path("semi.csv").write_text(csv_text(head, changed, ";"))
    assert labels_of(capsys, "m.json", "semi.csv")[0] == labels
    used = from_json(Path("m.json"))
    assert "size" in {used.feature_names_in_[f] for f in used.tree_.feature if f >= 0}
    write_table("short.csv", ["Size"], [[1.0]])
    done = here(capsys, "predict", "m.json", "short.csv")
    assert done.code == 1
    assert "lacks columns that the model needs: 'size', 'color'. Did you mean 'Size'?" in done.err
    write_table("words.csv", head, [[*rows[0]], [7, "wide", 1, "red", True]])
    done = here(capsys, "predict", "m.json", "words.csv")
    assert done.code == 1
    assert (
        "numbers in column 'size', as the rows of the tree had; in row 1 it has 'wide'" in done.err
    )


def test_values_that_the_model_has_not_seen(place, capsys):
    rows = [[c, v] for c, v in (("red", 1.0), ("red", 1.1), ("blue", 1.0), ("blue", 1.2))] * 5
    write_table("t.csv", ["color", "x"], rows)
    args = ["fit", "t.csv", "-k", 2, "-o", "m.json", "--no-split", "x"]
    assert here(capsys, *args).code == NOT_SHOWN
    write_table("new.csv", ["color", "x"], [["red", 1], ["blue", 1], ["green", 1], ["teal", 1]])
    labels, done = labels_of(capsys, "m.json", "new.csv")
    assert labels[0] != labels[1]
    assert "color has unknown categories, 'green' and 'teal', in 2 rows" in done.err
    # And in which clusters they are, whose rules name other categories.
    assert f"a rule may not fit them (2 in cluster {labels[2]})." in done.err
    assert here(capsys, "report", "m.json", "new.csv", "-o", "r.html").code == 0
    page = (place / "r.html").read_text(encoding="utf-8")
    assert "color has unknown categories, not named here, in 2 rows" in page
    assert "teal" not in page
    # A value that is missing goes with the larger part, and that is said too.
    write_table("gap.csv", ["color", "x"], [["red", 1], [None, 1]])
    labels, done = labels_of(capsys, "m.json", "gap.csv")
    assert len(labels) == 2
    assert "1 row with missing values: no split has learnt where they go" in done.err


def test_numbers_as_categories_keep_their_zeros(place, capsys):
    rows = [[f"0{i % 3}", float(i % 3)] for i in range(30)]
    write_table("t.csv", ["zip", "x"], rows)
    done = here(
        capsys, "fit", "t.csv", "-k", 3, "--categorical", "zip", "--drop", "x", "-o", "m.json"
    )
    assert done.code == NOT_SHOWN, done.err
    assert "zip is 01" in done.out
    labels, _ = labels_of(capsys, "m.json", "t.csv")
    assert len({*labels[:3]}) == 3
    assert labels == labels[:3] * 10


def test_with_data_leaves_cells_as_they_are(place, capsys):
    Path("t.csv").write_text("id,a,b\n007,1.50,yes\n008,9.00,no\n009,NA,yes\n")
    done = here(
        capsys, "fit", "t.csv", "-k", 2, "--drop", "b", "--missing", "tree", "-o", "m.json",
        "--names", "low,high",
    )  # fmt: skip
    assert done.code == NOT_SHOWN, done.err
    done = here(capsys, "predict", "m.json", "t.csv", "--with-data", "--quiet")
    assert done.out.splitlines()[:3] == ["id,a,b,cluster", "007,1.50,yes,low", "008,9.00,no,high"]
    assert done.out.splitlines()[3].startswith("009,NA,yes,")
    here(capsys, "predict", "m.json", "t.csv", "--with-data", "-o", "out.csv")
    done = here(capsys, "predict", "m.json", "out.csv", "--with-data")
    assert done.code == 1
    assert "has a column cluster already" in done.err
    for name in ("out.tsv", "out.parquet"):
        assert here(capsys, "predict", "m.json", "t.csv", "-o", name).code == 0
    assert Path("out.tsv").read_text().startswith("cluster\nlow\nhigh\n")
    found = duckdb.sql("SELECT * FROM 'out.parquet'").fetchall()
    assert found[:2] == [("low",), ("high",)]


@pytest.mark.parametrize("method", mostly_slow(METHOD_NAMES, "imm", "kmeans-dt"))
def test_methods(method, place, capsys):
    iris_csv(place)
    done = here(
        capsys,
        "fit",
        "iris.csv",
        "-k",
        3,
        "--target",
        "species",
        "--method",
        method,
        "-o",
        "m.json",
    )
    assert done.code == 0, done.err
    model = json.loads(Path("m.json").read_text())
    assert METHOD_NAMES[method].replace("KMeans+DT", "KMeansTree") == model["model"]
    assert len(done.out.splitlines()) == model["n_clusters"]


@pytest.mark.parametrize(
    "kernel",
    mostly_slow(["rbf", "laplacian", "polynomial", "sigmoid", "cosine", "chi2"], "rbf", "chi2"),
)
def test_kernels(kernel, place, capsys):
    iris_csv(place)
    done = here(capsys, "fit", "iris.csv", "-k", 3, "--drop", "species", "--kernel", kernel)
    assert done.code == 0, done.err
    assert "petal" in done.out


@pytest.mark.parametrize("scale", ["none", "minmax", "standard"])
def test_thresholds_are_in_the_units_of_the_file(scale, place, capsys):
    random = np.random.default_rng(2)
    rows = [[float(v), "ab"[int(v > 1500)]] for v in random.normal(1000, 20, 40)]
    rows += [[float(v), "ab"[int(v > 1500)]] for v in random.normal(2000, 20, 40)]
    write_table("t.csv", ["x", "c"], rows)
    done = here(capsys, "fit", "t.csv", "-k", 2, "--scale", scale, "--drop", "c", "-o", "m.json")
    assert done.code == 0, done.err
    (threshold,) = {float(v) for v in re.findall(r"x (?:<=|>) ([\d.]+)", done.out)}
    assert 1100 < threshold < 1900


def test_a_category_weighs_as_much_as_a_number(place, capsys):
    """Four groups in two numbers; a category that is noise does not come before them."""
    random = np.random.default_rng(4)
    rows = []
    for i in range(200):
        x, y = random.normal([10 * (i % 2), 10 * (i // 2 % 2)], 0.5)
        rows.append([x, y, "abcde"[random.integers(5)], int(i % 4)])
    write_table("t.csv", ["x", "y", "noise", "group"], rows)
    for scale in ("minmax", "standard"):
        done = here(
            capsys,
            "fit",
            "t.csv",
            "-k",
            4,
            "--target",
            "group",
            "--scale",
            scale,
            "--search-effort",
            1,
        )
        assert "ARI 1.00" in done.err
        assert "noise" not in done.out


def test_compare_for_machines(place, capsys):
    iris_csv(place)
    args = ["compare", "iris.csv", "-k", 3, "--target", "species", "--runs", 2, "--method", "kauri"]
    done = here(capsys, *args, "--method", "imm", "--csv")
    assert done.code == 0, done.err
    rows = list(csv.DictReader(done.out.splitlines()))
    assert [row["method"] for row in rows] == ["Kauri", "IMM"]
    assert all(0 < float(row["ari"]) <= 1 for row in rows)
    assert "Take " in done.err or "no difference" in done.err
    assert here(capsys, *args, "--markdown").out.startswith("| method | ari |")
    done = here(capsys, *args, "--rows", 60)
    assert done.out.startswith("method  ari ")
    assert "\n\nOnly Kauri was run" in done.out


def test_compare_with_fits_that_fail_says_so_at_the_end(place, capsys, monkeypatch):
    def fails(self, X, y=None):
        raise RuntimeError("no tree today")

    iris_csv(place)
    monkeypatch.setattr("agathis.baselines.IMM.fit", fails)
    args = ["compare", "iris.csv", "-k", 3, "--drop", "species", "--runs", 2, "--method", "kauri"]
    done = here(capsys, *args, "--method", "imm")
    assert done.code == 1
    assert "Take Kauri" in done.out
    last = "Error: 2 of 4 fits failed: IMM: failed in 2 runs: RuntimeError: no tree today.\n"
    assert done.err.endswith(last)


@pytest.fixture
def four_groups(place):
    """A table of four groups that nobody can miss."""
    random = np.random.default_rng(1)
    centres = np.array([[0, 0], [0, 9], [9, 0], [9, 9]])
    rows = [[*random.normal(centres[i % 4], 0.7), "left out"] for i in range(160)]
    write_table("my table.csv", ["x", "y", "c"], rows)
    return "my table.csv"


def test_suggest_finds_planted_clusters(four_groups, capsys):
    done = here(capsys, "suggest", four_groups, "--max-k", 6, "--drop", "c")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert (
        lines[-1] == "agathis fit 'my table.csv' -k 4 --drop c -o model.json --report report.html"
    )
    assert [line.split()[0] for line in lines[1:6]] == ["2", "3", "4", "5", "6"]
    assert lines[3].endswith("<- suggested")


def test_a_fit_without_a_number_of_clusters(four_groups, capsys, monkeypatch):
    monkeypatch.setattr("agathis._cli.commands.fit.VALUES_TO_WAIT_FOR", 1)
    done = here(capsys, "fit", four_groups, "--drop", "c", "--search-effort", 1)
    assert done.code == 0, done.err
    assert "Testing whether there are groups" in done.err
    assert "4 clusters are suggested; -k sets another number." in done.err
    assert "Found 4 clusters with 4 leaves." in done.err


def test_suggest_tells_how_far_it_is(place, capsys, monkeypatch):
    iris_csv(place)
    args = ["suggest", "iris.csv", "--drop", "species", "--max-k", 3]
    assert "halves of" not in here(capsys, *args).err
    monkeypatch.setattr("agathis._cli.fitting.ROWS_WITH_BAR", 100)
    said = here(capsys, *args).err
    assert "Trying 2 to 3 clusters.\n[suggest] halves of the rows: 0 of 11\n[suggest] " in said
    assert "[suggest] halves of the rows: 10 of 11\n" in said
    assert "clusters" not in here(capsys, *args, "--quiet").err


def test_demo_leaves_files_where_told(place, capsys):
    done = here(capsys, "demo", "--folder", "d")
    assert done.code == 0, done.err
    assert {"customers.csv", "labels.csv", "model.json"} <= {p.name for p in Path("d").iterdir()}
    assert Path("d/customers.csv").read_text() == customers()
    assert "$ agathis fit d/customers.csv -k 3 -o d/model.json" in done.err
    assert {p.name for p in place.iterdir()} == {"d"}


def test_onnx(place, capsys):
    runtime = pytest.importorskip("onnxruntime")
    iris_csv(place)
    here(capsys, "fit", "iris.csv", "-k", 3, "--drop", "species", "-o", "m.json")
    done = here(capsys, "export", "m.json", "--to", "onnx", "-o", "m.onnx")
    assert done.code == 0, done.err
    assert "Its input X has the columns sepal_length, sepal_width" in done.err
    session = runtime.InferenceSession("m.onnx")
    X = np.loadtxt("iris.csv", delimiter=",", skiprows=1, usecols=range(4), dtype=np.float32)
    found = session.run(["label"], {"X": X})[0]
    labels, _ = labels_of(capsys, "m.json", "iris.csv")
    assert [str(label) for label in found] == labels


@pytest.mark.parametrize("seed", range(3))
def test_python_finds_the_same_tree(seed, place, capsys):
    random = np.random.default_rng(seed)
    group = random.integers(0, 3, 150)
    frame = pd.DataFrame(
        {
            "id": np.arange(150),
            "price": np.round(20 + 15 * group + random.normal(0, 3, 150), 2),
            "size": np.where(random.uniform(size=150) < 0.1, np.nan, group + random.normal(0, 0.3)),
            "kind": np.array(["new", "used", "worn"])[group],
            "paid": random.choice(["yes", "no"], 150),
            "zip": random.integers(10000, 99999, 150),
        }
    )
    frame.to_csv("t.csv", index=False)
    assert here(capsys, "fit", "t.csv", "-k", 3, "--leaves", 5, "-o", "m.json").code == 0
    command = from_json(place / "m.json")
    model = agathis.fit_table(frame, 3, max_leaf_nodes=5)
    ours, theirs = (json.loads(to_json(one))["nodes"] for one in (model, command))
    assert ours == theirs
    np.testing.assert_array_equal(command.predict(frame), model.predict(frame))
