"""Better trees than greedy: how much better, against whom, and how long it takes.

``make bench-search``, or ``python benchmarks/search.py --help``; AGATHIS_DATA must name the folder
of the data sets. Costs are relative to KMeans with 100 starts: an excess of 0.1 is a cost of 1.1.
K is the number of classes in the file of a set. Every part prints its bar and whether it is held;
the figures go to ``search.json`` beside this file, with ``--sets`` those of the part rivals alone.

    excess   greedy and local on all sets, K and 4 K leaves, efforts 1 and 10, and their times
    rivals   the best of greedy and of all rivals with five seeds each, four kernels
    optimum  local beside the proven optimum, up to four leaves
    depth    WAES with 4 K leaves beside KMeans+DT
    speed    4000 x 10, 100,000 x 20, the proofs, 200 clusters
    pairs    cuts on two columns
    paper    ARI, WAES and cost of the paper's sets, greedy beside local, as a table
"""

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from data import paper_set, paper_sets, raw_blobs
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from agathis import Kauri, KernelKMeans
from agathis.baselines import IMM, RDM, ExKMC, ExShallow, KMeansTree
from agathis.metrics import weighted_average_explanation_size

SEEDS = range(5)
KERNELS = ("linear", "rbf", "laplacian", "chi2")
FIGURES = Path(__file__).with_name("search.json")


def timed(run):
    """CPU seconds of one thread and the result."""
    start = time.process_time()
    result = run()
    return time.process_time() - start, result


def kauri(X, k, leaves, repeats=1, **params):
    """The least of some times, and a model."""
    runs = [
        timed(lambda: Kauri(k, max_leaf_nodes=leaves, n_jobs=1, random_state=0, **params).fit(X))
        for _ in range(repeats)
    ]
    return min(seconds for seconds, _ in runs), runs[-1][1]


#: What KMeans with 100 starts costs, by set and number of clusters.
KMEANS = {}


def best_kmeans(name, X, k):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if f"{name} {k}" not in KMEANS:
            KMEANS[f"{name} {k}"] = KMeans(k, n_init=100, random_state=0).fit(X).inertia_
    return KMEANS[f"{name} {k}"]


def excess(options):
    """Mean excess of local as a share of greedy's, and the times."""
    rows = []
    for name, X, k in chosen(options):
        reference = best_kmeans(name, X, k)
        for leaves in (k, 4 * k):
            row = {"set": name, "leaves": "K" if leaves == k else "4K"}
            row["seconds"], model = kauri(X, k, leaves, repeats=3)
            row["greedy"] = model.inertia_ / reference - 1
            for effort in (1, 10):
                # As often as the greedy tree where the two are compared.
                seconds, model = kauri(
                    X, k, leaves, 3 if effort == 1 else 1, search="local", search_effort=effort
                )
                row[f"effort {effort}"] = model.inertia_ / reference - 1
                row[f"times {effort}"] = seconds / row["seconds"]
            rows.append(row)
            print(
                f"{name:16}{row['leaves']:>3} greedy {row['greedy']:.4f}  effort 1 "
                f"{row['effort 1']:.4f} ({row['times 1']:.1f} x)  effort 10 {row['effort 10']:.4f} "
                f"({row['times 10']:.1f} x)",
                flush=True,
            )
    bars = {("K", 1): 0.66, ("4K", 1): 0.42, ("K", 10): 0.60, ("4K", 10): 0.30}
    held = True
    for leaves in ("K", "4K"):
        some = [row for row in rows if row["leaves"] == leaves]
        greedy = np.mean([row["greedy"] for row in some])
        for effort in (1, 10):
            share = np.mean([row[f"effort {effort}"] for row in some]) / greedy
            times = [row[f"times {effort}"] for row in some]
            total = sum(row[f"times {effort}"] * row["seconds"] for row in some) / sum(
                row["seconds"] for row in some
            )
            held &= say(
                f"{leaves:>2} leaves, effort {effort:2}: mean excess {greedy:.4f} -> "
                f"{share * greedy:.4f}, a share of {share:.3f}",
                share <= bars[leaves, effort],
                f"at most {bars[leaves, effort]}",
            )
            if effort == 1:
                held &= say(
                    f"   time over greedy's: mean of the sets {np.mean(times):.1f}, all sets "
                    f"together {total:.1f}",
                    np.mean(times) <= 10,
                    "at most 10",
                )
    return rows, held


