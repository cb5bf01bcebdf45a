"""Timeouts for the scheduler and for tasks.

A scheduler that terminates closes its connections. One that hangs (swapping, or a stopped process)
does not, so that each wait for it has a timeout. Tasks time out if workers process the same ones
for too long.

A stopped worker process keeps its connections, too. Workers send heartbeats to the scheduler from a
separate thread, also while they compute, so that missing heartbeats distinguish stopped from busy
workers (:class:`Heartbeats`).
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any

# The poll interval in seconds.
POLL = 1.0
#: The default timeout in seconds for an answer of the scheduler.
LIMIT = 600.0
#: The key in the Dask configuration of the maximum time without a heartbeat, and its default.
WORKER_TIMEOUT = "agathis.worker-timeout", "60 s"
# The number of heartbeat checks within this time.
LOOKS = 12
#: The number of task results merged at a time.
AT_ONCE = 8
# Different classes before Python 3.11.
WAITED = (TimeoutError, asyncio.TimeoutError)

Question = Callable[[], Awaitable[Any]]


def address_of(client: Any) -> str:
    """The address of a client's scheduler."""
    return "" if client.scheduler is None else client.scheduler.address


def answered(client: Any, question: Question, timeout: float) -> Any:
    """The answer of the scheduler; raise an error after the timeout or if it is lost."""
    check_connected(client)
    return client.sync(_answer, client, question, timeout)


def check_connected(client: Any) -> None:
    """Raise ConnectionError if the client has lost its scheduler."""
    if client.status != "running":
        raise ConnectionError(f"{_lost(client)} The client is {client.status}.")


def too_slow(client: Any, timeout: float) -> TimeoutError:
    return TimeoutError(
        f"the scheduler {address_of(client)} has not answered for {timeout:g} s "
        f"(timeout={timeout:g})."
    )


def _lost(client: Any) -> str:
    return f"the scheduler {address_of(client)} is lost, and what was asked of it with it."


async def _answer(client: Any, question: Question, timeout: float) -> Any:
    try:
        return await asyncio.wait_for(question(), timeout)
    except WAITED as error:
        raise too_slow(client, timeout) from error
    except OSError as error:
        raise ConnectionError(_lost(client)) from error


def computed(tasks: Sequence[Any], timeout: float | None = None) -> list[Any]:
    """Like ``dask.compute``, with an error if the scheduler or the workers make no progress.

    Parameters
    ----------
    tasks : sequence of Delayed
    timeout : float, optional
        The maximum time in seconds for an answer of the scheduler, and for workers without
        progress; by default ``LIMIT``.
    """
    import dask

    client = client_in_use()
    if client is None or not tasks:
        return list(dask.compute(*tasks))
    from distributed.scheduler import KilledWorker

    check_connected(client)
    futures = client.compute(list(tasks))
    try:
        return client.sync(_gathered, client, futures, LIMIT if timeout is None else timeout)
    except KilledWorker as error:
        raise MemoryError(
            f"{error.allowed_failures + 1} workers were lost one after the other with the same "
            f"partition of X, the last {error.last_worker.address}; most often their memory is "
            "full: take larger workers, or smaller partitions."
        ) from error
    finally:
        for future in futures:  # otherwise an error would keep their results on the workers
            future.release()


async def _gathered(client: Any, futures: list[Any], timeout: float) -> list[Any]:
    before, since = None, time.monotonic()

    async def check_progress() -> None:
        nonlocal before, since
        processing = await _answer(client, client.scheduler.processing, timeout)
        if processing != before:
            before, since = processing, time.monotonic()
        elif time.monotonic() - since > timeout:
            raise _stuck(processing, timeout)

    gathering = client.gather(futures, asynchronous=True)
    return list(await _watched(gathering, Heartbeats(client, timeout), (), check_progress))


def answered_by(
    workers: Collection[str], awaited: Awaitable[Any], heartbeats: Heartbeats, late: TimeoutError
) -> Any:
    """The answer of workers; raise an error if one has stopped, or ``late`` after the timeout."""
    started = time.monotonic()

    async def check_time() -> None:
        if time.monotonic() - started > heartbeats.timeout:
            raise late

    return heartbeats.client.sync(_watched, awaited, heartbeats, workers, check_time)


