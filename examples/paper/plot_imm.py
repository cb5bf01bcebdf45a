"""
The example of IMM
==================

Two round groups, and two points far above them. With three clusters, KMeans gives the far points a
cluster of their own. A tree that learns these labels by their purity begins with the column that
separates most rows and then has to repair it; Kauri, IMM and ExKMC cut the far points off first.
"""

import matplotlib.pyplot as plt

from agathis import Kauri
from agathis.datasets import make_imm
from agathis.plot import plot_clusters
from agathis.rivals import IMM, KMeansTree

X, _ = make_imm(random_state=0)
models = {
    "Kauri": Kauri(3).fit(X),
    "IMM": IMM(3, random_state=0).fit(X),
    "KMeans+DT": KMeansTree(3, max_leaf_nodes=None, random_state=0).fit(X),
}
for name, model in models.items():
    print(f"{name}: {model.tree_.n_leaves} leaves")

# %%
# The rectangles are the leaves. Mind the axes: the far points are hundreds of times as far up as
# the groups are apart.

figure, places = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained", sharey=True)
for ax, (name, model) in zip(places, models.items(), strict=True):
    plot_clusters(model, X, features=(0, 1), ax=ax, legend=False)
    ax.set_title(f"{name}: {model.tree_.n_leaves} leaves")
