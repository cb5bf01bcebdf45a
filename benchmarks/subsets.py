"""Good ways to part categories beside the best: ``python benchmarks/subsets.py``.

Of a leaf with more than 10 categories not every way to part them is looked at. How far from the
best that is can be seen where both are known: random leaves of 8 to 10 categories, of 1 to 11
dimensions and 1 to 5 clusters, each searched both ways. What was found goes to ``subsets.json``
beside this file, from which ``docs/algorithm.md`` has it. It takes some seconds.
"""

import json
from pathlib import Path

import numpy as np
from agathis._core.shared.category_subsets import best_subset

EACH = 5000
CATEGORIES = (8, 9, 10)
#: Kinds of leaves: the first cut of a tree, a leaf that is all of its cluster, and a part of one.
KINDS = ("first", "whole", "part")


def leaf(random, m, kind):
    """The arguments of ``best_subset`` for a leaf of m categories, each a few rows that spread."""
    dimensions = int(random.integers(1, 12))
    clusters = 1 if kind == "first" else int(random.integers(2 if kind == "whole" else 1, 6))
    weight = random.integers(1, 9, m).astype(float)
    sums = random.normal(size=(m, dimensions)) * 3 * weight[:, None]
    size = random.integers(5, 50, clusters).astype(float)
    heaps = random.normal(size=(clusters, dimensions)) * 3 * size[:, None]
    rest, rest_size = heaps[0].copy(), size[0]
    if kind != "part":
        rest, rest_size = np.zeros(dimensions), 0.0
    heaps[0], size[0] = rest + sums.sum(axis=0), rest_size + weight.sum()
    kernel_sum = (heaps**2).sum(axis=1)
    leave_all = -np.inf
    if rest_size:
        leave_all = rest @ rest / rest_size - kernel_sum[0] / size[0]
    return {
        "weight": weight,
        "cross": np.ascontiguousarray(sums @ heaps.T),
        "kernel_sum": np.ascontiguousarray(sums @ sums.T),
        "cluster_size": size,
        "cluster_kernel_sum": kernel_sum,
        "own": 0,
        "leave_all": leave_all,
        # A first cut founds a cluster; of later ones some may, and some find all clusters there.
        "more_clusters": 1 if clusters == 1 else int(random.integers(0, 3)),
    }


def lost(seed, m, kind):
    """The share of the best gain that the search of good ways loses, leaf by leaf."""
    random = np.random.default_rng(seed)
    shares = []
    while len(shares) < EACH:
        problem = leaf(random, m, kind)
        best, _ = best_subset(**problem)
        if best > 1e-9:
            found, _ = best_subset(**problem, exact=0)
            # A cut that loses is not made: no more than all of the gain is lost.
            shares.append(max(0.0, 1 - max(0.0, found) / best))
    return np.array(shares)


def main():
    rows = []
    for index, (m, kind) in enumerate((m, kind) for m in CATEGORIES for kind in KINDS):
        shares = lost(index, m, kind)
        row = {
            "categories": m,
            "kind": kind,
            "leaves": len(shares),
            "best": float((shares < 1e-9).mean()),
            "lost": float(shares.mean()),
            "most": float(shares.max()),
        }
        rows.append(row)
        print(
            f"{m:3} categories, {kind:6}: the best in {row['best']:.2%}, "
            f"{row['lost']:.3%} of the gain lost on average, {row['most']:.1%} at most"
        )
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