async def _watched(
    awaited: Awaitable[Any],
    heartbeats: Heartbeats,
    asked: Collection[str],
    check: Callable[[], Awaitable[None]],
) -> Any:
    client, waiting = heartbeats.client, asyncio.ensure_future(awaited)
    try:
        while not waiting.done():
            await asyncio.wait({waiting}, timeout=POLL)
            if not waiting.done():
                check_connected(client)
                await heartbeats.check(asked)
                await check()
        return waiting.result()
    except Exception:
        check_connected(client)  # if the scheduler is lost, all futures appear as cancelled
        raise
    finally:
        waiting.cancel()


class Heartbeats:
    """Detects stopped workers while waiting.

    The time without heartbeats is measured by the clock of the client between checks. A single
    check adds at most a quarter of the limit, as a scheduler that was suspended itself has not
    received any heartbeats.

    Parameters
    ----------
    client : distributed.Client
    timeout : float
        The maximum time in seconds for an answer of the scheduler.
    """

    def __init__(self, client: Any, timeout: float) -> None:
        import dask
        from dask.utils import parse_timedelta

        limit = dask.config.get(*WORKER_TIMEOUT)
        self.client, self.timeout = client, timeout
        self.limit = math.inf if limit is None else parse_timedelta(limit)
        self.looked = time.monotonic()
        # The last heartbeat of each worker, and the time since it last changed.
        self.last: dict[str, float] = {}
        self.silent: dict[str, float] = {}

    async def check(self, asked: Collection[str] = ()) -> None:
        """Raise TimeoutError if a required worker has sent no heartbeat for longer than the limit.

        Required are the workers in ``asked``, and those with tasks or data.
        """
        elapsed = time.monotonic() - self.looked
        if elapsed < self.limit / LOOKS:
            return
        workers = (await self._answer(self.client.scheduler.identity))["workers"]
        before, self.looked = self.last, time.monotonic()
        self.last = {worker: facts["last_seen"] for worker, facts in workers.items()}
        self.silent = {
            worker: self.silent.get(worker, 0.0) + min(elapsed, self.limit / 4)
            for worker, last in self.last.items()
            if before.get(worker) == last
        }
        for worker, seconds in self.silent.items():
            if seconds >= self.limit and (worker in asked or await self._is_used(worker)):
                raise TimeoutError(
                    f"worker {worker} has not answered for {self.limit:g} s, nor sent a heartbeat "
                    "to the scheduler: its process is stopped, or its machine cannot be reached. "
                    "Restart or remove the worker and try again. To wait longer, set "
                    f"{WORKER_TIMEOUT[0]!r} of Dask's configuration; to go on without such a "
                    "worker, set 'distributed.scheduler.worker-ttl' of the scheduler to less."
                )

    async def _is_used(self, worker: str) -> bool:
        tasks = await self._answer(self.client.scheduler.processing)
        data = await self._answer(self.client.scheduler.has_what)
        return bool(tasks.get(worker) or data.get(worker))

    async def _answer(self, question: Question) -> Any:
        return await _answer(self.client, question, self.timeout)


def _stuck(processing: Mapping[str, Sequence[Any]], timeout: float) -> TimeoutError:
    """The error for workers without progress, or without any worker."""
    late = [worker for worker, keys in processing.items() if keys]
    who = f"worker {late[0]} has" if len(late) == 1 else f"workers {', '.join(late)} have"
    if not late:
        return TimeoutError(f"no worker has taken a task for {timeout:g} s.")
    return TimeoutError(f"{who} been at the same tasks for {timeout:g} s.")


def tree_reduced(tasks: Sequence[Any], together: Callable[[list[Any]], Any]) -> Any:
    """Merge the results of tasks by a tree reduction.

    Parameters
    ----------
    tasks : sequence of Delayed
    together : callable
        Merges a list of results.
    """
    import dask

    left = list(tasks)
    while len(left) > 1:
        groups = [left[i : i + AT_ONCE] for i in range(0, len(left), AT_ONCE)]
        left = [dask.delayed(together)(group) for group in groups]
    return left[0]


def client_in_use() -> Any:
    """The client that ``dask.compute`` would use; None without a client, or in a task."""
    from dask.base import get_scheduler

    client = getattr(get_scheduler(), "__self__", None)
    if client is None or not hasattr(client, "scheduler"):
        return None
    from distributed import get_worker

    try:
        get_worker()
    except ValueError:
        return client
    return None  # in a task, dask.compute releases the thread itself
