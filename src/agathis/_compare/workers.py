"""Worker processes that run tasks in parallel, with a timeout for each task.

Compiled code cannot be interrupted, so each worker is a process, which is killed and replaced after
a timeout. Workers are new Python processes that read tasks from standard input, so scripts need no
``__main__`` guard and no fork is involved. One thread per worker sends tasks and waits for results.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import IO, Any

import cloudpickle

# Each worker uses one core.
_ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
# The import path of the parent, without the current directory.
_START = (
    "import sys; sys.path[:] = sys.argv[1:]; from agathis._compare.workers import serve; serve()"
)
# Raised by reading from or writing to a process that has ended.
_ENDED = (EOFError, OSError, pickle.UnpicklingError)
# Seconds between two checks whether the parent is alive.
_LOOK = 1.0


@dataclass(frozen=True)
class Outcome:
    """The outcome of a task.

    Attributes
    ----------
    task : int
        Its index.
    value : object
        What the function returned ("done"), or yielded ("part").
    status : {"part", "done", "failed", "timeout"}
    note : str
        The reason of a failure.
    """

    task: int
    value: Any = None
    status: str = "done"
    note: str = ""


def run(
    function: Callable[[Any, Any], Any],
    shared: object,
    tasks: Sequence[Any],
    *,
    n_workers: int,
    timeout: float | None = None,
    prepare: Callable[[Any], object] | None = None,
) -> Generator[Outcome, None, None]:
    """Yield the outcomes of ``function(shared, task)`` as they complete.

    Parameters
    ----------
    function : callable
        If it is a generator, each value that it yields is an outcome, a "part".
    shared : object
        Sent to each worker once.
    tasks : sequence
    n_workers : int
        With one and no timeout the work is done in this process.
    timeout : float, optional
        The maximum number of seconds of a task.
    prepare : callable, optional
        Called with ``shared`` by each worker before its first task, to warm up.
    """
    if n_workers == 1 and timeout is None:
        if prepare is not None:
            prepare(shared)
        for place, task in enumerate(tasks):
            yield from _attempts(function, shared, task, place)
        return
    todo: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
    for place, task in enumerate(tasks):
        todo.put((place, task))
    found: queue.SimpleQueue[Outcome | BaseException] = queue.SimpleQueue()
    setup = cloudpickle.dumps((function, shared, prepare))
    workers = [_Worker(setup, timeout) for _ in range(min(n_workers, len(tasks)))]
    threads = [threading.Thread(target=w.work, args=(todo, found), daemon=True) for w in workers]
    try:
        for thread in threads:
            thread.start()
        left = len(tasks)
        while left:
            outcome = found.get()
            if isinstance(outcome, BaseException):
                raise outcome
            left -= outcome.status != "part"
            yield outcome
    finally:
        for worker in workers:
            worker.close()
        for thread in threads:
            thread.join()


def _attempts(
    function: Callable[[Any, Any], Any], shared: object, task: object, place: int
) -> Iterator[Outcome]:
    try:
        value = function(shared, task)
        if isinstance(value, Generator):
            for part in value:
                yield Outcome(place, part, "part")
            value = None
        yield Outcome(place, value)
    except Exception as error:
        # Reported as an outcome, so that other tasks continue.
        yield Outcome(place, status="failed", note=f"{type(error).__name__}: {error}")


class _Worker:
    """A worker process, started on first use and restarted after it was killed."""

    def __init__(self, setup: bytes, timeout: float | None) -> None:
        self.setup, self.timeout = setup, timeout
        self.process: subprocess.Popen[bytes] | None = None
        self.closed = False
        self.lock = threading.Lock()

    def work(
        self,
        todo: queue.SimpleQueue[tuple[int, Any]],
        found: queue.SimpleQueue[Outcome | BaseException],
    ) -> None:
        """Run tasks until there are none."""
        try:
            while not self.closed:
                place, task = todo.get_nowait()
                for outcome in self._ask(place, task):
                    found.put(outcome)
        except queue.Empty:
            pass
        except BaseException as error:
            found.put(error)
        finally:
            self.close()

    def close(self) -> None:
        with self.lock:
            self.closed = True
        self._kill()

    def _ask(self, place: int, task: object) -> Iterator[Outcome]:
        if self.process is None:
            self._start()
        process, late = self.process, threading.Event()
        if process is None:
            yield Outcome(place, status="failed", note="the worker was closed")
            return

        def stop() -> None:
            late.set()
            process.kill()

        clock = threading.Timer(self.timeout or 0.0, stop)
        try:
            if self.timeout is not None:
                clock.daemon = True
                clock.start()
            _send(_pipes(process)[0], task)
            outcome = _answer(process, place)
            while outcome.status == "part":
                yield outcome
                outcome = _answer(process, place)
        except _ENDED:
            self._kill()
            note = f"its process ended with code {process.returncode}"
            if process.returncode == -9:
                note += ", killed, as a machine that is out of memory does"
            outcome = Outcome(place, status="failed", note=note)
            if late.is_set():
                note = f"took longer than {self.timeout:g} s"
                outcome = Outcome(place, status="timeout", note=note)
        finally:
            if self.timeout is not None:
                clock.cancel()
                clock.join()
        if late.is_set():  # killed just after the answer
            self._kill()
        yield outcome

    def _start(self) -> None:
        with self.lock:
            if self.closed:
                return
            self.process = process = subprocess.Popen(
                [sys.executable, "-c", _START, *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, **_ONE_THREAD},
            )
        try:
            to_worker, from_worker = _pipes(process)
            to_worker.write(self.setup)
            to_worker.flush()
            pickle.load(from_worker)
        except _ENDED as error:
            self._kill()
            if not self.closed:
                raise RuntimeError(
                    "a worker process did not start, see its output above. With n_jobs=1 and no "
                    "timeout no processes are used."
                ) from error

    def _kill(self) -> None:
        with self.lock:
            process, self.process = self.process, None
        if process is not None:
            process.kill()
            process.wait()
            # Unsent data are dropped.
            for pipe in _pipes(process):
                with contextlib.suppress(OSError):
                    pipe.close()


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    """The pipes to and from a worker."""
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


def _answer(process: subprocess.Popen[bytes], place: int) -> Outcome:
    found: Outcome = pickle.load(_pipes(process)[1])
    return replace(found, task=place)


def _send(pipe: IO[bytes], what: object) -> None:
    """Send an object; functions and classes of ``__main__`` are pickled by value."""
    pipe.write(cloudpickle.dumps(what))
    pipe.flush()


def _watch(parent: int) -> None:
    """Exit when the parent process has died."""
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(1)


def serve() -> None:
    """Main loop of a worker: tasks from standard input, outcomes to standard output."""
    threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()
    asked, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # Redirects what tasks print, so that it does not mix with the outcomes.
    os.dup2(2, 1)
    try:
        function, shared, prepare = pickle.load(asked)
        if prepare is not None:
            prepare(shared)
        _send(answers, None)
        while True:
            for outcome in _attempts(function, shared, pickle.load(asked), 0):
                _send(answers, outcome)
    except (*_ENDED, KeyboardInterrupt):
        pass  # the parent has ended or closed the pipe
