"""Mutants: what is changed, where, and that a sample is the same each time."""

import ast
import json
import re
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tools"))

import mutant_runs  # noqa: E402
import mutants  # noqa: E402
import mutations  # noqa: E402

PYTHON = '''
"""Not 1 + 1 of a docstring."""
from __future__ import annotations
__all__ = ["a" + "b"]

def size(values: list[int] | None = None, *, least: int = 7) -> int | float:
    """Not 2 + 2 either."""
    total = 0  # not 3 + 3
    for é in values:
        if é < least and not skip(é):
            continue
        total += (é
                  * 2)  # times
    if total != total:
        raise ValueError(f"{total + 4} is wrong")
    print(total + 5)
    return min(total, -1)
'''

C = """
#define SIZE (1 + 2)
/* a < b */
static double
part(const double *restrict x, ptrdiff_t n, double out[2])
{
    double sum = 0.5;  // x + y
    for (ptrdiff_t i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    puts("a < b");
    return n > 3 && !out[1] ? sum - x[0] : -sum;
}
"""

CYTHON = '''
cimport numpy as np  # 1 + 1

def part(double[:, ::1] x, Py_ssize_t n=4):
    """a < b"""
    cdef const double *first = &x[0, 0]
    if n >= 3 and not x[n - 1, 2] > first[0]:
        raise ValueError("n < 3")
    return n
'''


def changes(tmp_path, text, name):
    path = tmp_path / name
    path.write_text(text.strip("\n"), encoding="utf-8")
    found = mutations.mutants_of(path, name)
    source = path.read_text(encoding="utf-8")
    for mutant in found:
        assert source[mutant.start : mutant.end] == mutant.before
        line, column = mutant.line, mutant.column
        assert source.splitlines()[line - 1][column - 1 :].startswith(
            mutant.before.splitlines()[0] if mutant.before else ""
        )
    return {(mutant.line, mutant.before, mutant.after) for mutant in found}


def test_python(tmp_path):
    assert changes(tmp_path, PYTHON, "part.py") == {
        (5, "7", "6"), (5, "7", "8"),
        (7, "0", "1"),
        (9, "<", "<="), (9, "<", ">="), (9, "and", "or"), (9, "not ", ""),
        (10, "continue", "pass"),
        (11, "+=", "-="), (12, "*", "/"), (12, "2", "1"), (12, "2", "3"),
        (13, "!=", "=="),
        (16, "min", "max"), (16, "-", ""),
    }  # fmt: skip


def test_code_that_is_written(tmp_path):
    text = 'answer = f"{name} <= {bound} OR {name} IS NULL"'
    path = tmp_path / "part.py"
    assert changes(tmp_path, text, path.name) == set()
    found = {m.apply(text) for m in mutations.mutants_of(path, "src/agathis/export/part.py")}
    assert found == {
        'answer = f"{name} < {bound} OR {name} IS NULL"',
        'answer = f"{name} <= {bound} AND {name} IS NULL"',
        'answer = f"{name} <= {bound} OR {name} IS NOT NULL"',
    }


def test_c(tmp_path):
    assert changes(tmp_path, C, "part.c") == {
        (6, "0.5", "1.0"),
        (7, "0", "1"), (7, "<", "+ 1 <"),
        (8, "+", "-"), (8, "*", "/"),
        (11, ">", ">="), (11, ">", "<="), (11, "3", "2"), (11, "3", "4"), (11, "&&", "||"),
        (11, "!", ""), (11, "1", "0"), (11, "-", "+"), (11, "0", "1"), (11, "-", ""),
    }  # fmt: skip


def test_cython(tmp_path):
    assert changes(tmp_path, CYTHON, "part.pyx") == {
        (6, ">=", ">"), (6, ">=", "<"), (6, "3", "2"), (6, "3", "4"), (6, "and", "or"),
        (6, "not ", ""), (6, "-", "+"), (6, "1", "0"), (6, "2", "1"), (6, "2", "3"),
        (6, ">", ">="), (6, ">", "<="), (6, "0", "1"),
    }  # fmt: skip


@pytest.mark.parametrize("area", mutants.AREAS)
def test_mutants_of_the_package(area):
    """Each has a name of its own, Python's compile, and none is in a comment or a docstring."""
    files = mutants.files_of(mutants.AREAS[area])
    assert files
    for file in files:
        found = mutations.mutants_of(ROOT / file, file)
        assert len({mutant.id for mutant in found}) == len(found)
        if not file.endswith(".py"):
            continue
        source = (ROOT / file).read_text(encoding="utf-8")
        barred = prose(file, source)
        for mutant in found:
            assert mutant.apply(source) != source
            assert not barred & set(range(mutant.start, max(mutant.end, mutant.start + 1))) or (
                mutant.after == "pass"
            ), mutant.id
        for mutant in mutations.sample({file: found}, 5, 0):
            compile(mutant.apply(source), file, "exec")


