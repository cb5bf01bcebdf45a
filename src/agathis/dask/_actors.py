"""Communication with workers: actors, timeouts, and recovery from lost workers.

Each worker has an actor with its partitions. A request is sent to all actors at once, and every
wait has a timeout. If a worker is lost, the others read its partitions again, replay the earlier
requests that changed their state (``remembered``), and then answer the current request.
"""

from __future__ import annotations

import contextlib
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agathis.dask._partitions import Partitions
from agathis.dask._timeouts import POLL, WAITED, answered, answered_by, too_slow
from agathis.dask._tree_reduction import TooSlow, forest
from agathis.dask._worker import WorkerParts, as_block
from agathis.dask._workers import WorkerVersions

# The maximum number of answers sent to the client; with more workers answers are reduced first.
AT_ONCE = 8
# The maximum number of lost workers before the fit fails.
MAX_LOSSES = 20
# The maximum number of workers lost in a row during one step, without an answer in between.
MAX_IN_A_ROW = 3


class Lost(Exception):
    """A worker is lost."""


@dataclass(eq=False)
class Group:
    """An actor, its worker and its partitions.

    The tasks of partitions are released once the actor has their results, so that the scheduler
    has no tasks bound to a worker, for which it would wait if the worker is lost.
    """

    worker: str
    numbers: list[int]
    future: Any
    blocks: list[Any]
    actor: Any = None

    def forget(self) -> None:
        """Release everything on the scheduler."""
        for future in (*self.blocks, self.future):
            future.cancel()
        self.blocks, self.actor = [], None


