"""Trees of files: every format gives the tree of the array."""

import gzip
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers.invariants import equal_trees, valid_tree
from helpers.table_files import FORMATS, NAMES, TableFiles, in_memory, pa, rows_of, table_of, write

from agathis import Kauri
from agathis._encoding.memory_mapped import spill_rows
from agathis._io.table_reader import open_table


class TestFormats(TableFiles):
    @pytest.mark.parametrize("block_rows", [1, 7, 65_536])
    @pytest.mark.parametrize("kind", FORMATS)
    def test_same_tree_as_the_array(self, fit, tmp_path, X, kind, block_rows):
        model = fit(write(table_of(X), tmp_path, kind), block_rows=block_rows, max_leaf_nodes=6)
        expected = in_memory(X, max_leaf_nodes=6)
        equal_trees(model.tree_, expected.tree_)
        valid_tree(model.tree_, X)
        np.testing.assert_array_equal(model.labels_, expected.labels_)
        assert type(model.labels_) is np.ndarray
        assert model.labels_.dtype == np.int32
        assert model.labels_.base is None or type(model.labels_.base) is np.ndarray
        assert model.feature_names_in_.dtype == object
        assert model.feature_names_in_.tolist() == NAMES
        assert model.n_features_in_ == 3

    @pytest.mark.parametrize("kind", ["pq", "feather", "ipc", "tsv.gz", "PARQUET"])
    def test_other_suffixes(self, fit, tmp_path, X, kind):
        base = {"pq": "parquet", "PARQUET": "parquet", "tsv.gz": "tsv"}.get(kind, "arrow")
        path = write(table_of(X), tmp_path, base)
        other = tmp_path / f"other.{kind}"
        data = path.read_bytes()
        other.write_bytes(gzip.compress(data) if kind.endswith("gz") else data)
        equal_trees(fit(other).tree_, in_memory(X).tree_)

    @pytest.mark.parametrize("kind", ["parquet", "arrow", "csv", "tsv"])
    def test_format_overrides_the_name(self, fit, tmp_path, X, kind):
        path = write(table_of(X), tmp_path, kind).rename(tmp_path / "data.bin")
        equal_trees(fit(path, format=kind).tree_, in_memory(X).tree_)

    @pytest.mark.parametrize("writer", ["to_parquet", "to_feather", "to_csv"])
    def test_pandas(self, fit, tmp_path, X, writer):
        path = tmp_path / f"table.{writer[3:]}"
        frame = pd.DataFrame(X, columns=NAMES)
        getattr(frame, writer)(path, **({"index": False} if writer == "to_csv" else {}))
        equal_trees(fit(str(path)).tree_, in_memory(X).tree_)

    @pytest.mark.parametrize("kind", ["parquet", "ipc", "csv"])
    def test_polars(self, fit, tmp_path, X, kind):
        path = tmp_path / f"table.{kind}"
        getattr(pl.DataFrame(X, schema=NAMES), f"write_{kind}")(path)
        equal_trees(fit(path).tree_, in_memory(X).tree_)

    @pytest.mark.parametrize("codec", ["lz4", "zstd"])
    def test_compressed_arrow(self, fit, tmp_path, X, codec):
        path = tmp_path / "table.arrow"
        options = pa.ipc.IpcWriteOptions(compression=codec)
        with pa.ipc.new_file(path, table_of(X).schema, options=options) as writer:
            writer.write_table(table_of(X))
        equal_trees(fit(path, block_rows=9).tree_, in_memory(X).tree_)

    def test_predicts_a_frame(self, fit, tmp_path, X):
        model = fit(write(table_of(X), tmp_path, "parquet"))
        frame = pd.DataFrame(X, columns=NAMES)
        np.testing.assert_array_equal(model.predict(frame), model.labels_)

    def test_parameters_reach_the_model(self, fit, tmp_path, X, capsys):
        model = fit(write(table_of(X), tmp_path, "parquet"), 2, max_depth=1, verbose=1, n_jobs=1)
        assert model.get_params()["max_depth"] == 1
        assert model.n_leaves_ == 2
        assert "[Kauri] done" in capsys.readouterr().out

    def test_rows_that_are_kept_outlive_the_file(self, fit, tmp_path, X):
        path = write(table_of(X), tmp_path, "parquet")
        # Kernels other than linear keep their rows; they are not for binned stocks.
        model = fit(path, kernel="rbf", keep_training_data=True, engine="gram")
        frame = pd.DataFrame(X, columns=NAMES)
        expected = (
            Kauri(3, kernel="rbf", keep_training_data=True, max_leaf_nodes=None)
            .fit(frame)
            .transform(frame)
        )
        np.testing.assert_allclose(model.transform(frame), expected)
        mapped = [v for v in vars(model._centres).values() if isinstance(v, np.ndarray)]
        assert not any(isinstance(v.base, np.memmap) for v in mapped)


