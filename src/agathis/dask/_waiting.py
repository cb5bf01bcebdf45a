"""Waits for a scheduler and for tasks: each has a limit, after which an error names who is late.

A scheduler that is gone breaks its connections, and the client knows. One that stands still (a
machine that swaps, a process that was stopped) does not: whatever was asked of it is waited for.
Tasks are late where workers have been at the same ones for as long.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

# Seconds between two looks whether the scheduler still answers.
POLL = 1.0
#: Seconds that a scheduler may take for an answer, where nobody says how many.
LIMIT = 600.0
#: What tasks give is put together so many at a time.
AT_ONCE = 8
# Two classes before Python 3.11.
WAITED = (TimeoutError, asyncio.TimeoutError)

Question = Callable[[], Awaitable[Any]]


def address_of(client: Any) -> str:
    """The address of a client's scheduler."""
    return "" if client.scheduler is None else client.scheduler.address


def answered(client: Any, question: Question, timeout: float) -> Any:
    """What the scheduler answers to a question; raise where it does not, or is lost."""
    check_connected(client)
    return client.sync(_answer, client, question, timeout)


def check_connected(client: Any) -> None:
    """Raise where a client knows that its scheduler is lost."""
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
    """What ``dask.compute`` gives; a scheduler or workers that get nowhere meanwhile are an error.

    Parameters
    ----------
    tasks : sequence of Delayed
    timeout : float, optional
        Seconds that the scheduler may take for an answer, and that workers may be at the same
        tasks; by default ``LIMIT``.
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
        for future in futures:  # an error would keep them, and workers what the others made
            future.release()


async def _gathered(client: Any, futures: list[Any], timeout: float) -> list[Any]:
    gathering = asyncio.ensure_future(client.gather(futures, asynchronous=True))
    at, since = None, time.monotonic()
    try:
        while not gathering.done():
            await asyncio.wait({gathering}, timeout=POLL)
            if not gathering.done():
                check_connected(client)
                found = await _answer(client, client.scheduler.processing, timeout)
                if found != at:
                    at, since = found, time.monotonic()
                elif time.monotonic() - since > timeout:
                    raise _stuck(found, timeout)
        return list(gathering.result())
    except Exception:
        check_connected(client)  # where the scheduler is gone all futures are said to be cancelled
        raise
    finally:
        gathering.cancel()


def _stuck(found: Mapping[str, Sequence[Any]], timeout: float) -> TimeoutError:
    """Workers that have been at the same tasks for too long, or the want of any."""
    late = [worker for worker, keys in found.items() if keys]
    who = f"worker {late[0]} has" if len(late) == 1 else f"workers {', '.join(late)} have"
    if not late:
        return TimeoutError(f"no worker has taken a task for {timeout:g} s.")
    return TimeoutError(f"{who} been at the same tasks for {timeout:g} s.")


def put_together(tasks: Sequence[Any], together: Callable[[list[Any]], Any]) -> Any:
    """One task for what several give, put together some at a time.

    Parameters
    ----------
    tasks : sequence of Delayed
    together : callable
        Of a list of what tasks, or it itself, give.
    """
    import dask

    left = list(tasks)
    while len(left) > 1:
        groups = [left[i : i + AT_ONCE] for i in range(0, len(left), AT_ONCE)]
        left = [dask.delayed(together)(group) for group in groups]
    return left[0]


def client_in_use() -> Any:
    """The client that ``dask.compute`` would use; None where it would use none, or in a task."""
    from dask.base import get_scheduler

    client = getattr(get_scheduler(), "__self__", None)
    if client is None or not hasattr(client, "scheduler"):
        return None
    from distributed import get_worker

    try:
        get_worker()
    except ValueError:
        return client
    return None  # dask.compute lets another task have the thread of this one
