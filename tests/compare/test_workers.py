"""Processes that work on tasks: they answer, fail, take too long, die, and are stopped."""

import os
import subprocess
import sys
import textwrap
import time

import pytest
from helpers.worker_tasks import act, give, wait_between

from agathis._compare.workers import Outcome, run


def outcomes(tasks, **settings):
    result = list(run(act, "shared", tasks, **settings))
    assert sorted(o.task for o in result) == list(range(len(tasks)))
    return sorted(result, key=lambda outcome: outcome.task)


@pytest.mark.parametrize(
    "settings", [{"n_workers": 1}, {"n_workers": 2}, {"n_workers": 3, "timeout": 50}]
)
def test_every_task_has_an_outcome(settings):
    result = outcomes([1, "two", "print", (4,)], **settings)
    assert [o.value[:2] for o in result] == [("shared", t) for t in (1, "two", "print", (4,))]
    assert {o.status for o in result} == {"done"}
    here = {o.value[2] == os.getpid() for o in result}
    assert here == {settings == {"n_workers": 1}}


@pytest.mark.parametrize("n_workers", [1, 2])
def test_an_error_is_an_outcome_and_others_continue(n_workers):
    result = outcomes([1, "fail", 3], n_workers=n_workers)
    assert result[1] == Outcome(1, None, "failed", "KeyError: 'missing'")
    assert [result[0].value[1], result[2].value[1]] == [1, 3]


def test_a_worker_is_killed_and_replaced_after_a_timeout():
    started = time.monotonic()
    result = outcomes(["sleep", 1, "sleep", 2], n_workers=1, timeout=0.5)
    assert time.monotonic() - started < 50
    assert [o.status for o in result] == ["timeout", "done", "timeout", "done"]
    assert result[0].note == "took longer than 0.5 s"
    assert result[1].value[2] != result[3].value[2]


@pytest.mark.slow
def test_an_outcome_at_the_timeout_affects_no_other_task():
    """Where the clock strikes as the answer comes, the next task has a process of its own."""
    result = outcomes([0.2995, 0.2999, 0.3003, 0.3006, 0.301] * 3 + [1], n_workers=1, timeout=0.3)
    assert {o.status for o in result} <= {"done", "timeout"}
    assert result[-1].status == "done"


@pytest.mark.slow
def test_workers_end_when_the_parent_is_killed(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            import os, time
            from agathis._compare.workers import run

            def act(shared, task):
                if task:
                    time.sleep(60)
                return os.getpid()

            tasks = run(act, None, [0, 1, 1], n_workers=2)
            print(next(tasks).value, flush=True)
            time.sleep(60)
            """
        )
    )
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    worker = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    for _ in range(100):
        time.sleep(0.1)
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
    raise AssertionError("the worker still lives")


def test_the_current_directory_does_not_come_first(tmp_path, monkeypatch):
    (tmp_path / "joblib.py").write_text("raise ImportError('the wrong one')")
    monkeypatch.chdir(tmp_path)
    assert outcomes([1], n_workers=2)[0].status == "done"


def test_a_process_that_dies_is_a_failure():
    result = outcomes(["die", 1], n_workers=2)
    assert result[0].status == "failed"
    assert "ended with code 3" in result[0].note
    assert result[1].status == "done"


@pytest.mark.skipif(sys.platform == "win32", reason="codes of processes are others")
def test_a_process_that_is_killed_may_have_had_no_memory():
    (result,) = outcomes(["killed"], n_workers=2)
    assert result.status == "failed"
    assert "out of memory" in result.note


@pytest.mark.parametrize("n_workers", [1, 2])
def test_a_generator_yields_parts_before_its_end(n_workers):
    tasks = [(3, ""), (0, ""), (2, "fail"), (1, "")]
    result = list(run(give, None, tasks, n_workers=n_workers))
    for place, (count, end) in enumerate(tasks):
        own = [(o.status, o.value) for o in result if o.task == place]
        parts = [("part", value) for value in range(count)]
        assert own == [*parts, ("failed" if end else "done", None)]


def test_parts_of_a_dying_process_are_kept_and_it_is_replaced():
    result = list(run(give, None, [(2, "die"), (1, ""), (1, "")], n_workers=2))
    own = [(o.status, o.value) for o in result if o.task == 0]
    assert own == [("part", 0), ("part", 1), ("failed", None)]
    assert sum(o.status == "done" for o in result) == 2


def test_a_part_arrives_before_the_next_is_computed(tmp_path):
    result = run(wait_between, str(tmp_path / "seen"), [0], n_workers=2)
    assert next(result).value == "first"
    (tmp_path / "seen").touch()
    assert [outcome.value for outcome in result] == ["second", None]


def test_each_worker_has_one_thread():
    assert outcomes(["threads"], n_workers=2)[0].value == "1"


def test_no_worker_outlives_a_closed_generator():
    result = run(act, None, [1, "sleep", "sleep"], n_workers=3)
    first = next(result)
    result.close()
    with pytest.raises(ProcessLookupError):
        os.kill(first.value[2], 0)


def test_a_script_needs_no_guard(tmp_path):
    """Functions of the script itself are known to the workers, which do not run it again."""
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            from agathis._compare.workers import run

            print("once")

            def double(shared, task):
                return shared * task

            print(sorted(o.value for o in run(double, 2, [1, 2, 3], n_workers=2)))
            """
        )
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["once", "[2, 4, 6]"]
