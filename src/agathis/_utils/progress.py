"""Progress of ``verbose=1`` while a tree grows, and timings at the end.

On a terminal it is a bar of rich, if installed; otherwise, lines.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

#: Receives the work done, and the total.
Show = Callable[[str, int, int | None], None]


class Progress:
    """Progress of a fit: a bar, or lines, at most one per half second.

    It is a context manager, which removes the bar at the end of the fit.

    Parameters
    ----------
    verbose : int
        0 is silent.
    max_leaves : int or None
        The maximum number of leaves, from which the remaining time is estimated.
    max_clusters : int
    stream : file-like, default=sys.stdout
    """

    interval = 0.5

    def __init__(
        self,
        verbose: int,
        max_leaves: int | None,
        max_clusters: int,
        stream: TextIO | None = None,
    ) -> None:
        self.verbose = bool(verbose)
        self.max_leaves, self.max_clusters = max_leaves, max_clusters
        self.stream = stream
        #: Objective with one cluster per sample, to which other objectives are relative.
        self.trace = 0.0
        self.started = self.last = time.perf_counter()
        self.pairs_since = self.started
        self.grown_since: float | None = None
        self.bar: Bar | None = None

    def __enter__(self) -> Progress:
        stream = self.stream or sys.stdout
        if self.verbose and stream.isatty():
            self.bar = bar_on(stream, "Kauri")
        return self

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.close()
            self.bar = None

    def say(self, text: str) -> None:
        if self.verbose:
            print(f"[Kauri] {text}", file=self.stream or sys.stdout, flush=True)

    def pairs(self, done: int, total: int) -> None:
        """Report pairwise sums at the root; first with 0 done."""
        now = time.perf_counter()
        if done == 0:
            self.pairs_since = now
            return
        left = (now - self.pairs_since) / done * (total - done)
        line = f"root: {done:,} of {total:,} kernel rows, {left:.1f} s left"
        self._report("kernel rows of the root", done, total, line)

    def rows(self, done: int, total: int | None, what: str = "rows of a leaf") -> None:
        """Report reading or summing of rows, block by block."""
        line = f"{what}: {done:,}" + (f" of {total:,}" if total is not None else "")
        self._report(what, done, total, line)

    def leaves(self, n_leaves: int, n_clusters: int, objective: float) -> None:
        """Report a split."""
        now = time.perf_counter()
        if self.grown_since is None:
            self.grown_since = now
        if self.max_leaves is None:
            budget, left = "", ", no leaf limit"
        else:
            budget = f"/{self.max_leaves}"
            rate = (now - self.grown_since) / max(1, n_leaves - 2)
            left = f", at most {rate * (self.max_leaves - n_leaves):.1f} s left"
        line = (
            f"{n_leaves}{budget} leaves, {n_clusters}/{self.max_clusters} clusters, "
            f"objective {self.trace + objective:.6g}, {now - self.started:.1f} s{left}"
        )
        self._report("leaves", n_leaves, self.max_leaves, line)

    def search(self, cost: float, start: float, share: float) -> None:
        """Report a search: the current and initial cost, and the fraction done."""
        percent = min(100, int(100 * share))
        line = f"search: {percent} % done, cost {cost:.6g}, at the start {start:.6g}"
        self._report("percent of the search", percent, 100, line)

    def done(self, n_leaves: int, n_clusters: int, objective: float, clocks: Clocks) -> None:
        if self.bar is not None:
            self.bar.close()
        total = time.perf_counter() - self.started
        self.say(
            f"done: {n_leaves} leaves, {n_clusters} clusters, "
            f"objective {self.trace + objective:.6g} in {total:.3f} s"
            f" (engine {clocks.gain_engine:.3f} s, search {clocks.search:.3f} s, "
            f"commit {clocks.commit:.3f} s; {clocks.searches} leaf searches)"
        )

    def _report(self, what: str, done: int, total: int | None, line: str) -> None:
        now = time.perf_counter()
        if self.bar is not None:
            self.bar.show(what, done, total)
        elif self.verbose and now - self.last >= self.interval:
            self.last = now
            self.say(line)


class Clocks:
    """Seconds spent on each part of the work, and the number of leaves searched."""

    def __init__(self) -> None:
        self.gain_engine = self.search = self.commit = 0.0
        self.searches = 0


class Bar:
    """A bar on a terminal for each kind of work, removed when closed.

    Parameters
    ----------
    stream : file-like
    name : str
        Name of the program or function.
    """

    def __init__(self, stream: TextIO, name: str) -> None:
        # Imported here since it takes a while and few fits need it.
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        self.progress = Progress(
            TextColumn(f"[{name}] {{task.description}}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=Console(file=stream),
            transient=True,
            # rich's default of half a minute gives no estimate if a step takes longer.
            speed_estimate_period=600,
        )
        self.tasks: dict[str, int] = {}
        self.progress.start()

    def show(self, what: str, done: int, total: int | None) -> None:
        if what not in self.tasks:
            self.tasks[what] = self.progress.add_task(what, total=total)
        self.progress.update(self.tasks[what], completed=done, total=total)

    def close(self) -> None:
        self.progress.stop()


def bar_on(stream: TextIO, name: str) -> Bar | None:
    """Return a bar, or None if rich is not installed: progress is then printed in lines."""
    try:
        return Bar(stream, name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "rich":
            raise
        return None


@contextmanager
def progress_bar(name: str, verbose: int, every: float | None = None) -> Iterator[Show]:
    """Return a function that shows progress on stderr.

    Parameters
    ----------
    name : str
        Name of the program or function.
    verbose : int
        Whether to show anything.
    every : float, optional
        Seconds between two lines without a terminal; by default there are none.
    """
    terminal = sys.stderr.isatty()
    if not verbose or not (terminal or every is not None):
        yield lambda what, done, total: None
        return
    bar = bar_on(sys.stderr, name) if terminal else None
    interval, last = Progress.interval if every is None else every, -math.inf

    def print_line(what: str, done: int, total: int | None) -> None:
        nonlocal last
        now = time.perf_counter()
        if now - last >= interval or done == total:
            last = now
            of = "" if total is None else f" of {total:,}"
            print(f"[{name}] {what}: {done:,}{of}", file=sys.stderr, flush=True)

    try:
        yield print_line if bar is None else bar.show
    finally:
        if bar is not None:
            bar.close()
