"""
Choosing the number of leaves
=============================

A greedy tree with fewer leaves is the beginning of one with more, so a single fit shows the gain of
each leaf.
"""

from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from agathis import Kauri
from agathis.plot import gain_curve, plot_gains

X = load_wine(as_frame=True).data
model = make_pipeline(StandardScaler(), Kauri(n_clusters=3, max_leaf_nodes=20)).fit(X)
curve = gain_curve(model)
for fraction in (0.8, 0.9, 0.95, 0.99):
    leaves = curve.leaves_for(fraction)
    print(f"{fraction:.0%} of the gain of {model[-1].n_leaves_} leaves: {leaves} leaves")

# %%
# Squares mark new clusters; after the third cluster the line bends. Where it is flat, a further
# leaf makes rules longer and gains almost nothing.

plot_gains(model)
