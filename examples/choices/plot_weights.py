"""
Sample weights
==============

A weight of 2 is the row twice. Use weights if a row represents many customers, or a survey has
weights.
"""

import matplotlib.pyplot as plt
import numpy as np

from agathis import Kauri
from agathis.plot import plot_clusters

random = np.random.RandomState(0)
centres = np.array([[0, 0], [4, 0], [2, 3], [2.8, 4.2]])
X = np.vstack([centre + random.normal(0, 0.45, (60, 2)) for centre in centres])
group = np.repeat(range(4), 60)

plain = Kauri(3, max_leaf_nodes=3).fit(X)
weights = np.where(group >= 2, 12.0, 1.0)
weighted = Kauri(3, max_leaf_nodes=3).fit(X, sample_weight=weights)
twice = Kauri(3, max_leaf_nodes=3).fit(np.repeat(X, weights.astype(int), axis=0))
print("weights and repeated rows give the same tree:", end=" ")
print(np.array_equal(weighted.tree_.threshold, twice.tree_.threshold, equal_nan=True))

# %%
# Without weights the two upper groups are one cluster. With twelve times the weight they are
# separated, and the two lower ones are merged.

figure, axes = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained", sharey=True)
for ax, model, title in zip(
    axes, (plain, weighted), ("every row once", "the upper ones twelve times"), strict=True
):
    plot_clusters(model, X, ax=ax, legend=False)
    ax.set_title(title)
