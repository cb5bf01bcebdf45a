"""What a case takes, of the clock and of processors: did it work, wait, or was the machine busy?

A case that waits (for a lock, for the other end of a pipe) uses no processor, and so does one that
is ready to work on a machine that is busy with other things. The system tells them apart: it counts
the seconds for which a thread stood in the queue for a processor. Children count as what they are,
work of the case, those that have ended and those that live.
"""

from __future__ import annotations

import math
import os
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

#: Seconds of a processor with which a case has worked, however long it then waited.
WORKED = 1.0


class Taken(NamedTuple):
    """Seconds of a process: of the clock, of processors, and its first thread's turns and queues.

    Those that a system does not tell are nan, and nothing is said of them.
    """

    clock: float
    processor: float
    ran: float
    queued: float

    def since(self, before: Taken) -> Taken:
        return Taken(*(now - then for now, then in zip(self, before, strict=True)))

    @property
    def idle(self) -> float:
        """Seconds of the clock in which nothing of the case could have gone on.

        Work takes as many times longer as the first thread had to queue for its turns.
        """
        crowd = 1.0 if self.ran == 0 else (self.ran + self.queued) / self.ran
        return self.clock - self.processor * crowd

    def waited(self, most: float) -> bool:
        """Whether it only waited, for more than so many seconds."""
        return self.processor < WORKED and self.idle > most


def own() -> Taken:
    """What this process has taken so far, and its children."""
    ended = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    used = sum(times.ru_utime + times.ru_stime for times in ended)
    return Taken(time.monotonic(), used + _living(os.getpid()), *_turns(os.getpid()))


def of(pid: int) -> Taken:
    """What another process has taken so far, and its children."""
    return Taken(time.monotonic(), _processor(pid) + _living(pid), *_turns(pid))


def _turns(pid: int) -> tuple[float, float]:
    try:
        ran, queued, _ = map(int, Path(f"/proc/{pid}/schedstat").read_text().split())
    except (OSError, ValueError):
        return math.nan, math.nan
    return (ran / 1e9, queued / 1e9) if ran else (math.nan, math.nan)  # nobody counts


def _processor(pid: int) -> float:
    """Of a process and those of its children that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return math.nan
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _living(pid: int) -> float:
    """Of the children that have not ended, and of theirs."""
    used = map(_processor, _children(pid))
    return sum(seconds for seconds in used if not math.isnan(seconds))  # but for those just now


def _children(pid: int) -> Iterator[int]:
    for told in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            numbers = told.read_text().split()
        except OSError:  # the thread has ended
            continue
        for child in map(int, numbers):
            yield child
            yield from _children(child)
