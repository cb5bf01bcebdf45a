"""Trees of files: every format gives the tree of the array; every fault is named, and none
leaves anything behind.
"""

import errno
import gzip
import re
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from invariants import equal_trees, valid_tree

from agathis import Kauri

pa = pytest.importorskip("pyarrow")
from pyarrow import csv, parquet  # noqa: E402

from agathis.files import fit_file  # noqa: E402
from agathis.files import labels as labels_module  # noqa: E402
from agathis.files.source import open_source  # noqa: E402
from agathis.files.spill import check_room, spill_rows  # noqa: E402

# The stocks of all fits here.
STOCKS = "binned"

NAMES = ["height", "girth", "age"]
FORMATS = ["parquet", "arrow", "stream", "csv", "csv.gz", "tsv"]
READERS = {
    "npy": np.load,
    "csv": lambda path: pd.read_csv(path)["cluster"].to_numpy(),
    "parquet": lambda path: parquet.read_table(path)["cluster"].to_numpy(),
}
OLD = b"labels of an earlier run"


@pytest.fixture(scope="module")
def X(blobs):
    return blobs[0]


@pytest.fixture
def fit(tmp_path):
    """``fit_file``, after which nothing may be left of its work, whether it fails or not."""
    temp, out = tmp_path / "temp", tmp_path / "out"
    temp.mkdir()
    out.mkdir()
    (out / "labels.npy").write_bytes(OLD)

    def call(path, n_clusters=3, **params):
        return fit_file(path, n_clusters, **{"stocks": STOCKS, "temp_dir": temp, **params})

    yield call
    assert list(temp.iterdir()) == []
    assert not list(out.glob(".*")), "a labels file was left half-written"


@pytest.fixture
def fails(fit, tmp_path):
    """Assert that a fit fails by this error, which names the file and leaves old labels alone."""

    def call(error, match, path, **params):
        params = {"labels": tmp_path / "out" / "labels.npy", **params}
        with pytest.raises(error, match=match) as caught:
            fit(path, **params)
        assert Path(path).name in str(caught.value)
        assert [p.read_bytes() for p in (tmp_path / "out").iterdir()] == [OLD]
        return caught.value

    return call


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
    return spill_rows(open_source(path, None, None), names, weight, str(temp), block_rows)


def in_memory(X, n_clusters=3, sample_weight=None, **params):
    params = {"stocks": STOCKS, **params}
    return Kauri(n_clusters, **params).fit(X, sample_weight=sample_weight)


class TestFormats:
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
        model = fit(path, kernel="rbf", keep_training_data=True, stocks="gram")
        frame = pd.DataFrame(X, columns=NAMES)
        expected = Kauri(3, kernel="rbf", keep_training_data=True).fit(frame).transform(frame)
        np.testing.assert_allclose(model.transform(frame), expected)
        mapped = [v for v in vars(model._centres).values() if isinstance(v, np.ndarray)]
        assert not any(isinstance(v.base, np.memmap) for v in mapped)


class TestRows:
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
        monkeypatch.setattr("agathis.files.spill.BLOCK_BYTES", 100)  # 4 rows of 24 bytes
        seen = []
        source = open_source(write(table_of(X), tmp_path, "arrow", 120), None, None)
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


