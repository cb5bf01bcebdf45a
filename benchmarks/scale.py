"""Cases of many rows: beside KMeans, beside scikit-learn's trees, and against themselves.

The bars are ratios to a peer in the same run, on two cores.
"""

import json
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from case import Result, SkipCase
from data import paper_sets, raw_blobs
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.tree import DecisionTreeClassifier
from timing import alternate, medians

from agathis import Kauri

try:
    from gemclus.tree import Kauri as Peer
except ImportError:
    Peer = None


def tree(**parameters):
    return Kauri(10, max_leaf_nodes=40, **parameters)


def linear(run):
    if Peer is None:
        raise SkipCase("gemclus is not installed")
    n = run.size(4000, 800)
    X = raw_blobs(n, 10)
    ours = tree().fit(X)
    peer = Peer(max_clusters=10, max_leaves=40, kernel="linear", random_state=0)
    runs = {"agathis": lambda: ours.fit(X), "gemclus": lambda: peer.fit(X)}
    seconds, _ = alternate(runs, run.repeats, run.tell)
    median = medians(seconds)
    ratio = median["gemclus"] / median["agathis"]
    peer_inertia = inertia(X, peer.labels_)
    difference = (ours.inertia_ - peer_inertia) / peer_inertia
    return Result(
        work=f"linear, n = {n}, d = 10, K = 10, 40 leaves",
        figure=f"{ratio:.0f} times faster, inertia {difference:+.1e}",
        bar="at least 500, within 1e-9",
        met=ratio >= 500 and abs(difference) <= 1e-9,
        seconds=seconds,
        figures={"ratio": ratio, "inertia_relative_difference": difference},
    )


def inertia(X, labels):
    return float(sum(len(part) * part.var(axis=0).sum() for part in groups(X, labels)))


def groups(X, labels):
    return (X[labels == k] for k in np.unique(labels))


def beside_kmeans(run, n, engine, n_init, bar):
    X = raw_blobs(n, 20)
    model = tree(engine=engine).fit(X[:1000])
    runs = {
        "agathis": lambda: model.fit(X),
        "KMeans": lambda: KMeans(10, n_init=n_init, random_state=0).fit(X),
    }
    seconds, results = alternate(runs, run.repeats, run.tell)
    median = medians(seconds)
    ratio = median["agathis"] / median["KMeans"]
    score = model.inertia_ / results["KMeans"].inertia_
    return Result(
        work=f"{engine}, linear, n = {n:,}, d = 20, K = 10, 40 leaves",
        figure=f"{ratio:.2f} times KMeans(10, n_init={n_init}); relative score {score:.3f}",
        bar=f"at most {bar}",
        met=ratio <= bar,
        seconds=seconds,
        figures={"ratio": ratio, "relative_score": score},
    )


def exact(run):
    return beside_kmeans(run, run.size(100_000, 10_000), "features", 10, 0.5)


def binned(run):
    return beside_kmeans(run, run.size(100_000, 10_000), "binned", 1, 1.0)


def million(run):
    return beside_kmeans(run, run.size(1_000_000, 50_000), "binned", 1, 1.0)


