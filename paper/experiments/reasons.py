"""Why cells differ from the printed ones, as far as it is known.

A rule looks at a cell and at the cells around it and says why it differs, or nothing. Rules stand
in order, those that numbers prove before those that are only likely; the first that speaks counts.
Where none does, the cell is not explained.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from paper.experiments.plan import RUNS
from paper.experiments.printed import Name
from paper.experiments.result_cells import NEAR, Cell

#: Ratios of ours to the printed ones whose largest is no more than so many times the least are
#: "nearly the same": means with two decimals around 1 are exact to half of that.
SAME_FACTOR = 1.02
#: Means of a few runs may be so many of their standard errors away.
ERRORS = 3
UNKNOWN = "not explained"

Around = dict[Name, Cell]


@dataclass(frozen=True)
class Reason:
    """A cell that differs, and why; ``rule`` is the name of the rule that spoke."""

    cell: Cell
    rule: str
    text: str


def find_reasons(cells: Iterable[Cell]) -> list[Reason]:
    """All cells that do not agree with the print, each with its reason."""
    around = {cell.name: cell for cell in cells}
    found = []
    for cell in around.values():
        if cell.agrees is False:
            rule, text = reason(cell, around) or (UNKNOWN, UNKNOWN)
            found.append(Reason(cell, rule, text))
    return found


def reason(cell: Cell, around: Around) -> tuple[str, str] | None:
    """The name of the first rule that explains a cell, and what it says.

    ``around`` are all cells by name.
    """
    for name, rule in RULES.items():
        text = rule(cell, around)
        if text is not None:
            return name, text
    return None


def _another_reference(cell: Cell, around: Around) -> str | None:
    """All methods of a set moved alike, so that what they are divided by is another."""
    printed = cell.printed
    if printed is None or cell.name.metric != "relative_kmeans":
        return None
    others = [ratio for name, ratio in _ratios(cell, around).items() if name != cell.name]
    own = cell.mean / printed.mean
    # Two ratios that happen to be alike prove nothing.
    if len(others) < 2 or max(*others, own) > SAME_FACTOR * min(*others, own):
        return None
    factor = float(np.median(others))
    put_right = cell.mean / factor
    if abs(put_right - printed.mean) > max(2 * printed.std, NEAR):
        return None
    low, high = min(*others, own), max(*others, own)
    return (
        f"Another reference: all {len(others) + 1} methods of this set and kernel are "
        f"{low:.3f} to {high:.3f} times what is printed. Divided by the {factor:.3f} of the "
        f"others this cell is {put_right:.2f} and agrees: not the trees differ, but what their "
        "cost is divided by. Ours is the least cost over the runs, which depends on the parts that "
        "were drawn."
    )


def _ratios(cell: Cell, around: Around) -> dict[Name, float]:
    """Ours over the printed one, of all methods in the cell's row."""
    return {
        name: other.mean / other.printed.mean
        for name, other in around.items()
        if name._replace(method=cell.name.method) == cell.name and other.printed is not None
    }


def _few_runs(cell: Cell, around: Around) -> str | None:
    printed = cell.printed
    if printed is None or cell.runs >= RUNS:
        return None
    text = f"Made of {cell.runs} runs, the paper's of {RUNS}"
    if cell.name.metric == "relative_kmeans":
        return f"{text}. The reference is the least cost over the runs: with more it is lower."
    scatter = ERRORS * np.hypot(cell.std, printed.std) / np.sqrt(cell.runs)
    if abs(cell.mean - printed.mean) > NEAR + scatter:
        return None
    return f"{text}: so few scatter by as much."


def _another_icot(cell: Cell, around: Around) -> str | None:
    if cell.name.method != "icot":
        return None
    return (
        "Another search: the original program is not public. Ours is in its style, a local search "
        "for the best silhouette with at least 5 % of the rows in a leaf, from other starts."
    )


def _same_trees(cell: Cell, around: Around) -> str | None:
    """The ARI of the same fits agrees: the cost is the same, and what it is divided by is not."""
    if cell.name.metric != "relative_kmeans":
        return None
    ari = around.get(cell.name._replace(metric="ari"))
    if ari is None or ari.printed is None or not ari.agrees:
        return None
    return (
        f"Probably another reference: the ARI of the same trees agrees ({ari.mean:.2f}, printed "
        f"{ari.printed.mean:.2f}). The paper does not say how its reference was made"
        + (
            "."
            if cell.name.kernel == "linear"
            else "; with a kernel it is that of a kernel KMeans that can lose clusters, and "
            "depends on its random starts."
        )
    )


def _cuts_for_nothing(cell: Cell, around: Around) -> str | None:
    if (cell.name.method, cell.name.metric) != ("exkmc", "waes"):
        return None
    if cell.difference is None or cell.difference > 0:
        return None
    return (
        "Fewer leaves: where no cut takes anything off the cost, ours stops. The public program "
        "goes on to the limit of leaves as long as a row is on the wrong side, with cuts that "
        "change no label."
    )


def _random_reference(cell: Cell, around: Around) -> str | None:
    if cell.name.method != "kmeans_dt" or cell.name.kernel == "linear":
        return None
    return (
        "KMeans+DT learns the labels of a plain kernel KMeans from one random start, which can "
        "lose clusters; how many it loses depends on draws that cannot be repeated."
    )


RULES: dict[str, Callable[[Cell, Around], str | None]] = {
    "few runs": _few_runs,
    "another reference": _another_reference,
    "another search": _another_icot,
    "cuts that gain nothing": _cuts_for_nothing,
    "probably another reference": _same_trees,
    "random teacher": _random_reference,
}