class TestColumns:
    def test_others_are_left_out_and_named(self, fit, tmp_path, X):
        table = table_of(X).append_column("city", pa.array(["x"] * 120))
        table = table.add_column(0, "day", pa.array([0] * 120, pa.date32()))
        path = write(table, tmp_path, "parquet")
        with pytest.warns(UserWarning, match=r"'day' \(date32.*'city' \(string\)") as caught:
            model = fit(path)
        assert len(caught) == 1
        assert "table.parquet" in str(caught[0].message)
        assert caught[0].filename == __file__
        equal_trees(model.tree_, in_memory(X).tree_)

    def test_the_index_of_pandas_is_no_feature(self, fit, tmp_path, X):
        frame = pd.DataFrame(X, columns=NAMES, index=np.arange(120)[::-1])
        frame.to_parquet(tmp_path / "table.parquet")
        with pytest.warns(UserWarning, match=r"'__index_level_0__' \(index of pandas\)"):
            model = fit(tmp_path / "table.parquet")
        assert model.feature_names_in_.tolist() == NAMES
        frame.to_csv(tmp_path / "table.csv")
        with pytest.warns(UserWarning, match=r"'' \(no name\)"):
            model = fit(tmp_path / "table.csv")
        assert model.feature_names_in_.tolist() == NAMES

    def test_in_the_order_given(self, fit, tmp_path, X):
        path = write(table_of(X), tmp_path, "parquet")
        model = fit(path, columns=("age", "height"))
        assert model.feature_names_in_.tolist() == ["age", "height"]
        equal_trees(model.tree_, in_memory(X[:, [2, 0]]).tree_)

    def test_names_with_dots_and_prefixes(self, fit, tmp_path, X):
        names = ["a", "a.b", "é 1"]
        path = write(table_of(X, names), tmp_path, "parquet")
        assert fit(path, columns=names).feature_names_in_.tolist() == names
        equal_trees(fit(path, columns=["a"]).tree_, in_memory(X[:, :1]).tree_)

    @pytest.mark.parametrize("kind", FORMATS)
    def test_weight(self, fit, tmp_path, X, kind):
        weight = np.arange(120) % 4
        path = write(table_of(X).append_column("w", pa.array(weight)), tmp_path, kind)
        model = fit(path, weight="w", block_rows=11)
        assert model.feature_names_in_.tolist() == NAMES
        equal_trees(model.tree_, in_memory(X, sample_weight=weight).tree_)

    @pytest.mark.parametrize(
        ("params", "match"),
        [
            ({"columns": ["heigth"]}, "'heigth', which .* did you mean 'height'.*'girth', 'age'"),
            ({"columns": ["AGE "]}, "did you mean 'age'"),
            ({"columns": ["x1"]}, r"does not have\. Its columns are 'height'"),
            ({"columns": ["height", "city"]}, "columns names 'city'.*type string.*'height', 'g"),
            ({"weight": "city"}, "weight names 'city', which is not a column of numbers"),
            ({"weight": "mass"}, "weight names 'mass', which .* does not have"),
        ],
    )
    def test_wrong_names(self, fails, tmp_path, X, params, match):
        path = write(table_of(X).append_column("city", pa.array(["x"] * 120)), tmp_path, "csv")
        fails(ValueError, match, path, **params)

    @pytest.mark.parametrize(
        ("params", "error", "match"),
        [
            ({"columns": "height"}, TypeError, "columns must be a list of names; it is 'height'"),
            ({"columns": 3}, TypeError, "columns must be a list of names; it is 3"),
            ({"columns": [3]}, TypeError, "columns takes names .* it has 3"),
            ({"columns": []}, ValueError, "columns is empty"),
            ({"columns": ["age", "age"]}, ValueError, "columns names 'age' twice"),
            ({"columns": ["age"], "weight": "age"}, ValueError, "weight='age' is among columns"),
        ],
    )
    def test_wrong_arguments(self, fit, tmp_path, X, params, error, match):
        path = write(table_of(X), tmp_path, "parquet")
        with pytest.raises(error, match=match):
            fit(path, **params)

    @pytest.mark.parametrize("kind", ["parquet", "arrow", "stream", "csv"])
    def test_two_of_one_name(self, fit, fails, tmp_path, X, kind):
        table = table_of(X).rename_columns(["a", "b", "a"])
        path = write(table, tmp_path, kind)
        fails(ValueError, "2 columns of the name 'a'", path)
        fails(ValueError, "2 columns of the name 'a'", path, columns=["b", "a"])
        equal_trees(fit(path, columns=["b"]).tree_, in_memory(X[:, [1]]).tree_)

    def test_many_names_are_cut(self, fails, tmp_path):
        path = text(tmp_path, ",".join(f"c{i}" for i in range(400)) + "\n" + "x," * 399 + "x\n")
        fails(ValueError, r"'c11' \(string\) and 388 more", path)


