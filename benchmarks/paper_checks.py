"""Where our cells differ from the paper's: two trials that show why.

``python benchmarks/paper_checks.py``; AGATHIS_DATA must name the folder of the data sets. What is
printed goes to ``paper_checks.json`` beside this file too, from which ``docs/paper.md`` has it.

- The reference of relative costs is the least KMeans cost over 30 random parts of a set. How much
  does it depend on the parts? Twenty trials on Target.
- Our ExKMC stops where no cut takes anything off the cost. What if it went on to the limit of
  leaves, as long as a row is not in the leaf of its centre?
"""

import json
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from agathis.baselines import IMM

sys.path.append(str(Path(__file__).resolve().parent.parent))

from paper.datasets import load
from paper.experiments.fits import Case
from paper.experiments.plan import RUNS, SHARE, Piece
from paper.experiments.printed import printed_cells

TRIALS = 20
SETS = ("breast_cancer", "atom", "lsun", "iris", "wine")
EXKMC_RUNS = 10


def references(name):
    """The least KMeans cost of ours, and of other trials of as many random parts."""
    found = load(name, scaled=True)
    ours = min(
        Case(Piece("small", name, "linear", r), None).reference_clustering.inertia_
        for r in range(RUNS)
    )
    random = np.random.RandomState(1)
    costs = []
    for start in range(TRIALS * RUNS):
        rows = random.permutation(len(found.data))[: round(SHARE * len(found.data))]
        model = KMeans(found.n_clusters, n_init=10, random_state=start).fit(found.data[rows])
        costs.append(model.inertia_)
    return ours, np.reshape(costs, (TRIALS, RUNS)).min(axis=1)


def best_cut(X, cost):
    """The cut after which the two sides cost least, each with its best centre."""
    best = None
    for feature in range(X.shape[1]):
        order = np.argsort(X[:, feature], kind="stable")
        x, left = X[order, feature], np.cumsum(cost[order], axis=0)
        for i in np.flatnonzero(x[:-1] != x[1:]):
            value = left[i].min() + (left[-1] - left[i]).min()
            if best is None or value < best[0]:
                best = value, feature, x[i]
    return best


def to_the_limit(case):
    """ExKMC that goes on: WAES + 1, leaves, ARI."""
    X, base = case.X, IMM(case.k, centers=case.reference_clustering, n_jobs=1).fit(case.X)
    cost = ((X[:, None] - case.reference_clustering.cluster_centers_) ** 2).sum(axis=2)
    nearest = cost.argmin(axis=1)
    leaves = []
    for leaf in np.flatnonzero(base.tree_.is_leaf):
        path = base.tree_.path(leaf)
        sides = {
            (int(base.tree_.feature[a]), bool(base.tree_.children_left[a] == b))
            for a, b in pairwise(path)
        }
        leaves.append((np.flatnonzero(base.apply(X) == leaf), sides))
    while len(leaves) < case.leaves:
        cuts = []
        for place, (rows, _) in enumerate(leaves):
            own = cost[rows].sum(axis=0)
            if (nearest[rows] != own.argmin()).any():
                cut = best_cut(X[rows], cost[rows])
                if cut is not None:
                    cuts.append((cut[0] - own.min(), place, *cut[1:]))
        if not cuts:
            break
        _, place, feature, threshold = min(cuts)
        rows, sides = leaves.pop(place)
        left = X[rows, feature] <= threshold
        leaves += [
            (rows[left], sides | {(feature, True)}),
            (rows[~left], sides | {(feature, False)}),
        ]
    labels = np.empty(len(X), dtype=int)
    for rows, _ in leaves:
        labels[rows] = cost[rows].sum(axis=0).argmin()
    waes = sum(len(rows) * len(sides) for rows, sides in leaves) / len(X)
    return waes + 1, len(leaves), adjusted_rand_score(case.y, labels)


def main():
    ours, trials = references("target")
    print(f"least KMeans cost of {RUNS} parts of target: ours {ours:.2f}; in {TRIALS} other trials")
    print(" ", *(f"{value:.2f}" for value in sorted(trials)))
    found = {"ours": ours, "trials": sorted(trials), "parts": RUNS, "runs": EXKMC_RUNS, "exkmc": {}}
    print(f"ExKMC with 4 K leaves, {EXKMC_RUNS} runs: WAES + 1, leaves, ARI")
    for name in SETS:
        cases = [Case(Piece("large", name, "linear", run), None) for run in range(EXKMC_RUNS)]
        stops = np.mean([list(measured(case)) for case in cases], axis=0)
        goes_on = np.mean([to_the_limit(case) for case in cases], axis=0)
        paper = printed_cells()[name, "linear", "4k", "exkmc", "waes"]
        print(f"  {name}: ours {told(stops)}; going on {told(goes_on)}; printed {paper.mean}")
        found["exkmc"][name] = {
            "stops": list(stops),
            "goes_on": list(goes_on),
            "printed": paper.mean,
        }
    Path(__file__).with_suffix(".json").write_text(json.dumps(found, indent=1) + "\n")


def measured(case):
    found = case.measured("exkmc")
    return found["waes"] + 1, found["leaves"], found["ari"]


def told(values):
    return ", ".join(f"{value:.2f}" for value in values)


if __name__ == "__main__":
    main()
