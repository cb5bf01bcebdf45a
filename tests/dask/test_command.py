"""``agathis fit --dask``."""

from __future__ import annotations

import json

import pytest
from helpers.models import blobs_of
from typer.testing import CliRunner

from agathis import Kauri as LocalKauri
from agathis._cli.app import make_app

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
X = blobs_of(300)


@pytest.fixture
def files(tmp_path):
    for place, rows in enumerate((X[:100], X[100:])):
        table = pa.table({name: rows[:, j] for j, name in enumerate("abcd")})
        parquet.write_table(table, tmp_path / f"{place}.parquet")
    return f"{tmp_path}/*.parquet"


def test_the_tree_of_a_cluster(client, files, tmp_path):
    out = tmp_path / "model.json"
    address = client.scheduler.address
    run = CliRunner().invoke(
        make_app(), ["fit", files, "-k", "4", "--dask", address, "-o", str(out)]
    )
    assert run.exit_code == 0, run.output
    local = LocalKauri(4, max_leaf_nodes=4, min_samples_leaf=0.02, engine="binned").fit(X)
    text = json.dumps(json.loads(out.read_text()))
    for threshold in local.tree_.threshold[local.tree_.feature >= 0]:
        assert repr(float(threshold)) in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-k", "3", "--report", "page.html"], "--report needs the table in one place"),
        (["-k", "3", "--search", "local"], "--search needs the table in one place"),
        ([], "--dask needs -k"),
    ],
)
def test_what_needs_all_rows_is_told(files, options, message):
    run = CliRunner().invoke(make_app(), ["fit", files, "--dask", "local", *options])
    assert run.exit_code == 2
    # A frame may be drawn about it.
    assert message in " ".join(run.output.replace("│", " ").split())


@pytest.mark.parametrize("option", ["--keep", "--drop"])
def test_a_column_that_is_not_there_is_named(files, option):
    run = CliRunner().invoke(
        make_app(), ["fit", files, "--dask", "local", "-k", "3", option, "a,zz"]
    )
    assert run.exit_code == 1
    assert f"{option} zz: there is no such column. There are a, b, c, d" in run.output
