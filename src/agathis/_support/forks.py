"""Threads of a process that was forked: those of its parent are gone, and are waited for.

OpenMP keeps its threads from one loop to the next. A fork takes none of them along, but the memory
that says that they are there: a loop with threads would then wait for ever. So a process that was
forked after such loops works with one thread.
"""

from __future__ import annotations

import os


class _Threads:
    """Whether this process has had loops with threads, and whether it is a fork of one that had."""

    used = False
    lost = False


def allowed_threads(threads: int) -> tuple[int, bool]:
    """As many threads, or one where those of the parent are lost; and whether that is so."""
    if threads > 1 and _Threads.lost:
        return 1, True
    _Threads.used |= threads > 1
    return threads, False


def _in_child() -> None:
    _Threads.lost = _Threads.lost or _Threads.used


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
