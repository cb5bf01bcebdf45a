"""A server of files on this machine, and files in the forms in which data sets are published."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import threading
import zipfile
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import numpy as np
import pytest

from paper.datasets import sources
from paper.datasets.entry import File
from paper.datasets.registry import REGISTRY
from paper.datasets.set_files import RawTable
from paper.datasets.sources import table_sum


class Site:
    """``files`` by path, all of which can be changed, and the paths that were ``asked`` for."""

    def __init__(self, port: int):
        self.address = f"http://127.0.0.1:{port}"
        self.files: dict[str, bytes] = {}
        self.asked: list[str] = []

    def at(self, path: str) -> str:
        return f"{self.address}{path}"


@contextmanager
def serving():
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            site.asked.append(self.path)
            data = site.files.get(self.path)
            self.send_response(404 if data is None else 200)
            self.send_header("Content-Length", str(len(data or b"")))
            self.end_headers()
            self.wfile.write(data or b"")

        def log_message(self, format, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site = Site(server.server_port)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def publish(name: str, table: RawTable, site: Site, monkeypatch) -> None:
    """Put a table on the site as its source has it, and let the registry point there."""
    entry = REGISTRY[name]
    if not hasattr(entry.source, "files"):
        return publish_openml(name, table, site, monkeypatch)
    back = {ours: theirs for theirs, ours in entry.source.labels.items()}
    labels = [back.get(label, label) for label in table.labels.tolist()]
    contents = _WRITERS[entry.source.reader](table.values, labels)
    files = []
    for file, data in zip(entry.source.files, contents, strict=True):
        path = urlsplit(file.url).path
        site.files[path] = data
        sha256 = file.sha256 and hashlib.sha256(data).hexdigest()
        files.append(File(site.at(path), sha256))
    source = replace(entry.source, files=tuple(files))
    if source.table_sha256:
        source = replace(source, table_sha256=table_sum(table))
    monkeypatch.setitem(REGISTRY, name, replace(entry, source=source))


def matrix_files(values: np.ndarray, labels: list[str]) -> list[bytes]:
    lines = "\n".join(" ".join(map(repr, row)) for row in values.tolist())
    return [gzip.compress(text.encode()) for text in (lines, "\n".join(labels))]


def rda_file(values: np.ndarray, labels: list[str]) -> list[bytes]:
    import rdata

    if not hasattr(rdata, "write_rda"):
        pytest.skip("this rdata reads files and writes none")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "Lsun3D.rda"
        rdata.write_rda(path, {"Lsun3D": {"Data": values, "Cls": np.array(labels, dtype=float)}})
        return [path.read_bytes()]


def avila_archive(values: np.ndarray, labels: list[str], nested: bool = False) -> list[bytes]:
    lines = [
        ",".join([*(f"{value:.6f}" for value in row), label])
        for row, label in zip(values.tolist(), labels, strict=True)
    ]
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("avila/avila-description.txt", "Not a table, 1")
        archive.writestr("avila/avila-ts.txt", "\r\n".join(lines[10430:]) + "\r\n")
        archive.writestr("avila/avila-tr.txt", "\n".join(lines[:10430]))
    if not nested:
        return [held.getvalue()]
    outer = io.BytesIO()
    with zipfile.ZipFile(outer, "w") as archive:
        archive.writestr("avila.zip", held.getvalue())
    return [outer.getvalue()]


_WRITERS = {"matrix": matrix_files, "rda": rda_file, "avila": avila_archive}


def publish_openml(name: str, table: RawTable, site: Site, monkeypatch) -> None:
    """The pages that scikit-learn asks OpenML for, and an ARFF file."""
    from sklearn.datasets import _openml

    source = REGISTRY[name].source
    columns, rows = openml_rows(name, table)
    arff = arff_file(columns, rows)
    path = f"/data/v1/download/1/{name}.arff"
    features = [
        {
            "index": str(i),
            "name": column,
            "data_type": "numeric" if kind == "NUMERIC" else "nominal",
            "is_target": "true" if i == len(columns) - 1 else "false",
            "is_ignore": "false",
            "is_row_identifier": "false",
            "number_of_missing_values": str(sum(row[i] == "?" for row in rows)),
        }
        for i, (column, kind) in enumerate(columns)
    ]
    description = {
        "id": "1",
        "name": source.name,
        "version": str(source.version),
        "description": "Drawn.",
        "format": "ARFF",
        "status": "active",
        "file_id": "1",
        "url": site.at(path),
        "md5_checksum": hashlib.md5(arff).hexdigest(),
    }
    qualities = [{"name": "NumberOfInstances", "value": str(len(rows))}]
    listed = {"did": 1, "version": source.version, "status": "active", "name": source.name}
    page = urlsplit(sources.OPENML_PAGE.format(source.name.lower(), source.version)).path
    pages = {
        page: {"data": {"dataset": [listed]}},
        "/api/v1/json/data/1": {"data_set_description": description},
        "/api/v1/json/data/features/1": {"data_features": {"feature": features}},
        "/api/v1/json/data/qualities/1": {"data_qualities": {"quality": qualities}},
    }
    site.files |= {place: json.dumps(held).encode() for place, held in pages.items()}
    site.files[path] = site.files["/data/v1/download/1"] = arff
    here = site.at(urlsplit(sources.OPENML_PAGE).path)
    monkeypatch.setattr(sources, "OPENML_PAGE", here)
    for key, value in list(vars(_openml).items()):
        if isinstance(value, str) and value.startswith("https://") and "openml.org" in value:
            there = f"https://{urlsplit(value).netloc}"
            monkeypatch.setattr(_openml, key, value.replace(there, site.address, 1))


def openml_rows(name: str, table: RawTable) -> tuple[list[tuple[str, str]], list[list[str]]]:
    """Columns with their kinds, and rows as OpenML has them: some miss values, some are extra."""
    entry = REGISTRY[name]
    words = {ours: theirs for theirs, ours in entry.source.labels.items()}
    values = {ours: theirs or "?" for theirs, ours in entry.source.values.items()}
    numbers = name != "car_evaluation"
    rows = []
    for row, label in zip(table.values.tolist(), table.labels.tolist(), strict=True):
        cells = [repr(cell).removesuffix(".0") if numbers else cell for cell in row]
        rows.append([*(values.get(c, c) for c in cells), words.get(label, label)])
    if name in ("breast_cancer", "mice_protein"):
        rows.insert(0, ["?", *rows[5][1:]])
        rows.insert(100, [*rows[7][:-2], "?", rows[7][-1]])
    kinds = ["NUMERIC"] * len(entry.features)
    if name in ("car_evaluation", "congress"):
        kinds = [nominal(row[i] for row in rows) for i in range(len(kinds))]
    if name == "haberman":
        kinds[1] = nominal(row[1] for row in rows)
    columns = [
        (f"Their_{feature}", kind) for feature, kind in zip(entry.features, kinds, strict=True)
    ]
    columns.append(("Class", nominal(row[-1] for row in rows)))
    if name == "vowel":
        columns[:0] = [("Train_or_Test", "{Train,Test}"), ("Speaker", "{Al,Jo}")]
        rows = [["Train", "Al", *row] for row in rows]
    if name == "mice_protein":
        columns[-1:-1] = [("Genotype", "{Control,Ts65Dn}")]
        rows = [[*row[:-1], "Control", row[-1]] for row in rows]
    return columns, rows


def nominal(cells) -> str:
    return "{" + ",".join(sorted({cell for cell in cells if cell != "?"})) + "}"


def arff_file(columns: list[tuple[str, str]], rows: list[list[str]]) -> bytes:
    head = [f"@ATTRIBUTE {name} {kind}" for name, kind in columns]
    lines = ["@RELATION drawn", *head, "@DATA", *(",".join(row) for row in rows)]
    return "\n".join(lines).encode()
