"""
Explaining another clustering
=============================

Somebody has clusters already, from any method, and wants rules for them. Two rows of one cluster
are alike, two of different ones are not: that is a kernel, and Kauri grows the tree that keeps
its clusters best.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import SpectralClustering
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score

from agathis import Kauri
from agathis.export import to_text
from agathis.plot import cluster_style, plot_clusters

X, _ = make_moons(500, noise=0.06, random_state=0)
given = SpectralClustering(2, affinity="nearest_neighbors", random_state=0).fit_predict(X)
alike = (given[:, None] == given[None, :]).astype(float)

# %%
# How well a tree of so many leaves tells the given clusters. The greedy tree stops at four: from
# there no single split helps, and a search goes on.

leaves = range(2, 11)
models = [
    Kauri(2, kernel="precomputed", max_leaf_nodes=n, search="local", random_state=0).fit(
        X, gram=alike
    )
    for n in leaves
]
agreement = [adjusted_rand_score(given, model.labels_) for model in models]
chosen = next(m for m, ari in zip(models, agreement, strict=True) if ari > 0.9)
print(to_text(chosen, feature_names=["x", "y"]))

# %%
# Left the clusters that were given, then the tree, and what further leaves add.

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
for cluster in range(2):
    style = cluster_style(cluster)
    left.scatter(*X[given == cluster].T, s=10, color=style.colour, marker=style.marker)
left.set_title("given: spectral clustering")
plot_clusters(chosen, X, ax=middle, legend=False)
middle.set_title(f"a tree of {chosen.n_leaves_} leaves")
right.plot(leaves, agreement, marker="o")
right.set_xlabel("leaves")
right.set_ylabel("agreement (ARI)")
right.set_ylim(min(0, np.min(agreement)), 1.02)
