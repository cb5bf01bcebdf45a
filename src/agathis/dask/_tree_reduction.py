"""Tree reduction of sums among workers, so that the client receives only a few tables.

Workers form a forest: the client sends requests to its roots, and each worker to its children. This
runs in the event loops of the workers while their threads sum rows, so that concurrent fits on the
same workers do not block each other's threads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple


class Branch(NamedTuple):
    """An actor, by its key and the address of its worker, with its children."""

    key: str
    address: str
    below: tuple[Branch, ...] = ()

    @property
    def height(self) -> int:
        """The height of the tree."""
        return 1 + max((branch.height for branch in self.below), default=-1)

    def all_below(self) -> Iterator[Branch]:
        for branch in self.below:
            yield branch
            yield from branch.all_below()


class TooSlow(Exception):
    """A worker, by its address, has not answered in time."""


def forest(actors: Sequence[tuple[str, str]], max_branches: int) -> list[Branch]:
    """Arrange (key, worker) pairs of actors in at most ``most`` trees, each with as many branches.

    A second actor of a worker, as after a loss, is a separate tree.

    Examples
    --------
    >>> [tree.height for tree in forest([(f"a{i}", f"w{i}") for i in range(9)], 2)]
    [2, 2]
    """
    first: dict[str, str] = {}
    others = []
    for key, address in actors:
        if address in first:
            others.append(Branch(key, address))
        else:
            first[address] = key
    return [*_trees([(key, address) for address, key in first.items()], max_branches), *others]


def _trees(actors: list[tuple[str, str]], max_branches: int) -> list[Branch]:
    count = min(max_branches, len(actors))
    parts = [actors[index::count] for index in range(count)]
    return [Branch(*part[0], tuple(_trees(part[1:], max_branches))) for part in parts]


async def summed(
    worker: Any,
    own: Callable[[], Any],
    add: Callable[[list[Any]], Any],
    question: tuple[str, tuple[Any, ...]],
    below: Sequence[Branch],
    timeout: float,
) -> Any:
    """The sum of the answers of this worker and its children; runs in the worker's event loop.

    Parameters
    ----------
    worker : distributed.Worker
    own : callable
        Computes the answer of this worker, in a thread.
    add : callable
        Adds several answers.
    question : tuple
        The name of the method and its arguments.
    below : sequence of Branch
    timeout : float
        The maximum time in seconds per worker.

    Raises
    ------
    OSError or KeyError
        If a worker is lost, or was restarted at the same address without the actor.
    TooSlow
    """
    requests = [asyncio.ensure_future(_asked(worker, one, question, timeout)) for one in below]
    try:
        answers = [await asyncio.to_thread(own), *await asyncio.gather(*requests)]
    finally:
        for call in requests:
            call.cancel()
    return await asyncio.to_thread(add, answers)


async def _asked(
    worker: Any, branch: Branch, question: tuple[str, tuple[Any, ...]], timeout: float
) -> Any:
    """Request the answer of a child."""
    from distributed.protocol import to_serialize

    call = worker.rpc(branch.address).actor_execute(
        function="summed",
        actor=branch.key,
        args=[to_serialize(one) for one in (*question, branch.below, timeout)],
        kwargs={},
    )
    try:
        response = await asyncio.wait_for(call, timeout * (1 + branch.height))
    except (TimeoutError, asyncio.TimeoutError) as error:
        raise TooSlow(branch.address) from error
    if response["status"] != "OK":
        raise response["exception"]
    return response["result"]
