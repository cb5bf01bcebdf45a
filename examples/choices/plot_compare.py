"""
Comparing methods
=================

The package has seven methods to grow a clustering tree. :func:`agathis.compare` evaluates several
of them on the same random subsamples of a table.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.preprocessing import MinMaxScaler

from agathis import compare

wine = load_wine()
X = MinMaxScaler().fit_transform(wine.data)
compared = compare(
    X, wine.target, n_clusters=3, max_leaf_nodes=6, n_runs=8, random_state=0, n_jobs=1
)
print(compared)

# %%
# Low cost and short rules are at the lower left. Each point is a run on 80 % of the rows.

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
table = compared.runs.to_pandas()
for (name, rows), marker in zip(table.groupby("method", sort=False), "osD^vP", strict=False):
    ax.scatter(rows["waes"], rows["relative_score"], marker=marker, label=name, alpha=0.8)
ax.set_xlabel("conditions per row (WAES)")
ax.set_ylabel("cost relative to KMeans")
ax.legend()
