"""Print, as JSON, the time and memory of binned fits of very many rows.

A program of its own because a peak belongs to a process:
``python benchmarks/many_rows.py memory ROWS``, ``... mapped ROWS`` or ``... file ROWS``.
"""

import json
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from data import many_blobs
from peak_memory import MEGABYTE, peak

from agathis import Kauri, fit_file

REPEATS = 3


def fits(X):
    """Seconds of some fits; threads and libraries are there before."""
    model = Kauri(10, max_leaf_nodes=40, engine="binned")
    model.fit(np.array(X[:1000]))
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        model.fit(X)
        seconds.append(time.perf_counter() - start)
    return {"seconds": statistics.median(seconds), "all_seconds": seconds}


def memory(n):
    X = many_blobs(n, 20)
    found = fits(X)
    return {**found, "peak_mb": peak() / MEGABYTE, "data_mb": X.nbytes / MEGABYTE}


def mapped(n):
    """The rows lie in a file; what counts is memory that the system cannot take back."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.npy"
        X = np.lib.format.open_memmap(path, "w+", np.float32, (n, 20))
        for begin in range(0, n, 1_000_000):
            X[begin : begin + 1_000_000] = many_blobs(min(1_000_000, n - begin), 20)
        X.flush()
        del X
        X = np.load(path, mmap_mode="r")
        found = watched(lambda: fits(X))
    return {**found, "data_mb": X.nbytes / MEGABYTE}


def parquet(n):
    """The same rows in a Parquet file, read by ``fit_file``; the labels are written too."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    names = [f"x{f}" for f in range(20)]
    schema = pa.schema([(name, pa.float32()) for name in names])
    with tempfile.TemporaryDirectory() as folder:
        path, labels = Path(folder) / "rows.parquet", Path(folder) / "labels.parquet"
        with ParquetWriter(path, schema) as writer:
            for begin in range(0, n, 500_000):
                rows = many_blobs(min(500_000, n - begin), 20)
                writer.write_table(pa.table(list(rows.T), schema=schema), row_group_size=100_000)
        del rows
        fit_file(path, 10, max_leaf_nodes=2, columns=names[:1])  # what every fit needs is there

        def fit():
            start = time.perf_counter()
            fit_file(path, 10, max_leaf_nodes=40, labels=labels)
            seconds = time.perf_counter() - start
            return {"seconds": seconds, "all_seconds": [seconds]}

        found = watched(fit)
    return {**found, "data_mb": n * 20 * 4 / MEGABYTE}


def watched(work):
    """What ``work`` found, with the most memory above what was there before."""
    before, most, done = anonymous(), [0], threading.Event()

    def watch():
        while not done.wait(0.01):
            most[0] = max(most[0], anonymous())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        found = work()
    finally:
        done.set()
        watcher.join()
    return {**found, "peak_above_mb": (most[0] - before) / MEGABYTE}


def anonymous():
    """Bytes of memory that are in no file."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise OSError("this system does not tell RssAnon")


if __name__ == "__main__":
    case = {"memory": memory, "mapped": mapped, "file": parquet}[sys.argv[1]]
    print(json.dumps(case(int(sys.argv[2]))))