def in_a_process(*arguments):
    """What ``many_rows.py`` found, in a process of its own."""
    script = Path(__file__).with_name("many_rows.py")
    command = [sys.executable, str(script), *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def ten_million(run):
    n, more = run.size((1_000_000, 10_000_000), (20_000, 200_000))
    few, many = in_a_process("memory", n), in_a_process("memory", more)
    ratio = many["seconds"] / few["seconds"]
    share = many["peak_mb"] / many["data_mb"]
    return Result(
        work=f"binned, float32, d = 20, from n = {n:,} to {more:,}",
        figure=f"{ratio:.1f} times the time; peak {share:.2f} times the data "
        f"({many['peak_mb']:,.0f} of {many['data_mb']:,.0f} MB)",
        bar="at most 11; at most 2.5",
        met=ratio <= 11 and share <= 2.5,
        seconds={f"n = {n:,}": few["all_seconds"], f"n = {more:,}": many["all_seconds"]},
        figures={"ratio": ratio, "peak_share": share, **many},
    )


def mapped(run):
    n = run.size(10_000_000, 200_000)
    return on_disk("mapped", n, f"binned, a mapped file of float32, n = {n:,}, d = 20")


def file(run):
    n = run.size(10_000_000, 200_000)
    work = f"fit_file of Parquet, float32, n = {n:,}, d = 20, the labels written"
    return on_disk("file", n, work)


def on_disk(kind, n, work):
    found = in_a_process(kind, n)
    share = found["peak_above_mb"] / found["data_mb"]
    return Result(
        work=work,
        figure=f"{found['peak_above_mb']:.0f} MB of memory for {found['data_mb']:,.0f} MB of data",
        bar="at most 0.5 times the data",
        met=share <= 0.5,
        seconds={"agathis": found["all_seconds"]},
        figures=found,
    )


def bins(run):
    found = {}
    for name, X, k in paper_sets():
        reference = KMeans(k, n_init=10, random_state=0).fit(X).inertia_
        for leaves in (k, 4 * k):
            costs = [
                Kauri(k, max_leaf_nodes=leaves, engine=engine).fit(X).inertia_
                for engine in ("features", "binned")
            ]
            found[f"{name}, {leaves} leaves"] = (costs[1] - costs[0]) / reference
    if not found:
        raise SkipCase("AGATHIS_DATA does not name a folder with the paper's data sets")
    worst = max(found, key=found.get)
    return Result(
        work=f"binned against exact on {len(found) // 2} data sets, K and 4 K leaves",
        figure=f"relative score at most {found[worst]:+.4f} ({worst}), "
        f"mean {np.mean(list(found.values())):+.5f}",
        bar="at most +0.003",
        met=found[worst] <= 0.003,
        seconds={},
        figures=found,
    )


def rbf_map(run):
    n = run.size(200_000, 10_000)
    X = raw_blobs(n, 20)
    plain = tree(engine="binned")
    mapped_rbf = tree(engine="binned", kernel="rbf", n_components=256, random_state=0)
    runs = {"linear": lambda: plain.fit(X), "rbf": lambda: mapped_rbf.fit(X)}
    with warnings.catch_warnings():
        # With gamma = 1/d these rows are nearly orthogonal: no map of this size is close.
        warnings.simplefilter("ignore", UserWarning)
        seconds, _ = alternate(runs, run.repeats, run.tell)
    median = medians(seconds)
    ratio = median["rbf"] / median["linear"]
    return Result(
        work=f"rbf by 256 components, binned, n = {n:,}, d = 20, the map included",
        figure=f"{ratio:.1f} times the linear fit",
        bar="at most 15",
        met=ratio <= 15,
        seconds=seconds,
        figures={"ratio": ratio, "residual_trace": mapped_rbf.residual_trace_},
    )


def many_clusters(run):
    """As many clusters as leaves are asked about: sums of points beside sums over pairs."""
    n, k = run.size(5000, 1000), run.size(500, 100)
    X = raw_blobs(n, 10)
    common = {"n_clusters": k, "max_leaf_nodes": k + k // 5}
    models = {name: Kauri(engine=name, **common) for name in ("features", "gram")}
    runs = {name: lambda model=model: model.fit(X) for name, model in models.items()}
    seconds, _ = alternate(runs, run.size(3, 1), run.tell)
    median = medians(seconds)
    ratio = median["gram"] / median["features"]
    return Result(
        work=f"linear, n = {n}, d = 10, K = {k}, {k + k // 5} leaves",
        figure=f"{ratio:.1f} times faster than sums over pairs",
        bar="at least 1",
        met=ratio >= 1,
        seconds=seconds,
        figures={"ratio": ratio},
    )


def processor_seconds(model, X):
    started = time.process_time()
    model.fit(X)
    return time.process_time() - started


def many_leaves(run):
    """Splits after the last cluster was founded, most of which change two clusters of many."""
    n, k = run.size(20_000, 2_000), run.size(200, 50)
    X, _ = make_blobs(n, 20, centers=k, cluster_std=3, random_state=0)
    spent = processor_seconds(Kauri(k, max_leaf_nodes=4 * k), X)
    return Result(
        work=f"linear, n = {n:,}, d = 20, K = {k}, {4 * k} leaves",
        figure=f"{spent:.1f} s of processors",
        bar="at most 5 s",
        met=spent <= 5,
        seconds={"agathis": [spent]},
        figures={"processor_seconds": spent},
    )


def wide_blobs(n, d):
    """Groups in twelve directions, and noise in all."""
    random = np.random.RandomState(0)
    centres = random.randn(10, 12) @ random.randn(12, d)
    X = centres[random.randint(10, size=n)] + 0.5 * random.randn(n, 12) @ random.randn(12, d)
    return X + random.randn(n, d)


def wide_rows(run, n=4_000, bar=3):
    """Rows of 784 columns."""
    n, d = run.size(n, 500), 784
    spent = processor_seconds(tree(), wide_blobs(n, d))
    return Result(
        work=f"linear, n = {n:,}, d = {d}, K = 10, 40 leaves",
        figure=f"{spent:.1f} s of processors",
        bar=f"at most {bar} s",
        met=spent <= bar,
        seconds={"agathis": [spent]},
        figures={"processor_seconds": spent},
    )


def many_wide_rows(run):
    return wide_rows(run, n=20_000, bar=20)


def one_column_more(run):
    """One column more costs no jump: about where `auto` takes another engine, or once did."""
    n, widths = run.size(4_000, 500), (50, 51, 64, 65, 95, 96, 128, 129)
    spent = {d: [] for d in widths}
    for _ in range(run.repeats):
        for d in widths:
            spent[d].append(processor_seconds(tree(n_jobs=1), wide_blobs(n, d)))
    least = {d: min(times) for d, times in spent.items()}
    pairs = zip(widths[::2], widths[1::2], strict=True)
    ratios = {f"{b} / {a}": least[b] / least[a] for a, b in pairs}
    worst = max(ratios, key=ratios.get)
    return Result(
        work=f"linear, n = {n:,}, one column more, K = 10, 40 leaves, one thread",
        figure=f"at most {ratios[worst]:.2f} times ({worst} columns)",
        bar="at most 1.25",
        met=ratios[worst] <= 1.25,
        seconds={str(d): times for d, times in spent.items()},
        figures=ratios,
    )


def predict(run):
    n = run.size(1_000_000, 100_000)
    X = raw_blobs(n, 20)
    model = tree().fit(X)
    found = {}
    for dtype in ("float32", "float64"):
        rows = X.astype(dtype)
        peer = DecisionTreeClassifier(max_leaf_nodes=40, random_state=0).fit(
            rows[:100_000], model.labels_[:100_000]
        )
        runs = {
            f"agathis, {dtype}": lambda rows=rows: model.predict(rows),
            f"scikit-learn, {dtype}": lambda rows=rows, peer=peer: peer.predict(rows),
        }
        seconds, _ = alternate(runs, 3 * run.repeats)
        found |= seconds
    median = medians(found)
    ratios = {
        dtype: median[f"agathis, {dtype}"] / median[f"scikit-learn, {dtype}"]
        for dtype in ("float32", "float64")
    }
    ratio = max(ratios.values())
    return Result(
        work=f"predict, n = {n:,}, d = 20, 40 leaves, beside DecisionTreeClassifier",
        figure=", ".join(f"{r:.2f} times ({dtype})" for dtype, r in ratios.items()),
        bar="at most 1",
        met=ratio <= 1,
        seconds=found,
        figures={"ratio": ratio},
    )


SCALE = {
    "linear": linear,
    "exact": exact,
    "binned": binned,
    "million": million,
    "ten-million": ten_million,
    "mapped": mapped,
    "file": file,
    "many-clusters": many_clusters,
    "many-leaves": many_leaves,
    "wide-rows": wide_rows,
    "many-wide-rows": many_wide_rows,
    "one-column-more": one_column_more,
    "bins": bins,
    "rbf-256": rbf_map,
    "predict": predict,
}
