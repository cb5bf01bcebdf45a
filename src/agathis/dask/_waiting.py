"""Waits for a scheduler: each has a limit, after which an error names it.

A scheduler that is gone breaks its connections, and the client knows. One that stands still (a
machine that swaps, a process that was stopped) does not: whatever was asked of it is waited for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

# Seconds between two looks whether the scheduler still answers.
POLL = 1.0
#: Seconds that a scheduler may take for an answer, where nobody says how many.
LIMIT = 600.0
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
    """What ``dask.compute`` gives; a scheduler that stops answering meanwhile is an error.

    How long the tasks take does not matter: as long as the scheduler answers, they are waited for.

    Parameters
    ----------
    tasks : sequence of Delayed
    timeout : float, optional
        Seconds that the scheduler may take for an answer; by default ``LIMIT``.
    """
    import dask

    client = client_in_use()
    if client is None or not tasks:
        return list(dask.compute(*tasks))
    check_connected(client)
    futures = client.compute(list(tasks))
    try:
        return client.sync(_gathered, client, futures, LIMIT if timeout is None else timeout)
    finally:
        for future in futures:  # an error would keep them, and workers what the others made
            future.release()


async def _gathered(client: Any, futures: list[Any], timeout: float) -> list[Any]:
    gathering = asyncio.ensure_future(client.gather(futures, asynchronous=True))
    try:
        while not gathering.done():
            await asyncio.wait({gathering}, timeout=POLL)
            if not gathering.done():
                check_connected(client)
                await _answer(client, client.scheduler.ncores, timeout)
        return list(gathering.result())
    except Exception:
        check_connected(client)  # where the scheduler is gone all futures are said to be cancelled
        raise
    finally:
        gathering.cancel()


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
