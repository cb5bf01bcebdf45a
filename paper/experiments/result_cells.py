"""Rows of fits become cells: a mean and a deviation for each set, kernel, method and metric.

Metrics have the paper's words and meanings, so that a cell can stand beside the printed one:
``waes`` is one more than :func:`agathis.metrics.weighted_average_explanation_size`, and
``relative_kmeans`` divides by the least cost of (kernel) KMeans over all runs of a set. Beside
them stand two that the paper does not have: ``relative_same`` divides each cost by that of the
same KMeans on the same rows, ``relative_strong`` by that of the strong kernel KMeans there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from agathis._utils.result_table import Table
from paper.experiments.plan import LEAVES, METHODS
from paper.experiments.printed import Figures, Name, Printed, printed_cells

COLUMNS = (
    "table",
    "dataset",
    "kernel",
    "leaves",
    "method",
    "metric",
    "mean",
    "std",
    "runs",
    "paper_mean",
    "paper_std",
    "agrees",
)
TABLES = ("small", "large", "kernels")
METRICS = {
    "small": ("ari", "wad", "relative_kmeans", "relative_same"),
    "large": ("ari", "waes", "relative_same"),
    "kernels": ("ari", "relative_kmeans", "relative_same", "relative_strong"),
}
#: How near a mean must be to the printed one, at least: two of the paper's deviations, or this.
NEAR = 0.02
#: Printed numbers are not exact in binary.
_ROUNDING = 1e-9

Row = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """A mean over runs, beside the printed one.

    Attributes
    ----------
    name : Name
    table : str
        The paper's table, or for what it does not print, the name that its table would have.
    mean, std : float
    runs : int
    paper : Printed or None
    """

    name: Name
    table: str
    mean: float
    std: float
    runs: int
    paper: Printed | None = None

    @property
    def printed(self) -> Figures | None:
        """What it can be compared with; None where nothing is printed, or an X."""
        return None if self.paper is None else self.paper.figures

    @property
    def agrees(self) -> bool | None:
        """Whether it is as near as can be expected; None where nothing is printed."""
        printed = self.printed
        if printed is None:
            return None
        near = max(2 * printed.std, NEAR)
        return abs(self.mean - printed.mean) <= near + _ROUNDING

    @property
    def difference(self) -> float | None:
        """Ours less the printed one."""
        return None if self.printed is None else self.mean - self.printed.mean

    def as_row(self) -> Row:
        agrees = self.agrees
        return {
            "table": self.table,
            **self.name._asdict(),
            "mean": self.mean,
            "std": self.std,
            "runs": self.runs,
            "paper_mean": None if self.paper is None else self.paper.mean,
            "paper_std": None if self.paper is None else self.paper.std,
            "agrees": None if agrees is None else "yes" if agrees else "no",
        }


def make_cells(rows: Iterable[Row]) -> list[Cell]:
    """The cells of all tables for which there are rows, in the order of the tables."""
    groups: dict[tuple[str, str, str], dict[str, list[Row]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for row in rows:
        if row["experiment"] in TABLES:
            group = groups[row["experiment"], row["dataset"], row["kernel"]]
            group[row["method"]].append(row)
    cells = []
    for experiment in TABLES:
        for metric in METRICS[experiment]:
            for (which, dataset, kernel), methods in sorted(groups.items()):
                if which == experiment:
                    cells += _cells_of(experiment, metric, dataset, kernel, methods)
    return cells


def _cells_of(
    experiment: str, metric: str, dataset: str, kernel: str, methods: dict[str, list[Row]]
) -> list[Cell]:
    measure = _measure(metric, [row for rows in methods.values() for row in rows])
    words: dict[int | None, str] = {1: "k", 4: "4k"}
    leaves = words[LEAVES[experiment]]
    cells = []
    for method in METHODS[experiment]:
        if method not in methods:
            continue
        values = np.array([measure(r) for r in sorted(methods[method], key=lambda r: r["run"])])
        name = Name(dataset, kernel, leaves, method, metric)
        paper = printed_cells().get(name)
        table = paper.table if paper is not None else _table_of(experiment, name)
        mean, std = float(values.mean()), float(values.std())
        cells.append(Cell(name, table, mean, std, len(values), paper))
    return cells


def _measure(metric: str, rows: list[Row]) -> Callable[[Row], float]:
    """How a metric is read from a row; ``rows`` are all of a set and kernel."""
    if metric == "waes":
        return lambda row: row["waes"] + 1
    if metric == "relative_kmeans":
        least = min(row["reference"] for row in rows)
        return lambda row: row["cost"] / least
    if metric == "relative_same":
        return lambda row: row["cost"] / row["reference"]
    if metric == "relative_strong":
        return lambda row: row["cost"] / row["strong"]
    return lambda row: row[metric]


def _table_of(experiment: str, name: Name) -> str:
    """The name that the paper's table of a cell would have."""
    word = "kmeans" if name.metric == "relative_kmeans" else name.metric
    table = f"{experiment}_{word}"
    return table if name.dataset in _main_sets(experiment) else f"{table}_extended"


@cache
def _main_sets(experiment: str) -> set[str]:
    """The sets in the main part of the paper; the others are in its appendix."""
    cells = printed_cells().items()
    return {name.dataset for name, paper in cells if paper.table == f"{experiment}_ari"}


def as_table(cells: Iterable[Cell]) -> Table:
    """The cells with the columns of the paper's tables, and what belongs beside them."""
    return Table([cell.as_row() for cell in cells], COLUMNS)


def agreement(cells: Iterable[Cell]) -> Table:
    """How many cells agree with the print, for each table, kernel or linear, and method."""
    counts: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0])
    for cell in cells:
        if cell.agrees is not None:
            kernel = "linear" if cell.name.kernel == "linear" else "other"
            count = counts[cell.name.metric, kernel, cell.name.method]
            count[0] += cell.agrees
            count[1] += 1
    return Table(
        {"metric": metric, "kernel": kernel, "method": method, "agree": agree, "of": of}
        for (metric, kernel, method), (agree, of) in sorted(counts.items())
    )
