"""Disks, folders, pipes, memory and signals that fail a command: words, and nothing lost."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from agathis import Kauri, fit_file
from agathis.export import to_json

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="signals and limits of POSIX"),
]
OLD = "what was there before"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model and a table of a megabyte."""
    place = tmp_path_factory.mktemp("faults")
    X = np.random.default_rng(0).normal(size=(20_000, 3))
    np.savetxt(place / "t.csv", X, delimiter=",", header="a,b,c", comments="", fmt="%.6f")
    model = Kauri(3, max_leaf_nodes=None).fit(X[:500])
    to_json(model, place / "m.json", feature_names=["a", "b", "c"])
    return place


def command(*args, **options):
    return subprocess.run(
        [sys.executable, "-m", "agathis", *map(str, args)],
        capture_output=True,
        text=True,
        timeout=300,
        **options,
    )


def predict(folder, target, *more, **options):
    args = ["predict", folder / "m.json", folder / "t.csv", "--with-data", "-o", target, *more]
    return command(*args, **options)


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 64 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(place)]
    try:
        made = subprocess.run(mount, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("there is no mount here")
    if made.returncode:
        pytest.skip(f"nothing can be mounted here: {made.stderr.strip()}")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk(folder, small_disk):
    target = small_disk / "out.csv"
    target.write_text(OLD)
    ended = predict(folder, target)
    assert ended.returncode == 1
    assert "No space left on device" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert target.read_text() == OLD
    assert os.listdir(small_disk) == ["out.csv"]


def test_a_full_disk_for_the_copy_of_the_rows(folder, small_disk):
    with pytest.raises(OSError, match=r"cannot be copied into .*temp_dir="):
        fit_file(folder / "t.csv", 2, temp_dir=small_disk)
    assert os.listdir(small_disk) == []


def test_a_folder_that_may_not_be_written(folder, small_disk):
    target = small_disk / "out.csv"
    target.write_text(OLD)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    ended = predict(folder, target)
    assert ended.returncode == 1
    assert "out.csv cannot be written" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert target.read_text() == OLD


def test_a_pipe_that_nobody_reads(folder):
    running = subprocess.Popen(
        [sys.executable, "-m", "agathis", "predict", folder / "m.json", folder / "t.csv"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    running.stdout.close()
    said = running.stderr.read().decode()
    running.stderr.close()
    assert running.wait(timeout=300) == 0
    assert "Traceback" not in said
    assert "BrokenPipe" not in said


LITTLE = """
import resource, sys
from pathlib import Path
import numpy as np, pyarrow.csv, pyarrow.parquet
import agathis, agathis._io.read_table
from agathis._cli.app import run
# What a fit imports takes memory of its own.
few = np.repeat([0.0, 1.0, 3.0], 4)
agathis.fit_table(pyarrow.table({"a": few, "b": few[::-1]}), 2)
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (24 << 20), resource.RLIM_INFINITY))
sys.argv = ["agathis", *sys.argv[1:]]
run()
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is told elsewhere")
def test_little_memory(tmp_path):
    """A table of 60 MB in a process that may have 24 MB more than it has."""
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1.25,2.5\n" * 6_000_000)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    ended = subprocess.run(
        [sys.executable, "-c", LITTLE, "fit", str(path), "-k", "2", "--jobs", "1"],
        capture_output=True,
        text=True,
        timeout=300,
        env=environment,
    )
    assert ended.returncode == 1
    assert "memory" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_that_asks_to_end(folder, tmp_path, name):
    """It is sent while the labels are written, which is known by the file beside their place."""
    temp = tmp_path / "temp"
    temp.mkdir()
    target = tmp_path / "out.csv"
    target.write_text(OLD)
    code = SLOW_WRITE.format(args=[*map(str, predict_args(folder, target))])
    running = subprocess.Popen(
        [sys.executable, "-c", code],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(temp)},
    )
    until = time.monotonic() + 200
    while not list(tmp_path.glob(".out.csv.*.tmp")) and time.monotonic() < until:
        assert running.poll() is None, running.stderr.read()
        time.sleep(0.02)
    number = getattr(signal, name)
    running.send_signal(number)
    said = running.communicate(timeout=100)[1]
    assert running.returncode == 128 + number
    assert said.endswith("Stopped.\n")
    assert target.read_text() == OLD
    assert sorted(os.listdir(tmp_path)) == ["out.csv", "temp"]
    assert os.listdir(temp) == []


def predict_args(folder, target):
    return ["predict", folder / "m.json", folder / "t.csv", "-o", target]


# Whoever writes rests before the file is put in its place, so that the signal comes in between.
SLOW_WRITE = """
import os, sys, time
replace = os.replace
def slow(*paths):
    time.sleep(100)
    replace(*paths)
os.replace = slow
from agathis._cli.app import run
sys.argv = ["agathis", *{args!r}]
run()
"""
