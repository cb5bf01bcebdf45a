"""Trees that explain given labels, beside scikit-learn's, and the time for many rows.

``python benchmarks/explain.py``; AGATHIS_DATA must name the folder of the data sets. Each cell is a
table, a clustering (KMeans, agglomerative, HDBSCAN with noise) and K or 2 K leaves for K labels.
``explain`` and ``DecisionTreeClassifier`` get the same leaves and seed. The figures go to
``explain.json`` beside this file. ``--seconds`` ends the panel early: cells that it did not reach
are counted.
"""

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from data import paper_sets
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from agathis import Kauri, explain

FIGURES = Path(__file__).with_name("explain.json")
#: More rows are a sample, as agglomerative clustering needs all pairs.
ROWS = 2000
CLUSTERINGS = {
    "KMeans": lambda k, n: KMeans(k, n_init=3, random_state=0),
    "agglomerative": lambda k, n: AgglomerativeClustering(k),
    "HDBSCAN": lambda k, n: HDBSCAN(min_cluster_size=max(5, n // 40), copy=True),
}


def tables():
    """The 19 sets of the paper, and one more of scikit-learn."""
    for name, X, k in [*paper_sets(), ("breast cancer (sklearn)", load_breast_cancer().data, 2)]:
        X = np.asarray(X, dtype=np.float64)
        if len(X) > ROWS:
            X = X[np.random.RandomState(0).choice(len(X), ROWS, replace=False)]
        yield name, X, max(3, min(k, 8))


def cells(name, X, k):
    """The agreement of both trees for each clustering and number of leaves."""
    scaled = StandardScaler().fit_transform(X)
    for clustering, make in CLUSTERINGS.items():
        labels = make(k, len(X)).fit_predict(scaled)
        kept = labels >= 0
        n_labels = len(np.unique(labels[kept]))
        if n_labels < 2:
            yield {"table": name, "clustering": clustering, "labels": n_labels}
            continue
        for leaves in (n_labels, 2 * n_labels):
            tree = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)
            cart = tree.fit(X[kept], labels[kept]).score(X[kept], labels[kept])
            model = explain(X, labels, max_leaf_nodes=leaves, random_state=0, n_jobs=1)
            told = model.classes_[model.predict(X[kept])]
            yield {
                "table": name,
                "clustering": clustering,
                "labels": n_labels,
                "leaves": leaves,
                "cart": float(cart),
                "explain": float((told == labels[kept]).mean()),
                "held_out": model.agreement.held_out,
                "method": model.agreement.method,
            }


def speed(repeats=3, n=1_000_000, d=20, k=8):
    """CPU seconds of one thread, interleaved: a greedy fit, one of the labels, and explain."""
    random = np.random.default_rng(0)
    labels = random.integers(k, size=n)
    X = (2 * random.normal(size=(k, d)))[labels] + random.normal(size=(n, d))
    one_hot = np.hstack([X, np.eye(k)[labels]])
    columns = {"split_features": range(d), "kernel_features": range(d, d + k)}
    runs = {
        "greedy": lambda: Kauri(k, n_jobs=1, random_state=0).fit(X),
        "greedy_of_labels": lambda: Kauri(k, n_jobs=1, random_state=0, **columns).fit(one_hot),
        "explain": lambda: explain(X, labels, n_jobs=1, random_state=0),
    }
    seconds = {name: [] for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            start = time.process_time()
            run()
            seconds[name].append(time.process_time() - start)
    out = {name: float(np.median(some)) for name, some in seconds.items()}
    for name in ("greedy", "greedy_of_labels"):
        ratios = np.divide(seconds["explain"], seconds[name])
        out[f"times_{name}"] = float(np.median(ratios))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    out = {"speed": speed()}
    print(out["speed"], flush=True)
    start, found, left_out = time.monotonic(), [], []
    for name, X, k in tables():
        if time.monotonic() - start > options.seconds:
            left_out.append(name)
            continue
        found += cells(name, X, k)
        print(f"{time.monotonic() - start:5.0f} s  {name}", flush=True)
    judged = [cell for cell in found if "cart" in cell]
    above = [cell["explain"] > cell["cart"] + 1e-12 for cell in judged]
    perfect = [cell["cart"] == 1 for cell in judged]
    out["panel"] = {
        "tables": len({cell["table"] for cell in judged}),
        "cells": len(judged),
        "one_label_only": len(found) - len(judged),
        "tables_left_out": left_out,
        "below": sum(cell["explain"] < cell["cart"] - 1e-12 for cell in judged),
        "above": sum(above),
        "already_perfect": sum(perfect),
        "share_above": sum(above) / len(judged),
        "share_above_where_not_perfect": sum(above) / (len(judged) - sum(perfect)),
    }
    print(out["panel"])
    FIGURES.write_text(json.dumps({**out, "cells": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
