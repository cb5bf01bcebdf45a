"""How long the best tree of few leaves takes to find and to prove, set by set.

``python benchmarks/optimum.py --help``; AGATHIS_DATA must name the folder of the data sets. Columns
are scaled to 0..1, and the search knows no tree to start from.
"""

import argparse
import sys
from pathlib import Path

from agathis._growth.limits import Limits
from agathis._search.optimal.optimum import optimum

sys.path.append(str(Path(__file__).resolve().parent.parent))

from paper.datasets import available, load

#: Sets on which four leaves are proven in seconds.
SMALL = (
    "breast_cancer",
    "congress",
    "engytime",
    "haberman",
    "hepta",
    "iris",
    "lsun",
    "target",
    "tetra",
    "twodiamonds",
    "wine",
    "wingnut",
)
#: Most seconds that it may take, by set and leaves.
BARS = {(name, 4): 2.0 for name in ("iris", "wine", "congress", "breast_cancer")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sets", default=",".join(SMALL), help="names, or 'all'")
    parser.add_argument("--leaves", default="2,3,4,5", help="numbers of leaves")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds a search may take")
    options = parser.parse_args()
    names = available() if options.sets == "all" else options.sets.split(",")
    missed = False
    print(
        f"{'set':16}{'rows':>6}{'cols':>5}{'leaves':>7}{'seconds':>9}{'cost':>12}{'gap':>8}{'scans':>10}"
    )
    for n_leaves in map(int, options.leaves.split(",")):
        for name in names:
            X = load(name, scaled=True).data
            best = optimum(X, X, None, Limits(n_leaves, n_leaves), time_limit=options.time_limit)
            late = best.seconds > BARS.get((name, n_leaves), float("inf"))
            missed |= late
            print(
                f"{name:16}{len(X):6}{X.shape[1]:5}{n_leaves:7}{best.seconds:9.3f}{best.cost:12.5f}"
                f"{'' if best.is_optimal else f'{best.gap:.2%}':>8}{best.n_scans:10,}"
                + ("  above its bar" if late else ""),
                flush=True,
            )
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