class TestRows(TableFiles):
    @pytest.mark.parametrize(
        ("kinds", "dtype"),
        [
            (["float32", "float16", "int8"], "f4"),
            (["int16", "uint16", "bool_"], "f4"),
            (["float32", "float64", "int8"], "f8"),
            (["float32", "int32", "int8"], "f8"),
            (["float32", "uint64", "int8"], "f8"),
        ],
    )
    def test_float32_where_it_is_exact(self, tmp_path, kinds, dtype):
        values = [[1, 0, 1], [0, 1, 1], [1, 1, 0]]
        columns = {
            name: pa.array(np.array(column, kind if kind != "bool_" else bool))
            for name, kind, column in zip(NAMES, kinds, values, strict=True)
        }
        path = write(pa.table(columns), tmp_path, "parquet")
        rows, weight = rows_of(path, NAMES, tmp_path / "t")
        assert rows.dtype == dtype
        assert isinstance(rows, np.memmap)
        assert not rows.flags.writeable
        assert rows.flags.c_contiguous
        assert weight is None
        np.testing.assert_array_equal(rows, np.transpose(values))

    def test_extremes_of_16_bits_are_exact(self, tmp_path):
        limits = np.array([-(2**15), 2**15 - 1], np.int16)
        path = write(pa.table({"a": limits}), tmp_path, "arrow")
        rows, _ = rows_of(path, ["a"], tmp_path / "t")
        assert rows.dtype == np.float32
        assert rows[:, 0].astype(int).tolist() == limits.tolist()

    @pytest.mark.parametrize("kind", ["parquet", "arrow", "stream"])
    def test_decimals_and_large_integers(self, tmp_path, kind):
        table = pa.table(
            {
                "price": pa.array([Decimal("1.25"), None, Decimal("-3.5")]),
                "id": pa.array([2**53 + 1, None, 7], pa.int64()),
            }
        )
        rows, _ = rows_of(write(table, tmp_path, kind), ["id", "price"], tmp_path / "t")
        np.testing.assert_array_equal(rows, [[2.0**53, 1.25], [np.nan, np.nan], [7, -3.5]])

    @pytest.mark.parametrize("kind", FORMATS)
    def test_missing_values_are_nan(self, tmp_path, kind):
        table = pa.table(
            {"a": [1.5, None, 3.0] * 20, "b": [1, 2, None] * 20, "c": [None, True, False] * 20}
        )
        rows, _ = rows_of(write(table, tmp_path, kind, rows=13), ["a", "b", "c"], tmp_path / "t")
        nan = np.nan
        np.testing.assert_array_equal(rows, [[1.5, 1, nan], [nan, 2, 1], [3, nan, 0]] * 20)

    @pytest.mark.parametrize("kind", FORMATS)
    def test_fit_with_missing_values(self, fit, tmp_path, X, kind):
        gaps = np.array(X)
        gaps[::7, 1] = np.nan
        table = pa.table(
            {n: pa.array(c, from_pandas=True) for n, c in zip(NAMES, gaps.T, strict=True)}
        )
        equal_trees(fit(write(table, tmp_path, kind)).tree_, in_memory(gaps).tree_)

    @pytest.mark.parametrize("rows", [1, 3, 100])
    def test_float32_reaches_the_fit(self, fit, tmp_path, X, rows):
        narrow = X.astype(np.float32)
        path = write(table_of(narrow), tmp_path, "parquet", rows)
        equal_trees(fit(path).tree_, in_memory(narrow).tree_)

    def test_very_wide_rows_are_read_in_small_blocks(self, tmp_path, monkeypatch, X):
        monkeypatch.setattr(
            "agathis._encoding.memory_mapped.BLOCK_BYTES", 100
        )  # 4 rows of 24 bytes
        seen = []
        source = open_table(write(table_of(X), tmp_path, "arrow", 120), None, None)
        rows, _ = spill_rows(source, NAMES, None, str(tmp_path), 50, lambda *at: seen.append(at[0]))
        np.testing.assert_array_equal(rows, X)
        assert seen == list(range(4, 121, 4))

    @pytest.mark.parametrize("kind", FORMATS)
    def test_progress(self, fit, tmp_path, X, kind):
        seen = []
        path = write(table_of(X), tmp_path, kind, rows=120)
        fit(path, block_rows=50, progress=lambda *at: seen.append(at))
        counts = hasattr(pa.RecordBatchFileReader, "count_rows")
        total = 120 if kind == "parquet" or (kind == "arrow" and counts) else None
        assert seen == [(50, total), (100, total), (120, total)]