class TestCsv:
    # Longer than a block of the parser, so that rows after it are in a later one.
    FILL = "1,2,{}\n".format("x" * 9000) * 500

    def test_bom_and_windows_lines(self, fit, tmp_path, X):
        body = "".join("{},{},{}\r\n".format(*map(repr, row)) for row in X.tolist())
        path = text(tmp_path, "\ufeffheight,girth,age\r\n" + body)
        model = fit(path)
        assert model.feature_names_in_.tolist() == NAMES
        equal_trees(model.tree_, in_memory(X).tree_)

    def test_delimiter(self, fit, tmp_path, X):
        path = write(table_of(X), tmp_path, "tsv").rename(tmp_path / "table.csv")
        equal_trees(fit(path, delimiter="\t").tree_, in_memory(X).tree_)

    def test_whole_numbers_may_become_fractions_later(self, tmp_path):
        path = text(tmp_path, "a,b,c\n" + self.FILL + "1.5,2.5,x\n")
        rows, _ = rows_of(path, ["a", "b"], tmp_path / "t", block_rows=400)
        assert rows.shape == (501, 2)
        assert rows[-1].tolist() == [1.5, 2.5]

    def test_gaps_may_become_numbers_later(self, tmp_path):
        path = text(tmp_path, "a,b,c\n" + self.FILL.replace("2", "") + "1,2.5,x\n")
        rows, _ = rows_of(path, ["a", "b"], tmp_path / "t")
        assert np.isnan(rows[:-1, 1]).all()
        assert rows[-1].tolist() == [1, 2.5]

    def test_lines_in_quotes_across_blocks(self, tmp_path):
        fill = self.FILL.replace("x" * 9000, '"' + "x\n" * 4500 + '"')
        path = text(tmp_path, "a,b,c\n" + fill + "7,8,x\n")
        rows, _ = rows_of(path, ["b"], tmp_path / "t")
        assert rows.shape == (501, 1)
        assert rows[-1] == 8

    def test_text_in_a_later_block(self, fails, tmp_path):
        path = text(tmp_path, "a,b,c\n" + self.FILL + "1,ash,x\n")
        match = "in column 'b', which .* Row #502: .* 'ash'.*left out by columns="
        fails(ValueError, match, path, columns=["b", "a"])

    @pytest.mark.parametrize("fill", ["", FILL], ids=["first block", "later block"])
    def test_ragged(self, fails, tmp_path, fill):
        path = text(tmp_path, "a,b,c\n" + fill + "1,2,3\n4,5\n6,7,8\n")
        row = fill.count("\n") + 3
        fails(ValueError, f"Row #{row}: Expected 3 columns, got 2", path, columns=["a"])

    def test_open_quote(self, fails, tmp_path):
        path = text(tmp_path, 'a,b,c\n1,2,"x\n' + self.FILL + self.FILL)
        fails(ValueError, "a quote is never closed", path, columns=["a"])

    @pytest.mark.parametrize(
        "content", ["a;b\n1;2\n3;4\n", "a;b\n1,5;2,5\n"], ids=["points", "commas"]
    )
    def test_semicolons(self, fails, tmp_path, content):
        path = text(tmp_path, content)
        fails(ValueError, "has ';' and no ',': delimiter=';' may be meant", path)

    def test_semicolons_and_a_name(self, fails, tmp_path):
        fails(ValueError, "delimiter=';' may", text(tmp_path, "a;b\n1;2\n"), columns=["b"])

    def test_names_that_are_not_utf8(self, fails, tmp_path):
        path = text(tmp_path, "größe,b\n1,2\n".encode("latin-1"))
        fails(ValueError, "column names are not in UTF-8", path)

    def test_values_that_are_not_utf8(self, fails, tmp_path):
        path = text(tmp_path, b"a,b,c\n" + self.FILL.encode() + "1,é,x\n".encode("latin-1"))
        fails(ValueError, "in column 'b'", path, columns=["a", "b"])

    def test_text_that_is_not_used_need_not_be_utf8(self, fit, tmp_path):
        path = text(tmp_path, "a,b\n1,é\n2,é\n".encode("latin-1"))
        with pytest.warns(UserWarning, match=r"'b' \(binary\)"):
            assert fit(path, 2).n_clusters_ == 2

    def test_utf16(self, fails, tmp_path):
        fails(ValueError, "zero bytes.*UTF-16", text(tmp_path, "a,b\n1,2\n".encode("utf-16")))

    @pytest.mark.parametrize("delimiter", ["ab", "", '"', "\n", "§", 3])
    def test_wrong_delimiter(self, fit, tmp_path, delimiter):
        with pytest.raises(ValueError, match=re.escape(f"delimiter={delimiter!r} must be one")):
            fit(text(tmp_path, "a,b\n1,2\n"), delimiter=delimiter)

    def test_delimiter_of_another_format(self, fit, tmp_path, X):
        with pytest.raises(ValueError, match="delimiter=';' goes with CSV and TSV, not Parquet"):
            fit(write(table_of(X), tmp_path, "parquet"), delimiter=";")

    @pytest.mark.parametrize("share", [0.0001, 0.5, 0.9999])
    def test_gzip_that_is_cut(self, fails, tmp_path, share):
        values = np.random.default_rng(0).normal(size=(20_000, 3))
        data = write(table_of(values), tmp_path, "csv.gz").read_bytes()
        path = text(tmp_path, data[: max(12, int(len(data) * share))], "cut.csv.gz")
        fails(ValueError, "Truncated compressed stream", path)

    def test_gzip_that_is_none(self, fails, tmp_path):
        path = text(tmp_path, "a,b\n1,2\n", "table.csv.gz")
        fails(ValueError, "incorrect header", path)

    def test_gzip_without_its_suffix(self, fails, tmp_path):
        path = text(tmp_path, gzip.compress(b"a,b\n1,2\n"))
        fails(ValueError, r"begins as a file compressed by gzip.*\.gz", path)


