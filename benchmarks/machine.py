"""What the figures were measured on."""

import datetime
import importlib.metadata
import os
import platform
from pathlib import Path

LIBRARIES = ("agathis", "gemclus", "numpy", "scipy", "scikit-learn")


def describe():
    """A dict for the head of the results: processor, cores, load, versions, date."""
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "cpu": cpu_model(),
        "cores": usable_cores(),
        "load": os.getloadavg()[0],  # before the first case: anything but about 0 spoils the times
        "system": platform.system(),
        "python": platform.python_version(),
        "libraries": {name: version(name) for name in LIBRARIES},
    }


def cpu_model():
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def usable_cores():
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()


def version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
