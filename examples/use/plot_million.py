"""
Large data: a million rows
==========================

Beyond 100,000 rows Kauri evaluates the edges of 255 bins per column instead of every threshold,
automatically. Times are those of the machine that built this page.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from agathis import Kauri

X, _ = make_blobs(1_000_000, n_features=8, centers=12, cluster_std=2.0, random_state=0)
X = X.astype(np.float32)

sizes = [10_000, 30_000, 100_000, 300_000, 1_000_000]
seconds, engines = [], []
for n in sizes:
    start = time.perf_counter()
    model = Kauri(n_clusters=12, max_leaf_nodes=24).fit(X[:n])
    seconds.append(time.perf_counter() - start)
    engines.append(model.engine_)
for n, took, engine in zip(sizes, seconds, engines, strict=True):
    print(f"{n:>9,} rows: {took:.2f} s ({engine})")

# %%
# The loss by binning: the objective of 50,000 of the rows (higher is better) with the exact tree of
# a tenth of all rows, and with the binned tree of all of them.

few = Kauri(n_clusters=12, max_leaf_nodes=24, engine="features").fit(X[:100_000])
print(f"exact, of a tenth: {few.score(X[-50_000:]):.6g}")
print(f"binned, of all:    {model.score(X[-50_000:]):.6g}")

# %%
# Left the time by the number of rows, right the density of the rows.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.loglog(sizes, seconds, marker="o")
left.set_xlabel("rows")
left.set_ylabel("seconds")
image = right.hexbin(X[:, 0], X[:, 1], gridsize=60, bins="log", cmap="Greens")
for cluster in range(12):
    centre = X[model.labels_ == cluster][:, :2].mean(axis=0)
    right.annotate(str(cluster), centre, ha="center", va="center", fontsize=9)
right.set_xlabel("x[0]")
right.set_ylabel("x[1]")
right.set_title("a million rows, and where the clusters are")
