"""Mutation testing of what users run: ``python tools/mutants.py``.

Sources are changed in one place at a time (``mutations.py``), in a copy (``mutant_runs.py``): an
operator, a number or a condition is another one. Then the area's detectors are run, the cheapest
first: the golden file, the area's tests, the fuzzers for a minute each. A mutant that none of them
notices has survived: it needs a test, or an entry in ``mutants_harmless.json`` that says why no
result depends on it. Mutants that cannot be built do not count.

Each area has a sample of mutants, spread over its files and the same for the same ``--seed``;
``--sample 0`` takes all. With ``-o`` a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import resource
import signal
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

from mutant_runs import DETECTORS, HOME, ROOT, Runner
from mutations import Mutant, mutants_of, sample

#: Bytes of address space for each process.
MEMORY = 6 << 30
HARMLESS = Path(__file__).with_name("mutants_harmless.json")


class Area(NamedTuple):
    """Patterns of files below ``src/agathis`` (``!`` excludes), their tests and fuzzers."""

    files: tuple[str, ...]
    tests: tuple[str, ...]
    fuzzers: tuple[str, ...]


_CORE = "_core/search/"
AREAS = {
    "gains": Area(
        ("_core/shared/gains.h",),
        ("tests/package/test_minimal.py", "tests/growth/test_properties.py"),
        ("problems",),
    ),
    "grower": Area(
        ("_growth/grower.py", "_growth/limits.py"),
        (
            "tests/package/test_minimal.py",
            "tests/growth/test_planted.py",
            "tests/growth/test_limits.py",
            "tests/growth/test_grower.py",
            "tests/growth/test_properties.py",
            "tests/growth/test_resume.py",
        ),
        ("problems",),
    ),
    "search": Area(
        (
            "_search/*.py", "_search/local/*.py", "_search/optimal/sp*.py", f"{_CORE}*.pyx",
            f"{_CORE}*.c", f"{_CORE}ordered.h", f"{_CORE}rows.h", f"!{_CORE}optimum*",
        ),
        ("tests/search", "tests/core/test_loops_search.py", "tests/core/test_search_memory.py"),
        ("problems",),
    ),
    "optimum": Area(
        ("_search/optimal/[!s]*.py", f"{_CORE}optimum*"),
        (
            "tests/search/test_optimum.py",
            "tests/search/test_bounds.py", "tests/metrics/test_optimality.py",
        ),
        ("problems",),
    ),
    "exporters": Area(
        ("export/_*.py", "!export/__init__.py", "!export/_json*"),
        ("tests/export",),
        ("tables", "problems"),
    ),
    "readers": Area(
        (
            "_io/csv_*.py", "_io/*_reader.py", "_io/file_rows.py", "_columns/frames.py",
            "_columns/arrow_values.py", "_columns/datetimes.py", "_columns/identifiers.py",
            "_columns/column_facts.py", "_encoding/column_*.py",
            "_encoding/file_columns.py", "_encoding/date_parts.py", "_io/formats.py",
            "_io/json_rows.py", "_io/labels.py", "_columns/number_notation.py",
            "_io/table_reader.py", "_io/spreadsheet.py", "_io/text_layout.py",
        ),
        ("tests/io", "tests/columns", "tests/encoding"),
        ("tables", "files"),
    ),
    "encoder": Area(
        (
            "_encoding/table_encoder.py", "_encoding/scaling.py", "_encoding/row_sample.py",
            "_encoding/feature_rows.py", "_columns/indicators.py",
            "_encoding/table_features.py", "_io/read_table.py", "_encoding/relevance.py",
            "_encoding/dominant_columns.py", "_encoding/missing_rows.py",
        ),
        ("tests/encoding", "tests/estimators/test_fit_table.py"),
        ("tables",),
    ),
    "model": Area(
        ("export/_json*.py", "_model/*.py", "!_model/__init__.py"),
        (
            "tests/export/test_json.py", "tests/model",
            "tests/export/test_older_models.py", "tests/export/test_pipelines.py",
            "tests/cli/test_models.py",
        ),
        ("tables", "files"),
    ),
}  # fmt: skip


def files_of(area: Area) -> list[str]:
    """The files that are mutated, as paths from the root."""
    package = ROOT / "src" / "agathis"
    found: set[Path] = set()
    for pattern in area.files:
        if pattern.startswith("!"):
            found -= set(package.glob(pattern[1:]))
        else:
            found |= set(package.glob(pattern))
    sources = (".py", ".c", ".h", ".pyx")
    return sorted(path.relative_to(ROOT).as_posix() for path in found if path.suffix in sources)


def chosen(options: argparse.Namespace) -> list[tuple[str, Mutant]]:
    """Mutants with their areas: Python's first, which need no build."""
    wanted = _wanted(options)
    out = []
    for name in options.only or AREAS:
        files = [f for f in files_of(AREAS[name]) if not options.file or f in options.file]
        files = [file for file in files if options.language in (None, _language(file))]
        if options.mutant:
            files = [f for f in files if any(name.startswith(f"{f}:") for name in options.mutant)]
        by_file = {file: mutants_of(ROOT / file, file) for file in files}
        if wanted is None:
            size = options.sample or sum(map(len, by_file.values()))
            out += [(name, mutant) for mutant in sample(by_file, size, options.seed)]
            continue
        for mutant in (mutant for mutants in by_file.values() for mutant in mutants):
            key = (mutant.file, mutant.changed_line(_text(mutant.file)))
            if mutant.id in wanted or key in wanted.values():
                out.append((name, mutant))
    return sorted(out, key=lambda each: _language(each[1].file) == "c")


