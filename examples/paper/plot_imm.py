"""
The example of IMM
==================

Two round clusters, and two outliers far above them. With three clusters, KMeans assigns the
outliers to a separate one. A decision tree on these labels starts with the column that
separates most rows and needs more leaves; Kauri, IMM and ExKMC split the outliers off first.
"""

import matplotlib.pyplot as plt

from agathis import Kauri
from agathis.baselines import IMM, KMeansTree
from agathis.datasets import make_imm
from agathis.plot import plot_clusters

X, _ = make_imm(random_state=0)
models = {
    "Kauri": Kauri(3).fit(X),
    "IMM": IMM(3, random_state=0).fit(X),
    "KMeans+DT": KMeansTree(3, max_leaf_nodes=None, random_state=0).fit(X),
}
for name, model in models.items():
    print(f"{name}: {model.tree_.n_leaves} leaves")

# %%
# The rectangles are the leaves. Note the axes: the outliers are hundreds of times further away than
# the clusters are from each other.

figure, axes = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained", sharey=True)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    plot_clusters(model, X, features=(0, 1), ax=ax, legend=False)
    ax.set_title(f"{name}: {model.tree_.n_leaves} leaves")
