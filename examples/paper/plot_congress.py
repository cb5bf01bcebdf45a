"""
Votes of the Congress of 1984
=============================

The paper's tree of sixteen votes of 435 members of the House: 1 for yes, -1 for no, 0 where the
vote is not known. The tree is not told the parties.

**No tree is grown on this page: it reads one from a file.** The votes are not part of the
repository. In a clone of it, ``paper.datasets.load("congress")`` downloads them once, or reads
them from the folder that ``AGATHIS_DATA`` names; the tree is then

.. code-block:: python

    from paper.datasets import load

    votes = load("congress")
    model = Kauri(votes.n_clusters, max_leaf_nodes=None).fit(votes.data)

A tree needs no rows once it is grown. The one below was grown so by ``make paper``, which wrote
``results/figures/congress.json``, names, words and sizes included: this page is made without a
network too.
"""

from pathlib import Path

from agathis.export import from_json, to_rules
from agathis.plot import plot_tree

model = from_json(Path("../../results/figures/congress.json"))
print(to_rules(model))

# %%
# Words stand for the codes, so that rules are made of them: "El Salvador aid is yes". What the tree
# says of a member who voted no on all sixteen, and of one whose votes nobody knows:

for vote, words in ((-1, "no on all"), (0, "all unknown")):
    cluster = model.predict([[vote] * model.n_features_in_])[0]
    print(f"{words}: {model.cluster_names_[cluster]}")

# %%
# The first split is the paper's, and so are the clusters with the two words of the paper's last
# split exchanged.

ax = plot_tree(model)
