"""Rows and centres for the trees over the cells of centres, and what holds for each such tree."""

import warnings

import numpy as np
import pytest
from hypothesis import strategies as st

from agathis._kernels.kernel import Kernel
from agathis._objective.cost import kernel_cost
from agathis._trees.completion import completed
from agathis.baselines import IMM, RDM, ExKMC, ExShallow
from helpers.invariants import equal_trees, valid_tree
from helpers.strategies import weights

METHODS = (IMM, ExKMC, ExShallow, RDM)


def quiet(model, X, weight=None):
    """Fit where centres without rows are part of the game."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Only .* centres are nearest")
        return model.fit(X, sample_weight=weight)


@st.composite
def problems(draw, most_rows=14, most_centres=5):
    """Rows, weights and centres; many ties, centres among the rows or outside them."""
    seed = draw(st.integers(0, 2**32 - 1))
    n, d = draw(st.integers(1, most_rows)), draw(st.integers(1, 3))
    k = draw(st.integers(1, min(most_centres, n)))
    kind = draw(st.sampled_from(["integer", "normal", "few rows"]))
    place = draw(st.sampled_from(["rows", "anywhere", "means"]))
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) if kind == "normal" else random.integers(0, 5, (n, d)) * 1.0
    if kind == "few rows":
        X = X[random.integers(0, max(1, n // 2), n)]
    if place == "rows":
        centres = X[random.choice(n, k, replace=False)]
    elif place == "anywhere":
        centres = random.integers(-2, 13, (k, d)) / 2
    else:
        parts = np.arange(n) % k
        centres = np.stack([X[parts == j].mean(axis=0) for j in range(k)])
    weight = weights(random, n, draw(st.sampled_from([None, "whole", "fractions"])))
    return X, weight, centres


def same_as_reference(model, X, weight, sketch, centres):
    share = np.ones(len(X)) if weight is None else weight
    tree, kept = completed(sketch, X, share, Kernel("linear"), 1)
    equal_trees(model.tree_, tree)
    np.testing.assert_array_equal(model.cluster_centers_, centres[kept])


def is_fine(model, X, weight=None):
    valid_tree(
        model.tree_, X, model.labels_, weight, model.n_clusters, midpoints=False, kauri=False
    )
    assert model.cluster_centers_.shape == (model.n_clusters_, X.shape[1])
    assert model.teacher_labels_.shape == (len(X),)
    assert model.inertia_ == pytest.approx(
        kernel_cost(Kernel("linear"), X, model.labels_, weight, 1)
    )
