"""Data sets that are downloaded, from a server on this machine: what is kept, what is refused."""

import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.examples import mostly_slow

from paper.datasets import load, sources
from paper.datasets.entry import Bundled, Download, OpenML
from paper.datasets.places import find_table
from paper.datasets.registry import REGISTRY
from paper.tests.helpers.paper_tables import lookalike, write_lookalike
from paper.tests.helpers.source_server import avila_archive, publish, serving

DOWNLOADED = [name for name, e in REGISTRY.items() if not isinstance(e.source, Bundled)]
FILES = [name for name in DOWNLOADED if isinstance(REGISTRY[name].source, Download)]
#: Those that take a second are the others.
SMALL = [name for name in DOWNLOADED if name not in ("avila", "digits", "mice_protein")]
needs_data = pytest.mark.skipif("AGATHIS_DATA" not in os.environ, reason="AGATHIS_DATA is not set")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache and an empty folder for temporary files; no folder of the user."""
    monkeypatch.delenv("AGATHIS_DATA", raising=False)
    monkeypatch.setenv("AGATHIS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path / "cache"


@pytest.fixture
def site():
    with serving() as site:
        yield site


def kept(cache):
    """All files in the cache and among the temporary ones."""
    temporary = cache.parent / "temporary"
    return sorted(p.name for folder in (cache, temporary) for p in folder.rglob("*"))


def same(found, table):
    np.testing.assert_array_equal(found.values, table.values)
    np.testing.assert_array_equal(found.labels, table.labels)


@pytest.mark.parametrize("name", mostly_slow(DOWNLOADED, *SMALL))
def test_what_is_published_is_loaded_and_kept(name, site, cache, monkeypatch):
    table = lookalike(name)
    publish(name, table, site, monkeypatch)
    first = load(name)
    assert first.filename == str(cache / f"{name}.csv.gz")
    assert kept(cache) == [f"{name}.csv.gz"]
    same(find_table(REGISTRY[name], None)[0], table)
    assert site.asked
    site.asked.clear()
    site.files.clear()
    again = load(name)
    assert site.asked == []
    np.testing.assert_array_equal(first.data, again.data)
    np.testing.assert_array_equal(first.target, again.target)


@needs_data
@pytest.mark.parametrize("name", mostly_slow(DOWNLOADED, *SMALL))
def test_real_tables_pass_through_the_form_of_their_source(name, site, tmp_path, monkeypatch):
    table, _ = find_table(REGISTRY[name], None)
    monkeypatch.delenv("AGATHIS_DATA")
    monkeypatch.setenv("AGATHIS_CACHE", str(tmp_path))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    known = REGISTRY[name].source
    publish(name, table, site, monkeypatch)
    if name == "avila":
        assert REGISTRY[name].source.table_sha256 == known.table_sha256
    same(find_table(REGISTRY[name], None)[0], table)


@pytest.mark.slow
def test_an_archive_in_an_archive(site, cache, monkeypatch):
    table = lookalike("avila")
    publish("avila", table, site, monkeypatch)
    (path,) = site.files
    (site.files[path],) = avila_archive(table.values, table.labels.tolist(), nested=True)
    same(find_table(REGISTRY["avila"], None)[0], table)


def test_the_cache_is_a_folder_that_can_be_given(site, cache, monkeypatch):
    publish("tetra", lookalike("tetra"), site, monkeypatch)
    first = load("tetra")
    monkeypatch.setenv("AGATHIS_CACHE", str(cache.parent / "another"))
    site.asked.clear()
    again = load("tetra", data_home=cache)
    assert site.asked == []
    assert first.filename == again.filename
    np.testing.assert_array_equal(first.data, again.data)


def test_folders_come_before_the_cache_and_the_source(site, cache, tmp_path, monkeypatch):
    publish("tetra", lookalike("tetra"), site, monkeypatch)
    home = tmp_path / "home"
    home.mkdir()
    write_lookalike("tetra", home)
    assert load("tetra", data_home=home).filename == str(home / "tetra.csv.gz")
    monkeypatch.setenv("AGATHIS_DATA", str(home))
    assert load("tetra").filename == str(home / "tetra.csv.gz")
    assert site.asked == []
    # What the folder lacks is looked for further on; nothing is written into it.
    publish("hepta", lookalike("hepta"), site, monkeypatch)
    assert load("hepta").filename == str(cache / "hepta.csv.gz")
    assert [path.name for path in home.iterdir()] == ["tetra.csv.gz"]


@pytest.mark.parametrize("name", FILES)
def test_a_changed_file_is_refused(name, site, cache, monkeypatch):
    publish(name, lookalike(name), site, monkeypatch)
    last = list(site.files)[-1]
    data = site.files[last]
    site.files[last] = data[: len(data) // 2] + b"?" + data[len(data) // 2 + 1 :]
    with pytest.raises(ValueError, match=f"What came for '{name}' from http") as caught:
        load(name)
    assert site.at(last) in str(caught.value)
    assert re.search(r"nothing of it is kept.*data_home .* AGATHIS_DATA", str(caught.value))
    if name != "avila":
        assert "hash" in str(caught.value)
    assert kept(cache) == []


def test_a_changed_table_is_refused(site, cache, monkeypatch):
    table = lookalike("avila")
    publish("avila", table, site, monkeypatch)
    values = table.values.copy()
    values[3, 3] += 0.5
    (path,) = site.files
    (site.files[path],) = avila_archive(values, table.labels.tolist())
    with pytest.raises(ValueError, match=r"'avila' from http.* its table has the SHA-256"):
        load("avila")
    assert kept(cache) == []


def test_an_archive_of_other_files_is_refused(site, cache, monkeypatch):
    import io
    import zipfile

    publish("avila", lookalike("avila"), site, monkeypatch)
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("avila-tr.txt", "1,A")
    (path,) = site.files
    site.files[path] = held.getvalue()
    with pytest.raises(ValueError, match=r"the archive lacks avila-ts\.txt"):
        load("avila")


def test_an_archive_that_cannot_be_opened_is_refused(site, cache, monkeypatch):
    publish("avila", lookalike("avila"), site, monkeypatch)
    (path,) = site.files
    data = bytearray(site.files[path])
    # The first bit of the flags of each member, in both of its headers, says that it is encrypted.
    for head, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        for match in re.finditer(re.escape(head), bytes(data)):
            data[match.start() + flags] |= 1
    site.files[path] = bytes(data)
    with pytest.raises(ValueError, match=r"What came for 'avila' from http.*encrypted"):
        load("avila")
    assert kept(cache) == []


def test_an_archive_that_is_too_large_is_refused(site, cache, monkeypatch):
    publish("avila", lookalike("avila"), site, monkeypatch)
    monkeypatch.setattr(sources, "MOST_BYTES", 1000)
    with pytest.raises(ValueError, match=r"What came for 'avila' from http.*avila-tr.txt has \d+"):
        load("avila")
    assert kept(cache) == []


def test_a_changed_file_of_openml_is_refused(site, cache, monkeypatch):
    publish("haberman", lookalike("haberman"), site, monkeypatch)
    for path in site.files:
        if "download" in path:
            site.files[path] += b"\n"
    with warnings.catch_warnings():
        # scikit-learn says that it tries again.
        warnings.simplefilter("ignore", RuntimeWarning)
        with pytest.raises(ValueError, match=r"What came for 'haberman' from http.*checksum"):
            load("haberman")
    assert kept(cache) == []


@pytest.mark.parametrize("name", ["hepta", "vowel"])
def test_another_table_is_refused(name, site, cache, monkeypatch):
    table = lookalike(name)
    labels = table.labels.copy()
    labels[0] = labels[labels != labels[0]][0]
    publish(name, replace(table, labels=labels), site, monkeypatch)
    with pytest.raises(ValueError, match=f"'{name}' from http.*its classes and their sizes are"):
        load(name)
    assert kept(cache) == []


@pytest.mark.parametrize("name", ["atom", "lsun", "avila", "congress"])
def test_nobody_answers(name, cache, monkeypatch):
    with serving() as site:
        publish(name, lookalike(name), site, monkeypatch)
    with pytest.raises(OSError, match=f"'{name}' could not be downloaded from {site.address}/"):
        load(name)
    with pytest.raises(OSError, match=r"Connection refused.*data_home .* AGATHIS_DATA") as caught:
        load(name)
    # One cause, without the chain of those who passed it on.
    cause = caught.value.__cause__
    assert isinstance(cause, ConnectionRefusedError)
    assert cause.__traceback__ is cause.__cause__ is cause.__context__ is None
    assert kept(cache) == []


def test_the_cause_is_not_what_the_caller_handles(cache, monkeypatch):
    with serving() as site:
        publish("atom", lookalike("atom"), site, monkeypatch)

    try:
        raise KeyError("of the caller")
    except KeyError:
        with pytest.raises(OSError, match="ConnectionRefusedError"):
            load("atom")


@pytest.mark.parametrize("name", ["atom", "congress"])
def test_a_page_that_is_gone(name, site, cache, monkeypatch):
    publish(name, lookalike(name), site, monkeypatch)
    site.files.clear()
    with pytest.raises(OSError, match=f"'{name}' could not be downloaded from http.*404"):
        load(name)
    assert kept(cache) == []


@pytest.mark.parametrize("name", ["atom", "congress"])
def test_a_server_that_says_nothing(name, cache, monkeypatch):
    monkeypatch.setattr(sources, "_TIMEOUT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        entry = REGISTRY[name]
        if isinstance(entry.source, OpenML):
            monkeypatch.setattr(sources, "OPENML_PAGE", address + "/{}/{}")
        else:
            files = tuple(replace(file, url=f"{address}/a.gz") for file in entry.source.files)
            changed = replace(entry, source=replace(entry.source, files=files))
            monkeypatch.setitem(REGISTRY, name, changed)
        with pytest.raises(OSError, match=f"'{name}' could not be downloaded.*imed out"):
            load(name)


def test_loads_at_once(site, cache, monkeypatch):
    publish("tetra", lookalike("tetra"), site, monkeypatch)
    gate = threading.Barrier(8)

    def one(_):
        gate.wait()
        return load("tetra").data

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(one, range(8)))
    for data in found:
        np.testing.assert_array_equal(data, lookalike("tetra").values)
    assert kept(cache) == ["tetra.csv.gz"]


def test_a_cache_that_cannot_be_written(site, cache, monkeypatch):
    publish("tetra", lookalike("tetra"), site, monkeypatch)
    cache.write_text("a file where the folder should be")
    with pytest.raises(OSError, match=r"tetra.csv.gz .*cannot be kept in .*AGATHIS_CACHE name"):
        load("tetra")


def test_a_damaged_file_in_the_cache(site, cache, monkeypatch):
    publish("tetra", lookalike("tetra"), site, monkeypatch)
    cache.mkdir()
    (cache / "tetra.csv.gz").write_bytes(b"x")
    wanted = r"cache.tetra.csv.gz is not the table of 'tetra'.* Remove the file to have it"
    with pytest.raises(ValueError, match=wanted):
        load("tetra")
    (cache / "tetra.csv.gz").unlink()
    assert load("tetra").data.shape == (400, 3)


@pytest.mark.parametrize(
    ("name", "package"), [("tetra", "pooch"), ("lsun", "rdata"), ("vowel", "pandas")]
)
def test_packages_that_are_not_installed(name, package, site, cache, monkeypatch):
    publish(name, lookalike(name), site, monkeypatch)
    monkeypatch.setitem(sys.modules, package, None)
    install = r'pip install "agathis\[paper\]"'
    wanted = f"'{name}' is not on this machine.* needs {package}: {install}"
    with pytest.raises(ImportError, match=f"{wanted}.*AGATHIS_DATA.* {name}.csv.gz"):
        load(name)


@pytest.mark.slow
def test_nothing_is_imported_that_is_not_needed():
    code = "import sys; from paper.datasets import load; load('iris'); print(*sys.modules)"
    environment = {k: v for k, v in os.environ.items() if k != "AGATHIS_DATA"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert {"pooch", "requests", "rdata"}.isdisjoint(done.stdout.split())


def test_addresses_are_fixed():
    for name in FILES:
        for file in REGISTRY[name].source.files:
            assert file.url.startswith("https://")
            if name == "avila":
                assert re.fullmatch("[0-9a-f]{64}", REGISTRY[name].source.table_sha256)
            else:
                assert re.fullmatch("[0-9a-f]{64}", file.sha256)
                assert re.search("/[0-9a-f]{40}/", file.url)
    assert Path(REGISTRY["lsun"].source.address).name == "Lsun3D.rda"
