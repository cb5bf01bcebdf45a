"""The harness itself: a case that fails is found, made small and kept."""

import math
import os
import shutil
import subprocess
import sys
import textwrap
from types import SimpleNamespace

import clocks
import harness
import pytest
from clocks import Taken

BAD = '''
    """A fuzzer of numbers, some of which are bad."""
    import json, os, sys, time

    def make(seed):
        return {"numbers": list(range(seed % 7, seed % 7 + 6))}

    def check(case):
        if 9 in case["numbers"]:
            os.kill(os.getpid(), 11)
        return "bad number: 7" if 7 in case["numbers"] else None

    def smaller(case):
        for i in range(len(case["numbers"])):
            yield {"numbers": case["numbers"][:i] + case["numbers"][i + 1 :]}

    pack = lambda case: json.dumps(case).encode()
    unpack = json.loads

    if __name__ == "__main__":
        import harness
        harness.main("numbers_fuzzer")
'''


@pytest.fixture
def numbers(tmp_path):
    (tmp_path / "numbers_fuzzer.py").write_text(textwrap.dedent(BAD))
    for module in (harness, clocks):
        shutil.copy(module.__file__, tmp_path)
    return tmp_path


def run(folder, *args):
    return subprocess.run(
        [sys.executable, str(folder / "numbers_fuzzer.py"), *args],
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [([], 60.0), (["--cases", "9"], math.inf), (["--cases", "9", "--seconds", "5"], 5.0)],
)
def test_so_many_cases_take_as_long_as_they_take(monkeypatch, asked, seconds):
    monkeypatch.setattr(sys, "argv", ["fuzz/problems.py", *asked])
    monkeypatch.setattr(harness, "_run", lambda name, seed, args: args.seconds)
    with pytest.raises(SystemExit) as ended:
        harness.main("problems")
    assert ended.value.code == seconds


def test_failures_and_deaths_are_found(numbers):
    ended = run(numbers, "--seed", "0", "--cases", "7", "--jobs", "1", "--no-save")
    assert ended.returncode == 1
    # Of the seeds 0 to 6, those from 2 on have 7, and those from 4 on have 9, which kills.
    assert ended.stdout.count("bad number: 7") == 2
    assert ended.stdout.count("ended the process (-11)") == 3
    assert "\n5 failures" in ended.stdout
    assert "fuzz/numbers_fuzzer.py --seed 0" in ended.stdout


def test_one_case_by_its_seed(numbers):
    assert run(numbers, "--only", "1").stdout == "nothing is wrong with it\n"
    ended = run(numbers, "--only", "2")
    assert (ended.returncode, ended.stdout) == (1, "bad number: 7\n")


def test_failures_are_made_small(numbers, monkeypatch):
    monkeypatch.syspath_prepend(str(numbers))
    monkeypatch.setattr(harness, "HERE", numbers)
    import numbers_fuzzer

    for seed, found, least in ((2, "bad number: 7", [7]), (4, "ended the process (-11): ", [9])):
        case = harness.shrunk(numbers_fuzzer, "numbers_fuzzer", numbers_fuzzer.make(seed), found)
        assert case == {"numbers": least}


@pytest.mark.parametrize("asked", [[], ["--any-time"]])
def test_seconds_are_judged_unless_told_otherwise(numbers, asked):
    source = (numbers / "harness.py").read_text()
    # A time that every case exceeds, so that no clock decides what is found.
    source = source.replace("SLOW, HANGS, WAITS = 10.0, 60.0", "SLOW, HANGS, WAITS = -1.0, 60.0")
    (numbers / "harness.py").write_text(source)
    fuzzer = (numbers / "numbers_fuzzer.py").read_text()
    (numbers / "numbers_fuzzer.py").write_text(fuzzer.replace("seed % 7", "0"))  # all are good
    ended = run(numbers, "--seed", "0", "--cases", "2", "--jobs", "1", "--no-save", *asked)
    assert (": took " in ended.stdout) == (not asked)
    assert ended.returncode == (0 if asked else 1)


@pytest.mark.slow
@pytest.mark.parametrize("asked", [[], ["--any-time"]])
def test_what_never_ends_is_a_failure(numbers, asked):
    source = (numbers / "harness.py").read_text()
    source = source.replace("SLOW, HANGS, WAITS = 10.0, 60.0", "SLOW, HANGS, WAITS = 10.0, 0.1")
    (numbers / "harness.py").write_text(source.replace("NEVER_ENDS = 300.0", "NEVER_ENDS = 0.1"))
    fuzzer = (numbers / "numbers_fuzzer.py").read_text()
    (numbers / "numbers_fuzzer.py").write_text(
        fuzzer.replace("os.kill(os.getpid(), 11)", "\n            while True: pass")
    )
    ended = run(numbers, "--seed", "4", "--cases", "1", "--jobs", "1", "--no-save", *asked)
    assert "--only 4: does not end" in ended.stdout
    assert ended.returncode == 1


