"""If only one test file is run, this is the one."""

import numpy as np
from helpers import reference
from helpers.invariants import same_tree, valid_tree
from sklearn.datasets import load_iris

from agathis import Kauri


def test_iris():
    X = load_iris().data
    model = Kauri(n_clusters=3, max_leaf_nodes=12).fit(X)
    valid_tree(model.tree_, X, model.labels_, n_clusters=3, max_leaf_nodes=12)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_allclose(
        model.objective_, reference.objective(X @ X.T, model.labels_), rtol=1e-12
    )
    assert np.ptp(model.labels_[:50]) == 0  # setosa stands apart


def test_iris_in_small_against_the_oracle():
    X = load_iris().data[::6]
    gram = X @ X.T
    model = Kauri(n_clusters=3, max_leaf_nodes=6).fit(X)
    oracle = reference.grow(X, gram, n_clusters=3, max_leaf_nodes=6)
    same_tree(model.tree_, oracle, gains=reference.tolerance(gram))
    np.testing.assert_array_equal(model.labels_, oracle.labels)
