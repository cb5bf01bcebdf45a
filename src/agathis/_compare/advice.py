"""Recommendation of a method after a comparison, in a sentence or two.

Among the methods whose cost is close to the lowest, those with the shortest rules are candidates,
and the lowest cost decides. If the runs show no significant difference of the cost, fewer
conditions decide. True classes are not used, since they are unknown in practice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from agathis._compare.tuning import AS_SHORT, BY_CHANCE, FAR, NEAR, SAME
from agathis._methods import METHODS
from agathis._utils.result_table import Table


def advice(runs: Table, summary: Table) -> str:
    """The recommendation from the two tables of a comparison."""
    rows = _comparable(summary)
    if not rows:
        return "No method finished, so there is no recommendation."
    known = [row for row in rows if _cost(row) < math.inf]
    if not known:
        return "No costs are known, so there is no recommendation."
    if len(summary) == 1:
        return f"Only {_name(known[0])} was run: {_figures(known[0])}."
    lowest = min(known, key=_cost)
    near = [row for row in known if _cost(row) <= (1 + NEAR) * _cost(lowest)]
    shortest = min(row["waes"] for row in near)
    short = [row for row in near if row["waes"] <= shortest + AS_SHORT]
    cheapest = min(short, key=_cost)
    equal = [row for row in short if _same(runs, row, cheapest)]
    # To a tenth of a condition, as displayed.
    taken = min(equal, key=lambda row: round(row["waes"], 1))
    others = [row for row in equal if row is not taken]
    alike = [row for row in others if round(row["waes"], 1) == round(taken["waes"], 1)]
    if len(alike) == len(known) - 1 and len(known) > 1:
        sentences = [
            f"There is no difference: {_listed([taken, *alike])} have the same cost "
            f"({_cost(taken):.2f} times that of KMeans) and the same length of rules "
            f"({taken['waes']:.1f} conditions). Take {_name(taken)}."
        ]
    else:
        sentences = [f"Take {_name(taken)}: {_figures(taken)}{_why(taken, lowest, equal)}."]
        if others:
            longer = [row for row in others if not any(row is one for one in alike)]
            sentences += [f"Equally good: {_listed(alike)}."] if alike else []
            sentences += [f"The same cost with longer rules: {_listed(longer)}."] if longer else []
    method = METHODS.get(_name(taken))
    if method is not None and method.search is not None:
        sentences.append(
            f"It is {method.estimator}(search={method.search!r}), the default of agathis fit."
        )
    if _cost(taken) > FAR and taken["leaves"] <= taken["clusters"] + 0.5:
        sentences.append("With one leaf per cluster the cost is far from KMeans: use more leaves.")
    return " ".join(sentences)


def _comparable(summary: Table) -> list[dict[str, Any]]:
    """The methods that finished all runs, with the largest number of clusters."""
    done = [row for row in summary if row["runs"]]
    complete = [row for row in done if not row["failed"] and not row["timeouts"]] or done
    max_clusters = max((row["clusters"] for row in complete), default=0)
    return [row for row in complete if row["clusters"] > max_clusters - 0.5]


def _same(runs: Table, row: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether the cost of ``row`` is not significantly higher than that of ``other``."""
    if row is other or _cost(row) <= (1 + SAME) * _cost(other):
        return True
    costs = [
        {
            one["run"]: one["relative_score"]
            for one in runs
            if one["method"] == method and one["relative_score"] is not None
        }
        for method in (row["method"], other["method"])
    ]
    both = sorted(costs[0].keys() & costs[1].keys())
    if len(both) < 2:
        return False
    differences = np.array([costs[0][run] - costs[1][run] for run in both])
    error = differences.std(ddof=1) / math.sqrt(len(both))
    return bool(differences.mean() <= BY_CHANCE * error)


def _why(taken: dict[str, Any], lowest: dict[str, Any], equal: list[dict[str, Any]]) -> str:
    if taken is lowest:
        return ", the lowest cost here"
    if any(row is lowest for row in equal):
        return ", and no cost is significantly lower"
    return (
        f"; {_name(lowest)} costs less ({_cost(lowest):.2f}), but its rules are longer by "
        f"{lowest['waes'] - taken['waes']:.1f} conditions"
    )


def _figures(row: dict[str, Any]) -> str:
    return (
        f"its cost is {_cost(row):.2f} times that of KMeans, with {row['waes']:.1f} conditions per "
        "rule"
    )


def _cost(row: dict[str, Any]) -> float:
    cost = row["relative_score"]
    return math.inf if cost is None else float(cost)


def _name(row: dict[str, Any]) -> str:
    return str(row["method"])


def _listed(rows: Sequence[dict[str, Any]]) -> str:
    names = [_name(row) for row in rows]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
