"""Trees of files: every fault is named, and none leaves anything behind."""

import errno
import gzip
import os
import re
import sys

import numpy as np
import pytest
from helpers.table_files import FORMATS, OLD, TableFiles, pa, parquet, table_of, text, write

from agathis._encoding.memory_mapped import check_disk_space
from agathis._io import labels as labels_module


class TestFaults(TableFiles):
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

    @pytest.mark.parametrize(
        "content", [gzip.compress(b"", mtime=0), gzip.compress(b"\n\n", mtime=0)]
    )
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
        match = "cannot be read as" if left == 3 else "truncated"
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
            ("zeros.csv", bytes(50), "is no text, or in another encoding"),
            ("page.csv", b"<html><p>1,2</p>\n", "seems to be a page, HTML, not a table"),
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


class TestArguments(TableFiles):
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
        message = re.escape('reading tables needs pyarrow: pip install "agathis[io]"')
        with pytest.raises(ImportError, match=message):
            fit("table.csv")


class TestRoom(TableFiles):
    def test_known_before(self, tmp_path):
        with pytest.raises(OSError, match=r"'t\.csv' cannot be copied .* MiB are free.*temp_dir="):
            check_disk_space(str(tmp_path), 1 << 62, "t.csv")
        check_disk_space(str(tmp_path), 1, "t.csv")

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


class TestInterrupt(TableFiles):
    @pytest.mark.parametrize("kind", FORMATS)
    def test_while_reading(self, fit, tmp_path, X, kind):
        def stop(done, total):
            if done > 50:
                # The copy has no name, so that a kill leaves nothing either.
                assert os.name == "nt" or list((tmp_path / "temp").iterdir()) == []
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
