"""
Choosing the number of clusters by stability
============================================

The objective grows with every cluster, so it cannot choose their number. :func:`agathis.suggest`
evaluates two other criteria: the agreement of the trees of two random halves of the rows, and the
silhouette compared with that of data without clusters.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs

from agathis import suggest

X, _ = make_blobs(400, n_features=4, centers=4, cluster_std=1.6, random_state=7)
result = suggest(X, max_clusters=8, random_state=0)
print(result)

# %%
# Stability alone is not enough, since two large clusters are often stable; nor is the
# silhouette, which is positive by chance. The data has four clusters; three and four are equally
# separated and stable, and the smaller number is suggested.

table = result.table
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
ax.plot(table["clusters"], table["stability"], "o-", label="stability over halves (ARI)")
ax.plot(table["clusters"], table["silhouette"], "s-", label="silhouette")
ax.plot(table["clusters"], table["chance"], "s:", color="tab:orange", label="silhouette by chance")
ax.axvline(result.n_clusters, color="grey", lw=1, ls="--")
ax.set_xlabel("clusters")
ax.legend()
