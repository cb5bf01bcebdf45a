"""The harness itself: a case that fails is found, made small and kept."""

import subprocess
import sys
import textwrap
from pathlib import Path

import harness
import pytest

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
def numbers(tmp_path, monkeypatch):
    (tmp_path / "numbers_fuzzer.py").write_text(textwrap.dedent(BAD))
    source = Path(harness.__file__).read_text()
    (tmp_path / "harness.py").write_text(source)
    return tmp_path


def run(folder, *args):
    return subprocess.run(
        [sys.executable, str(folder / "numbers_fuzzer.py"), *args],
        capture_output=True,
        text=True,
        timeout=120,
    )


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
