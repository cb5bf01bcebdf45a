"""Where the table of a set is found: a folder of the user, scikit-learn, the cache, its source.

The folder is ``data_home`` or else the one that ``AGATHIS_DATA`` names; it is only read. The
cache, which ``AGATHIS_CACHE`` may name, holds the same kind of files, one for each set that was
downloaded.
"""

from __future__ import annotations

import os
from pathlib import Path

from agathis._utils.files import write_atomic
from paper.datasets.entry import Bundled, Entry
from paper.datasets.set_files import RawTable, make_table, read_table, table_bytes


def find_table(entry: Entry, data_home: str | os.PathLike[str] | None) -> tuple[RawTable, str]:
    """The table of a set, and the file or the place that it was read from."""
    folder = user_folder(data_home)
    if folder is not None and (path := folder / entry.file_name).exists():
        return read_table(entry, path), str(path)
    if isinstance(entry.source, Bundled):
        return _bundled(entry, entry.source), f"sklearn.datasets.{entry.source.loader}"
    from paper.datasets.sources import cache_folder, fetch

    path = cache_folder(entry) / entry.file_name
    if not path.exists():
        _keep(path, table_bytes(entry, fetch(entry)))
    try:
        return read_table(entry, path), str(path)
    except ValueError as error:
        raise ValueError(f"{error} Remove the file to have it downloaded again.") from error


def _keep(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, data)
    except OSError as error:
        raise OSError(
            f"{path.name} was downloaded but cannot be kept in {str(path.parent)!r}: {error}. Let "
            "the environment variable AGATHIS_CACHE name a folder that can be written to."
        ) from error


def user_folder(data_home: str | os.PathLike[str] | None) -> Path | None:
    """The folder of the user's own tables, where one is named."""
    said, value = "data_home", data_home
    if value is None:
        said, value = "AGATHIS_DATA", os.environ.get("AGATHIS_DATA") or None
    if value is None:
        return None
    folder = Path(os.fsdecode(value)).expanduser()
    if not folder.is_dir():
        raise ValueError(
            f"{said} must name a folder of files such as iris.csv.gz; there is no folder "
            f"{str(folder)!r}."
        )
    return folder


def _bundled(entry: Entry, source: Bundled) -> RawTable:
    from sklearn import datasets

    bunch = getattr(datasets, source.loader)()
    # Of iris the labels are names, of the others the codes.
    names = list(entry.classes)
    return make_table(entry, bunch.data, [names[code] for code in bunch.target])
