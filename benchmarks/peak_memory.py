"""Print, as JSON, the memory that one fit with the kernel in blocks needs above its data.

A program of its own because a peak belongs to a process: ``python benchmarks/peak_memory.py ROWS``
"""

import json
import os
import resource
import sys
import time
from pathlib import Path

from data import blobs

from agathis import Kauri

MEGABYTE = 1e6


def resident():
    """Bytes of memory in use now."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:  # no /proc: the peak so far is the nearest there is
        return peak()
    return pages * os.sysconf("SC_PAGE_SIZE")


def peak():
    """Bytes of memory in use at the worst moment so far.

    Linux starts ru_maxrss of a new program at the peak of the one that started it, and ours may
    hold kernel matrices. VmHWM is the program's own.
    """
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def measure(n_rows):
    X = blobs(n_rows, 10)
    # Threads and whatever else every fit needs shall be there before the measurement.
    Kauri(n_clusters=2, kernel="rbf", engine="blocks", max_leaf_nodes=None).fit(X[:50])
    model = Kauri(n_clusters=10, kernel="rbf", max_leaf_nodes=48, engine="blocks")
    before = resident()
    start = time.perf_counter()
    model.fit(X)
    seconds = time.perf_counter() - start
    return {
        "seconds": seconds,
        "resident_before_mb": before / MEGABYTE,
        "peak_above_mb": (peak() - before) / MEGABYTE,
        "kernel_matrix_mb": n_rows**2 * 8 / MEGABYTE,
        "leaves": int(model.n_leaves_),
        "clusters": int(model.n_clusters_),
    }


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]))))