def _wanted(options: argparse.Namespace) -> dict[str, tuple[str, str]] | None:
    """Mutants that are named, with file and changed line: numbers of lines may have moved."""
    if not options.mutant and not options.again:
        return None
    wanted = {name: ("", "") for name in options.mutant}
    known = {m.id for f in _all_files() for m in mutants_of(ROOT / f, f)} if options.again else ()
    for record in _records(options.again):
        moved = record["id"] not in known
        wanted[record["id"]] = (record["file"], record["line"]) if moved else ("", "")
    return wanted


def _all_files() -> list[str]:
    return [file for area in AREAS.values() for file in files_of(area)]


def _language(file: str) -> str:
    return "python" if file.endswith(".py") else "c"


def _text(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


def _records(path: Path | None) -> list[dict]:
    if path is None or not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def detectors_of(area: str, options: argparse.Namespace, runner: Runner) -> list[str]:
    """The area's detectors that are asked for and are there, the cheapest first."""
    names = options.detectors or ["golden", "tests", *AREAS[area].fuzzers]
    return [name for name in DETECTORS if name in names and runner.has(name)]


def baseline(runner: Runner, options: argparse.Namespace, areas: list[str]) -> None:
    """End where a detector finds something wrong with the sources as they are."""
    done: set[tuple[str, str]] = set()
    with runner.copy() as folder:
        for area in areas:
            for detector in detectors_of(area, options, runner):
                key = (detector, area if detector == "tests" else "")
                if key in done:
                    continue
                done.add(key)
                found = runner.detect(detector, area, AREAS[area].tests, "", folder)
                told = f"without a mutant: {' '.join(key)} {found.status}, {found.seconds} s"
                print(told, flush=True)
                if found.status != "passed":
                    sys.exit(f"Without a mutant {detector} does not pass: {found.last}")


def try_mutant(runner: Runner, options: argparse.Namespace, area: str, mutant: Mutant) -> dict:
    """Run the detectors on a mutant; return its record of the results file."""
    source = _text(mutant.file)
    record = {
        "id": mutant.id,
        "area": area,
        "file": mutant.file,
        "line": mutant.changed_line(source),
        "noticed": {},
        "seconds": {},
        "last": "",
    }
    with runner.copy() as folder:
        text = mutant.apply(source)
        (folder / mutant.file).write_text(text, encoding="utf-8")
        if _language(mutant.file) == "c" and not runner.builder.changed(mutant.file, text, folder):
            return {**record, "verdict": "no build"}
        for detector in detectors_of(area, options, runner):
            found = runner.detect(detector, area, AREAS[area].tests, mutant.file, folder)
            record["seconds"][detector] = found.seconds
            if found.status != "passed":
                record["noticed"][detector] = found.status
                record["last"] = record["last"] or found.last
                if not options.all_detectors:
                    break
    reasons = {(e["file"], e["line"]): e["why"] for e in json.loads(HARMLESS.read_text())}
    reason = reasons.get((mutant.file, record["line"]))
    verdict = "killed" if record["noticed"] else "survived" if reason is None else "harmless"
    return {**record, "verdict": verdict}


def table(records: list[dict]) -> str:
    """Of each area how many mutants each detector noticed first, and the score."""
    columns = ["mutants", *DETECTORS, "timeout", "harmless", "survived", "score"]
    rows = []
    for area in [*AREAS, "all"]:
        own = [r for r in records if area in (r["area"], "all") and r["verdict"] != "no build"]
        if not own:
            continue
        counts = Counter(r["verdict"] for r in own)
        for record in own:
            for detector, status in list(record["noticed"].items())[:1]:
                counts["timeout" if status == "timeout" else detector] += 1
        counts["mutants"] = len(own)
        real = len(own) - counts["harmless"]
        score = f"{counts['killed'] / real:.0%}" if real else "-"
        rows.append([area, *(str(counts[c]) for c in columns[:-1]), score])
    widths = [max(map(len, column)) for column in zip(["area", *columns], *rows, strict=True)]
    lines = [["area", *columns], *rows]
    unbuilt = sum(r["verdict"] == "no build" for r in records)
    out = ["  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)) for row in lines]
    return "\n".join([*out, f"{unbuilt} more could not be built."] if unbuilt else out)


def run(options: argparse.Namespace, mutants: list[tuple[str, Mutant]]) -> list[dict]:
    """Try the mutants that have no result yet; all results."""
    ids = {mutant.id for _, mutant in mutants}
    records = [record for record in _records(options.output) if record["id"] in ids]
    known = {record["id"] for record in records}
    todo = [(area, mutant) for area, mutant in mutants if mutant.id not in known]
    length = ["--seconds", f"{options.seconds:g}"]
    if options.cases:  # the same on a busy machine
        length = ["--cases", str(options.cases), "--any-time"]
    runner = Runner([*length, "--seed", str(options.seed + 1) + "000000"], options.fuzz_from)

    def tried(each: tuple[str, Mutant]) -> None:
        record = try_mutant(runner, options, *each)
        with runner.lock:
            records.append(record)
            if options.output:
                with options.output.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(record) + "\n")
            by = ", ".join(f"{detector} ({how})" for detector, how in record["noticed"].items())
            print(f"{record['verdict']:8} {record['id']}  {record['line']}  {by}", flush=True)

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with ThreadPoolExecutor(options.jobs) as pool:
        try:
            if todo:
                runner.prepare(any(_language(mutant.file) == "c" for _, mutant in todo))
                baseline(runner, options, list(dict.fromkeys(area for area, _ in todo)))
            for ended in [pool.submit(tried, each) for each in todo]:
                ended.result()
        except KeyboardInterrupt:
            runner.stop()
            pool.shutdown(wait=True, cancel_futures=True)
            raise SystemExit(130) from None
        except BaseException:
            runner.stop()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return records


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", choices=AREAS, help="the mutants of an area")
    parser.add_argument("--file", action="append", help="the mutants of this file")
    parser.add_argument("--language", choices=("python", "c"), help="c includes Cython")
    parser.add_argument("--sample", type=int, default=16, help="per area; 0 is all")
    parser.add_argument("--seed", type=int, default=0, help="of the sample and the fuzzers")
    parser.add_argument("--mutant", action="append", default=[], metavar="ID", help="this one")
    parser.add_argument("--again", type=Path, help="the mutants of a results file, and no others")
    parser.add_argument("--list", action="store_true", help="only print the mutants")
    parser.add_argument(
        "--detectors", type=lambda text: text.split(","), help=f"of {','.join(DETECTORS)}"
    )
    parser.add_argument("--all-detectors", action="store_true", help="do not stop at the first")
    parser.add_argument("--seconds", type=float, default=60.0, help="of each fuzzer")
    parser.add_argument("--cases", type=int, help="of each fuzzer, instead of seconds")
    parser.add_argument("--fuzz-from", help="fuzzers of a revision, or of another checkout")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("-o", "--output", type=Path, help="results, as lines of JSON")
    options = parser.parse_args()
    unknown = set(options.detectors or ()) - set(DETECTORS)
    if unknown:
        parser.error(f"--detectors has {', '.join(unknown)}; known are {', '.join(DETECTORS)}.")
    mutants = chosen(options)
    if not mutants:
        parser.error("no mutant is chosen.")
    if options.list:
        for _, mutant in mutants:
            print(f"{mutant.id}  {mutant.changed_line(_text(mutant.file))}")
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    HOME.mkdir(parents=True, exist_ok=True)
    with (HOME / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit(f"Another run uses {HOME}; wait until it ends.")
        records = run(options, mutants)
    print(table(records))
    survived = [record for record in records if record["verdict"] == "survived"]
    for record in survived:
        print(f"SURVIVED {record['id']}  {record['line']}")
    sys.exit(bool(survived))


if __name__ == "__main__":
    main()
