"""False claims, power, intervals and time of the evidence that there are groups.

``make evidence``, or ``python benchmarks/evidence.py --help``. Tables without groups, of six
families, show how often groups are claimed; tables with three planted groups, how often they are
found, beside the gap statistic with the threshold that claims groups in as many of the tables
without; populations of two to four groups, whether the interval of a threshold covers that of a fit
of a million rows. Results of each table are kept in a file, so that a run that was stopped goes on;
the summary is written to ``evidence.json`` beside this file.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
import warnings
from functools import cache
from pathlib import Path
from typing import Any

# Each process has a core; read when NumPy is imported.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_name] = "1"

import machine  # noqa: E402
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from evidence_tables import NULLS, named, null_table, planted, population  # noqa: E402
from sklearn.cluster import KMeans  # noqa: E402

from agathis import TableEncoder  # noqa: E402
from agathis._evidence import Repeats  # noqa: E402
from agathis._evidence.halves import greedy_tree  # noqa: E402
from agathis._fit_table import PreparedTable, prepare  # noqa: E402
from agathis._utils.result_table import Table  # noqa: E402

OUT = Path(__file__).with_name("evidence.json")
KNOWN = Path("build/evidence.jsonl")
LAYOUTS = ("plane", "space", "mixed")
DISTANCES = (4, 5)
ROWS = (300, 1000)
MANY = 1_000_000
POPULATIONS = 8
#: Of the gap statistic.
MOST, BOXES, ROWS_OF_GAP = 8, 4, 500
#: Its threshold is set by so many tables of each family.
TABLES_OF_GAP = 50
#: What is promised.
MAX_CLAIMS, MAX_CLAIMS_OF_FAMILY, MIN_POWER, MIN_COVERAGE = 62 / 1000, 16 / 200, 0.8, 0.88


def main() -> int:
    options = parse()
    tables, repeats = (20, 10) if options.quick else (200, 40)
    tasks: list[tuple[Any, ...]] = [
        *(("null", family, seed) for seed in range(tables) for family in NULLS),
        *(
            ("power", layout, n, apart, seed)
            for seed in range(repeats)
            for layout in LAYOUTS
            for n in ROWS
            for apart in DISTANCES
        ),
        *(
            ("interval", index, n, seed)
            for index in range(2 if options.quick else POPULATIONS)
            for n in ROWS
            for seed in range(repeats // 4)
        ),
        *(("time", kind) for kind in ("numbers", "mixed")),
    ]
    # A run that is stopped has some of each.
    order = np.random.default_rng(0).permutation(len(tasks))
    tasks = [tasks[i] for i in order if options.only in (None, tasks[i][0])]
    known = read(options.known)
    KNOWN.parent.mkdir(exist_ok=True)
    left = [task for task in tasks if json.dumps(task) not in known and not options.summary]
    context = multiprocessing.get_context("spawn")
    with open(options.known, "a") as file, context.Pool(options.jobs) as pool:
        for i, (task, row) in enumerate(pool.imap_unordered(run, left)):
            known[json.dumps(task)] = row
            file.write(json.dumps([task, row]) + "\n")
            file.flush()
            if i % 20 == 0:
                print(f"{i} of {len(left)}: {' '.join(map(str, task))}", file=sys.stderr)
    found = summary([known[json.dumps(task)] for task in tasks if json.dumps(task) in known])
    for name, rows in found.items():
        print(f"\n{name}\n{Table(rows)}")
    failures = broken(found)
    print("\n".join(failures) or "\nAll promises are kept.")
    if options.only is None and not options.quick:
        # What was not measured on a quiet machine says so.
        OUT.write_text(json.dumps({"machine": machine.describe(), **found}, indent=1) + "\n")
    return bool(failures)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the tables")
    parser.add_argument("--only", choices=("null", "power", "interval", "time"))
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--summary", action="store_true", help="of the tables measured so far")
    parser.add_argument("--known", type=Path, default=KNOWN, help="results of single tables")
    return parser.parse_args()


def read(path: Path) -> dict[str, dict[str, Any]]:
    lines = path.read_text().splitlines() if path.exists() else []
    return {json.dumps(task): row for task, row in map(json.loads, lines)}


def run(task: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    warnings.simplefilter("ignore")
    what, *arguments = task
    measured: dict[str, Any] = {
        "null": of_null,
        "power": of_planted,
        "interval": of_population,
        "time": of_time,
    }
    row = measured[what](*arguments)
    return task, {"what": what, **row}


def prepared(frame: pd.DataFrame) -> PreparedTable:
    return prepare(frame, TableEncoder(title="the table"))


def of_null(family: str, seed: int) -> dict[str, Any]:
    rows = prepared(null_table(family, seed))
    p = Repeats.of(rows.X, 0).pvalue
    return {
        "family": family,
        "seed": seed,
        "p": p,
        "gap": gap(rows.X) if seed < TABLES_OF_GAP else None,
    }


def of_planted(layout: str, n: int, apart: float, seed: int) -> dict[str, Any]:
    rows = prepared(planted(layout, n, apart, seed))
    found = Repeats.of(rows.X, 0)
    row = {"layout": layout, "rows": n, "apart": apart, "p": found.pvalue, "gap": gap(rows.X)}
    tree = greedy_tree(rows.X, rows.X.roles, found.max_groups)
    return {**row, "groups": found.n_groups, "from_root": from_root(found, tree)}


def from_root(found: Repeats, tree: Any) -> int:
    """The number of groups by another rule: all splits from the root down match and are shown."""
    shown = {split.node for split in found.evidence(tree).splits if split.shown}
    splits = np.flatnonzero(~tree.is_leaf)
    splits = splits[np.argsort(tree.children_left[splits])].tolist()
    return 1 + next((i for i, node in enumerate(splits) if node not in shown), len(splits))


def of_population(index: int, n: int, seed: int) -> dict[str, Any]:
    rows = prepared(population(index, n, 1 + seed))
    found = Repeats.of(rows.X, 0)
    k = max(2, found.n_groups)
    tree = greedy_tree(rows.X, rows.X.roles, k)
    raw = np.asarray(rows.raw)
    intervals = []
    truth = thresholds(index, k)
    for split in found.evidence(tree).splits:
        if not split.shown or split.low is None or split.high is None:
            continue
        # The same split of the large fit: the same feature, the nearest threshold.
        own = raw[:, tree.feature[split.node]]
        left = own[rows.X[:, tree.feature[split.node]] <= tree.threshold[split.node]].max()
        same = [t for f, t in truth if f == tree.feature[split.node]]
        near = min(same, key=lambda t: abs(t - left), default=None)
        if near is not None and abs(near - left) < raw.std(axis=0)[tree.feature[split.node]]:
            width = (split.high - split.low) / own.std()
            intervals.append([bool(split.low <= near <= split.high), width])
    return {"population": index, "rows": n, "intervals": intervals}


@cache
def thresholds(index: int, k: int) -> list[tuple[int, float]]:
    """Features and thresholds, in units of the table, of a fit of a million rows."""
    rows = prepared(population(index, MANY, 0))
    tree = greedy_tree(rows.X, rows.X.roles, k)
    scaler = rows.encoder.scaler_
    return [
        (f, tree.threshold[node] / scaler.factor_[f] + scaler.centre_[f])
        for node in np.flatnonzero(~tree.is_leaf)
        for f in [int(tree.feature[node])]
    ]


def of_time(kind: str) -> dict[str, Any]:
    """Processor seconds at 5,000 rows and 20 columns: without groups, with some, with clear."""
    random = np.random.default_rng(0)
    seconds = []
    for apart in (0, 4, 8):
        group = random.integers(3, size=5000)
        frame = named(random.normal(size=(5000, 20)) + apart * (group == 0)[:, None])
        for j in range(12, 20) if kind == "mixed" else ():
            levels = np.where(
                random.random(5000) < apart / 10, group, random.integers(4, size=5000)
            )
            frame[f"c{j}"] = np.array(list("abcd"))[levels]
        rows = prepared(frame)
        started = time.process_time()
        Repeats.of(rows.X, 0)
        seconds.append(time.process_time() - started)
    return {"kind": kind, "seconds": [round(value, 2) for value in seconds]}


def gap(X: np.ndarray) -> float:
    """The largest increase of the gap statistic over that of one group, for 2 to 8 groups."""
    random = np.random.RandomState(0)
    X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    X = X[random.permutation(len(X))[:ROWS_OF_GAP]]
    X = X - X.mean(axis=0)
    _, _, axes = np.linalg.svd(X, full_matrices=False)
    turned = X @ axes.T
    low, high = turned.min(axis=0), turned.max(axis=0)
    boxes = [random.uniform(low, high, turned.shape) for _ in range(BOXES)]

    def log_cost(rows: np.ndarray, k: int) -> float:
        return float(np.log(KMeans(k, n_init=1, random_state=0).fit(rows).inertia_ + 1e-12))

    gaps = [
        np.mean([log_cost(box, k) for box in boxes]) - log_cost(turned, k)
        for k in range(1, MOST + 1)
    ]
    return float(max(gaps[1:]) - gaps[0])


def summary(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    out: dict[str, list[dict[str, Any]]] = {}
    of = {what: [row for row in rows if row["what"] == what] for what in ("null", "power")}
    gap_at = np.inf
    if of["null"]:
        parts = {family: [r for r in of["null"] if r["family"] == family] for family in NULLS}
        out["false claims"] = [
            {"family": name, "tables": len(part), "claimed": sum(r["p"] <= 0.05 for r in part)}
            for name, part in {**parts, "all": of["null"]}.items()
        ]
        some = [row for row in of["null"] if row["gap"] is not None]
        gaps = np.sort([row["gap"] for row in some])[::-1]
        gap_at = float(gaps[sum(row["p"] <= 0.05 for row in some)])
    cells = sorted({(r["layout"], r["rows"], r["apart"]) for r in of["power"]})
    for cell in cells:
        part = [r for r in of["power"] if (r["layout"], r["rows"], r["apart"]) == cell]
        out.setdefault("power", []).append(
            {
                **dict(zip(("layout", "rows", "apart"), cell, strict=True)),
                "tables": len(part),
                "power": share([r["p"] <= 0.05 for r in part]),
                "gap statistic": share([r["gap"] > gap_at for r in part]),
                "three groups": share([r["groups"] == 3 for r in part]),
                "by matched splits": share([r["from_root"] == 3 for r in part]),
            }
        )
    for n in ROWS:
        found = [
            i for r in rows if r["what"] == "interval" and r["rows"] == n for i in r["intervals"]
        ]
        if found:
            out.setdefault("intervals", []).append(
                {
                    "rows": n,
                    "intervals": len(found),
                    "covered": share([covered for covered, _ in found]),
                    "median width": round(float(np.median([width for _, width in found])), 2),
                }
            )
    timed = [row for row in rows if row["what"] == "time"]
    if timed:
        out["processor seconds at 5,000 x 20"] = [
            {
                "columns": r["kind"],
                "no groups": r["seconds"][0],
                "some": r["seconds"][1],
                "clear": r["seconds"][2],
            }
            for r in timed
        ]
    return out


def share(values: list[Any]) -> float:
    return round(float(np.mean(values)), 3)


def broken(found: dict[str, list[dict[str, Any]]]) -> list[str]:
    """What is promised and not kept."""
    out = []
    for row in found.get("false claims", ()):
        limit = MAX_CLAIMS if row["family"] == "all" else MAX_CLAIMS_OF_FAMILY
        if row["claimed"] > limit * row["tables"]:
            out.append(f"{row['family']}: {row['claimed']} of {row['tables']} are claimed.")
    for row in found.get("power", ()):
        cell = f"{row['layout']}, {row['rows']} rows, {row['apart']} apart"
        if row["apart"] >= 5 and row["power"] < MIN_POWER:
            out.append(f"{cell}: power {row['power']}.")
        if row["power"] < row["gap statistic"]:
            out.append(f"{cell}: power {row['power']}, the gap statistic {row['gap statistic']}.")
    covered = found.get("intervals", [])
    total = sum(row["intervals"] for row in covered)
    if total and sum(r["covered"] * r["intervals"] for r in covered) < MIN_COVERAGE * total:
        out.append("The intervals cover too few thresholds.")
    return out


if __name__ == "__main__":
    sys.exit(main())
