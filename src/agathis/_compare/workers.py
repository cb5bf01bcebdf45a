"""Worker processes that run tasks in parallel, with a timeout for each task.

Compiled code cannot be interrupted, so each worker is a process, which is killed and replaced after
a timeout. Workers are new Python processes that read tasks from standard input, so scripts need no
``__main__`` guard and no fork is involved. A thread per worker puts its answers into one queue;
everything else is done by the caller's thread.
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
from collections import deque
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
        for index, task in enumerate(tasks):
            yield from _attempts(function, shared, task, index)
        return
    todo = deque(enumerate(tasks))
    answers: _Answers = queue.SimpleQueue()
    setup = cloudpickle.dumps((function, shared, prepare))
    workers = [_Worker(setup, answers) for _ in range(min(n_workers, len(tasks)))]
    try:
        left = len(tasks)
        while left:
            deadline = min((w.deadline for w in workers if w.deadline is not None), default=None)
            seconds = None if deadline is None else max(0.0, deadline - time.monotonic())
            try:
                worker, answer = answers.get(timeout=seconds)
            except queue.Empty:
                for worker in workers:
                    if worker.deadline == deadline:
                        worker.stop()
                continue
            if isinstance(answer, Exception):
                raise answer
            outcome = worker.outcome(answer, timeout)
            if answer is None:
                workers.remove(worker)
                if todo:
                    workers.append(_Worker(setup, answers))
            elif worker.task is None and todo and not worker.stopped:
                worker.begin(*todo.popleft(), timeout)
            if outcome is not None:
                left -= outcome.status != "part"
                yield outcome
    finally:
        for worker in workers:
            worker.close()


def _attempts(
    function: Callable[[Any, Any], Any], shared: object, task: object, index: int
) -> Iterator[Outcome]:
    try:
        value = function(shared, task)
        if isinstance(value, Generator):
            for part in value:
                yield Outcome(index, part, "part")
            value = None
        yield Outcome(index, value)
    except Exception as error:
        # Reported as an outcome, so that other tasks continue.
        yield Outcome(index, status="failed", note=f"{type(error).__name__}: {error}")


class _Worker:
    """A worker process, and the thread that puts its answers into a queue.

    The first answer is True, when the process is ready; the last is None, when it has ended, or an
    error.
    """

    def __init__(self, setup: bytes, answers: _Answers) -> None:
        # The index of the task that it works on, and when that has to be done.
        self.task: int | None = None
        self.deadline: float | None = None
        self.ready = self.stopped = False
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **_ONE_THREAD},
        )
        self.thread = threading.Thread(target=self._listen, args=(setup, answers), daemon=True)
        self.thread.start()

    @property
    def pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        """The pipes to and from the process."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        return self.process.stdin, self.process.stdout

    def _listen(self, setup: bytes, answers: _Answers) -> None:
        to_worker, from_worker = self.pipes
        try:
            to_worker.write(setup)
            to_worker.flush()
            while True:
                answers.put((self, pickle.load(from_worker)))
        except _ENDED:
            answers.put((self, None))
        except Exception as error:
            answers.put((self, error))

    def begin(self, index: int, task: object, timeout: float | None) -> None:
        """Send a task."""
        self.task = index
        self.deadline = None if timeout is None else time.monotonic() + timeout
        # If the process has ended, None is the next answer.
        with contextlib.suppress(*_ENDED):
            _send(self.pipes[0], task)

    def stop(self) -> None:
        """Kill the process after a timeout; its answers before that still count."""
        self.stopped, self.deadline = True, None
        self.process.kill()

    def outcome(self, answer: object, timeout: float | None) -> Outcome | None:
        """The outcome of the task by an answer, if there was a task."""
        index = self.task
        if isinstance(answer, Outcome):
            assert index is not None
            if answer.status != "part":
                self.task = self.deadline = None
            return replace(answer, task=index)
        if answer is None:
            self.close()
            if not self.ready:
                raise RuntimeError(
                    "a worker process did not start, see its output above. With n_jobs=1 and no "
                    "timeout no processes are used."
                )
            if index is not None and self.stopped:
                return Outcome(index, status="timeout", note=f"took longer than {timeout:g} s")
            if index is not None:
                note = f"its process ended with code {self.process.returncode}"
                if self.process.returncode == -9:
                    note += ", killed, as a machine that is out of memory does"
                return Outcome(index, status="failed", note=note)
        self.ready = True
        return None

    def close(self) -> None:
        """Kill the process; unsent data are dropped."""
        self.process.kill()
        self.process.wait()
        self.thread.join()
        for pipe in self.pipes:
            with contextlib.suppress(OSError):
                pipe.close()


#: Answers of workers.
_Answers = queue.SimpleQueue[tuple[_Worker, Any]]


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
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # Redirects what tasks print, so that it does not mix with the outcomes.
    os.dup2(2, 1)
    try:
        function, shared, prepare = pickle.load(requests)
        if prepare is not None:
            prepare(shared)
        _send(answers, True)
        while True:
            for outcome in _attempts(function, shared, pickle.load(requests), 0):
                _send(answers, outcome)
    except (*_ENDED, KeyboardInterrupt):
        pass  # the parent has ended or closed the pipe
