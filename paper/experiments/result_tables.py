"""Tables as plain data: cells in rows of data sets and columns of methods, the best ones marked.

A :class:`ResultTable` is one table of one metric; with kernels there is one for each. Where two
metrics are to be read side by side, a sheet has the columns of both. What is best is told from the
numbers as they are printed, with two decimals, so that equals are all best; ours among ours, the
paper's among the paper's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from paper.experiments.labels import (
    EXPERIMENT_LABELS,
    KERNEL_LABELS,
    METHOD_LABELS,
    METRICS,
    counted,
    set_label,
)
from paper.experiments.plan import KERNELS, METHODS
from paper.experiments.result_cells import Cell

LEAVES_LABELS = {"k": "as many leaves as clusters", "4k": "four times as many leaves as clusters"}
#: The metrics of each sheet, in the order of the paper.
SHEETS = {
    "small": (("ari",), ("wad",), ("relative_kmeans",), ("relative_same",)),
    "large": (("ari",), ("waes",), ("relative_same",)),
    "kernels": (("ari",), ("relative_kmeans",), ("relative_same", "relative_strong")),
}
#: What the marks of a written table mean.
LEGEND = (
    "Mean and standard deviation of ours, then the paper's in brackets, then ours less the "
    "paper's. Ours best in a row is bold, the paper's best has a star. ✗ marks what is neither "
    "within two of the paper's standard deviations nor within 0.02 of its mean. X is what the "
    "paper did not run."
)


@dataclass(frozen=True)
class Column:
    """A method, or a method by one of two metrics."""

    method: str
    metric: str

    @property
    def word(self) -> str:
        return METHOD_LABELS[self.method]


@dataclass(frozen=True)
class Entry:
    """A cell in its row, and whether it is best there: of ours, and of the paper's."""

    cell: Cell
    best: bool
    paper_best: bool


@dataclass(frozen=True)
class ResultTable:
    """A table to be written.

    Attributes
    ----------
    key : str
        A short name, such as ``"kernels-ari-rbf"``.
    title, note : str
    metrics : tuple of str
        One, or two that stand side by side.
    columns : tuple of Column
    rows : tuple
        The name of a data set and its entries, None where there is nothing.
    """

    key: str
    title: str
    note: str
    metrics: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, tuple[Entry | None, ...]], ...]

    def entries(self) -> Iterator[Entry]:
        """All entries that are there."""
        for _, entries in self.rows:
            yield from (entry for entry in entries if entry is not None)

    @property
    def is_printed(self) -> bool:
        """Whether the paper has something to compare with."""
        return any(entry.cell.agrees is not None for entry in self.entries())

    @property
    def agree(self) -> tuple[int, int]:
        """How many entries agree, and of how many that can be compared."""
        known = [e.cell.agrees for e in self.entries() if e.cell.agrees is not None]
        return sum(known), len(known)


def make_tables(cells: Iterable[Cell]) -> list[ResultTable]:
    """The sheets for which there are cells, in the order of the paper."""
    groups: dict[tuple[str, str, str], dict[tuple[str, str], Cell]] = {}
    for cell in cells:
        experiment = _experiment(cell)
        key = experiment, cell.name.kernel, cell.name.metric
        groups.setdefault(key, {})[cell.name.dataset, cell.name.method] = cell
    result_tables = []
    for experiment, wanted in SHEETS.items():
        for metrics in wanted:
            for kernel in KERNELS if experiment == "kernels" else ("linear",):
                found = {m: groups.get((experiment, kernel, m), {}) for m in metrics}
                if any(found.values()):
                    result_tables.append(_sheet(experiment, kernel, found))
    return result_tables


def _experiment(cell: Cell) -> str:
    if cell.name.kernel != "linear":
        return "kernels"
    return "small" if cell.name.leaves == "k" else "large"


def _sheet(
    experiment: str, kernel: str, found: dict[str, dict[tuple[str, str], Cell]]
) -> ResultTable:
    columns = tuple(
        Column(method, metric)
        for metric, cells in found.items()
        for method in METHODS[experiment]
        if any(method == other for _, other in cells)
    )
    sets = sorted({dataset for cells in found.values() for dataset, _ in cells}, key=set_label)
    rows = []
    for dataset in sets:
        row = [found[column.metric].get((dataset, column.method)) for column in columns]
        rows.append((dataset, tuple(_entries(row))))
    metrics = tuple(found)
    cells = [cell for group in found.values() for cell in group.values()]
    return ResultTable(
        key="-".join([experiment, metrics[-1], *([kernel] if experiment == "kernels" else [])]),
        title=_title(experiment, kernel, metrics, cells[0].name.leaves),
        note=_note(metrics, cells),
        metrics=metrics,
        columns=columns,
        rows=tuple(rows),
    )


def _entries(row: list[Cell | None]) -> Iterator[Entry | None]:
    """The cells of a row; each is compared with those of its own metric."""
    best: dict[str, float] = {}
    paper_best: dict[str, float] = {}
    for cell in row:
        if cell is not None:
            if _is_ranked(cell):
                _keep_best(best, cell.name.metric, cell.mean)
            if cell.printed is not None:
                _keep_best(paper_best, cell.name.metric, cell.printed.mean)
    for cell in row:
        if cell is None:
            yield None
            continue
        metric = cell.name.metric
        printed = cell.printed
        paper = printed is not None and round(printed.mean, 2) == paper_best[metric]
        ours = _is_ranked(cell) and round(cell.mean, 2) == best[metric]
        yield Entry(cell, ours, paper)


def _is_ranked(cell: Cell) -> bool:
    """Whether it may be best: a tree that finds fewer clusters than asked for is not as deep."""
    return (cell.name.method, cell.name.metric) != ("icot", "wad")


def _keep_best(best: dict[str, float], metric: str, value: float) -> None:
    better = max if METRICS[metric].larger else min
    value = round(value, 2)
    best[metric] = better(best.get(metric, value), value)


def _title(experiment: str, kernel: str, metrics: tuple[str, ...], leaves: str) -> str:
    if len(metrics) > 1:
        what = "Relative KMeans cost with the plain and with the strong reference, side by side"
        way = "smaller"
    else:
        word = METRICS[metrics[0]].word
        what = word[0].upper() + word[1:]
        way = "larger" if METRICS[metrics[0]].larger else "smaller"
    return f"{what}: {KERNEL_LABELS[kernel]} kernel, {LEAVES_LABELS[leaves]} ({way} is better)"


def _note(metrics: tuple[str, ...], cells: list[Cell]) -> str:
    notes = [METRICS[metric].note for metric in metrics]
    if any(cell.name.method == "kmeans_dt_strong" for cell in cells):
        notes.append(
            "KMeans+DT learns from the plain kernel KMeans of the paper, KMeans+DT (strong) from "
            "one that keeps all clusters."
        )
    if any(cell.name.method == "icot" for cell in cells):
        notes.append(
            "ICOT: in the paper no limit of leaves, here at most as many as clusters, and often "
            "fewer clusters than asked for; its depth is not ranked."
        )
    runs = sorted({cell.runs for cell in cells})
    span = counted(runs[0], "run")
    if len(runs) > 1:
        span = f"{runs[0]} to {counted(runs[-1], 'run')}"
    return " ".join([*notes, f"{span} on random parts of 80 % of the rows."])


def section_of(sheet: ResultTable) -> str:
    """The words of the experiment that a sheet is of."""
    return EXPERIMENT_LABELS[sheet.key.partition("-")[0]]
