"""Which workers there are, and whether they fit the client: the same agathis, NumPy and Python."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from typing import Any

from agathis._support.extras import needed
from agathis.dask._waiting import POLL, Heartbeats, address_of, answered, answered_by
from agathis.dask._worker import versions


class Roster:
    """The workers of a client.

    Parameters
    ----------
    client : distributed.Client or None
        ``None`` is the current one.
    timeout : float
        Seconds to wait for a worker, or for an answer of the scheduler.

    Attributes
    ----------
    gone : set of str
        Workers that were lost, of which the scheduler may not know yet.
    """

    def __init__(self, client: Any, timeout: float) -> None:
        distributed = needed("distributed", "dask", "agathis.dask")
        refuse_inside_a_task()
        if client is None:
            try:
                client = distributed.get_client()
            except ValueError as error:
                raise ValueError(
                    "client=None means the current one, and there is none; make one first, for "
                    "example with dask.distributed.Client()."
                ) from error
        if client.asynchronous:
            raise ValueError(
                "client is asynchronous, and a fit waits for its workers: give one made without "
                "asynchronous=True."
            )
        self.client, self.timeout = client, timeout
        self.heartbeats = Heartbeats(client, timeout)
        self.gone: set[str] = set()
        # Those whose versions are known to fit.
        self.known: set[str] = set()
        self.check_versions(self.workers())

    def workers(self) -> dict[str, int]:
        """Threads of each worker that is there, by address; at least one, or it is waited for."""
        started = time.monotonic()
        while True:
            found = self.living()
            if found:
                return found
            if time.monotonic() - started > self.timeout:
                raise TimeoutError(
                    f"no worker has joined the scheduler {address_of(self.client)} for "
                    f"{self.timeout:g} s (timeout={self.timeout:g})."
                )
            time.sleep(POLL)

    def living(self) -> dict[str, int]:
        found = dict(answered(self.client, lambda: self.client.scheduler.ncores(), self.timeout))
        # What the scheduler has dropped may come again, at the same address.
        self.gone &= found.keys()
        return {worker: threads for worker, threads in found.items() if worker not in self.gone}

    def check_versions(self, workers: Iterable[str]) -> None:
        """Raise where a worker has another agathis, NumPy or Python."""
        new = [worker for worker in workers if worker not in self.known]
        if not new:
            return
        own = versions()

        def ask() -> object:
            # By value: a worker without agathis cannot even read the name of a function of it.
            try:
                from agathis.dask._worker import versions as found
            except ImportError as error:
                return f"cannot import agathis ({error})"
            return found()

        async def ask_in_thread() -> object:
            # An import can take many seconds, in which the worker's loop would send no heartbeats.
            return await asyncio.to_thread(ask)

        late = TimeoutError(
            f"one of the workers {', '.join(new)} of the scheduler {address_of(self.client)} has "
            f"not told its versions for {self.timeout:g} s (timeout={self.timeout:g})."
        )
        run = self.client.run(ask_in_thread, workers=new, on_error="return", asynchronous=True)
        answers = answered_by(new, run, self.heartbeats, late)
        for worker, found in answers.items():
            if isinstance(found, OSError):
                continue  # it is gone, and nothing is asked of it
            if isinstance(found, BaseException):
                found = f"cannot be asked for its versions ({found})"
            if isinstance(found, str):
                raise RuntimeError(
                    f"worker {worker} {found}; client and workers need the same agathis, "
                    f"{own['agathis']}."
                )
            for name, version in own.items():
                if found[name] != version:
                    raise RuntimeError(
                        f"worker {worker} has {name} {found[name]}, and the client {version}; they "
                        "must have the same."
                    )
            self.known.add(worker)


def refuse_inside_a_task() -> None:
    """A fit in a task would hold the thread that it waits for."""
    from distributed import get_worker

    try:
        worker = get_worker()
    except ValueError:
        return
    raise RuntimeError(
        f"fit runs inside a task of worker {worker.address}, whose thread it would hold while it "
        "waits for the workers. Call it where the client is."
    )
