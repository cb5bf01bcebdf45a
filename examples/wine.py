"""Cluster scikit-learn's wine with a tree of six leaves, and see how it compares: `make demo`."""

import time

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import linear_kernel
from sklearn.preprocessing import MinMaxScaler

from agathis import Kauri
from agathis.export import to_text

wine = load_wine()
X, classes = wine.data, wine.target

# Proline has values up to 1680, hue up to 1.71: without scaling only proline would matter. But the
# thresholds of a tree on scaled columns would be scaled too. So the kernel is computed from scaled
# columns, and the tree splits on the original ones.
scaled = MinMaxScaler().fit_transform(X)
gram = linear_kernel(scaled)

start = time.perf_counter()
model = Kauri(n_clusters=3, max_leaf_nodes=6, kernel="precomputed").fit(X, gram=gram)
seconds = time.perf_counter() - start

print(f"\n{len(X)} wines, {X.shape[1]} measurements of each. The classes are not used:\n")
print(to_text(model, feature_names=wine.feature_names))

print("\nThe clusters and the true classes:\n")
print(" " * 11 + "".join(f"{name:>9}" for name in wine.target_names))
for cluster in range(model.n_clusters_):
    counts = np.bincount(classes[model.labels_ == cluster], minlength=len(wine.target_names))
    print(f"  cluster {cluster}" + "".join(f"{count:9d}" for count in counts))

kmeans = KMeans(n_clusters=3, n_init=10, random_state=0).fit(scaled)
scores = {
    "leaves, clusters": f"{model.n_leaves_}, {model.n_clusters_}",
    "objective (higher is better)": f"{model.objective_:.2f}",
    "cost (inertia)": f"{model.inertia_:.2f}",
    "the same of KMeans": f"{kmeans.inertia_:.2f}",
    "cost relative to KMeans": f"{model.inertia_ / kmeans.inertia_:.3f}",
    "agreement with the classes (ARI)": f"{adjusted_rand_score(classes, model.labels_):.2f}",
    "the same of KMeans (ARI)": f"{adjusted_rand_score(classes, kmeans.labels_):.2f}",
    "time to fit": f"{seconds * 1e3:.1f} ms",
}
print()
for name, value in scores.items():
    print(f"  {name:<30}{value:>8}")
