"""
Clustering the iris data
========================

The smallest example: four measurements of 150 flowers, three clusters, and one rule for each. The
species are not used.
"""

from sklearn.datasets import load_iris

from agathis import Kauri
from agathis.export import to_rules
from agathis.plot import plot_clusters, plot_tree

iris = load_iris(as_frame=True)
model = Kauri(n_clusters=3, max_leaf_nodes=3).fit(iris.data)
print(to_rules(model, iris.data, iris.target_names[iris.target]))

# %%
# The same as a tree. A leaf has the colour of its cluster, and line widths show the number of rows.

plot_tree(model)

# %%
# All three rules use only the petal length. In the plane of the petal measurements, leaves are
# therefore bands.

petals = iris.data[["petal length (cm)", "petal width (cm)"]]
small = Kauri(n_clusters=3, max_leaf_nodes=3).fit(petals)
plot_clusters(small, petals)
