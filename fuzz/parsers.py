"""The two readers of our own, guided by coverage: ``python fuzz/parsers.py --seconds 60``.

Bytes go to the reader of text tables and to the reader of models, and atheris (libFuzzer, for
Python) keeps those that reach lines that none before reached. A table is read or refused by
``BadTable``, and has as many rows as cells have; a model is read or refused by a ``ValueError``,
and what was read can be written, and is the same tree when it is read again. What is found is saved
beside what the other fuzzers found (``harness.py``).
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import harness

#: Bytes of an input at most, and megabytes that a reader may take for it.
LONGEST, MEMORY = 4096, 4096
#: What is counted as new: lines of the rooms that read, not those of pyarrow and NumPy.
WATCHED = ["agathis._encoding", "agathis.export._json", "agathis._trees", "agathis._rules"]
#: Other readers' files by how they begin; ``fuzz/files.py`` has them.
OTHERS = (b"PAR1", b"ARROW1", b"\xff\xff\xff\xff", b"FEA1", b"\x1f\x8b", b"PK\x03\x04")


def _table(data: bytes) -> str | None:
    from agathis._columns.errors import BadTable
    from agathis._io.read_table import read_table

    if data.startswith(OTHERS):
        return None
    try:
        read = read_table(data, title="t.csv")
    except BadTable:
        return None
    cells = read.cells()
    if cells.num_rows != read.table.num_rows or cells.num_columns != read.table.num_columns:
        return f"cells are another table: {cells.shape}, not {read.table.shape}"
    return None


def _model(data: bytes) -> str | None:
    import numpy as np

    from agathis.export import from_json, to_json

    text = data.decode("utf-8", errors="replace")
    try:
        model = from_json(text if text.lstrip()[:1] == "{" else "{" + text)
    except (ValueError, UnicodeError) as error:
        # What a reader refuses it refuses in words of its own.
        return None if type(error) is ValueError else f"refused by {type(error).__name__}: {error}"
    again = from_json(to_json(model))
    rows = np.zeros((1, model.n_features_in_))
    if again.predict(rows).tolist() != model.predict(rows).tolist():
        return "another tree: after it was written and read"
    return None


PARSERS: dict[str, Callable[[bytes], str | None]] = {"table": _table, "model": _model}


def check(case: dict) -> str | None:
    """What is wrong with how bytes are read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return PARSERS[case["parser"]](base64.b64decode(case["data"]))
        except Exception as error:
            last = traceback.format_exc()[-500:]
            return f"{case['parser']} raises {type(error).__name__}: {last}"


def smaller(case: dict) -> Iterator[dict]:
    """With fewer bytes."""
    data = base64.b64decode(case["data"])
    size = len(data) // 2
    while size:
        for at in range(0, len(data), size):
            less = base64.b64encode(data[:at] + data[at + size :]).decode()
            yield {**case, "data": less}
        size //= 2


def pack(case: dict) -> bytes:
    return json.dumps(case).encode()


def unpack(data: bytes) -> dict:
    return json.loads(data)


def _guided(parser: str, corpus: str, seed: int, args: argparse.Namespace) -> None:
    """Try bytes for so long, in a process of its own: libFuzzer ends it."""
    import atheris

    with atheris.instrument_imports(include=WATCHED):
        import agathis._io.read_table
        import agathis._rules.described_tree
        import agathis.export  # noqa: F401

    def one(data: bytes) -> None:
        found = check({"parser": parser, "data": base64.b64encode(data).decode()})
        if found:
            raise AssertionError(found)

    options = [f"-max_total_time={args.seconds:.0f}", f"-seed={seed}", f"-max_len={LONGEST}"]
    options += [f"-runs={args.cases or -1}", f"-rss_limit_mb={MEMORY}", "-print_final_stats=1"]
    options += [f"-timeout={harness.NEVER_ENDS if args.any_time else harness.HANGS:.0f}"]
    atheris.Setup([sys.argv[0], *options, f"-artifact_prefix={corpus}/found-", corpus], one)
    atheris.Fuzz()


def _seeds(parser: str) -> list[bytes]:
    """Whole files to begin with."""
    import files

    if parser == "model":
        return [text.encode() for text in files.models().values()]
    return [data for name, data in files.tables().items() if name.endswith(("csv", "tsv", "json"))]


def main() -> int:
    """Both readers for so many seconds each; the number of failures."""
    parser = argparse.ArgumentParser(prog="fuzz/parsers.py")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each; default 60")
    parser.add_argument("--cases", type=int, default=0, help="at most so many, for each")
    parser.add_argument("--seed", type=int, help="default by the clock")
    parser.add_argument("--any-time", action="store_true", help="slow cases are no failures")
    parser.add_argument("--no-save", action="store_true", help="only print failures")
    parser.add_argument("--guided", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--case", help=argparse.SUPPRESS)
    args = parser.parse_args()
    seed = int(time.time()) if args.seed is None else args.seed
    if args.case:
        print(json.dumps(check(unpack(Path(args.case).read_bytes()))))
        return 0
    if args.guided:
        _guided(*args.guided, seed, args)
    failures = 0
    for name in PARSERS:
        with tempfile.TemporaryDirectory() as corpus:
            for data in _seeds(name):
                Path(corpus, hashlib.sha256(data).hexdigest()[:10]).write_bytes(data[:LONGEST])
            print(f"fuzz/parsers.py --seed {seed}: {name}", flush=True)
            command = [sys.executable, __file__, "--guided", name, corpus, "--seed", str(seed)]
            command += ["--seconds", str(args.seconds), "--cases", str(args.cases)]
            command += ["--any-time"] * args.any_time
            ended = subprocess.run(command, capture_output=True, text=True, check=False)
            told = ended.stderr.splitlines()
            print("\n".join(line for line in told if "stat::" in line))
            artifacts = sorted(Path(corpus).glob("found-*"))
            if ended.returncode and not artifacts:
                raise SystemExit(f"atheris did not start:\n{ended.stderr[-2000:]}")
            for path in artifacts:
                failures += 1
                _tell(name, path, args.no_save)
    print(f"{failures} failures")
    return failures


def _tell(name: str, path: Path, only: bool) -> None:
    """Print what was found, and keep the least case of it."""
    case = {"parser": name, "data": base64.b64encode(path.read_bytes()).decode()}
    found = harness.verdict("parsers", pack(case)) or f"took too long or too much: {path.name}"
    print(found, flush=True)
    if not only:
        least = harness.shrunk(sys.modules[__name__], "parsers", case, found)
        print(f"saved as {harness.keep('parsers', least)}")


if __name__ == "__main__":
    raise SystemExit(main() > 0)
