"""
Wine with the chi2 kernel
=========================

The paper's example of a useful kernel: with the χ² kernel the tree recovers the three cultivars
better than with the linear one, with equally short rules. The classes are only used to evaluate.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import MinMaxScaler

from agathis import Kauri
from agathis.plot import cluster_points, cluster_style, plot_clusters

wine = load_wine(as_frame=True)
X = MinMaxScaler().set_output(transform="pandas").fit_transform(wine.data)
models = {
    kernel: Kauri(3, kernel=kernel, max_leaf_nodes=12).fit(X) for kernel in ("linear", "chi2")
}
for kernel, model in models.items():
    print(f"{kernel:>6}: ARI {adjusted_rand_score(wine.target, model.labels_):.2f}")

# %%
# The wines in the plane of two principal components: the known classes, then the clusters.

figure, axes = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained", sharey=True)
points = cluster_points(models["linear"], X)
for label in range(3):
    style = cluster_style(label)
    rows = points.points[wine.target == label]
    axes[0].scatter(*rows.T, s=14, color=style.colour, marker=style.marker)
axes[0].set_title("classes")
for ax, (kernel, model) in zip(axes[1:], models.items(), strict=True):
    plot_clusters(model, X, ax=ax, legend=False)
    ax.set_title(kernel)
