"""Kernel values of rows that are very long, very short, or far from all others."""

import numpy as np
import pytest
from helpers.invariants import same_tree
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import normalize

from agathis import Kauri
from agathis._kernels.kernel import Kernel, directions


def test_ordinary_rows_have_the_directions_of_scikit_learn():
    X = np.random.default_rng(0).normal(size=(50, 4))
    np.testing.assert_array_max_ulp(directions(X), normalize(X), 2)


@pytest.mark.parametrize("length", [1e-140, 1e-15, 1.0, 1e140])
def test_the_length_of_a_row_does_not_matter(length):
    point = directions(np.array([[length, 0.0], [0.0, -length], [0.0, 0.0]]))
    np.testing.assert_array_equal(point, [[1, 0], [0, -1], [0, 0]])


@pytest.mark.parametrize("engine", ["gram", "blocks", "features", "binned"])
def test_cosine_trees_do_not_depend_on_the_unit(engine):
    """scikit-learn leaves rows shorter than 2e-15 as they are: they would be rows of zeros."""
    X = np.random.default_rng(1).normal(size=(40, 3))
    X[:3] = 0.0
    model = Kauri(3, kernel="cosine", engine=engine, max_leaf_nodes=None).fit(X)
    small = Kauri(3, kernel="cosine", engine=engine, max_leaf_nodes=None).fit(X * 2.0**-60)
    np.testing.assert_array_equal(model.labels_, small.labels_)
    gram = Kauri(3, kernel="cosine", engine="gram", max_leaf_nodes=None).fit(X * 2.0**-60)
    same_tree(small.tree_, gram.tree_, gains=1e-12, thresholds=1e-9)


@pytest.mark.parametrize("far", [1e6, 1e9, 1e12])
def test_a_row_far_away_does_not_disturb_distances(far):
    """By inner products the squared distances of the others would be rounding of far**2."""
    X = np.random.default_rng(2).normal(size=(30, 2))
    expected = rbf_kernel(X, gamma=0.5)
    rows = np.vstack([X, [[far, far]]])
    kernel = Kernel("rbf", {"gamma": 0.5})
    settled = rows - kernel.origin(rows)
    np.testing.assert_allclose(kernel.between(settled, settled)[:30, :30], expected, rtol=1e-12)
    laplacian = Kernel("laplacian", {"gamma": 0.5})
    settled = rows - laplacian.origin(rows)
    np.testing.assert_allclose(
        laplacian.between(settled, settled)[:30, :30], laplacian.between(X, X), rtol=1e-12
    )


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_blocks_and_gram_agree_beside_a_row_far_away(kernel):
    X = np.random.default_rng(3).normal(size=(60, 2))
    X[17] = 1e10
    gram = Kauri(4, kernel=kernel, gamma=1.0, engine="gram", max_leaf_nodes=None).fit(X)
    blocks = Kauri(4, kernel=kernel, gamma=1.0, engine="blocks", max_leaf_nodes=None).fit(X)
    same_tree(gram.tree_, blocks.tree_, gains=1e-10)
    apart = cdist(X, X, "sqeuclidean" if kernel == "rbf" else "cityblock")
    given = Kauri(4, kernel="precomputed", max_leaf_nodes=None).fit(X, gram=np.exp(-apart))
    same_tree(gram.tree_, given.tree_, gains=1e-10)
