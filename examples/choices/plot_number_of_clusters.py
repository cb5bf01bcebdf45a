"""
Choosing the number of clusters by stability
============================================

The objective grows with every cluster, so it cannot say how many there are. :func:`agathis.suggest`
asks two other things of each number: do trees of two random halves of the rows agree, and are the
clusters clearer than those of rows without any groups?
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs

from agathis import suggest

X, _ = make_blobs(400, n_features=4, centers=4, cluster_std=1.6, random_state=7)
found = suggest(X, max_clusters=8, random_state=0)
print(found)

# %%
# Stability alone cannot choose either, since two large groups are often stable; nor can the
# silhouette, which chance raises. Together they say which numbers are worth a look. Four groups
# were made here; three and four are as clear and as stable, and the fewer of them is what is
# suggested.

table = found.table
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
ax.plot(table["clusters"], table["stability"], "o-", label="stability over halves (ARI)")
ax.plot(table["clusters"], table["silhouette"], "s-", label="silhouette")
ax.plot(table["clusters"], table["chance"], "s:", color="tab:orange", label="silhouette by chance")
ax.axvline(found.n_clusters, color="grey", lw=1, ls="--")
ax.set_xlabel("clusters")
ax.legend()
