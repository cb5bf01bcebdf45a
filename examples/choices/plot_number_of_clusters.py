"""
Nested trees, and how many clusters the rows show
=================================================

The objective grows with every cluster, so it cannot choose their number. :func:`agathis.suggest`
tests each split of a nested tree with rows that had no part in finding it: the rows at a split
have to have more than one mode.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs

from agathis import suggest

X, _ = make_blobs(400, n_features=4, centers=4, cluster_std=1.6, random_state=7)
result = suggest(X, max_clusters=8, random_state=0)
print(result)

# %%
# The data has four clusters. Further splits explain hardly more, halves of the rows do not agree
# on them, and none of them separates two modes.

table = result.table
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
ax.plot(table["clusters"], table["explained"], "o-", label="explained variance")
ax.plot(table["clusters"], table["recurrence"], "s-", label="recurrence over halves")
ax.plot(table["clusters"], table["pvalue"], "s:", color="tab:orange", label="p-value of one mode")
ax.axvline(result.n_clusters, color="grey", lw=1, ls="--")
ax.set_xlabel("clusters")
ax.legend()

# %%
# Each tree splits one leaf of the one before.

for k in (2, 3, 4):
    print(k, sorted(map(int, result.tree(k).n_node_samples[result.tree(k).is_leaf])))