class TestFaults:
    @pytest.mark.parametrize("kind", FORMATS)
    def test_missing(self, fails, tmp_path, kind):
        kind = kind.replace("stream", "ipc")
        fails(FileNotFoundError, "No such file", tmp_path / f"nothing.{kind}")

    @pytest.mark.parametrize("kind", FORMATS)
    def test_directory(self, fails, tmp_path, kind):
        path = tmp_path / f"folder.{kind.replace('stream', 'ipc')}"
        path.mkdir()
        fails(IsADirectoryError, "directory", path)

    @pytest.mark.parametrize("kind", FORMATS)
    def test_empty(self, fails, tmp_path, kind):
        path = text(tmp_path, b"", f"table.{kind.replace('stream', 'ipc')}")
        fails(ValueError, "is empty", path)

    @pytest.mark.parametrize("content", [gzip.compress(b""), gzip.compress(b"\n\n")])
    def test_empty_in_gzip(self, fails, tmp_path, content):
        fails(ValueError, "is empty", text(tmp_path, content, "table.csv.gz"))

    @pytest.mark.parametrize("kind", FORMATS)
    def test_no_rows(self, fails, tmp_path, X, kind):
        fails(ValueError, "has no rows", write(table_of(X[:0]), tmp_path, kind))

    @pytest.mark.parametrize("kind", ["parquet", "arrow", "stream"])
    @pytest.mark.parametrize("left", [3, 10, 500, -300, -8, -1])
    def test_cut_short(self, fails, tmp_path, X, kind, left):
        path = write(table_of(X), tmp_path, kind)
        path.write_bytes(path.read_bytes()[:left])
        match = "cannot be read as" if left == 3 else "cut short"
        fails(ValueError, match, path)

    def test_stream_that_is_cut_between_batches(self, fails, tmp_path, X):
        path = write(table_of(X), tmp_path, "stream")
        path.write_bytes(path.read_bytes()[:-8])
        fails(ValueError, "mark at its end is missing", path)

    @pytest.mark.parametrize("kind", ["arrow", "stream"])
    def test_names_that_are_not_utf8(self, fails, tmp_path, X, kind):
        path = write(table_of(X), tmp_path, kind)
        path.write_bytes(path.read_bytes().replace(b"girth", b"g\xe9rth"))
        fails(ValueError, "column names are not in UTF-8", path)

    def test_stream_with_a_hole(self, fails, tmp_path, X):
        path = write(table_of(X), tmp_path, "stream")
        data = path.read_bytes()
        path.write_bytes(data[:1000] + data[1800:])
        fails(ValueError, "cannot be read as Arrow", path)

    @pytest.mark.parametrize("codec", ["snappy", "gzip", "zstd"])
    def test_damaged_parquet(self, fails, tmp_path, codec):
        values = np.arange(6000.0).reshape(-1, 3)
        path = tmp_path / "table.parquet"
        parquet.write_table(table_of(values), path, compression=codec)
        data = bytearray(path.read_bytes())
        data[200:4000] = b"\xff" * 3800
        path.write_bytes(data)
        fails(ValueError, "cannot be read as Parquet", path)

    PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(100)

    @pytest.mark.parametrize(
        ("name", "content", "match"),
        [
            ("image.parquet", PNG, "cannot be read as Parquet"),
            ("image.arrow", PNG, "neither a file nor a stream"),
            ("image.csv", PNG, "begins as a PNG image"),
            ("text.parquet", b"a,b\n1,2\n3,4\n", "cannot be read as Parquet"),
            ("text.feather", b"a,b\n1,2\n3,4\n", r"begins with b'a,b\\n1,2\\n'"),
            ("table.csv", b"PAR1" + bytes(20), "begins as a Parquet file"),
            ("table.tsv", b"ARROW1\0\0", "read as TSV: it begins as an Arrow file"),
            ("table.arrow", b"PAR1" + bytes(20), "neither a file nor a stream"),
            ("zeros.csv", bytes(50), "zero bytes"),
        ],
    )
    def test_another_type(self, fails, tmp_path, name, content, match):
        fails(ValueError, match, text(tmp_path, content, name))

    @pytest.mark.parametrize("name", ["table.xlsx", "table", "table.gz", "table.parquet.gz"])
    def test_unknown_suffix(self, fails, tmp_path, name):
        fails(ValueError, r"tells no format: .*\.parquet, .*\.csv\.gz.*format=", tmp_path / name)

    def test_unknown_format(self, fit, tmp_path):
        with pytest.raises(ValueError, match=r"format='excel' must be one of \['parquet'"):
            fit(tmp_path / "table.csv", format="excel")

    @pytest.mark.parametrize("kind", FORMATS)
    def test_no_numbers(self, fails, tmp_path, kind):
        path = write(pa.table({"a": ["x"], "b": ["y"]}), tmp_path, kind)
        fails(ValueError, r"no column of numbers to use.*'a' \(string\), 'b' \(string\)", path)

    def test_only_the_weight_is_numbers(self, fails, tmp_path):
        path = write(pa.table({"a": ["x"], "w": [1]}), tmp_path, "parquet")
        fails(ValueError, "no column of numbers to use", path, weight="w")

    @pytest.mark.parametrize("kind", FORMATS)
    @pytest.mark.parametrize("value", [np.inf, -np.inf])
    def test_infinite(self, fails, tmp_path, X, kind, value):
        bad = np.array(X)
        bad[77, 1] = value
        path = write(table_of(bad), tmp_path, kind)
        match = f"column 'girth': {value} in row 77.*must be finite or missing"
        fails(ValueError, match, path, block_rows=10)

    @pytest.mark.parametrize("value", [None, -1.0, np.inf, np.nan])
    def test_bad_weight(self, fails, tmp_path, X, value):
        weight = [1.0] * 119 + [value]
        path = write(table_of(X).append_column("w", pa.array(weight)), tmp_path, "parquet")
        fails(ValueError, "weight='w': .* in row 119.*not negative", path, weight="w", block_rows=9)

    def test_what_the_fit_finds_names_the_file_too(self, fails, tmp_path, X):
        path = write(table_of(X[:5]), tmp_path, "parquet")
        fails(ValueError, "n_samples=5 should be >= n_clusters=8", path, n_clusters=8)

    @pytest.mark.skipif(sys.platform != "linux", reason="pipes as files")
    def test_pipe(self, fails):
        fails(OSError, "Not a regular file", "/dev/null", format="csv")


