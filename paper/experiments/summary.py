"""What the page says first: what was run, how many cells agree, what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from paper.experiments.labels import EXPERIMENT_LABELS, METHOD_LABELS, METRICS, counted
from paper.experiments.plan import EXPERIMENTS, pieces, wanted
from paper.experiments.result_cells import Cell, Row, agreement

#: The methods whose ARI, WAD and WAES with the linear kernel are to agree.
COMPARED = ("kauri", "kmeans_dt", "imm", "exshallow", "exkmc", "rdm")


@dataclass(frozen=True)
class Count:
    """How many cells agree, of how many that can be compared."""

    agree: int
    of: int

    @property
    def share(self) -> float:
        return self.agree / self.of if self.of else 0.0

    def __add__(self, other: Count) -> Count:
        return Count(self.agree + other.agree, self.of + other.of)

    def __str__(self) -> str:
        return f"{self.agree:,} of {self.of:,}"


@dataclass(frozen=True)
class Progress:
    """An experiment: what it is, the fits that are there, and those of the plan."""

    word: str
    done: int
    planned: int
    runs: str


def progress(rows: Sequence[Row], quick: bool) -> list[Progress]:
    """How much of each experiment's plan is there.

    Rows that are not in the plan, such as those of a whole run in a folder that is read as a
    quick one, count too.
    """
    planned: Counter[str] = Counter()
    for piece in pieces(quick=quick):
        planned[piece.experiment] += len(wanted(piece))
    done = Counter(row["experiment"] for row in rows)
    runs: dict[str, set[int]] = {}
    for row in rows:
        runs.setdefault(row["experiment"], set()).add(row["run"])
    return [
        Progress(
            EXPERIMENT_LABELS[name],
            done[name],
            max(planned[name], done[name]),
            counted(len(runs.get(name, ())), "run"),
        )
        for name in EXPERIMENTS
    ]


def counts(cells: Iterable[Cell]) -> dict[tuple[str, str], dict[str, Count]]:
    """For each metric and "linear" or "other" kernels, how many cells of each method agree."""
    found: dict[tuple[str, str], dict[str, Count]] = {}
    for row in agreement(cells):
        group = found.setdefault((row["metric"], row["kernel"]), {})
        group[row["method"]] = Count(row["agree"], row["of"])
    order = [(metric, kernel) for kernel in ("linear", "other") for metric in METRICS]
    return {key: found[key] for key in order if key in found}


def count_label(metric: str, kernel: str) -> str:
    """The words for a column of counts.

    >>> count_label("ari", "other")
    'ARI, other kernels'
    """
    return f"{METRICS[metric].word}, {'linear' if kernel == 'linear' else 'other kernels'}"


def headlines(found: dict[tuple[str, str], dict[str, Count]]) -> list[tuple[str, Count]]:
    """The counts that matter most, each with its words; none where nothing is compared."""
    everything, compared, kernels = Count(0, 0), Count(0, 0), Count(0, 0)
    for (metric, kernel), methods in found.items():
        for method, count in methods.items():
            everything += count
            if kernel == "linear" and method in COMPARED and metric in ("ari", "wad", "waes"):
                compared += count
            if kernel == "other" and (metric, method) == ("ari", "kauri"):
                kernels += count
    names = [METHOD_LABELS[method] for method in COMPARED]
    lines = [
        ("of all cells that the paper prints agree", everything),
        (f"with the linear kernel: ARI, WAD and WAES of {', '.join(names)}", compared),
        ("with the other kernels: Kauri's ARI", kernels),
    ]
    return [(text, count) for text, count in lines if count.of]
