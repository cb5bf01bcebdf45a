"""
Missing values and categories
=============================

Penguins as they were written down: four measurements, an island and a sex, some of it missing. A
split says where missing values go, and parts the values of a category into any two sets.
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
# ``target`` is left out of the fit, and compared with it.

model = agathis.fit_table(penguins, n_clusters=3, target="species", random_state=0)
print(model[0].columns_)
print()
print(to_rules(model, penguins, penguins["species"]))
print(pd.crosstab(penguins["species"], model.predict(penguins)))

# %%
# How near these groups are to the species, which no column told.

agreement = adjusted_rand_score(penguins["species"], model.predict(penguins))
print(f"agreement with the species (ARI): {agreement:.2f}")

# %%
# The tree: "or missing" is where rows without the value go.

plot_tree(model)

# %%
# What is different about each group, columns of all kinds together.

plot_profile(model, penguins)