def prose(file, source):
    """The places of comments and docstrings."""
    starts = [0, *(match.end() for match in re.finditer("\n", source))]
    out = set()
    with (ROOT / file).open("rb") as opened:
        for token in tokenize.tokenize(opened.readline):
            if token.type == tokenize.COMMENT:
                first = starts[token.start[0] - 1] + token.start[1]
                out |= set(range(first, first + len(token.string)))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            out |= set(range(starts[node.lineno - 1], starts[node.end_lineno - 1]))
    return out


def test_every_pattern_has_a_file_and_every_test_is_there():
    for area in mutants.AREAS.values():
        for pattern in area.files:
            assert list((ROOT / "src" / "agathis").glob(pattern.removeprefix("!"))), pattern
        assert all((ROOT / test).exists() for test in area.tests)
        assert set(area.fuzzers) <= set(mutant_runs.FUZZERS)


def test_a_sample_is_the_same_each_time_and_spread_over_the_files():
    files = mutants.files_of(mutants.AREAS["model"])

    def drawn(size, seed):
        by_file = {file: mutations.mutants_of(ROOT / file, file) for file in files}
        return mutations.sample(by_file, size, seed)

    assert drawn(9, 0) == drawn(9, 0) == drawn(20, 0)[:9]
    assert drawn(9, 0) != drawn(9, 1)
    assert {mutant.file for mutant in drawn(len(files), 0)} == set(files)


def test_harmless_lines_are_those_of_mutants():
    for entry in json.loads(mutants.HARMLESS.read_text(encoding="utf-8")):
        source = (ROOT / entry["file"]).read_text(encoding="utf-8")
        found = mutations.mutants_of(ROOT / entry["file"], entry["file"])
        assert entry["line"] in {mutant.changed_line(source) for mutant in found}
        assert entry["why"]


def test_a_mutant_by_its_name():
    named = mutations.mutants_of(
        ROOT / "src/agathis/_growth/grower.py", "src/agathis/_growth/grower.py"
    )[3]
    ended = subprocess.run(
        [sys.executable, ROOT / "tools" / "mutants.py", "--list", "--mutant", named.id],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.split("  ")[0] == named.id


def test_processes_end_with_what_they_started(tmp_path):
    runner = mutant_runs.Runner([])
    sleeper = (
        f"import subprocess, sys, time; p = subprocess.Popen(['sleep', '600']);"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(p.pid)); time.sleep(600)"
    )
    found = runner.call([sys.executable, "-c", sleeper], tmp_path, 3.0)
    assert found.status == "timeout"
    state = Path("/proc", (tmp_path / "pid").read_text(), "stat")
    assert not state.exists() or state.read_text().split()[2] == "Z"


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("pass", "passed"),
        ("1 / 0", "failed"),
        ("print('\\n--only 3: x', flush=True); import time; time.sleep(99)", "failed"),
    ],
)
def test_a_detector_fails_by_its_exit_code_or_by_what_it_prints(tmp_path, code, status):
    runner = mutant_runs.Runner([])
    assert runner.call([sys.executable, "-c", code], tmp_path, 60.0, b"--only ").status == status


def test_the_same_mutants_again_where_lines_have_moved(tmp_path):
    file = "src/agathis/_growth/grower.py"
    source = (ROOT / file).read_text(encoding="utf-8")
    mutant = mutations.mutants_of(ROOT / file, file)[3]
    record = {"id": f"{file}:1:1:x->y", "file": file, "line": mutant.changed_line(source)}
    (tmp_path / "before.jsonl").write_text(json.dumps(record) + "\n")
    command = [sys.executable, ROOT / "tools" / "mutants.py", "--list", "--only", "grower"]
    again = ["--again", tmp_path / "before.jsonl"]
    ended = subprocess.run([*command, *again], capture_output=True, text=True, check=True)
    assert ended.stdout == f"{mutant.id}  {mutant.changed_line(source)}\n"


def test_the_score_counts_neither_harmless_mutants_nor_those_without_a_build():
    noticed = [{"tests": "failed"}, {"problems": "timeout"}, {}, {}, {}]
    column_types = ["killed", "killed", "survived", "harmless", "no build"]
    records = [
        {"area": "search", "noticed": by, "verdict": verdict}
        for by, verdict in zip(noticed, column_types, strict=True)
    ]
    head, search, everything, last = mutants.table(records).splitlines()
    row = dict(zip(head.split(), search.split(), strict=True))
    assert (row["mutants"], row["tests"], row["problems"]) == ("4", "1", "0")
    assert (row["timeout"], row["harmless"], row["survived"]) == ("1", "1", "1")
    assert row["score"] == "67%"
    assert everything.split()[1:] == search.split()[1:]
    assert last == "1 more could not be built."
