"""
Scaled columns, rules in original units
=======================================

The wine data has columns in different units, which are scaled. The tree is grown on scaled
columns, and its rules are in the original units.
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
# How each cluster differs, in standard deviations from the mean of all wines. Many of
# these columns are in no rule, but correlated with those that are.

plot_profile(model, wine.data, cluster_names=["deep in colour", "light", "full-bodied"])