def sleeping(folder, seconds):
    """All cases are good, and wait for so long."""
    fuzzer = (folder / "numbers_fuzzer.py").read_text()
    fuzzer = fuzzer.replace("seed % 7", "0").replace(
        "if 9 in", f"time.sleep({seconds})\n    if 9 in"
    )
    (folder / "numbers_fuzzer.py").write_text(fuzzer)


@pytest.mark.skipif(not os.path.exists("/proc/self/schedstat"), reason="queues are told elsewhere")
@pytest.mark.parametrize("asked", [[], ["--any-time"]])
def test_a_case_that_waits_is_a_failure(numbers, asked):
    source = (numbers / "harness.py").read_text()
    # Less than it sleeps: time in the queue of a busy machine is not counted as waiting.
    source = source.replace("SLOW, HANGS, WAITS = 10.0, 60.0", "SLOW, HANGS, WAITS = 0.3, 60.0")
    (numbers / "harness.py").write_text(source)
    sleeping(numbers, 0.6)
    ended = run(numbers, "--seed", "0", "--cases", "1", "--jobs", "1", "--no-save", *asked)
    assert ("--only 0: waited: " in ended.stdout) == (not asked)
    assert ended.returncode == (0 if asked else 1)
    assert "\n1 case took over 0.3 s on the clock, the slowest " in ended.stdout


@pytest.mark.skipif(not os.path.exists("/proc/self/schedstat"), reason="queues are told elsewhere")
def test_a_case_that_waits_for_ever_is_ended(numbers):
    source = (numbers / "harness.py").read_text()
    source = source.replace("SLOW, HANGS, WAITS = 10.0, 60.0", "SLOW, HANGS, WAITS = 10.0, 0.3")
    (numbers / "harness.py").write_text(source)
    sleeping(numbers, 10_000)
    ended = run(numbers, "--seed", "0", "--cases", "1", "--jobs", "1", "--no-save")
    assert "--only 0: does not end" in ended.stdout
    assert ended.returncode == 1


@pytest.mark.parametrize(
    ("taken", "found"),
    [
        (Taken(clock=9.0, processor=0.0, ran=0.0, queued=0.0), None),
        (Taken(clock=11.0, processor=0.0, ran=0.0, queued=0.0), "waited: 11.0 s, with 0.00 s"),
        (Taken(clock=11.0, processor=0.5, ran=0.5, queued=0.1), "waited: 11.0 s, with 0.50 s"),
        # It worked, and waited for a child that worked, or whose work nobody counts.
        (Taken(clock=11.0, processor=1.5, ran=1.5, queued=0.0), None),
        (Taken(clock=30.0, processor=9.0, ran=0.1, queued=0.0), None),
        (Taken(clock=30.0, processor=11.0, ran=0.1, queued=0.0), "took 11.0 s of a processor"),
        # A machine with twenty others in the queue: in its own, and in that of a child.
        (Taken(clock=12.0, processor=0.6, ran=0.6, queued=11.3), None),
        (Taken(clock=12.0, processor=0.6, ran=0.1, queued=1.9), None),
        (Taken(clock=30.0, processor=0.6, ran=0.1, queued=1.9), "waited: 30.0 s, with 0.60 s"),
        (Taken(clock=99.0, processor=math.nan, ran=1.0, queued=1.0), None),
        (Taken(clock=99.0, processor=0.1, ran=math.nan, queued=math.nan), None),
    ],
)
def test_what_took_too_long(taken, found):
    said = harness.too_long(taken, 10.0)
    assert (said or "")[: len(found or "")] == (found or "")
    assert (said is None) == (found is None)
    assert harness.too_long(taken, math.inf) is None


@pytest.mark.parametrize("any_time", [False, True])
def test_a_case_that_the_end_of_a_run_cuts_short(any_time):
    worker = SimpleNamespace(
        at=5,
        any_time=any_time,
        lines=lambda: iter(()),
        process=SimpleNamespace(poll=lambda: None),
        taken=lambda: Taken(clock=50.0, processor=0.1, ran=0.1, queued=0.0),
    )
    clock, found = harness._unfinished(worker)
    assert clock == 50.0
    assert found == (None if any_time else "waited: 50.0 s, with 0.10 s of a processor")
    worker.lines = lambda: iter(["- 5 ..."])  # it has ended, and nobody had looked
    assert harness._unfinished(worker) == (0.0, None)


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="children are told elsewhere")
def test_children_count():
    """While they live and when they have ended."""
    code = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True)\ninput()"
    before = clocks.own(), clocks.of(os.getpid())
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    child.stdout.readline()
    for alive in (True, False):
        if not alive:
            child.communicate("\n")
        assert clocks.own().since(before[0]).processor > 0.2
        assert clocks.of(os.getpid()).since(before[1]).processor > 0.2
