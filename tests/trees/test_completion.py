"""A drawn tree, completed from the rows: counts, clusters without a gap, what cuts are worth."""

import numpy as np
import pytest
from helpers.invariants import creation_order, route, valid_tree
from hypothesis import given
from hypothesis import strategies as st

from agathis._kernels.kernel import Kernel
from agathis._objective.cost import kernel_cost
from agathis._trees.builder import TreeBuilder
from agathis._trees.completion import completed


def drawn(X, n_cuts, rng, n_clusters):
    """Random cuts between values that rows have."""
    sketch, rows = TreeBuilder(), {0: np.arange(len(X))}
    for _ in range(n_cuts):
        node = int(rng.choice(list(rows)))
        feature = int(rng.integers(X.shape[1]))
        values = np.unique(X[rows[node], feature])
        if len(values) < 2:
            continue
        place = int(rng.integers(len(values) - 1))
        goes_left = X[rows[node], feature] <= values[place]
        left, right = sketch.cut(node, feature, (values[place] + values[place + 1]) / 2)
        ids = rows.pop(node)
        rows[left], rows[right] = ids[goes_left], ids[~goes_left]
    for leaf in rows:
        sketch.cluster[leaf] = int(rng.integers(n_clusters))
    return sketch


@given(seed=st.integers(0, 2**32 - 1), kernel=st.sampled_from(["linear", "cosine", "rbf"]))
def test_completed(seed, kernel):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (int(rng.integers(2, 30)), 2)).astype(float) + 1
    weight = None if seed % 2 else rng.integers(1, 4, len(X)).astype(float)
    kernel = Kernel(kernel)
    sketch = drawn(X, int(rng.integers(0, 8)), rng, 7)
    tree, kept = completed(sketch, X, weight, kernel, 1)
    valid_tree(tree, X, weight=weight, kauri=False, midpoints=False)
    leaves = np.flatnonzero(tree.is_leaf)
    np.testing.assert_array_equal(kept[tree.cluster[leaves]], np.array(sketch.cluster)[leaves])
    passes = route(tree, X)
    share = np.ones(len(X)) if weight is None else weight
    labels = tree.predict(X)
    for node in np.flatnonzero(~tree.is_leaf):
        covered = np.bincount(labels, share * passes[:, node], minlength=tree.n_clusters)
        assert covered[tree.cluster[node]] == pytest.approx(covered.max())
    # The gain of each cut is the fall of the cost where each leaf is a cluster of its own.
    groups = np.zeros(len(X), dtype=np.int64)
    before = kernel_cost(kernel, X, groups, weight, 1)
    for node in creation_order(tree):
        groups[passes[:, tree.children_right[node]]] = groups.max() + 1
        after = kernel_cost(kernel, X, groups, weight, 1)
        assert tree.gain[node] == pytest.approx(before - after, abs=1e-9 * share.sum() * 100)
        before = after