class TestArguments:
    @pytest.mark.parametrize(
        ("params", "error", "match"),
        [
            ({"max_leaf_node": 3}, TypeError, "'max_leaf_node' .* mean 'max_leaf_nodes'"),
            ({"zzz": 3}, TypeError, "'zzz' is a parameter neither .*'kernel'"),
            ({"max_depth": -1}, ValueError, "'max_depth' parameter of Kauri"),
            ({"n_clusters": 0}, ValueError, "'n_clusters' parameter of Kauri"),
            ({"kernel": "precomputed"}, ValueError, "kernel='precomputed' needs a matrix"),
            ({"block_rows": 0}, ValueError, "block_rows=0 must be"),
            ({"block_rows": 1.5}, ValueError, "block_rows=1.5 must be"),
            ({"temp_dir": "/no/such"}, NotADirectoryError, "temp_dir='/no/such' is not"),
        ],
    )
    def test_before_the_file_is_read(self, fit, params, error, match):
        with pytest.raises(error, match=match):
            fit("/no/such/file.parquet", **params)

    def test_path(self, fit):
        with pytest.raises(TypeError, match="path must be a str or a PathLike; it is 3"):
            fit(3)

    def test_without_pyarrow(self, fit, monkeypatch):
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(ImportError, match=re.escape("pip install agathis[io]")):
            fit("table.csv")


