"""
Explaining another clustering
=============================

To find rules for the clusters of any other method, use a kernel that is 1 for two rows of
the same cluster and 0 otherwise.
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
similarity = (given[:, None] == given[None, :]).astype(float)

# %%
# The agreement with the given clusters by the number of leaves. The greedy tree stops at four,
# where no single split helps; a search continues.

leaves = range(2, 11)
models = [
    Kauri(2, kernel="precomputed", max_leaf_nodes=n, search="local", random_state=0).fit(
        X, gram=similarity
    )
    for n in leaves
]
agreement = [adjusted_rand_score(given, model.labels_) for model in models]
chosen = next(m for m, ari in zip(models, agreement, strict=True) if ari > 0.9)
print(to_text(chosen, feature_names=["x", "y"]))

# %%
# Left the given clusters, then the tree, and the benefit of further leaves.

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
