"""
Oblique splits on two columns
=============================

If clusters lie along a diagonal, no split on one column separates them. ``split="pair"`` allows a
split on a sum with small integer weights, if its gain exceeds a penalty.
"""

import matplotlib.pyplot as plt
import numpy as np

from agathis import Kauri
from agathis.export import to_rules
from agathis.plot import plot_clusters

random = np.random.RandomState(0)
along = random.uniform(-1, 1, 400)
side = np.where(random.uniform(size=400) < 0.5, -0.3, 0.3) + random.normal(0, 0.03, 400)
X = np.c_[along / 2.2 + side, along / 2.2 - side]

plain = Kauri(2, max_leaf_nodes=2).fit(X)
paired = Kauri(2, max_leaf_nodes=2, split="pair").fit(X)
print(to_rules(paired, feature_names=["x", "y"]))

# %%
# Two leaves each.

figure, axes = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained", sharey=True)
for ax, model, title in zip(
    axes, (plain, paired), ("one column per split", 'split="pair"'), strict=True
):
    plot_clusters(model, X, ax=ax, legend=False)
    ax.set_title(f"{title}: cost {model.inertia_:.1f}")
