"""
Images: splits on pixels
========================

Images of handwritten digits, 8 x 8 pixels each, with splits on single pixels. Ten leaves
are too few for ten digits, so thirty are used.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from agathis import Kauri

digits = load_digits()
X = digits.data
model = Kauri(n_clusters=10, max_leaf_nodes=30).fit(X)
print(f"{model.tree_.n_leaves} leaves, ARI {adjusted_rand_score(digits.target, model.labels_):.2f}")

# %%
# The mean image of each cluster, and the pixels in its rules.

tree = model.tree_
leaf = model.apply(X)
path = model.decision_path(X)
figure, axes = plt.subplots(2, 5, figsize=(9, 4.2), layout="constrained")
for cluster, ax in enumerate(axes.ravel()):
    rows = model.labels_ == cluster
    nodes = np.flatnonzero(np.asarray(path[rows].sum(axis=0)).ravel())
    pixels = np.unique(tree.feature[nodes][tree.feature[nodes] >= 0])
    common = np.bincount(digits.target[rows], minlength=10).argmax()
    ax.imshow(X[rows].mean(axis=0).reshape(8, 8), cmap="Greys")
    ax.plot(pixels % 8, pixels // 8, "s", mfc="none", mec="tab:red", ms=13)
    ax.set_title(f"{rows.sum()}, mostly {common}", fontsize=9)
    ax.set_xticks([])
    ax.set_yticks([])