class Cluster:
    """Partitions on the workers of a client.

    Parameters
    ----------
    client : distributed.Client or None
        If None, the current client.
    timeout : float
        The maximum time in seconds for a step of a worker, or an answer of the scheduler.
    """

    def __init__(self, client: Any, timeout: float) -> None:
        self.roster = WorkerVersions(client, timeout)
        self.client, self.timeout = self.roster.client, timeout
        self.partitions: Partitions
        self.groups: list[Group] = []
        self._graphs: dict[int, dict[Any, Any]] = {}
        self.remembered: dict[str, tuple[tuple[Any, ...], Callable[[Any], object] | None]] = {}
        self.losses = self.in_a_row = 0
        self.token = uuid.uuid4().hex[:12]

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # Loading of partitions.

    def load(self, partitions: Partitions) -> None:
        """Load all partitions."""
        self.partitions = partitions
        self._load(list(range(len(partitions))))
        self._graphs.clear()

    def _load(self, numbers: list[int]) -> None:
        """Load these partitions, again if workers are lost, until all are loaded."""
        while numbers:
            workers = self.roster.workers()
            self.roster.check_versions(workers)
            started = [
                self._start(worker, some, workers[worker])
                for worker, some in self._assigned(numbers, list(workers)).items()
            ]
            numbers = []
            self.groups += started
            for index, group in enumerate(started):
                try:
                    self._wait_until_loaded(group)
                except Lost:
                    # Others may depend on data of the lost worker.
                    for late in started[index:]:
                        self.groups.remove(late)
                        late.forget()
                        numbers += late.numbers
                    self.in_a_row += 1
                    self._count_loss(group)
                    break
        self.in_a_row = 0

    def _assigned(self, numbers: list[int], workers: list[str]) -> dict[str, list[int]]:
        """Assign partitions to workers: to the one that has them in memory, else round-robin.

        Round-robin spreads a sorted table over all workers.
        """
        assigned: dict[str, list[int]] = {}
        persisted = {
            number: self._persisted_key(self.partitions.blocks[number]) for number in numbers
        }
        holders_of = self._holders(list({key for key in persisted.values() if key is not None}))
        for turn, number in enumerate(sorted(numbers)):
            holders = holders_of.get(persisted[number], ())
            holder = next((worker for worker in holders if worker in workers), None)
            assigned.setdefault(holder or workers[turn % len(workers)], []).append(number)
        return assigned

    def _holders(self, keys: list[Any]) -> dict[Any, Any]:
        """The workers that have these keys in memory."""
        if not keys:
            return {}

        def question() -> Any:
            return self.client.scheduler.who_has(keys=keys)

        return dict(answered(self.client, question, self.timeout))

    def _persisted_key(self, block: Any) -> Any:
        """The key of a persisted input of a block, if any."""
        from dask.core import flatten

        where, waiting = id(block.dask), list(flatten(block.__dask_keys__()))
        if where not in self._graphs:
            self._graphs[where] = dict(block.dask)
        graph = self._graphs[where]
        while waiting:
            key = waiting.pop()
            if key in self.client.futures:
                return key
            waiting += getattr(graph.get(key), "dependencies", ())
        return None

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

    def _wait_until_loaded(self, group: Group) -> None:
        """Wait until an actor has loaded its partitions."""
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
            self._raise_unread(group)
        gathering = self.client.gather(group.future, asynchronous=True)
        late = too_slow(self.client, self.timeout)
        group.actor = answered_by([group.worker], gathering, self.roster.heartbeats, late)
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
        """Wait until a task has finished, or the poll interval has passed."""
        from distributed import wait

        pending = [one for one in (*group.blocks, group.future) if one.status == "pending"]
        with contextlib.suppress(*WAITED), self.client.as_current():
            wait(pending, timeout=POLL, return_when="FIRST_COMPLETED")

    def _raise_unread(self, group: Group) -> None:
        """Raise RuntimeError for a partition that could not be read."""
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

    # Requests.

    def ask(
        self,
        method: str,
        *args: Any,
        remember: bool = False,
        check: Callable[[Any], object] | None = None,
        summed: bool = False,
    ) -> list[Any]:
        """Send a request to all actors, and return their answers.

        With ``remember`` actors that replace lost ones replay it, and ``check`` is called with
        their answers. With ``summed`` answers of many workers are reduced among the workers.
        """
        answers: list[Any] = []
        waiting = list(self.groups)
        while waiting:
            if summed and len(waiting) > AT_ONCE:
                waiting, summed = self._ask_summed(waiting, method, args, answers), False
                continue
            lost = self._ask_each(waiting, method, args, answers)
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

    def _ask_each(
        self, waiting: list[Group], method: str, args: tuple[Any, ...], answers: list[Any]
    ) -> list[Group]:
        """Append the answers to ``answers``; return the lost groups."""
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
        return lost

    def _ask_summed(
        self, waiting: list[Group], method: str, args: tuple[Any, ...], answers: list[Any]
    ) -> list[Group]:
        """Append sums of answers; return the groups of the branches with a lost worker."""
        by_key = {group.future.key: group for group in waiting}
        calls, unanswered = [], []
        for branch in forest([(key, group.worker) for key, group in by_key.items()], AT_ONCE):
            group, call = by_key[branch.key], None
            with contextlib.suppress(Lost):
                call = self._call(group, "summed", method, args, branch.below, self.timeout)
            calls.append((branch, group, call))
        for branch, group, call in calls:
            try:
                if call is None:
                    raise Lost(group.worker)
                answers.append(self._result(group, call, method, branch.height + 1))
            except Lost:
                unanswered += [by_key[one.key] for one in (branch, *branch.all_below())]
            except TooSlow as error:
                slow = next(one for one in waiting if one.worker == error.args[0])
                raise self._too_slow(slow, f"step {method!r}") from error
        return unanswered

    def _call(self, group: Group, method: str, *args: Any) -> Any:
        try:
            return getattr(group.actor, method)(*args)
        except RuntimeError as error:  # the worker of the actor is lost
            raise Lost(group.worker) from error

    def _result(self, group: Group, call: Any, what: str, limits: int = 1) -> Any:
        started = time.monotonic()
        while True:
            try:
                return call.result(timeout=POLL)
            except WAITED:
                pass
            except OSError as error:
                raise Lost(group.worker) from error
            except KeyError as error:
                # The worker was restarted at the same address, without the actor.
                raise Lost(group.worker) from error
            self._alive(group)
            if time.monotonic() - started > limits * self.timeout:
                raise self._too_slow(group, f"step {what!r}")

    def _alive(self, group: Group) -> None:
        """Raise if the worker of a group is lost, or a worker has stopped."""
        if group.worker not in self.roster.living():
            raise Lost(group.worker)
        self.client.sync(self.roster.heartbeats.check, [group.worker])

    def _count_loss(self, group: Group) -> None:
        self.roster.gone.add(group.worker)
        self.losses += 1
        if self.losses > MAX_LOSSES or self.in_a_row > MAX_IN_A_ROW:
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
        """Free the memory of this fit on the workers; never raises."""
        for group in self.groups:
            # If the worker or the scheduler is lost, there is nothing to free.
            with contextlib.suppress(Exception):
                group.forget()
        self.groups = []
