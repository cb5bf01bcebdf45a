"""Tables as files of every kind, and fits of them that leave nothing behind."""

from pathlib import Path

import numpy as np
import pytest

from agathis import Kauri
from agathis._encoding.memory_mapped import spill_rows
from agathis._fit_file import fit_file
from agathis._io.table_reader import open_table

pa = pytest.importorskip("pyarrow")
csv = pytest.importorskip("pyarrow.csv")
parquet = pytest.importorskip("pyarrow.parquet")

# The engine of all fits here.
ENGINE = "binned"

NAMES = ["height", "girth", "age"]
FORMATS = ["parquet", "arrow", "stream", "csv", "csv.gz", "tsv"]
OLD = b"labels of an earlier run"


def table_of(X, names=NAMES):
    return pa.table(dict(zip(names, np.asarray(X).T, strict=True)))


def write(table, folder, kind, rows=50):
    """The table as a file of that kind, in batches of so many rows where it has batches."""
    path = folder / f"table.{'arrow' if kind == 'stream' else kind}"
    if kind == "parquet":
        parquet.write_table(table, path, row_group_size=rows)
    elif kind in ("arrow", "stream"):
        new = pa.ipc.new_file if kind == "arrow" else pa.ipc.new_stream
        with new(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=rows)
    else:
        options = csv.WriteOptions(delimiter="\t" if kind == "tsv" else ",")
        with pa.output_stream(path) as stream:
            csv.write_csv(table, stream, options)
    return path


def text(folder, content, name="table.csv"):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def rows_of(path, names, temp, weight=None, block_rows=7):
    """What the copy of a file holds."""
    temp.mkdir(exist_ok=True)
    return spill_rows(open_table(path, None, None), names, weight, str(temp), block_rows)


def in_memory(X, n_clusters=3, sample_weight=None, **params):
    params = {"engine": ENGINE, **params}
    return Kauri(n_clusters, **{"max_leaf_nodes": None, **params}).fit(
        X, sample_weight=sample_weight
    )


class TableFiles:
    """What tests of fits of files are given."""

    @pytest.fixture
    def X(self, blobs):
        return blobs[0]

    @pytest.fixture
    def fit(self, tmp_path):
        """``fit_file``, after which nothing may be left of its work, whether it fails or not."""
        temp, out = tmp_path / "temp", tmp_path / "out"
        temp.mkdir()
        out.mkdir()
        (out / "labels.npy").write_bytes(OLD)

        def call(path, n_clusters=3, **params):
            settings = {"engine": ENGINE, "temp_dir": temp, "max_leaf_nodes": None, **params}
            return fit_file(path, n_clusters, **settings)

        yield call
        assert list(temp.iterdir()) == []
        assert not list(out.glob(".*")), "a labels file was left half-written"

    @pytest.fixture
    def fails(self, fit, tmp_path):
        """Assert that a fit fails by an error which names the file and leaves old labels alone."""

        def call(error, match, path, **params):
            params = {"labels": tmp_path / "out" / "labels.npy", **params}
            with pytest.raises(error, match=match) as caught:
                fit(path, **params)
            assert Path(path).name in str(caught.value)
            assert [p.read_bytes() for p in (tmp_path / "out").iterdir()] == [OLD]
            return caught.value

        return call
