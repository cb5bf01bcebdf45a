"""
Wines: scaled columns, rules in your units
==========================================

Columns in different units are scaled before they are compared. The tree is grown from scaled
columns, and speaks of them in the units of the table all the same.
"""

from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from agathis import Kauri
from agathis.export import to_text
from agathis.plot import plot_profile, plot_tree

wine = load_wine(as_frame=True)
model = make_pipeline(StandardScaler(), Kauri(n_clusters=3, max_leaf_nodes=6)).fit(wine.data)
print(to_text(model))

# %%
# Six leaves for three clusters: a cluster may have several rules.

plot_tree(model, cluster_names=["deep in colour", "light", "full-bodied"])

# %%
# What is different about each cluster, in standard deviations from the mean of all wines. Many of
# these columns are in no rule: they came along.

plot_profile(model, wine.data, cluster_names=["deep in colour", "light", "full-bodied"])
