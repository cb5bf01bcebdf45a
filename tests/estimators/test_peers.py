"""Beside gemclus, the public reference implementation, where it is installed.

It does not break ties as we do, so the data are continuous; and for indefinite kernels it reports
other gains, so the kernels are positive. There the two must reach the same objective.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from helpers import reference
from helpers.examples import mostly_slow
from helpers.invariants import valid_tree
from helpers.strategies import table
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import pairwise_kernels

from agathis import Kauri


@pytest.fixture(scope="module")
def gemclus_tree():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its imports are its own affair
        return pytest.importorskip("gemclus.tree")


def theirs(module, X, gram, n_clusters: int, leaves: int) -> np.ndarray:
    model = module.Kauri(
        max_clusters=n_clusters,
        max_leaves=leaves,
        kernel="precomputed",
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y=gram).labels_


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian", "poly"])
@pytest.mark.parametrize(
    ("n", "d", "n_clusters", "leaves"),
    [(30, 2, 3, 6), (60, 5, 2, 30), (150, 3, 5, 20), (300, 4, 8, 40)],
)
@pytest.mark.parametrize("seed", mostly_slow(range(3), 0))
def test_same_objective(gemclus_tree, n, d, n_clusters, leaves, kernel, seed):
    X = table(np.random.default_rng(seed), n, d, "normal")
    gram = pairwise_kernels(X, metric=kernel)
    model = Kauri(n_clusters, kernel="precomputed", max_leaf_nodes=leaves).fit(X, gram=gram)
    valid_tree(model.tree_, X, model.labels_, n_clusters=n_clusters, max_leaf_nodes=leaves)
    labels = theirs(gemclus_tree, X, gram, n_clusters, leaves)
    assert model.objective_ == pytest.approx(reference.objective(gram, labels), rel=1e-9)
    assert adjusted_rand_score(labels, model.labels_) == 1.0


def test_same_objective_on_iris_made_continuous(gemclus_tree):
    from sklearn.datasets import load_iris

    X = load_iris().data
    X = X + np.random.default_rng(0).uniform(-0.05, 0.05, X.shape)
    gram = X @ X.T
    model = Kauri(3, max_leaf_nodes=12).fit(X)
    labels = theirs(gemclus_tree, X, gram, 3, 12)
    assert model.objective_ == pytest.approx(reference.objective(gram, labels), rel=1e-9)
