"""``agathis fit --dask``."""

from __future__ import annotations

import json

import dask
import pytest
from helpers.models import blobs_of
from helpers.raw_tables import raw_table
from sklearn.pipeline import make_pipeline
from typer.testing import CliRunner

from agathis import Kauri as LocalKauri
from agathis import TableEncoder
from agathis._cli.app import make_app
from agathis._columns.errors import BadTable
from agathis._io.table_reader import open_table
from agathis._model.conversion import fitted_model
from agathis.dask import _files
from agathis.export import from_json, to_json, to_rules

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
X = blobs_of(300)


@pytest.fixture
def files(tmp_path):
    for place, rows in enumerate((X[:100], X[100:])):
        table = pa.table({name: rows[:, j] for j, name in enumerate("abcd")})
        parquet.write_table(table, tmp_path / f"{place}.parquet")
    return f"{tmp_path}/*.parquet"


@pytest.mark.slow
def test_the_tree_of_a_cluster(client, files, tmp_path):
    out = tmp_path / "model.json"
    address = client.scheduler.address
    run = CliRunner().invoke(
        make_app(), ["fit", files, "-k", "4", "--dask", address, "-o", str(out)]
    )
    assert run.exit_code == 0, run.output
    local = LocalKauri(4, max_leaf_nodes=4, min_samples_leaf=0.02, engine="binned")
    table = pa.table({name: X[:, j] for j, name in enumerate("abcd")})
    pipeline = make_pipeline(TableEncoder(), local).fit(table)
    found, expected = json.loads(out.read_text()), json.loads(to_json(fitted_model(pipeline)))
    assert found["provenance"].pop("source") == "*.parquet"
    assert (found["provenance"].pop("rows_read"), found["provenance"].pop("rows_used")) == (
        300,
        300,
    )
    # The engine and the seed are those of other settings, and labels are not counted on a cluster.
    for part, names in (
        ("provenance", ("source", "rows_read", "rows_used")),
        ("fit", ("n_samples",)),
    ):
        expected[part] = {k: v for k, v in expected[part].items() if k not in names}
        found[part] = {k: v for k, v in found[part].items() if k not in names}
    assert found.pop("spec")["n_clusters"] == expected.pop("spec")["n_clusters"] == 4
    assert found == expected
    assert str(to_rules(pipeline)).split(":")[0] in run.output


@pytest.mark.slow
def test_a_model_on_stdout_of_workers_of_its_own(files):
    """Progress, told on stderr, is not in the JSON."""
    run = CliRunner().invoke(make_app(), ["fit", files, "-k", "4", "--dask", "local", "-o", "-"])
    assert run.exit_code == 0, run.output
    assert from_json(run.stdout).tree_.n_clusters == json.loads(run.stdout)["n_clusters"] == 4
    assert "[Kauri] done: 4 leaves" in run.stderr


def damaged_file(folder, column: str) -> None:
    """Two files; of the second a number of a column is not what its checksum is of."""
    options = {"compression": "none", "use_dictionary": False, "write_page_checksum": True}
    for place, rows in enumerate((X[:100], X[100:])):
        table = pa.table({name: rows[:, j] for j, name in enumerate("abcd")})
        parquet.write_table(table, folder / f"{place}.parquet", **options)
    path = folder / "1.parquet"
    data, number = path.read_bytes(), X[150, "abcd".index(column)]
    assert data.count(number.tobytes()) == 1
    path.write_bytes(data.replace(number.tobytes(), (number + 1).tobytes()))


def test_a_damaged_file_is_named(client, tmp_path):
    damaged_file(tmp_path, "c")
    command = ["fit", f"{tmp_path}/*.parquet", "-k", "4", "--dask", client.scheduler.address]
    run = CliRunner().invoke(make_app(), command)
    assert run.exit_code == 1
    told = " ".join(run.output.split())
    assert f"Error: file '{tmp_path}/1.parquet' cannot be read as Parquet:" in told
    assert "checksum" in told
    # What is left out is not even read.
    run = CliRunner().invoke(make_app(), [*command, "--drop", "c"])
    assert run.exit_code == 0, run.output


def test_a_file_cut_short_is_named(tmp_path):
    damaged_file(tmp_path, "a")
    path = tmp_path / "1.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    run = CliRunner().invoke(
        make_app(), ["fit", f"{tmp_path}/*.parquet", "-k", "4", "--dask", "local"]
    )
    assert run.exit_code == 1
    assert "1.parquet' cannot be read as Parquet:" in " ".join(run.output.split())


def test_row_groups_are_partitions(tmp_path, monkeypatch):
    """As many as fill one, with lengths that the file tells; columns that are left out are not."""
    monkeypatch.setattr(_files, "PARTITION", 5_000)
    path = tmp_path / "t.parquet"
    table = pa.table({name: X[:, j] for j, name in enumerate("abcd")})
    options = {"compression": "none", "use_dictionary": False}
    parquet.write_table(table, path, row_group_size=64, **options)
    found = _files.in_pieces(open_table(path), ["b", "d"])
    assert found.sizes == [128, 128, 44]
    parts = dask.compute(*found.blocks, scheduler="sync")
    assert pa.concat_tables(parts).equals(table.select(["b", "d"]))
    for rest, rows in ((290, 34), (200, 0)):
        parquet.write_table(table.slice(0, rest), path, row_group_size=64, **options)
        message = f"some row groups had 44 rows, and have {rows}: it has changed"
        with pytest.raises(BadTable, match=message):
            found.blocks[2].compute(scheduler="sync")
    parquet.write_table(table.slice(0, 0), path)
    with pytest.raises(BadTable, match=r"t\.parquet' has no rows"):
        _files.in_pieces(open_table(path), ["b", "d"])


@pytest.mark.slow
def test_raw_tables(client, tmp_path):
    """Categories and dates, the report of a sample, a column that is not even read."""
    table = raw_table(400)
    for place, rows in enumerate((table.iloc[:150], table.iloc[150:])):
        rows.to_parquet(tmp_path / f"{place}.parquet", index=False)
    out, page = tmp_path / "model.json", tmp_path / "page.html"
    options = ["--dates", "parts", "--drop", "size", "-o", str(out), "--report", str(page)]
    files = f"{tmp_path}/*.parquet"
    run = CliRunner().invoke(
        make_app(), ["fit", files, "-k", "3", "--dask", client.scheduler.address, *options]
    )
    assert run.exit_code == 0, run.output
    local = LocalKauri(3, max_leaf_nodes=3, min_samples_leaf=0.02, engine="binned")
    encoder = TableEncoder(dates="parts")
    pipeline = make_pipeline(encoder, local).fit(table.drop(columns="size"))
    found = from_json(out.read_text())
    assert found.predict(table).tolist() == pipeline.predict(table).tolist()
    assert "Left out: id: it looks like an identifier" in " ".join(run.output.split())
    assert "<b>400</b> used of 400 read" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-k", "3", "--missing", "drop"], "--missing needs the table in one place"),
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
    assert run.exit_code == 2
    told = " ".join(run.output.replace("│", " ").split())
    assert f"{option} zz: there is no such column. There are a, b, c and d." in told


def test_no_column_is_left(files):
    run = CliRunner().invoke(
        make_app(), ["fit", files, "--dask", "local", "-k", "3", "--drop", "a,b,c,d"]
    )
    assert run.exit_code == 1
    assert "has no column left to cluster by." in " ".join(run.output.split())
