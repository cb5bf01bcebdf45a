"""
Congressional votes of 1984
===========================

The paper's tree of sixteen votes of 435 members of the House: 1 for yes, -1 for no, 0 where the
vote is not known. The parties are not used.

**No tree is grown on this page: it reads one from a file.** The votes are not part of the
repository. In a clone of it, ``paper.datasets.load("congress")`` downloads them once, or reads
them from the folder that ``AGATHIS_DATA`` names; the tree is then

.. code-block:: python

    from paper.datasets import load

    votes = load("congress")
    model = Kauri(votes.n_clusters, max_leaf_nodes=None).fit(votes.data)

The tree below was grown by ``make paper``, which wrote ``results/figures/congress.json`` with names
and sizes, so that this page can be built without a network.
"""

from pathlib import Path

from agathis.export import from_json, to_rules
from agathis.plot import plot_tree

model = from_json(Path("../../results/figures/congress.json"))
print(to_rules(model))

# %%
# Codes have names, so that rules are readable: "El Salvador aid is yes". The prediction for a
# member who voted no on all sixteen, and for one whose votes are all unknown:

for vote, words in ((-1, "no on all"), (0, "all unknown")):
    cluster = model.predict([[vote] * model.n_features_in_])[0]
    print(f"{words}: {model.cluster_names_[cluster]}")

# %%
# The first split is the paper's, and so are the clusters if the two labels of the paper's last
# split are exchanged.

ax = plot_tree(model)
