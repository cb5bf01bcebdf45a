"""
Missing values and categories
=============================

The raw penguins data: four measurements, an island and a sex, some of them missing. Each
split learns the side of missing values, and divides categories into any two sets.
"""

import pandas as pd
from palmerpenguins import load_penguins
from sklearn.metrics import adjusted_rand_score

import agathis
from agathis.export import to_rules
from agathis.plot import plot_profile, plot_tree

penguins = load_penguins()
print(penguins.isna().sum()[lambda missing: missing > 0])

# %%
# ``target`` is not used in the fit, and compared with the clusters.

model = agathis.fit_table(penguins, n_clusters=3, target="species", random_state=0)
print(model[0].columns_)
print()
print(to_rules(model, penguins, penguins["species"]))
print(pd.crosstab(penguins["species"], model.predict(penguins)))

# %%
# The agreement of the clusters with the species.

agreement = adjusted_rand_score(penguins["species"], model.predict(penguins))
print(f"agreement with the species (ARI): {agreement:.2f}")

# %%
# The tree: "or missing" is where rows without the value go.

plot_tree(model)

# %%
# How each cluster differs from the mean, for columns of all types.

plot_profile(model, penguins)
