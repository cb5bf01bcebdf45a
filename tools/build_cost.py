"""``python tools/build_cost.py``: note what a build costs, and how large a wheel is.

A wheel is built from nothing, without a cache of the compiler, and repaired with auditwheel where
that is installed. CPU seconds, sizes and the numbers of files go to ``docs/installs.json``; pages
take them from there (``tools/figures.py``). ``nox -s cost`` does all of it.
"""

from __future__ import annotations

import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import sources

HERE = Path(__file__).resolve().parents[1]
FILE = HERE / "docs" / "installs.json"


def run(*command: str | Path) -> float:
    """CPU seconds of a command and of all that it calls."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, cwd=HERE, env={**os.environ, "CCACHE_DISABLE": "1"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def megabytes(folder: Path) -> float:
    """The size of the only wheel in a folder."""
    (wheel,) = folder.glob("*.whl")
    return round(wheel.stat().st_size / 1e6, 1)


def measured() -> dict[str, float]:
    """What one build shows."""
    with tempfile.TemporaryDirectory() as folder:
        build, wheels, repaired = (Path(folder, name) for name in ("build", "wheels", "repaired"))
        seconds = run(sys.executable, "tools/build.py", build, wheels)
        found = {"build_cpu_seconds": round(seconds), "wheel_mb": megabytes(wheels)}
        if importlib.util.find_spec("auditwheel"):
            (wheel,) = wheels.glob("*.whl")
            run(sys.executable, "-m", "auditwheel", "repair", wheel, "--wheel-dir", repaired)
            found["repaired_mb"] = megabytes(repaired)
    found |= {"c_files": len(sources.sources("c")), "cython_files": len(sources.sources("cython"))}
    return found


def note() -> None:
    """Write it where pages find it; what else is there stays."""
    known = json.loads(FILE.read_text(encoding="utf-8"))
    known |= measured()
    FILE.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    note()
