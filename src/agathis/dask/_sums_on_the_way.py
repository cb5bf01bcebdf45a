"""Sums that workers add up among themselves, so that the client gets a few tables and not hundreds.

The workers are a forest: the client asks its roots, and each of them the workers right below it.
All of it runs in the loops of the workers while their threads sum rows, so that two fits on the
same workers, each with a forest of its own, never wait for one another's threads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple


class Branch(NamedTuple):
    """An actor, by its key and the address of its worker, and those that it asks."""

    key: str
    address: str
    below: tuple[Branch, ...] = ()

    @property
    def height(self) -> int:
        """How many have to be passed on the way from the farthest."""
        return 1 + max((branch.height for branch in self.below), default=-1)

    def all_below(self) -> Iterator[Branch]:
        for branch in self.below:
            yield branch
            yield from branch.all_below()


class Failure(NamedTuple):
    """A branch that gave no answer: its actor is gone, or has not answered in time."""

    branch: Branch
    is_slow: bool


class Summed(NamedTuple):
    """A sum, and the branches that are not in it."""

    answer: Any
    failures: list[Failure]


def forest(actors: Sequence[tuple[str, str]], most: int) -> list[Branch]:
    """Actors, given with their workers, as no more trees than ``most``, each with as many branches.

    A second actor of a worker, which is there after a loss, is a tree of its own.

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
    return [*_trees([(key, address) for address, key in first.items()], most), *others]


def _trees(actors: list[tuple[str, str]], most: int) -> list[Branch]:
    count = min(most, len(actors))
    parts = [actors[place::count] for place in range(count)]
    return [Branch(*part[0], tuple(_trees(part[1:], most))) for part in parts]


async def summed(
    worker: Any,
    own: Callable[[], Any],
    add: Callable[[list[Any]], Any],
    question: tuple[str, tuple[Any, ...]],
    below: Sequence[Branch],
    timeout: float,
) -> Summed:
    """The answer of this worker and of those below it, added up; runs in the worker's loop.

    Parameters
    ----------
    worker : distributed.Worker
    own : callable
        Gives the answer of this worker, in a thread.
    add : callable
        Makes one answer of several.
    question : tuple
        The name of the method that answers, and its arguments.
    below : sequence of Branch
    timeout : float
        Seconds that a worker may take.
    """
    asked = [asyncio.ensure_future(_asked(worker, one, question, timeout)) for one in below]
    try:
        answers, failures = [await asyncio.to_thread(own)], []
        for found in await asyncio.gather(*asked):
            if isinstance(found, Failure):
                failures.append(found)
            else:
                answers.append(found.answer)
                failures += found.failures
    finally:
        for call in asked:
            call.cancel()
    return Summed(await asyncio.to_thread(add, answers), failures)


async def _asked(
    worker: Any, branch: Branch, question: tuple[str, tuple[Any, ...]], timeout: float
) -> Summed | Failure:
    """What a worker below answers."""
    from distributed.protocol import to_serialize

    call = worker.rpc(branch.address).actor_execute(
        function="summed",
        actor=branch.key,
        args=[to_serialize(one) for one in (*question, branch.below, timeout)],
        kwargs={},
    )
    try:
        found = await asyncio.wait_for(call, timeout * (1 + branch.height))
    except (TimeoutError, asyncio.TimeoutError):
        return Failure(branch, is_slow=True)
    except (OSError, KeyError):
        # It is gone, or was started anew at the same address and knows no actors.
        return Failure(branch, is_slow=False)
    if found["status"] == "OK":
        return found["result"]
    if isinstance(found["exception"], (OSError, KeyError)):
        return Failure(branch, is_slow=False)
    raise found["exception"]
