"""Avoid the OpenMP deadlock after a fork.

OpenMP keeps its threads between loops. A fork copies the memory that lists them, but not the
threads: a parallel loop would then wait forever. So a process that was forked after such loops
uses one thread.
"""

from __future__ import annotations

import os


class _Threads:
    """Whether this process has run parallel loops, and whether its parent had before a fork."""

    used = False
    lost = False


def allowed_threads(threads: int) -> tuple[int, bool]:
    """Return as many threads, or one if those of the parent are lost; and whether that is so."""
    if threads > 1 and _Threads.lost:
        return 1, True
    _Threads.used |= threads > 1
    return threads, False


def _in_child() -> None:
    _Threads.lost = _Threads.lost or _Threads.used


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
