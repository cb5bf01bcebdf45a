"""
Greedy, local search and optimal trees
======================================

A greedy tree never undoes a split. A local search improves the tree while
the objective increases; for a few leaves, branch and bound finds and proves the optimal tree.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.preprocessing import minmax_scale

from agathis import Kauri

X = minmax_scale(load_wine().data)
leaves = range(3, 13)
costs = {
    search: [
        Kauri(3, max_leaf_nodes=n, search=search, random_state=0).fit(X).inertia_ for n in leaves
    ]
    for search in ("greedy", "local")
}
best = Kauri(3, max_leaf_nodes=3, search="optimal").fit(X)
print(f"proven: {best.is_optimal_}; cost of the best tree with three leaves: {best.inertia_:.2f}")

# %%
# The star is the proven optimum, which the local search finds. Its cost is never above that of the
# greedy tree, and with more leaves both approach KMeans.

figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
for (name, values), marker in zip(costs.items(), "os", strict=True):
    ax.plot(leaves, values, marker=marker, label=name)
ax.plot(3, best.inertia_, "*", ms=14, color="tab:red", label="proven optimum")
ax.set_xlabel("leaves")
ax.set_ylabel("cost: lower is better")
ax.legend()