def baselines(options):
    """Nobody is below local, for any set, kernel and seed."""
    rows, held = [], True
    known = {cell_of(row): row for row in options.known_rivals}
    for name, X, k in chosen(options):
        for kernel in options.kernels.split(","):
            clusters = None
            for leaves in (k, 4 * k):
                cell = known.get((name, kernel, "K" if leaves == k else "4K"))
                if known and cell is None:
                    continue
                local = kauri(X, k, leaves, search="local", search_effort=10, kernel=kernel)[1]
                if cell is None:
                    others = {"greedy": kauri(X, k, leaves, kernel=kernel)[1].inertia_}
                    # Clusters that KMeans+DT learns are the same for all numbers of leaves.
                    clusters = clusters or kmeans_clusters(X, k, kernel)
                    others.update(baseline_costs(X, k, leaves, kernel, clusters))
                else:
                    others = {cell["by"]: cell["best"]}
                winner = min(others, key=others.get)
                worse = local.inertia_ / others[winner] - 1 if others[winner] > 0 else 0.0
                row = {
                    "set": name,
                    "kernel": kernel,
                    "leaves": "K" if leaves == k else "4K",
                    "local": local.inertia_,
                    "best": others[winner],
                    "by": winner,
                }
                rows.append(row)
                good = worse <= 1e-9
                held &= good
                print(
                    f"{name:16}{kernel:10}{row['leaves']:>3} local {local.inertia_:.6g}, best of "
                    f"the others {others[winner]:.6g} ({winner})"
                    + ("" if good else f"  WORSE {worse:.2e}"),
                    flush=True,
                )
    say(f"{len(rows)} cells, local is never above the best of the others", held, "to 1e-9")
    return rows, held


def kmeans_clusters(X, k, kernel):
    """The labels of a kernel KMeans with each seed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [KernelKMeans(k, kernel=kernel, random_state=seed).fit(X).labels_ for seed in SEEDS]


def baseline_costs(X, k, leaves, kernel, clusters):
    """The least cost of each rival over the seeds, by the kernel's objective."""
    made = {"KMeans+DT": lambda seed: KMeansTree(
        k, kernel=kernel, max_leaf_nodes=leaves, random_state=seed
    ).fit(X, labels=clusters[seed])}  # fmt: skip
    if kernel == "linear":
        made |= {
            "ExKMC": lambda seed: ExKMC(k, max_leaf_nodes=leaves, random_state=seed).fit(X),
            "IMM": lambda seed: IMM(k, random_state=seed).fit(X),
            "ExShallow": lambda seed: ExShallow(k, random_state=seed).fit(X),
            "RDM": lambda seed: RDM(k, random_state=seed).fit(X),
        }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: min(make(seed).inertia_ for seed in SEEDS) for name, make in made.items()}


def optimum(options):
    """Local beside the optimum, where the proof ends."""
    rows, held = [], True
    for name, X, _ in chosen(options):
        for leaves in (2, 3, 4):
            _, best = kauri(X, leaves, None, search="optimal", time_limit=options.time_limit)
            if not best.is_optimal_:
                print(f"{name:16}{leaves:3} not proven, gap {best.gap_:.2%}", flush=True)
                continue
            _, local = kauri(X, leaves, leaves, search="local")
            worse = local.inertia_ / best.inertia_ - 1 if best.inertia_ > 0 else 0.0
            rows.append({"set": name, "leaves": leaves, "worse": worse})
            held &= worse <= 1e-3
            print(f"{name:16}{leaves:3} above the optimum by {worse:.5f}", flush=True)
    most = max((row["worse"] for row in rows), default=0.0)
    say(f"{len(rows)} proven optima, local at most {most:.5f} above", held, "within 0.001")
    return rows, held


def depth(options):
    """WAES with 4 K leaves beside KMeans+DT's."""
    ours, theirs = [], []
    for _, X, k in chosen(options):
        _, model = kauri(X, k, 4 * k, search="local")
        other = KMeansTree(k, max_leaf_nodes=4 * k, random_state=0).fit(X)
        ours.append(weighted_average_explanation_size(model))
        theirs.append(weighted_average_explanation_size(other))
    held = say(
        f"WAES, 4 K leaves, mean: local {np.mean(ours):.3f}, KMeans+DT {np.mean(theirs):.3f}",
        np.mean(ours) <= np.mean(theirs),
        "at most KMeans+DT's",
    )
    return {"local": ours, "kmeans": theirs}, held


