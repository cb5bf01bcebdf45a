"""
Votes of the Congress of 1984
=============================

The paper's tree of sixteen votes of 435 members of the House: 1 for yes, -1 for no, 0 where the
vote is not known. The tree is not told the parties.

The votes are not part of the package. Where they are found (``AGATHIS_DATA``, or the cache that a
first download leaves), the tree is grown; where not, the picture is the one that ``make paper``
drew.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from agathis import Kauri
from agathis.datasets import load
from agathis.export import to_rules
from agathis.plot import plot_tree

try:
    votes = load("congress")
except (OSError, ImportError) as error:
    votes = None
    print(f"The votes are not here: {type(error).__name__}")

# %%
# Words for the codes make rules out of numbers: "el_salvador_aid is yes".

if votes is not None:
    model = Kauri(votes.n_clusters).fit(votes.data)
    parties = np.array(votes.target_names)[votes.target]
    names = {"feature_names": votes.feature_names, "value_names": votes.value_names}
    print(to_rules(model, votes.data, parties, **names))
    ax = plot_tree(model, **names)
else:
    drawn = Path("../../results/figures/congress.png").resolve()
    figure, ax = plt.subplots(figsize=(9, 5), layout="constrained")
    ax.imshow(plt.imread(drawn))
    ax.set_axis_off()