class TestRoom:
    def test_known_before(self, tmp_path):
        with pytest.raises(OSError, match=r"'t\.csv' cannot be copied .* MiB are free.*temp_dir="):
            check_room(str(tmp_path), 1 << 62, "t.csv")
        check_room(str(tmp_path), 1, "t.csv")

    @pytest.mark.skipif(
        not hasattr(pa.RecordBatchFileReader, "count_rows"), reason="counts not known before"
    )
    def test_known_from_the_file(self, fails, tmp_path, X):
        path = write(table_of(X[:117]), tmp_path, "arrow", rows=117)
        rows, claimed = (n.to_bytes(8, "little") for n in (117, 2**50))
        path.write_bytes(path.read_bytes().replace(rows, claimed))
        error = fails(OSError, "they need .* MiB, and .* MiB are free", path)
        assert error.errno == errno.ENOSPC

    @pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on the size of files")
    @pytest.mark.parametrize("kind", FORMATS)
    def test_disk_that_fills(self, fails, tmp_path, X, kind):
        import resource

        path = write(table_of(X), tmp_path, kind)
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
        try:
            fails(OSError, "cannot be copied into .*temp.*temp_dir=", path, block_rows=5)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


class TestInterrupt:
    @pytest.mark.parametrize("kind", FORMATS)
    def test_while_reading(self, fit, tmp_path, X, kind):
        def stop(done, total):
            if done > 50:
                assert len(list((tmp_path / "temp").glob("agathis-*/rows"))) == 1
                raise KeyboardInterrupt

        out = tmp_path / "out" / "labels.npy"
        path = write(table_of(X), tmp_path, kind)
        with pytest.raises(KeyboardInterrupt):
            fit(path, block_rows=20, progress=stop, labels=out)
        assert out.read_bytes() == OLD

    def test_while_labels_are_written(self, fit, tmp_path, X, monkeypatch):
        def stop(file, labels):
            file.write(b"half")
            raise KeyboardInterrupt

        monkeypatch.setitem(labels_module.WRITERS, ".npy", stop)
        out = tmp_path / "out" / "labels.npy"
        with pytest.raises(KeyboardInterrupt):
            fit(write(table_of(X), tmp_path, "parquet"), labels=out)
        assert out.read_bytes() == OLD


