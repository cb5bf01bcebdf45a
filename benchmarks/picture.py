"""Draw time against the number of rows: ``python benchmarks/picture.py``.

Measures agathis, gemclus (as long as a fit takes no more than a minute) and KMeans on the same
groups, writes the times to ``benchmarks/rows.json`` and the picture to ``docs/images/time.svg``;
``--draw`` only draws again. Rows in Parquet files are those that ``make bench-dask`` measured
(``benchmarks/cluster.json``). 10^8 rows need 12 GB of memory. Needs matplotlib.
"""

import json
import sys
import time
from pathlib import Path

import machine
from data import many_blobs
from sklearn.cluster import KMeans

from agathis import Kauri
from agathis._growth.engines.tuning import EXACT_ROWS
from agathis._utils.files import write_atomic

ROWS = tuple(int(m * 10**e) for e in range(2, 8) for m in (1, 3)) + (100_000_000,)
PATIENCE = 60.0
#: The most rows of a peer, which copies them.
PEER_ROWS = 10_000_000
HERE = Path(__file__).parent
TIMES, PICTURE = HERE / "rows.json", HERE.parent / "docs" / "images" / "time.svg"
CLUSTER = HERE / "cluster.json"
# Colours that stay apart for colour-blind eyes (Okabe and Ito).
STYLES = {
    "gemclus": {"color": "#D55E00", "marker": "s"},
    "KMeans, n_init=10": {"color": "#999999", "marker": "^", "linestyle": "--"},
    "KMeans, n_init=1": {"color": "#666666", "marker": "v", "linestyle": "--"},
    "agathis": {"color": "#0072B2", "marker": "o"},
}
FILES = {
    "agathis, Parquet files": {"color": "#009E73", "marker": "D"},
    "agathis, files on two workers": {"color": "#CC79A7", "marker": "P"},
}


def fits():
    from gemclus.tree import Kauri as Peer

    return {
        "gemclus": lambda X: Peer(max_clusters=10, max_leaves=40, kernel="linear").fit(X),
        "KMeans, n_init=10": lambda X: KMeans(10, n_init=10, random_state=0).fit(X),
        "KMeans, n_init=1": lambda X: KMeans(10, n_init=1, random_state=0).fit(X),
        "agathis": lambda X: Kauri(10, max_leaf_nodes=40).fit(X),
    }


def measure():
    found = {name: {} for name in STYLES}
    for n in ROWS:
        X = many_blobs(n, 20)
        for name, fit in fits().items():
            last = max(found[name].values(), default=0.0)
            # The next size has some three times the rows; gemclus takes nine times as long.
            if found[name] and last * (9 if name == "gemclus" else 3) > PATIENCE:
                continue
            if name != "agathis" and n > PEER_ROWS:
                continue
            found[name][n] = min(timed(fit, X) for _ in range(3 if last < 3 else 1))
            print(f"{name}, n = {n:,}: {found[name][n]:.3g} s", file=sys.stderr, flush=True)
    return {"machine": machine.describe(), "seconds": found}


def timed(fit, X):
    start = time.perf_counter()
    fit(X)
    return time.perf_counter() - start


def files():
    """Seconds of Parquet files, by ``fit_file`` and by a cluster of two workers."""
    known = json.loads(CLUSTER.read_text(encoding="utf-8"))
    few, many = known["files, 1e+07 rows"], known["large, 1e+08 rows"]
    return {
        name: {10**7: few[way]["seconds"], 10**8: many[way]["seconds"]}
        for name, way in zip(FILES, ("fit_file", "cluster"), strict=True)
    }


def draw(seconds, path):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    for name, style in (STYLES | FILES).items():
        times = seconds[name]
        rows = [int(n) for n in times]
        axes.plot(rows, list(times.values()), label=name, linewidth=2, **style)
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="rows",
        ylabel="seconds",
        title="20 columns of float32, 10 clusters, 40 leaves, linear kernel, two cores",
        xlim=(70, 3e8),
    )
    axes.axvline(EXACT_ROWS, color="#0072B2", linewidth=0.8, linestyle=":")
    axes.text(EXACT_ROWS / 1.15, 2e-3, "every threshold", ha="right", color="#0072B2", size=9)
    axes.text(EXACT_ROWS * 1.15, 2e-3, "255 bins", color="#0072B2", size=9)
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right", frameon=False, fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


if __name__ == "__main__":
    if "--draw" not in sys.argv:
        write_atomic(TIMES, json.dumps(measure(), indent=2) + "\n")
    draw(json.loads(TIMES.read_text(encoding="utf-8"))["seconds"] | files(), PICTURE)
