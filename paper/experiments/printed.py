"""What the paper prints: the cells of its tables, the points of its curves, its histograms.

``printed/tables.csv`` has a line for each cell, with an empty mean where the paper has an X;
``synthetic_waes.csv`` the points of the synthetic figure; ``clusters.csv`` the bars of the figure
of lost clusters.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple


class Name(NamedTuple):
    """What a cell is of, in the words of the paper's tables."""

    dataset: str
    kernel: str
    leaves: str
    method: str
    metric: str


class Figures(NamedTuple):
    """What stands in a printed cell."""

    mean: float
    std: float


@dataclass(frozen=True)
class Printed:
    """A printed cell; mean and std are None where the paper did not run the method."""

    table: str
    mean: float | None
    std: float | None

    @property
    def figures(self) -> Figures | None:
        """Both of them; None where the paper has an X."""
        if self.mean is None or self.std is None:
            return None
        return Figures(self.mean, self.std)


@cache
def printed_cells() -> dict[Name, Printed]:
    """The cells of all tables, in their order."""
    found = {}
    for row in _lines("tables.csv"):
        name = Name(row["dataset"], row["kernel"], row["leaves"], row["method"], row["metric"])
        found[name] = Printed(row["table"], _number(row["mean"]), _number(row["std"]))
    return found


@cache
def printed_curves() -> dict[tuple[str, str], list[tuple[float, float]]]:
    """The points (x, WAES) of each figure, "angle" or "samples", and method."""
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for row in _lines("synthetic_waes.csv"):
        key = row["figure"].removeprefix("synthetic_"), row["method"]
        found.setdefault(key, []).append((float(row["x"]), float(row["waes_mean"])))
    return found


@cache
def printed_clusters() -> dict[tuple[str, str], dict[int, int]]:
    """In how many of 100 runs how many clusters were left, for each set and kernel."""
    found: dict[tuple[str, str], dict[int, int]] = {}
    for row in _lines("clusters.csv"):
        bars = found.setdefault((row["dataset"], row["kernel"]), {})
        bars[int(row["clusters"])] = int(row["runs"])
    return found


def _lines(name: str) -> list[dict[str, str]]:
    path = files("paper.experiments") / "printed" / name
    text = path.read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def _number(text: str) -> float | None:
    return float(text) if text else None