class TestLabels:
    @pytest.mark.parametrize("block", [7, 1 << 18])
    @pytest.mark.parametrize("kind", READERS)
    def test_written(self, fit, tmp_path, X, kind, block, monkeypatch):
        monkeypatch.setattr(labels_module, "BLOCK", block)
        out = tmp_path / "out" / f"labels.{kind}"
        out.write_bytes(OLD)
        model = fit(write(table_of(X), tmp_path, "csv"), labels=out)
        written = READERS[kind](out)
        np.testing.assert_array_equal(written, model.labels_)
        if kind != "csv":
            assert written.dtype == np.int32
        else:
            assert out.read_text().startswith("cluster\n")
        ordinary = text(tmp_path, "")
        assert out.stat().st_mode == ordinary.stat().st_mode

    def test_a_link_stays_a_link(self, fit, tmp_path, X):
        link = tmp_path / "latest.npy"
        link.symlink_to(tmp_path / "out" / "labels.npy")
        model = fit(write(table_of(X), tmp_path, "parquet"), labels=str(link))
        assert link.is_symlink()
        np.testing.assert_array_equal(np.load(tmp_path / "out" / "labels.npy"), model.labels_)

    @pytest.mark.parametrize(
        ("name", "error", "match"),
        [
            ("labels.txt", ValueError, r"ends in '\.txt'; accepted are \.npy, \.csv, \.parquet"),
            ("labels", ValueError, "ends in ''; accepted are"),
            ("nowhere/labels.npy", FileNotFoundError, "directory of labels is missing"),
            ("table.parquet/labels.npy", NotADirectoryError, "directory of labels is missing"),
            ("folder.npy", IsADirectoryError, "labels is a directory"),
            ("table.parquet", ValueError, "is the file that is read"),
            ("link.parquet", ValueError, "is the file that is read"),
        ],
    )
    def test_known_to_fail_before_the_rows_are_read(self, fit, tmp_path, X, name, error, match):
        path = write(table_of(X), tmp_path, "parquet")
        before = path.read_bytes()
        (tmp_path / "folder.npy").mkdir()
        (tmp_path / "link.parquet").symlink_to(path)
        with pytest.raises(error, match=match) as caught:
            fit(path, labels=tmp_path / name, progress=lambda *_: pytest.fail("rows were read"))
        assert Path(name).name in str(caught.value)
        assert path.read_bytes() == before

    @pytest.mark.skipif(not Path("/proc/self").exists(), reason="a directory nobody can write to")
    def test_directory_that_cannot_be_written_to(self, fit, tmp_path, X):
        path = write(table_of(X), tmp_path, "parquet")
        with pytest.raises(OSError, match=r"cannot be written to.*/proc/labels\.npy"):
            fit(path, labels="/proc/labels.npy", progress=lambda *_: pytest.fail("rows were read"))

    def test_not_a_path(self, fit, tmp_path, X):
        with pytest.raises(TypeError, match="labels must be a str or a PathLike; it is 3"):
            fit(write(table_of(X), tmp_path, "parquet"), labels=3)

    @pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on the size of files")
    @pytest.mark.parametrize("kind", READERS)
    def test_disk_that_fills(self, tmp_path, kind):
        import resource

        out = tmp_path / f"labels.{kind}"
        out.write_bytes(OLD)
        labels = np.random.default_rng(0).integers(0, 1000, 9000, dtype=np.int32)
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
        try:
            with pytest.raises(OSError, match=rf"Labels not written.*labels\.{kind}"):
                labels_module.write_labels(str(out), labels)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert [p.read_bytes() for p in tmp_path.iterdir()] == [OLD]
