"""Which method to take after a comparison, in a sentence or two.

Those that cost little more than the cheapest are looked at, and of these the ones with the shortest
rules; the lowest cost among them decides. A difference counts only if the runs can show it: where
they cannot, fewer conditions decide, and where these are as many, it is said that there is no
difference. The classes of the rows have no say, as a person who clusters has none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from agathis._compare.tuning import AS_SHORT, BY_CHANCE, FAR, NEAR, SAME
from agathis._methods import METHODS
from agathis._support.result_table import Table


def advice(runs: Table, summary: Table) -> str:
    """What to take and why, of the two tables of a comparison."""
    rows = _that_count(summary)
    if not rows:
        return "No method came to an end, so there is none to take."
    known = [row for row in rows if _cost(row) < math.inf]
    if not known:
        return "No costs are known, so nothing speaks for one method or the other."
    if len(summary) == 1:
        return f"Only {_name(known[0])} was run: {_figures(known[0])}."
    lowest = min(known, key=_cost)
    near = [row for row in known if _cost(row) <= (1 + NEAR) * _cost(lowest)]
    shortest = min(row["waes"] for row in near)
    short = [row for row in near if row["waes"] <= shortest + AS_SHORT]
    cheapest = min(short, key=_cost)
    equal = [row for row in short if _same(runs, row, cheapest)]
    # To a tenth of a condition, as it is told.
    taken = min(equal, key=lambda row: round(row["waes"], 1))
    others = [row for row in equal if row is not taken]
    alike = [row for row in others if round(row["waes"], 1) == round(taken["waes"], 1)]
    if len(alike) == len(known) - 1 and len(known) > 1:
        words = [
            f"It makes no difference here: {_listed([taken, *alike])} have the same cost "
            f"({_cost(taken):.2f} times that of KMeans) and rules as long "
            f"({taken['waes']:.1f} conditions). Take {_name(taken)}."
        ]
    else:
        words = [f"Take {_name(taken)}: {_figures(taken)}{_why(taken, lowest, equal)}."]
        if others:
            longer = [row for row in others if not any(row is one for one in alike)]
            words += [f"As good: {_listed(alike)}."] if alike else []
            words += [f"The same cost with longer rules: {_listed(longer)}."] if longer else []
    method = METHODS.get(_name(taken))
    if method is not None and method.search is not None:
        words.append(
            f"It is {method.estimator}(search={method.search!r}), as agathis fit grows it."
        )
    if _cost(taken) > FAR and taken["leaves"] <= taken["clusters"] + 0.5:
        words.append("With a leaf a cluster all are far from KMeans: more leaves come nearer.")
    return " ".join(words)


def _that_count(summary: Table) -> list[dict[str, Any]]:
    """The methods that ended in every run, and found as many clusters as any."""
    done = [row for row in summary if row["runs"]]
    whole = [row for row in done if not row["failed"] and not row["timeouts"]] or done
    most = max((row["clusters"] for row in whole), default=0)
    return [row for row in whole if row["clusters"] > most - 0.5]


def _same(runs: Table, row: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two methods cost the same, as far as the runs can tell."""
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
        return ", and no cost is lower by more than chance"
    return (
        f"; {_name(lowest)} costs less ({_cost(lowest):.2f}), but its rules are longer by "
        f"{lowest['waes'] - taken['waes']:.1f} conditions"
    )


def _figures(row: dict[str, Any]) -> str:
    return (
        f"its clusters cost {_cost(row):.2f} times those of KMeans, with {row['waes']:.1f} "
        "conditions a rule"
    )


def _cost(row: dict[str, Any]) -> float:
    cost = row["relative_score"]
    return math.inf if cost is None else float(cost)


def _name(row: dict[str, Any]) -> str:
    return str(row["method"])


def _listed(rows: Sequence[dict[str, Any]]) -> str:
    names = [_name(row) for row in rows]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
