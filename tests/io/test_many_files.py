"""Folders and patterns of Parquet files, copied or read again."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.models import same_bits
from helpers.table_files import NAMES, TableFiles, in_memory, pa, parquet, table_of

from agathis import fit_file


class TestManyFiles(TableFiles):
    @pytest.fixture
    def folder(self, X, tmp_path):
        """The rows in four files of uneven sizes and small row groups; marks that are no data."""
        folder = tmp_path / "many"
        (folder / "inner").mkdir(parents=True)
        table = table_of(X)
        table = table.append_column("note", pa.array(["a"] * len(X)))
        table = table.append_column("w", pa.array(np.arange(len(X)) % 3 + 0.5))
        cuts = [0, 11, 12, 70, len(X)]
        for place, name in enumerate(["a", "b", "c", "inner/d"]):
            part = table.slice(cuts[place], cuts[place + 1] - cuts[place])
            parquet.write_table(part, folder / f"{name}.parquet", row_group_size=9)
        (folder / "_SUCCESS").write_bytes(b"")
        return folder

    @pytest.mark.parametrize("copy", [True, False, "auto"])
    @pytest.mark.parametrize("pattern", [False, True])
    def test_the_tree_of_memory(self, X, folder, fit, copy, pattern, tmp_path):
        path = f"{folder}/**/*.parquet" if pattern else folder
        out = tmp_path / "labels.npy"
        model = fit(path, columns=NAMES, copy=copy, labels=out)
        local = in_memory(X)
        same_bits(model.tree_, local.tree_)
        assert model.inertia_ == local.inertia_
        assert model.feature_names_in_.tolist() == NAMES
        np.testing.assert_array_equal(np.load(out), local.labels_)

    def test_weights_and_a_sample(self, X, folder, fit):
        weight = np.arange(len(X)) % 3 + 0.5
        params = {"subsample": 40, "max_leaf_nodes": 6, "random_state": 0}
        found = fit(folder, columns=NAMES, weight="w", copy=False, **params)
        same_bits(found.tree_, in_memory(X, sample_weight=weight, **params).tree_)

    def test_one_file_is_read_again_too(self, X, fit, tmp_path):
        path = tmp_path / "one.parquet"
        parquet.write_table(table_of(X), path, row_group_size=40)
        same_bits(fit(path, copy=False).tree_, in_memory(X).tree_)

    @pytest.mark.parametrize("params", [{"engine": "auto"}, {"search": "local"}])
    def test_who_needs_all_rows_at_once_has_them(self, folder, fit, params):
        found = fit(folder, columns=NAMES, copy=False, **params)
        same_bits(found.tree_, fit(folder, columns=NAMES, copy=True, **params).tree_)

    def test_what_is_wrong_is_told(self, X, folder, fit, tmp_path):
        with pytest.raises(FileNotFoundError, match="No file has such a name"):
            fit_file(f"{folder}/*.none", 2)
        (tmp_path / "empty").mkdir()
        with pytest.raises(IsADirectoryError, match="without Parquet files"):
            fit_file(tmp_path / "empty", 2)
        (folder / "e.csv").write_text("a,b\n1,2\n")
        with pytest.raises(ValueError, match="only Parquet is read"):
            fit_file(f"{folder}/*.*", 2)
        with pytest.raises(ValueError, match="copy='yes' must be"):
            fit(folder, copy="yes")
        with pytest.raises(ValueError, match="copy=False goes with Parquet"):
            fit_file(folder / "e.csv", 2, copy=False)
        parquet.write_table(table_of(X[:5], ["x", "girth", "age"]), folder / "z.parquet")
        with pytest.raises(ValueError, match=r"z\.parquet.*columns are not those of"):
            fit(folder)

    def test_row_groups_that_are_too_large(self, X, folder, fit, monkeypatch):
        from agathis._io import file_rows

        monkeypatch.setattr(file_rows, "GROUP_BYTES", 100)
        with pytest.raises(ValueError, match="row group of 9 rows"):
            fit(folder, columns=NAMES, copy=False)

    def test_without_room_files_are_read_again(self, X, folder, fit, monkeypatch):
        """A copy that does not fit is not tried."""
        from agathis._encoding import memory_mapped

        class Full:
            free = 0

        monkeypatch.setattr(memory_mapped.shutil, "disk_usage", lambda path: Full)
        monkeypatch.setattr(memory_mapped, "_write", None)
        same_bits(fit(folder, columns=NAMES).tree_, in_memory(X).tree_)
