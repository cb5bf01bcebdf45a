"""Draw time against the number of rows: ``python benchmarks/picture.py``.

Measures agathis, gemclus (as long as a fit takes no more than a minute) and KMeans on the same
groups, writes the times to ``benchmarks/rows.json`` and the picture to ``docs/images/time.svg``;
``--draw`` only draws again. Needs matplotlib.
"""

import json
import sys
import time
from pathlib import Path

import machine
from data import many_blobs
from sklearn.cluster import KMeans

from agathis import Kauri
from agathis._growing.engines.choice import EXACT_ROWS
from agathis._support.files import write_whole

ROWS = (100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
PATIENCE = 60.0
HERE = Path(__file__).parent
TIMES, PICTURE = HERE / "rows.json", HERE.parent / "docs" / "images" / "time.svg"
# Colours that stay apart for colour-blind eyes (Okabe and Ito).
STYLES = {
    "gemclus": {"color": "#D55E00", "marker": "s"},
    "KMeans, n_init=10": {"color": "#999999", "marker": "^", "linestyle": "--"},
    "KMeans, n_init=1": {"color": "#666666", "marker": "v", "linestyle": "--"},
    "agathis": {"color": "#0072B2", "marker": "o"},
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
            found[name][n] = min(timed(fit, X) for _ in range(3 if last < 3 else 1))
            print(f"{name}, n = {n:,}: {found[name][n]:.3g} s", file=sys.stderr, flush=True)
    return {"machine": machine.describe(), "seconds": found}


def timed(fit, X):
    start = time.perf_counter()
    fit(X)
    return time.perf_counter() - start


def draw(found, path):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    for name, style in STYLES.items():
        times = found["seconds"][name]
        rows = [int(n) for n in times]
        axes.plot(rows, list(times.values()), label=name, linewidth=2, **style)
        axes.annotate(
            name, (rows[-1], list(times.values())[-1]), xytext=(6, 0), va="center",
            textcoords="offset points", color=style["color"],
        )  # fmt: skip
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="rows",
        ylabel="seconds",
        title="20 columns of float32, 10 clusters, 40 leaves, linear kernel, two cores",
        xlim=(70, 4e8),
    )
    axes.axvline(EXACT_ROWS, color="#0072B2", linewidth=0.8, linestyle=":")
    axes.text(EXACT_ROWS / 1.15, 2e-3, "every threshold", ha="right", color="#0072B2", size=9)
    axes.text(EXACT_ROWS * 1.15, 2e-3, "255 bins", color="#0072B2", size=9)
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


if __name__ == "__main__":
    if "--draw" not in sys.argv:
        write_whole(TIMES, json.dumps(measure(), indent=2) + "\n")
    draw(json.loads(TIMES.read_text(encoding="utf-8")), PICTURE)
