"""``agathis export``: what the forms say about their columns."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from helpers.cli_runs import here

from agathis import Kauri
from agathis.export import to_json

NAMES = [f"plan_{i}" for i in range(12)]


def save(names, one_hot=None):
    X = np.eye(len(names))[np.arange(60) % len(names)]
    to_json(Kauri(3, max_leaf_nodes=None).fit(X), "m.json", feature_names=names, one_hot=one_hot)


def test_onnx_tells_all_names_in_their_order(tmp_path, monkeypatch, capsys):
    pytest.importorskip("skl2onnx")
    runtime = pytest.importorskip("onnxruntime")
    monkeypatch.chdir(tmp_path)
    save(NAMES, {"plan": NAMES})
    done = here(capsys, "export", "m.json", "--to", "onnx", "-o", "m.onnx")
    assert done.code == 0, done.err
    assert f"has the columns {', '.join(NAMES)}." in done.err
    told = runtime.InferenceSession("m.onnx").get_modelmeta().custom_metadata_map
    assert json.loads(told["feature_names"]) == NAMES
    assert json.loads(told["one_hot"])["plan"]["plan_3"] == "3"


def test_the_column_of_clusters_has_another_name(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    save(["cluster", "b", "c"])
    args = ["export", "m.json", "--to", "sql", "--dialect", "sqlite"]
    done = here(capsys, *args, "--table", "t")
    assert done.code == 1
    assert "has a column cluster already; --column NAME" in done.err
    done = here(capsys, *args, "--table", "t", "--column", "segment")
    assert done.code == 0, done.err
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE t (cluster, b, c)")
    found = base.execute(done.out)
    assert [one[0] for one in found.description] == ["cluster", "b", "c", "segment"]
    base.close()
    # The expression alone names no column.
    assert here(capsys, *args).code == 0
    for more in (["--column", "x"], ["--table", "t", "--column", ""]):
        assert "goes with --table" in here(capsys, *args, *more).err
    assert Path("m.json").exists()
