"""Runs the experiments: what is missing in a folder is fitted, in parallel, and kept there."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from agathis._checks import data as checks
from agathis._compare.workers import run as run_tasks
from agathis._utils.progress import progress_bar
from paper.datasets import load
from paper.datasets.places import user_folder
from paper.datasets.registry import REGISTRY
from paper.experiments.fits import fits
from paper.experiments.plan import EXPERIMENTS, Piece, pieces, wanted
from paper.experiments.rendering import render as write_results
from paper.experiments.store import Store, key_of

# Seconds between two lines where no bar can be shown.
_LINE = 30.0

Task = tuple[Piece, tuple[str, ...]]


def run(
    folder: str | os.PathLike[str] = "results",
    *,
    experiments: Sequence[str] | None = None,
    quick: bool = False,
    data_home: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    render: bool = True,
) -> Path:
    """Make the paper's tables and figures again, beside the printed numbers.

    Results are kept row by row as they come. A run that was stopped goes on where it was: what is
    in the folder is not done again, and what was under way in each process is.

    Parameters
    ----------
    folder : str or PathLike, default="results"
        Where rows, tables, figures and the page are kept.
    experiments : sequence of str, optional
        Some of ``"small"``, ``"large"``, ``"kernels"``, ``"angle"``, ``"samples"`` and
        ``"lost"``; by default all.
    quick : bool, default=False
        Five runs on small sets, for a first look. A whole run into the same folder goes on from
        there.
    data_home : str or PathLike, optional
        A folder of the data sets: see :func:`paper.datasets.load`.
    n_jobs : int, default=None
        Processes; ``None`` is one for each core. A kernel matrix of Avila takes 2.5 GB in each.
    verbose : bool, default=False
        Whether to show progress and the time left on standard error.
    render : bool, default=True
        Whether to write tables, figures and the page at the end.

    Returns
    -------
    folder : Path

    Raises
    ------
    RuntimeError
        Where some of the work failed, once all the rest is done and kept; or where another run is
        writing to the folder.

    Examples
    --------
    >>> from paper.experiments import run
    >>> run("results", quick=True)  # doctest: +SKIP
    PosixPath('results')
    """
    chosen = check_experiments(experiments)
    workers = checks.n_processes(-1 if n_jobs is None else n_jobs)
    home = None if data_home is None else os.fspath(data_home)
    user_folder(home)
    with Store(folder) as store:
        done = {key_of(row) for row in store.rows()}
        missing = _missing(pieces(chosen, quick=quick), done)
        tasks, failed = _with_data(missing, home)
        failed += _fit(store, tasks, home, workers, verbose)
    if failed:
        piece, note = failed[0]
        raise RuntimeError(
            f"{len(failed)} of {len(missing)} pieces of work failed, the first of them "
            f"{piece.experiment}, {piece.dataset}, {piece.kernel}, run {piece.run}: {note}. What "
            "was done is kept; another run tries the others again."
        )
    if render:
        write_results(folder, quick=quick, data_home=data_home)
    return Path(folder)


def check_experiments(names: Sequence[str] | None) -> tuple[str, ...]:
    """The experiments to run, each once, in the order of the paper."""
    if names is None:
        return EXPERIMENTS
    given = [names] if isinstance(names, str) else list(names)
    unknown = [name for name in given if name not in EXPERIMENTS]
    if unknown or not given:
        what = f"has {unknown[0]!r}" if unknown else "is empty"
        raise ValueError(f"experiments {what}; it may have {', '.join(EXPERIMENTS)}.")
    return tuple(name for name in EXPERIMENTS if name in given)


def _missing(plan: list[Piece], done: set[tuple[Any, ...]]) -> list[Task]:
    tasks = []
    for piece in plan:
        methods = tuple(m for m in wanted(piece) if piece.key(m) not in done)
        if methods:
            tasks.append((piece, methods))
    return tasks


def _with_data(
    tasks: list[Task], data_home: str | None
) -> tuple[list[Task], list[tuple[Piece, str]]]:
    """The tasks whose data set can be loaded, and the pieces of the others, with the reason.

    A set is downloaded once, not by each process, and one that cannot be is asked for once: each
    attempt may wait for a host that does not answer.
    """
    notes = {}
    for name in sorted({piece.dataset for piece, _ in tasks} & set(REGISTRY)):
        try:
            load(name, data_home=data_home)
        except (ImportError, OSError, ValueError) as error:
            notes[name] = f"{type(error).__name__}: {error}"
    lacking = [(p, notes[p.dataset]) for p, _ in tasks if p.dataset in notes]
    return [task for task in tasks if task[0].dataset not in notes], lacking


def _fit(
    store: Store,
    tasks: list[Task],
    data_home: str | None,
    workers: int,
    verbose: bool,
) -> list[tuple[Piece, str]]:
    """Do the work and keep its rows; the pieces that failed, with the reason."""
    failed = []
    clock = _Clock(tasks, verbose)
    with (
        progress_bar("experiments", verbose) as show,
        # As in a process of its own: KMeans sums in another order with more threads.
        threadpool_limits(1),
        # However this ends, no process stays behind.
        closing(run_tasks(fits, data_home, tasks, n_workers=workers)) as outcomes,
    ):
        clock.tell(show)
        for outcome in outcomes:
            if outcome.status == "part":
                store.append(outcome.value)
                continue
            piece, _ = tasks[outcome.task]
            if outcome.status == "failed":
                failed.append((piece, outcome.note))
            clock.done(piece)
            clock.tell(show)
    return failed


class _Clock:
    """The time left, told by a line now and then where there is no terminal for a bar."""

    def __init__(self, tasks: list[Task], verbose: bool) -> None:
        self.total = sum(piece.effort() for piece, _ in tasks)
        self.spent = 0.0
        self.count, self.pieces = 0, len(tasks)
        self.started = self.last = time.monotonic()
        self.lines = verbose and not sys.stderr.isatty()

    def tell(self, show: Callable[[str, int, int | None], None]) -> None:
        show("seconds of work, about", round(self.spent), round(self.total))

    def done(self, piece: Piece) -> None:
        self.spent += piece.effort()
        self.count += 1
        now = time.monotonic()
        if self.lines and (now - self.last > _LINE or self.count == self.pieces):
            self.last = now
            left = (now - self.started) / self.spent * (self.total - self.spent)
            print(
                f"[experiments] {self.count} of {self.pieces} pieces of work, "
                f"about {left / 60:.1f} minutes left",
                file=sys.stderr,
                flush=True,
            )
