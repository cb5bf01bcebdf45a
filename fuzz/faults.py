"""Kills at random moments, and what is left: ``python fuzz/faults.py --seconds 60``.

A case forks a process that fits a file, fits, predicts, compares, writes a page or runs
experiments, and sends it SIGKILL, SIGTERM or SIGINT at some moment. Afterwards

- the result is the old one or the new one, whole;
- the folder for temporary files is empty, whatever the signal;
- SIGTERM and SIGINT leave nothing beside the result; SIGKILL at most a file that the next run,
  which is made too, clears away;
- a process that was asked to end says so by its exit code;
- a run of experiments has kept every row that it had made, and a second one goes on to the same
  rows as one that nobody stopped.

``tests/fuzz/test_faults.py`` tries a full disk, a folder that may not be written, a pipe that
nobody reads and little memory too.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import random
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.append(str(Path(__file__).resolve().parent.parent))  # of paper
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import files
import numpy as np

COUNTED: Counter[str] = Counter()
SIGNALS = {"KILL": signal.SIGKILL, "TERM": signal.SIGTERM, "INT": signal.SIGINT}
OLD = b"what was there before"
IMPORTED = [
    "agathis._cli.app", "agathis._compare.comparison", "agathis._fit_table", "agathis.export",
    "agathis._kauri", "agathis._io.read_table", "agathis.report", "jinja2", "pandas",
    "pyarrow.compute", "pyarrow.csv", "pyarrow.parquet", "rich.console", "sklearn.cluster",
]  # fmt: skip
TEMPORARY = re.compile(r"\.OUT\.\w+\.[0-9a-f]{8}\.tmp")


def _fit_file(folder: str) -> None:
    from agathis import fit_file

    path = os.path.join(folder, "t.csv")
    fit_file(path, 3, labels=os.path.join(folder, "OUT.npy"), max_leaf_nodes=6, n_jobs=1)


def _command(*args: str) -> Callable[[str], None]:
    def work(folder: str) -> None:
        from agathis._cli.app import run

        places = [os.path.join(folder, arg) if "." in arg else arg for arg in args]
        sys.argv = ["agathis", *places]
        run()

    return work


WORK: dict[str, tuple[Callable[[str], None], str]] = {
    "fit_file": (_fit_file, "OUT.npy"),
    "fit": (_command(*files.FIT[:1], "t.csv", *files.FIT[2:], "-o", "OUT.json", "-q"), "OUT.json"),
    "predict": (_command("predict", "m.json", "t.csv", "--with-data", "-o", "OUT.csv"), "OUT.csv"),
    "report": (_command("report", "m.json", "t.csv", "-o", "OUT.html", "-q"), "OUT.html"),
    "compare": (
        _command(
            "compare", "t.csv", "-k", "2", "--runs", "1", "--method", "kauri", "--jobs", "1",
            "--csv", "-o", "OUT.csv", "-q",
        ),
        "OUT.csv",
    ),
}  # fmt: skip


def make(seed: int) -> dict:
    """What is done, the signal, and the moment as a share of the time that it takes."""
    chance = random.Random(seed)
    return {
        "work": chance.choice([*sorted(WORK), "experiments"]),
        "signal": chance.choice(sorted(SIGNALS)),
        "moment": round(chance.random() ** chance.choice([1, 0.2]), 4),
        "seed": seed,
    }


@cache
def _table() -> bytes:
    made = np.random.default_rng(0)
    rows = np.round(made.normal(size=(6000, 5)) + np.repeat([0, 5, 9], 2000)[:, None], 3)
    lines = [",".join(map(str, row)) for row in rows.tolist()]
    return ("a,b,c,d,e\n" + "\n".join(lines) + "\n").encode()


@cache
def _model() -> bytes:
    from agathis import Kauri
    from agathis.export import to_json

    rows = np.loadtxt(_table().decode().splitlines()[1:400], delimiter=",")
    return to_json(
        Kauri(3, n_jobs=1, max_leaf_nodes=None).fit(rows), feature_names=list("abcde")
    ).encode()


def _prepared(folder: str, target: str, old: bool) -> None:
    (Path(folder) / "t.csv").write_bytes(_table())
    (Path(folder) / "m.json").write_bytes(_model())
    if old:
        (Path(folder) / target).write_bytes(OLD)


def _forked(work: Callable[[str], None], folder: str, temp: str) -> int:
    """A process that works; its number."""
    pid = os.fork()
    if pid:
        return pid
    code = 99
    try:
        tempfile.tempdir = temp
        for stream in (1, 2):
            said = os.path.join(os.path.dirname(temp), f"said{stream}")
            os.dup2(os.open(said, os.O_CREAT | os.O_RDWR), stream)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        work(folder)
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0
    except KeyboardInterrupt:
        code = 130
    finally:
        os._exit(code)


@cache
def _whole(name: str) -> tuple[bytes, float]:
    """What work makes if it is let alone, and how long it takes; the first time is for warmth."""
    for module in IMPORTED:  # once, so that the moment falls into the work
        importlib.import_module(module)
    work, target = WORK[name]
    with tempfile.TemporaryDirectory() as place:
        folder, temp = _folders(place)
        _prepared(folder, target, old=False)
        for _ in range(2):
            started = time.monotonic()
            _, status = os.waitpid(_forked(work, folder, temp), 0)
        if os.waitstatus_to_exitcode(status):
            said = Path(place, "said2").read_text()
            raise RuntimeError(f"{name} does not even end by itself: {said[-500:]}")
        return (Path(folder) / target).read_bytes(), time.monotonic() - started


def _folders(place: str) -> tuple[str, str]:
    out = os.path.join(place, "folder"), os.path.join(place, "temp")
    for folder in out:
        os.mkdir(folder)
    return out


def ready(case: dict) -> None:
    """What it does is done before, alone."""
    _undisturbed() if case["work"] == "experiments" else _whole(case["work"])


def check(case: dict) -> str | None:
    """What is wrong with what a process left that was ended."""
    if case["work"] == "experiments":
        return _check_experiments(case)
    work, target = WORK[case["work"]]
    whole, takes = _whole(case["work"])
    number = SIGNALS[case["signal"]]
    with tempfile.TemporaryDirectory() as place:
        folder, temp = _folders(place)
        _prepared(folder, target, old=True)
        pid = _forked(work, folder, temp)
        time.sleep(case["moment"] * takes)
        os.kill(pid, number)
        _, status = os.waitpid(pid, 0)
        ended = os.waitstatus_to_exitcode(status)
        COUNTED[f"{case['work']} {case['signal']}: {'had ended' if ended == 0 else 'ended'}"] += 1
        left = Path(folder, target).read_bytes()
        if left not in (OLD, whole) and not _alike(target, left, whole):
            return f"{target} is half written: {len(left)} bytes of {len(whole)}"
        if os.listdir(temp):
            return f"temporary files are left: {os.listdir(temp)}"
        others = set(os.listdir(folder)) - {"t.csv", "m.json", target}
        # fit_file is called as a library, which leaves signals to the program around it.
        polite = case["signal"] == "INT" or (case["signal"] == "TERM" and work is not _fit_file)
        if others and (polite or not all(map(TEMPORARY.fullmatch, others))):
            return f"files are left: {sorted(others)}"
        if polite and ended not in (0, 128 + number) and ended != -number:
            return f"exit code {ended}: after {case['signal']}"
        if others:
            COUNTED["left by a kill, cleared by the next run"] += 1
            for name in others:
                os.utime(os.path.join(folder, name), (0, 0))
            os.waitpid(_forked(work, folder, temp), 0)
            if set(os.listdir(folder)) - {"t.csv", "m.json", target}:
                return f"the next run left them: {sorted(others)}"
    return None


def _experiments(folder: str) -> None:
    """One of the experiments, on made tables."""
    from paper.experiments import run

    run(folder, experiments=["angle"], quick=True, data_home=_home(), n_jobs=1, render=False)


@cache
def _home() -> str:
    from paper.tests.helpers.paper_tables import write_quick_sets

    folder = tempfile.TemporaryDirectory(prefix="fuzz-")
    atexit.register(folder.cleanup)
    write_quick_sets(Path(folder.name))
    return folder.name


def _rows(folder: str) -> list[dict]:
    from paper.experiments.store import Store

    return [{**row, "seconds": 0.0} for row in Store(folder).rows()]


@cache
def _undisturbed() -> tuple[list[dict], float]:
    """The rows of a run that nobody stopped, and how long it takes; the first is for warmth."""
    _home()
    for _ in range(2):
        with tempfile.TemporaryDirectory() as place:
            folder, temp = _folders(place)
            started = time.monotonic()
            _, status = os.waitpid(_forked(_experiments, folder, temp), 0)
            took = time.monotonic() - started
            if os.waitstatus_to_exitcode(status):
                raise RuntimeError(f"experiments: {Path(place, 'said2').read_text()[-500:]}")
            rows = _rows(folder)
    return rows, took


def _check_experiments(case: dict) -> str | None:
    whole, takes = _undisturbed()
    with tempfile.TemporaryDirectory() as place:
        folder, temp = _folders(place)
        pid = _forked(_experiments, folder, temp)
        time.sleep(case["moment"] * takes)
        os.kill(pid, SIGNALS[case["signal"]])
        _, status = os.waitpid(pid, 0)
        ended = "had ended" if os.waitstatus_to_exitcode(status) == 0 else "ended"
        COUNTED[f"experiments {case['signal']}: {ended}"] += 1
        kept = _rows(folder)
        if kept != whole[: len(kept)]:
            return f"rows are others: of {len(kept)}"
        if set(os.listdir(folder)) - {"runs.jsonl"} or os.listdir(temp):
            return f"files are left: {os.listdir(folder)}, {os.listdir(temp)}"
        _, status = os.waitpid(_forked(_experiments, folder, temp), 0)
        if os.waitstatus_to_exitcode(status):
            return f"it does not go on: {Path(place, 'said2').read_text()[-300:]}"
        found = _rows(folder)
        if found != whole:
            return f"a second run has other rows: {len(found)} of {len(whole)}"
    return None


def _alike(target: str, left: bytes, whole: bytes) -> bool:
    """Whether a result is whole that tells times, and so is never the same twice."""
    if target.endswith(".html"):
        return left.rstrip().endswith(b"</html>") and abs(len(left) - len(whole)) < 200
    return target == "OUT.csv" and left.count(b"\n") == whole.count(b"\n") and left.endswith(b"\n")


def smaller(case: dict) -> Iterator[dict]:
    return iter(())


def pack(case: dict) -> bytes:
    return json.dumps(case).encode()


def unpack(data: bytes) -> dict:
    return json.loads(data)


if __name__ == "__main__":
    import harness

    harness.main("faults")
