"""What ``verbose=1`` says while a tree grows: a line now and then, and the clocks at the end."""

from __future__ import annotations

import sys
import time
from typing import TextIO


class Progress:
    """Lines of progress, at most one in half a second.

    Parameters
    ----------
    verbose : bool or int
        Says nothing where it is false.
    max_leaves : int or None
        The leaf budget, from which the time left is told.
    max_clusters : int
    stream : file-like, default=sys.stdout
    """

    interval = 0.5

    def __init__(
        self,
        verbose: bool | int,
        max_leaves: int | None,
        max_clusters: int,
        stream: TextIO | None = None,
    ) -> None:
        self.verbose = bool(verbose)
        self.max_leaves, self.max_clusters = max_leaves, max_clusters
        self.stream = stream
        #: Objective of one cluster a sample, to which the stocks' own is relative.
        self.trace = 0.0
        self.started = self.last = time.perf_counter()
        self.pairs_since = self.started
        self.grown_since: float | None = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def say(self, text: str) -> None:
        if self.verbose:
            print(f"[Kauri] {text}", file=self.stream or sys.stdout, flush=True)

    def pairs(self, done: int, total: int) -> None:
        """While the root's pairs are summed; first with 0 done."""
        now = time.perf_counter()
        if done == 0:
            self.pairs_since = now
        elif self._due():
            left = (now - self.pairs_since) / done * (total - done)
            self.say(f"root: {done:,} of {total:,} kernel rows, {left:.1f} s left")

    def rows(self, done: int, total: int) -> None:
        """While the rows of a leaf are summed."""

    def leaves(self, n_leaves: int, n_clusters: int, objective: float) -> None:
        """After a split."""
        now = time.perf_counter()
        if self.grown_since is None:
            self.grown_since = now
        if not self._due():
            return
        if self.max_leaves is None:
            budget, left = "", ", no leaf limit"
        else:
            budget = f"/{self.max_leaves}"
            rate = (now - self.grown_since) / max(1, n_leaves - 2)
            left = f", at most {rate * (self.max_leaves - n_leaves):.1f} s left"
        self.say(
            f"{n_leaves}{budget} leaves, {n_clusters}/{self.max_clusters} clusters, "
            f"objective {self.trace + objective:.6g}, {now - self.started:.1f} s{left}"
        )

    def done(self, n_leaves: int, n_clusters: int, objective: float, clocks: Clocks) -> None:
        total = time.perf_counter() - self.started
        self.say(
            f"done: {n_leaves} leaves, {n_clusters} clusters, "
            f"objective {self.trace + objective:.6g} in {total:.3f} s"
            f" (stocks {clocks.stocks:.3f} s, search {clocks.search:.3f} s, "
            f"commit {clocks.commit:.3f} s; {clocks.searches} leaf searches)"
        )

    def _due(self) -> bool:
        if not self.verbose:
            return False
        now = time.perf_counter()
        if now - self.last < self.interval:
            return False
        self.last = now
        return True


class Clocks:
    """Seconds spent on each part of the work, and how many leaves were searched."""

    def __init__(self) -> None:
        self.stocks = self.search = self.commit = 0.0
        self.searches = 0
