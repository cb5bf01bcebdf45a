"""
Rings: where the linear kernel fails
====================================

Two rings, one inside the other. No line separates them, and the clusters of the linear kernel are
round. With a kernel in which only close rows are similar the objective changes, and a tree on the
same columns follows it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_circles
from sklearn.metrics import adjusted_rand_score

from agathis import Kauri
from agathis.plot import plot_clusters

X, ring = make_circles(600, factor=0.3, noise=0.05, random_state=0)
models = {
    "linear": Kauri(2, max_leaf_nodes=8).fit(X),
    "rbf, gamma = 0.5": Kauri(2, kernel="rbf", gamma=0.5, max_leaf_nodes=8).fit(X),
    "rbf, gamma = 3": Kauri(2, kernel="rbf", gamma=3, max_leaf_nodes=8).fit(X),
}

# %%
# Not every gamma works: a small one makes the kernel nearly linear.

figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=True):
    plot_clusters(model, X, ax=ax, legend=False)
    ax.set_title(f"{name}: ARI {adjusted_rand_score(ring, model.labels_):.2f}")
    ax.set_aspect("equal")

# %%
# The agreement with the rings by gamma. In practice there are no classes: try several
# gammas, and look at how stable the clusters are.

gammas = np.geomspace(0.1, 100, 25)
agreement = [
    adjusted_rand_score(ring, Kauri(2, kernel="rbf", gamma=g, max_leaf_nodes=8).fit_predict(X))
    for g in gammas
]
figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ax.semilogx(gammas, agreement, marker="o")
ax.set_xlabel("gamma of the rbf kernel")
ax.set_ylabel("ARI with the rings")
