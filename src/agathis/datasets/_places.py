"""Where the table of a set is found: a folder of the user, scikit-learn, the cache, its source.

The folder is ``data_home`` or else the one that ``AGATHIS_DATA`` names; it is only read.
"""

from __future__ import annotations

import os
from pathlib import Path

from agathis.datasets._entry import Bundled, Entry
from agathis.datasets._tables import RawTable, make_table, read_table


def find_table(entry: Entry, data_home: str | os.PathLike[str] | None) -> tuple[RawTable, str]:
    """The table of a set, and the file or the place that it was read from."""
    folder = _folder(data_home)
    if folder is not None and (path := folder / entry.file_name).exists():
        return read_table(entry, path), str(path)
    if isinstance(entry.source, Bundled):
        return _bundled(entry, entry.source), f"sklearn.datasets.{entry.source.loader}"
    raise FileNotFoundError(
        f"{entry.file_name} is in no folder that is known. Let AGATHIS_DATA or data_home name one."
    )


def _folder(data_home: str | os.PathLike[str] | None) -> Path | None:
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
