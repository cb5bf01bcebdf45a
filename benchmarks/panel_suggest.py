"""How many clusters are suggested for the panel's tables, beside the numbers of their classes.

``agathis.suggest`` against the textbook's ways: the highest mean silhouette, the highest
Calinski-Harabasz index and the gap statistic, each by KMeans. All see the same numbers: those of
``panel_scaling``, clipped and standardised. Two halves of the tables, every other one by name, are
told apart: the rule of ``suggest`` was developed on the first. The second was looked at on the way
too, so what it says is a check and no proof. The rule of today was not developed on either: where
it shows no groups, it suggests one.

``nested`` has, for 2 to 8 clusters, the cost of the nested tree relative to that of a tree searched
for this number alone, for tables of at most 60,000 values.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from panel_scaling import clipped_standard, prepared
from panel_tables import TABLES, PanelTable
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, calinski_harabasz_score, silhouette_score

import agathis
from agathis import Kauri
from agathis._objective.cost import scatter

MOST = 10
#: Larger tables have no searched trees.
MAX_VALUES = 60_000
ROWS = 1000
STARTS = 5
BOXES = 10
DEVELOPED_ON = frozenset(sorted(table.name for table in TABLES)[::2])
#: In the order of the table; all but the first are ways to choose by one figure.
WAYS = ("suggest", "silhouette", "calinski_harabasz", "gap")


def measure_suggestions(
    tables: list[PanelTable], seeds: int, tell: Callable[[str], None]
) -> list[dict[str, Any]]:
    """A row a table: its classes, the numbers that are suggested, and the candidates."""
    rows = []
    for table in tables:
        tell(table.name)
        frame = table.frame()
        X = prepared(frame.drop(columns=table.label), clipped_standard)
        started = time.perf_counter()
        found = agathis.suggest(X, random_state=0)
        seconds = time.perf_counter() - started
        figures = [name for name in found.table.columns if name != "decided"]
        candidates = {name: list(found.table[name]) for name in figures}
        classes = frame[table.label].astype(str).to_numpy()
        row = {"table": table.name, "classes": table.classes, "suggest": found.n_clusters}
        row |= {"developed_on": table.name in DEVELOPED_ON}
        row |= textbook(X)
        # What a number of clusters is worth: the agreement of a tree with so many.
        worth = {k: _ari(X, k, classes) for k in sorted({row[way] for way in WAYS})}
        row["ari"] = {way: worth[row[way]] for way in WAYS}
        row |= {"seconds": seconds, "candidates": candidates, "nested": nested(X, found)}
        rows.append(row)
    return rows


def nested(X: np.ndarray, found: Any) -> list[float]:
    """The cost of each nested tree relative to that of a searched one."""
    if X.size > MAX_VALUES:
        return []
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    out = []
    for k in range(2, found.finest.n_leaves + 1):
        size = min(0.02, 1 / (4 * k))
        searched = Kauri(k, min_samples_leaf=size, search="local", random_state=0).fit(X)
        cost = scatter(filled, searched.labels_)
        if cost > 0:
            out.append(scatter(filled, found.tree(k).predict(X)) / cost)
    return out


def _ari(X: np.ndarray, k: int, classes: np.ndarray) -> float:
    model = Kauri(k, max_leaf_nodes=max(2, k), min_samples_leaf=min(0.02, 1 / (4 * k))).fit(X)
    return float(adjusted_rand_score(classes, model.labels_))


def textbook(X: np.ndarray) -> dict[str, int]:
    """The number of clusters by each of the textbook's ways, of a sample of the rows."""
    random = np.random.RandomState(0)
    X = X[np.sort(random.permutation(len(X))[:ROWS])]
    X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    numbers = range(2, MOST + 1)
    fits = {k: KMeans(k, n_init=STARTS, random_state=0).fit(X) for k in range(1, MOST + 1)}
    boxes = [random.uniform(X.min(axis=0), X.max(axis=0), X.shape) for _ in range(BOXES)]
    logs = {
        k: np.log([KMeans(k, n_init=1, random_state=0).fit(box).inertia_ for box in boxes])
        for k in fits
    }
    gap = {k: logs[k].mean() - np.log(fits[k].inertia_) for k in fits}
    error = {k: logs[k].std() * np.sqrt(1 + 1 / BOXES) for k in fits}
    enough = (k for k in range(1, MOST) if gap[k] >= gap[k + 1] - error[k + 1])
    return {
        "silhouette": max(numbers, key=lambda k: silhouette_score(X, fits[k].labels_)),
        "calinski_harabasz": max(
            numbers, key=lambda k: calinski_harabasz_score(X, fits[k].labels_)
        ),
        # That there is one cluster is no answer here.
        "gap": max(2, next(enough, MOST)),
    }


def summary(rows: list[dict[str, Any]]) -> str:
    """For each way the mean error, and the shares that are right or off by one."""
    lines = []
    parts = {
        "all": rows,
        "developed on": [row for row in rows if row["developed_on"]],
        "checked on": [row for row in rows if not row["developed_on"]],
    }
    for name, part in parts.items():
        if not part:
            continue
        lines.append(f"{name} ({len(part)} tables)   mean error   exact   within one   ARI there")
        classes = np.array([row["classes"] for row in part])
        for way in (*WAYS, "always 2", "always 3"):
            always = int(way[-1]) if way.startswith("always") else None
            found = np.array([row[way] if always is None else always for row in part])
            off = np.abs(found - classes)
            ari = "" if always else f"{np.mean([row['ari'][way] for row in part]):12.3f}"
            lines.append(
                f"  {way:<18} {off.mean():13.2f} {np.mean(off == 0):7.2f} "
                f"{np.mean(off <= 1):12.2f}{ari}"
            )
    ratios = [ratio for row in rows for ratio in row["nested"]]
    lines.append(f"cost of nested trees relative to searched ones: median {np.median(ratios):.3f}")
    return "\n".join(lines)
