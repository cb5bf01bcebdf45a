"""A short run of each fuzzer, with the same seed each time, so that CI tells of what broke.

How long a case takes is judged by ``make fuzz`` and its like, not here: a machine may be busy.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).parents[2] / "fuzz"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "cases"),
    [("problems", 400), ("files", 800), ("tables", 60), ("columns", 2000), ("names", 60)]
    + [("faults", 10)],
)
def test_a_short_run(name, cases):
    ended = subprocess.run(
        [sys.executable, str(FUZZ / f"{name}.py"), "--seed", "1", "--cases", str(cases)]
        + ["--seconds", "240", "--jobs", "1", "--no-save", "--any-time"],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "\n0 failures" in ended.stdout
    assert "\n0 cases" not in ended.stdout


@pytest.mark.slow
def test_a_short_guided_run():
    """As many cases each time, and the same: sets of texts have the same order."""
    pytest.importorskip("atheris", reason="readers are not fuzzed with guidance: no atheris")
    ended = subprocess.run(
        [sys.executable, str(FUZZ / "parsers.py"), "--seed", "1", "--cases", "300"]
        + ["--seconds", "240", "--no-save", "--any-time"],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.endswith("\n0 failures\n")
    assert ended.stdout.count("stat::number_of_executed_units:") == 2
