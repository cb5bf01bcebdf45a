"""Many clusters: leaves ask only the clusters that changed, and the tree is that of pairs."""

import numpy as np
import pytest
from helpers.invariants import same_tree, valid_tree

from agathis import Kauri


@pytest.mark.parametrize("engine", ["features", "binned"])
@pytest.mark.parametrize("n_clusters", [12, 40, 150])
def test_same_tree_as_of_pairs(n_clusters, engine):
    X = np.round(np.random.default_rng(n_clusters).normal(size=(250, 3)), 2)
    limits = {"n_clusters": n_clusters, "max_leaf_nodes": 200, "max_bins": 255}
    model = Kauri(**limits, engine=engine).fit(X)
    valid_tree(model.tree_, X, model.labels_, n_clusters=n_clusters)
    expected = Kauri(**limits, engine="gram").fit(X)
    same_tree(model.tree_, expected.tree_, gains=1e-9 * expected.inertia_ + 1e-9)
