"""Tables from the places where they were published.

Files come over HTTP with pooch, which checks them, into a folder that is removed; a reader makes
rows and labels of them. Sets of OpenML come through scikit-learn, which checks them too. Nothing
is kept here: what is returned has passed ``make_table``. Whatever fails is told in one error that
names the set, the address and what else can be done.
"""

from __future__ import annotations

import hashlib
import os
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

import numpy as np

from agathis._utils.extras import needed
from paper.datasets.entry import Bundled, Download, Entry, File, OpenML
from paper.datasets.set_files import MOST_BYTES, RawTable, make_table

# Seconds for a connection, and for any part of an answer.
_TIMEOUT = 10
# The first page that scikit-learn asks for.
OPENML_PAGE = "https://www.openml.org/api/v1/json/data/list/data_name/{}/limit/2/data_version/{}"

# What readers raise; zipfile a RuntimeError for archives that are encrypted or packed otherwise.
_BROKEN = (ValueError, LookupError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)

Rows = tuple[Any, Any]


def cache_folder(entry: Entry) -> Path:
    """Where tables are kept: the folder that AGATHIS_CACHE names, or the user's cache."""
    given = os.environ.get("AGATHIS_CACHE")
    if given:
        return Path(given).expanduser()
    return Path(_module("pooch", entry).os_cache("agathis"))


def fetch(entry: Entry) -> RawTable:
    """The table of a set from its source."""
    source = entry.source
    # What comes with scikit-learn is not asked for here.
    assert not isinstance(source, Bundled)
    if isinstance(source, OpenML):
        address = OPENML_PAGE.format(source.name.lower(), source.version)
        with _told(entry, address):
            return make_table(entry, *_from_openml(entry, source, address))
    with TemporaryDirectory() as folder:
        paths = []
        for file in source.files:
            with _told(entry, file.url):
                paths.append(_download(entry, file, Path(folder)))
        with _told(entry, source.address):
            rows, labels = _READERS[source.reader](entry, paths)
            known = [source.labels.get(label, label) for label in map(str, labels)]
            table = make_table(entry, rows, known)
            _check_sum(source, table)
            return table


@contextmanager
def _told(entry: Entry, address: str) -> Iterator[None]:
    """Errors say what was tried, and what can be done."""
    ways = (
        f"Or put {entry.file_name} into a folder, and let data_home or the environment variable "
        "AGATHIS_DATA name the folder."
    )
    before = sys.exc_info()[1]
    try:
        yield
    except OSError as error:
        if isinstance(error, HTTPError):
            error.close()
        first: BaseException = error
        while first.__context__ not in (None, before):
            first = first.__context__
        # Its place in urllib3, and what others made of it, say the same at length.
        raise OSError(
            f"{entry.name!r} could not be downloaded from {address}: "
            f"{type(first).__name__}: {first}. Try again with a connection. {ways}"
        ) from first.with_traceback(None)
    except _BROKEN as error:
        raise ValueError(
            f"What came for {entry.name!r} from {address} is not what was expected, and nothing of "
            f"it is kept. {type(error).__name__}: {error} Try again: it may have been cut short or "
            f"changed on its way. {ways}"
        ) from error


def _module(name: str, entry: Entry) -> ModuleType:
    return needed(
        name,
        "paper",
        f"{entry.name!r} is not on this machine, and to download it",
        "Or let data_home or the environment variable AGATHIS_DATA name a folder with "
        f"{entry.file_name}.",
    )


def _download(entry: Entry, file: File, folder: Path) -> Path:
    pooch = _module("pooch", entry)
    name = urlsplit(file.url).path.rpartition("/")[2]
    store = pooch.create(
        path=folder,
        base_url="",
        registry={name: file.sha256 and f"sha256:{file.sha256}"},
        urls={name: file.url},
    )
    return Path(store.fetch(name, downloader=pooch.HTTPDownloader(timeout=_TIMEOUT)))


def _matrix(entry: Entry, paths: list[Path]) -> Rows:
    """A file of numbers with spaces between them, and one of labels."""
    data, labels = paths
    return np.loadtxt(data, ndmin=2), np.loadtxt(labels, dtype=np.int64, ndmin=1)


def _rda(entry: Entry, paths: list[Path]) -> Rows:
    """A file of R with one list, of Data and Cls."""
    (held,) = _module("rdata", entry).read_rda(paths[0]).values()
    return np.asarray(held["Data"]), np.asarray(held["Cls"]).astype(np.int64)


def _avila(entry: Entry, paths: list[Path]) -> Rows:
    """An archive with two files of lines such as ``0.1,...,0.3,A``, or with such an archive."""
    texts = _members(paths[0].read_bytes(), ("avila-tr.txt", "avila-ts.txt"))
    rows = [line.split(",") for text in texts for line in text.decode("ascii").split()]
    return [row[:-1] for row in rows], [row[-1] for row in rows]


def _members(data: bytes, names: tuple[str, ...], inner: str = "avila.zip") -> list[bytes]:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        held = {info.filename.rpartition("/")[2]: info for info in archive.infolist()}
        if inner in held:
            return _members(_read(archive, held[inner]), names, inner="")
        if lacking := sorted(set(names) - set(held)):
            raise ValueError(f"the archive lacks {', '.join(lacking)}.")
        return [_read(archive, held[name]) for name in names]


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    if info.file_size > MOST_BYTES:
        raise ValueError(f"{info.filename} has {info.file_size} bytes.")
    return archive.read(info)


_READERS: dict[str, Callable[[Entry, list[Path]], Rows]] = {
    "avila": _avila,
    "matrix": _matrix,
    "rda": _rda,
}


def _check_sum(source: Download, table: RawTable) -> None:
    if source.table_sha256 is None:
        return
    found = table_sum(table)
    if found != source.table_sha256:
        raise ValueError(f"its table has the SHA-256 {found}, not {source.table_sha256}.")


def table_sum(table: RawTable) -> str:
    """The SHA-256 of the numbers and labels of a table, however they were written."""
    values = np.ascontiguousarray(table.values, dtype="<f8").tobytes()
    return hashlib.sha256(values + "\n".join(table.labels.tolist()).encode()).hexdigest()


def _from_openml(entry: Entry, source: OpenML, address: str) -> Rows:
    pandas = _module("pandas", entry)
    from sklearn.datasets import fetch_openml

    # fetch_openml waits without end for a host that does not answer.
    with urlopen(address, timeout=_TIMEOUT):
        pass
    bunch = fetch_openml(
        source.name,
        version=source.version,
        as_frame=True,
        parser="liac-arff",
        cache=False,
        n_retries=1,
    )
    features = bunch.data.select_dtypes("number") if source.numbers_only else bunch.data
    missing = pandas.isna(features).to_numpy()
    rows, labels = [], []
    for row, gaps, label in zip(
        features.to_numpy(dtype=object), missing, bunch.target, strict=True
    ):
        cells = ["" if gap else str(value) for value, gap in zip(row, gaps, strict=True)]
        cells = [source.values.get(cell, cell) for cell in cells]
        if "" not in cells:
            rows.append(cells)
            labels.append(source.labels.get(str(label), str(label)))
    return rows, labels
