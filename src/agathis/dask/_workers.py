"""The available workers, and the check that their versions match those of the client."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from typing import Any

from agathis._utils.extras import needed
from agathis.dask._timeouts import POLL, Heartbeats, address_of, answered, answered_by
from agathis.dask._worker import versions


class WorkerVersions:
    """The workers of a client.

    Parameters
    ----------
    client : distributed.Client or None
        If None, the current client.
    timeout : float
        Seconds to wait for a worker, or for an answer of the scheduler.

    Attributes
    ----------
    gone : set of str
        Lost workers, which the scheduler may still list.
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
        # Workers whose versions match.
        self.known: set[str] = set()
        self.check_versions(self.workers())

    def workers(self) -> dict[str, int]:
        """The threads of each worker, by address; waits for at least one worker."""
        started = time.monotonic()
        while True:
            workers = self.living()
            if workers:
                return workers
            if time.monotonic() - started > self.timeout:
                raise TimeoutError(
                    f"no worker has joined the scheduler {address_of(self.client)} for "
                    f"{self.timeout:g} s (timeout={self.timeout:g})."
                )
            time.sleep(POLL)

    def living(self) -> dict[str, int]:
        workers = dict(answered(self.client, lambda: self.client.scheduler.ncores(), self.timeout))
        # A worker removed by the scheduler may come back at the same address.
        self.gone &= workers.keys()
        return {worker: threads for worker, threads in workers.items() if worker not in self.gone}

    def check_versions(self, workers: Iterable[str]) -> None:
        """Raise RuntimeError if a worker has another version of agathis, NumPy or Python."""
        new = [worker for worker in workers if worker not in self.known]
        if not new:
            return
        ours = versions()

        def ask() -> object:
            # Sent by value, as a worker without agathis cannot import a function of it.
            try:
                from agathis.dask._worker import versions as theirs
            except ImportError as error:
                return f"cannot import agathis ({error})"
            return theirs()

        async def ask_in_thread() -> object:
            # In a thread, as a long import would block the heartbeats of the worker's event loop.
            return await asyncio.to_thread(ask)

        late = TimeoutError(
            f"one of the workers {', '.join(new)} of the scheduler {address_of(self.client)} has "
            f"not reported its versions for {self.timeout:g} s (timeout={self.timeout:g})."
        )
        run = self.client.run(ask_in_thread, workers=new, on_error="return", asynchronous=True)
        answers = answered_by(new, run, self.heartbeats, late)
        for worker, theirs in answers.items():
            if isinstance(theirs, OSError):
                continue  # the worker is lost, and will not be used
            if isinstance(theirs, BaseException):
                theirs = f"cannot be asked for its versions ({theirs})"
            if isinstance(theirs, str):
                raise RuntimeError(
                    f"worker {worker} {theirs}; client and workers need the same agathis, "
                    f"{ours['agathis']}."
                )
            for name, version in ours.items():
                if theirs[name] != version:
                    raise RuntimeError(
                        f"worker {worker} has {name} {theirs[name]}, and the client {version}; "
                        "they must have the same."
                    )
            self.known.add(worker)


def refuse_inside_a_task() -> None:
    """Raise RuntimeError in a task, where a fit would block the thread that it waits for."""
    from distributed import get_worker

    try:
        worker = get_worker()
    except ValueError:
        return
    raise RuntimeError(
        f"fit runs inside a task of worker {worker.address}, whose thread it would hold while it "
        "waits for the workers. Call it where the client is."
    )