def speed(options):
    """Seconds of a search, in CPU time of one thread."""
    rows, held = {}, True
    X = raw_blobs(4000, 10)
    greedy, _ = kauri(X, 10, 40, repeats=3)
    local, _ = kauri(X, 10, 40, search="local")
    rows["4000 x 10"] = greedy, local
    held &= say(
        f"4000 x 10, 40 leaves: greedy {greedy:.3f} s, local {local:.3f} s", local <= 1, "1 s"
    )
    X = raw_blobs(100_000, 20)
    greedy, _ = kauri(X, 10, 40)
    local, _ = kauri(X, 10, 40, search="local")
    rows["100,000 x 20"] = greedy, local
    held &= say(
        f"100,000 x 20, 40 leaves: greedy {greedy:.2f} s, local {local:.2f} s, "
        f"{local / greedy:.1f} times",
        local <= 20 * greedy,
        "at most 20 times",
    )
    proven = ("iris", "wine", "congress", "breast_cancer")
    for name, X, _ in paper_sets():
        if name in proven:
            seconds, model = kauri(X, 4, None, search="optimal", time_limit=60)
            rows[f"optimal {name}"] = seconds
            held &= say(
                f"optimal, 4 leaves, {name}: {seconds:.2f} s, proven: {model.is_optimal_}",
                seconds < 2 and model.is_optimal_,
                "under 2 s",
            )
    X, _ = make_blobs(20_000, 20, centers=200, cluster_std=2, random_state=0)
    reference = KMeans(200, n_init=1, random_state=0).fit(X).inertia_
    greedy_seconds, greedy = kauri(X, 200, 200)
    local_seconds, local = kauri(X, 200, 200, search="local")
    rows["200 clusters"] = greedy.inertia_ / reference, local.inertia_ / reference
    held &= say(
        f"200 blobs, 200 leaves: greedy {greedy.inertia_ / reference:.2f} times KMeans' cost in "
        f"{greedy_seconds:.1f} s, local {local.inertia_ / reference:.2f} in {local_seconds:.1f} s",
        local.inertia_ <= 1.6 * reference,
        "at most 1.6",
    )
    return rows, held


def pairs(options):
    """Cuts on two columns, K leaves."""
    rows = []
    for name, X, k in chosen(options):
        if len(X) > 5000:
            continue
        reference = best_kmeans(name, X, k)
        found = [
            kauri(X, k, k, search="local", split=split)[1].inertia_ / reference - 1
            for split in ("axis", "pair")
        ]
        rows.append({"set": name, "axis": found[0], "pair": found[1]})
        print(f"{name:16} axis {found[0]:.4f}  pair {found[1]:.4f}", flush=True)
    return rows, True


def paper(options):
    """The paper's sets as a table: ARI, WAES and relative cost, greedy beside local."""
    rows = []
    print("| set | leaves | ARI | | WAES | | relative cost | |")
    print("|---|---|---|---|---|---|---|---|")
    print("| | | greedy | local | greedy | local | greedy | local |")
    for name, X, k in chosen(options):
        _, y, _ = paper_set(name)
        reference = best_kmeans(name, X, k)
        for leaves in (k, 4 * k):
            models = [kauri(X, k, leaves, search=search)[1] for search in ("greedy", "local")]
            cells = [
                [adjusted_rand_score(y, model.labels_) for model in models],
                [weighted_average_explanation_size(model) for model in models],
                [model.inertia_ / reference for model in models],
            ]
            rows.append({"set": name, "leaves": leaves, "cells": cells})
            told = " | ".join(f"{number:.2f}" for pair in cells for number in pair)
            print(f"| {name} | {leaves} | {told} |", flush=True)
    means = np.mean([row["cells"] for row in rows], axis=0)
    told = " | ".join(f"{number:.2f}" for pair in means for number in pair)
    print(f"| mean | | {told} |", flush=True)
    return rows, True


def chosen(options):
    for name, X, _ in paper_sets():
        if not options.sets or name in options.sets.split(","):
            yield name, X, len(np.unique(paper_set(name)[1]))


def say(text, held, bar):
    print(f"{text}   bar: {bar}, {'held' if held else 'MISSED'}", flush=True)
    return bool(held)


PARTS = {part.__name__: part for part in (excess, baselines, optimum, depth, speed, pairs, paper)}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help="of the above; all by default")
    parser.add_argument("--sets", default="", help="names of sets, with commas")
    parser.add_argument(
        "--kernels", default=",".join(KERNELS), help="kernels of the part rivals, with commas"
    )
    parser.add_argument(
        "--known",
        action="store_true",
        help="take what KMeans and the rivals cost from search.json: in the part rivals only local "
        "is run, on the cells that are there",
    )
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds of a proof")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"there is no part {', '.join(sorted(unknown))}")
    figures = written()
    options.known_rivals = figures.get("rivals", []) if options.known else []
    KMEANS.update(figures.get("kmeans", {}) if options.known else {})
    held = True
    for name in options.parts or PARTS:
        print(f"== {name}", flush=True)
        found, good = PARTS[name](options)
        held &= good
        if name == "rivals":
            # Cells of some sets and kernels take the place of what was known of them.
            cells = {cell_of(row): row for row in [*written().get("rivals", []), *found]}
            write(baselines=list(cells.values()))
        elif not options.sets:
            write(**{name: found})
    return int(not held)


def written():
    """The figures of all runs so far."""
    return json.loads(FIGURES.read_text()) if FIGURES.exists() else {}


def write(**parts):
    figures = written() | parts
    figures["kmeans"] = figures.get("kmeans", {}) | KMEANS
    FIGURES.write_text(json.dumps(figures, indent=1, default=float) + "\n")


def cell_of(row):
    return row["set"], row["kernel"], row["leaves"]


if __name__ == "__main__":
    raise SystemExit(main())
