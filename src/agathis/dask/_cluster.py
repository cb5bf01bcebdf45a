"""The only file that knows how workers are reached: actors, waits, and what is lost and read again.

Each worker gets an actor with its partitions. A question goes to all of them at once, and every
wait for one has a limit; a scheduler that is lost is noticed, one that stands still is not. Where a
worker is lost, its partitions are read again on the others, go through all that was asked of the
others once (``remembered``), and then get the question.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from agathis._support.extras import needed
from agathis.dask._partitions import Partitions
from agathis.dask._worker import WorkerParts, as_block, versions

# Seconds after which a wait looks whether the worker is still there.
POLL = 1.0
# Two classes before Python 3.11.
WAITED = (TimeoutError, asyncio.TimeoutError)
# How often partitions are read again before it is said that they are the reason.
MOST_LOSSES = 20
# Deaths of workers in a row during one step, with no answer in between.
MOST_IN_A_ROW = 3


class Lost(Exception):
    """A worker is gone."""


@dataclass(eq=False)
class Group:
    """An actor, the worker that it is on and the partitions that it answers for.

    Tasks of partitions are only kept until the actor has what they made: nothing that is bound to
    a worker is then known to the scheduler, and could be waited for once that worker is gone.
    """

    worker: str
    numbers: list[int]
    future: Any
    blocks: list[Any]
    actor: Any = None

    def forget(self) -> None:
        """Let the scheduler forget all of it."""
        for future in (*self.blocks, self.future):
            future.cancel()
        self.blocks, self.actor = [], None


class Cluster:
    """Partitions on the workers of a client.

    Parameters
    ----------
    client : distributed.Client or None
        ``None`` is the current one.
    timeout : float
        Seconds that any one step of a worker may take.
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
        self.partitions: Partitions
        self.groups: list[Group] = []
        self.remembered: dict[str, tuple[tuple[Any, ...], Callable[[Any], object] | None]] = {}
        self.losses = self.in_a_row = 0
        # Workers that were lost, of which the scheduler may not know yet, and those that are asked.
        self.gone: set[str] = set()
        self.known: set[str] = set()
        self.token = uuid.uuid4().hex[:12]
        self.check_versions(self.workers())

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # Who is there.

    def workers(self) -> dict[str, int]:
        """Threads of each worker that is there, by address; at least one, or it is waited for."""
        started = time.monotonic()
        while True:
            found = self._living()
            if found:
                return found
            if time.monotonic() - started > self.timeout:
                raise TimeoutError(
                    f"no worker has joined the scheduler {self._scheduler()} for "
                    f"{self.timeout:g} s (timeout={self.timeout:g})."
                )
            time.sleep(POLL)

    def _living(self) -> dict[str, int]:
        lost = f"the scheduler {self._scheduler()} is lost: the fit cannot go on."
        if self.client.status != "running":
            raise ConnectionError(f"{lost} The client is {self.client.status}.")
        try:
            found = dict(self.client.nthreads())
        except (OSError, *WAITED) as error:
            raise ConnectionError(lost) from error
        # What the scheduler has dropped may come again, at the same address.
        self.gone &= found.keys()
        return {worker: threads for worker, threads in found.items() if worker not in self.gone}

    def _scheduler(self) -> str:
        scheduler = self.client.scheduler
        return "" if scheduler is None else scheduler.address

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

        try:
            answers = self.client.run(
                ask, workers=new, on_error="return", callback_timeout=self.timeout
            )
        except WAITED as error:
            raise TimeoutError(
                f"one of the workers {', '.join(new)} has not told its versions for "
                f"{self.timeout:g} s (timeout={self.timeout:g})."
            ) from error
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

    # Partitions to workers.

    def load(self, partitions: Partitions) -> None:
        self.partitions = partitions
        self._load(list(range(len(partitions))))

    def _load(self, numbers: list[int]) -> None:
        """Have these partitions read, each on a worker, until all are there."""
        while numbers:
            workers = self.workers()
            self.check_versions(workers)
            started = [
                self._start(worker, own, workers[worker])
                for worker, own in self._dealt(numbers, list(workers)).items()
            ]
            numbers = []
            self.groups += started
            for place, group in enumerate(started):
                try:
                    self._arrive(group)
                except Lost:
                    # Others may wait for something that was to be read there.
                    for late in started[place:]:
                        self.groups.remove(late)
                        late.forget()
                        numbers += late.numbers
                    self.in_a_row += 1
                    self._count_loss(group)
                    break
        self.in_a_row = 0

    def _dealt(self, numbers: list[int], workers: list[str]) -> dict[str, list[int]]:
        """Which worker reads which partitions: where they lie, else in turn.

        In turn, so that a sorted table is spread over all of them.
        """
        from distributed import futures_of

        dealt: dict[str, list[int]] = {}
        futures = {number: futures_of(self.partitions.blocks[number]) for number in numbers}
        known = [own[0] for own in futures.values() if len(own) == 1]
        homes = self.client.who_has(known) if known else {}
        for turn, number in enumerate(sorted(numbers)):
            own = futures[number]
            places = homes.get(own[0].key, ()) if len(own) == 1 else ()
            home = next((place for place in places if place in workers), None)
            dealt.setdefault(home or workers[turn % len(workers)], []).append(number)
        return dealt

    def _start(self, worker: str, numbers: list[int], threads: int) -> Group:
        import dask

        parts, attempt = self.partitions, self.losses
        blocks = [
            dask.delayed(as_block, pure=False)(
                number,
                parts.blocks[number],
                None if parts.weights is None else parts.weights[number],
                parts.names,
                parts.n_features,
                dask_key_name=f"agathis-block-{self.token}-{attempt}-{number}",
            )
            for number in numbers
        ]
        futures = self.client.compute(blocks, workers=[worker], allow_other_workers=False)
        actor = self.client.submit(
            WorkerParts,
            threads,
            actor=True,
            workers=[worker],
            pure=False,
            key=f"agathis-parts-{self.token}-{attempt}-{uuid.uuid4().hex[:8]}",
        )
        return Group(worker, numbers, actor, futures)

    def _arrive(self, group: Group) -> None:
        """Wait until an actor has its partitions."""
        done, since = -1, time.monotonic()
        while True:
            states = [future.status for future in (*group.blocks, group.future)]
            if "pending" not in states:
                break
            self._alive(group)
            if states.count("finished") > done:
                done, since = states.count("finished"), time.monotonic()
            elif time.monotonic() - since > self.timeout:
                raise self._too_slow(group, "reading its partitions")
            self._wait_for(group)
        if set(states) != {"finished"}:
            self._alive(group)
            self._tell_unread(group)
        group.actor = group.future.result(timeout=self.timeout)
        keys = [future.key for future in group.blocks]
        self._result(group, self._call(group, "hold", keys), "hold")
        for future in group.blocks:
            future.release()
        group.blocks = []
        for method, (args, check) in self.remembered.items():
            answer = self._result(group, self._call(group, method, *args), method)
            if check is not None:
                check(answer)

    def _wait_for(self, group: Group) -> None:
        """Until something has happened, or it is time to look again."""
        from distributed import wait

        pending = [one for one in (*group.blocks, group.future) if one.status == "pending"]
        with contextlib.suppress(*WAITED):
            wait(pending, timeout=POLL, return_when="FIRST_COMPLETED")

    def _tell_unread(self, group: Group) -> None:
        """Raise for a partition that could not be read."""
        from distributed.scheduler import KilledWorker

        for number, future in zip(group.numbers, group.blocks, strict=True):
            if future.status == "error":
                error = future.exception()
                if isinstance(error, KilledWorker):
                    raise self._out_of_memory(group) from error
                raise RuntimeError(
                    f"partition {number} of X cannot be read on worker {group.worker}: "
                    f"{type(error).__name__}: {error}"
                ) from error
        raise Lost(group.worker)

    # Questions.

    def ask(
        self,
        method: str,
        *args: Any,
        remember: bool = False,
        check: Callable[[Any], object] | None = None,
    ) -> list[Any]:
        """What each actor answers; ``remember`` has actors that come later do the same first.

        ``check`` looks at answers of these.
        """
        answers: list[Any] = []
        waiting = list(self.groups)
        while waiting:
            calls, lost = [], []
            for group in waiting:
                try:
                    calls.append((group, self._call(group, method, *args)))
                except Lost:
                    lost.append(group)
            for group, call in calls:
                try:
                    answers.append(self._result(group, call, method))
                except Lost:
                    lost.append(group)
            if not lost:
                break
            before = set(map(id, self.groups))
            self.in_a_row += 1
            for group in lost:
                self.groups.remove(group)
                group.forget()
                self._count_loss(group)
            self._load([number for group in lost for number in group.numbers])
            waiting = [group for group in self.groups if id(group) not in before]
        if remember:
            self.remembered[method] = args, check
        return answers

    def _call(self, group: Group, method: str, *args: Any) -> Any:
        try:
            return getattr(group.actor, method)(*args)
        except RuntimeError as error:  # the actor knows that its worker is gone
            raise Lost(group.worker) from error

    def _result(self, group: Group, call: Any, what: str) -> Any:
        started = time.monotonic()
        while True:
            try:
                return call.result(timeout=POLL)
            except WAITED:
                pass
            except OSError as error:
                raise Lost(group.worker) from error
            except KeyError as error:
                # A worker that was started anew at the same address knows no actors.
                raise Lost(group.worker) from error
            self._alive(group)
            if time.monotonic() - started > self.timeout:
                raise self._too_slow(group, f"step {what!r}")

    def _alive(self, group: Group) -> None:
        if group.worker not in self._living():
            raise Lost(group.worker)

    def _count_loss(self, group: Group) -> None:
        self.gone.add(group.worker)
        self.losses += 1
        if self.losses > MOST_LOSSES or self.in_a_row > MOST_IN_A_ROW:
            raise self._out_of_memory(group)

    def _out_of_memory(self, group: Group) -> MemoryError:
        shown = ", ".join(map(str, group.numbers[:8])) + (", ..." if group.numbers[8:] else "")
        return MemoryError(
            f"{max(1, self.losses)} workers were lost one after the other, the last, "
            f"{group.worker}, with partitions {shown} of X; most often their memory is full. A "
            "worker needs its rows as floats, a byte a value more for bins, and some for a "
            "partition that is being read: take more or larger workers, or smaller partitions."
        )

    def _too_slow(self, group: Group, what: str) -> TimeoutError:
        return TimeoutError(
            f"worker {group.worker} has not answered for {self.timeout:g} s: {what}. A larger "
            f"timeout= than {self.timeout:g} waits longer."
        )

    def close(self) -> None:
        """Free what the workers keep for this fit; never fails."""
        for group in self.groups:
            # Where the worker or the scheduler is gone its memory is gone with it.
            with contextlib.suppress(Exception):
                group.forget()
        self.groups = []


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
