"""Trees of files: labels that are written beside them."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from helpers.table_files import OLD, TableFiles, parquet, table_of, text, write

from agathis._io import labels as labels_module

READERS = {
    "npy": np.load,
    "csv": lambda path: pd.read_csv(path)["cluster"].to_numpy(),
    "parquet": lambda path: parquet.read_table(path)["cluster"].to_numpy(),
}


class TestLabels(TableFiles):
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
