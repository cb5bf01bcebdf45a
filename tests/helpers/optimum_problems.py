"""Problems for the search of the best tree, and what holds for every tree that it gives."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from helpers.optimum_reference import cost_of


@st.composite
def problems(draw, max_rows=9, max_leaves=4):
    """Points, values, weights, leaves and limits; values with ties, and with columns alike."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(1, max_rows)), draw(st.integers(1, 3))
    values = rng.integers(0, draw(st.integers(1, 8)), (n, d)).astype(float)
    if draw(st.booleans()):
        values = rng.normal(size=(n, d))
    own = draw(st.booleans())
    points = values if own else rng.normal(size=(n, draw(st.integers(1, 5))))
    weight = rng.integers(1, 4, n).astype(float) if draw(st.booleans()) else np.ones(n)
    limits = {
        "min_leaf": draw(st.sampled_from([0.0, 1.0, 2.0, 3.0])),
        "min_split": draw(st.sampled_from([0.0, 2.0, 5.0])),
        "max_depth": draw(st.sampled_from([None, None, 1, 2, 3])),
    }
    return points, values, weight, draw(st.integers(1, max_leaves)), limits


def valid_optimum(found, points, values, weight, n_leaves, limits):
    """The tree is within the limits and costs what is said."""
    tree = found.cuts.build(values.shape[1])
    tree.check()
    leaf = tree.apply(values)
    assert_allclose(cost_of(points, weight, leaf), found.cost, rtol=1e-9, atol=1e-9)
    assert tree.n_leaves <= n_leaves
    assert tree.n_leaves == len(np.unique(leaf)) == tree.n_clusters
    assert tree.max_depth <= (limits["max_depth"] or math.inf)
    sizes = np.bincount(leaf, weight)[np.unique(leaf)]
    assert tree.n_leaves == 1 or sizes.min() >= limits["min_leaf"]
    inside = [
        tree.decision_path(values).toarray()[:, node] for node in np.flatnonzero(~tree.is_leaf)
    ]
    assert all(weight @ rows >= limits["min_split"] for rows in inside)
