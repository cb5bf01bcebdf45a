"""Trees at the end of pipelines, and whether raw rows go in them where the model sends them."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.pipeline import make_pipeline

from agathis._rules.described_tree import describe
from agathis._rules.rows_in_units import rows_of
from agathis._trees.builder import TreeBuilder
from agathis.export import FittedModel

#: How near to a threshold, in steps of float64, a feature may be of which nothing is promised
#: where steps before the tree are not exact to the last bit.
NEAR = 32


def quiet(function, *args):
    """What a function gives; of unknown categories and names nothing is said."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args)


def with_tree(random, steps, X, n_cuts=5, takes_missing=True):
    """Fitted steps with a tree behind them, cut at random between values of the rows."""
    Z = np.asarray(quiet(steps.transform, X), dtype=float)
    builder, leaves = TreeBuilder(), [0]
    for _ in range(n_cuts):
        f = int(random.integers(Z.shape[1]))
        values = np.unique(Z[~np.isnan(Z[:, f]), f])
        if len(values) > 1:
            at = random.integers(len(values) - 1)
            threshold = values[at] + (values[at + 1] - values[at]) / 2
            threshold = values[at] if threshold >= values[at + 1] else threshold
        elif takes_missing and len(values):
            threshold = np.inf
        else:
            continue
        node = leaves.pop(random.integers(len(leaves)))
        way = int(random.integers(3)) if np.isnan(Z[:, f]).any() else 0
        leaves += builder.cut(node, f, float(threshold), missing=way)
    return finished(random, builder, leaves, steps, Z.shape[1], takes_missing)


def finished(random, builder, leaves, steps, n_features, takes_missing=True):
    """A tree with a cluster a leaf and some counts, behind its steps."""
    for cluster, leaf in enumerate(leaves):
        builder.cluster[leaf] = cluster
    for node in range(len(builder.feature)):
        builder.n_node_samples[node] = int(random.integers(1, 3))
    tree = builder.build(n_features)
    return make_pipeline(steps, FittedModel(tree, takes_missing=takes_missing))


def check_routes(pipeline, X, exact=True):
    """Every row takes the same way in the tree over raw columns as in the model.

    Where steps are not ``exact``, but for rows whose feature is too near to a threshold.
    """
    described = describe(pipeline)
    tree, raw = pipeline[-1].tree_, described.tree
    raw.check()
    Z = _features(pipeline, X)
    R = rows_of(described, X)[0]
    assert R.shape == (len(Z), raw.n_features)
    np.testing.assert_array_equal(raw.cluster, tree.cluster)
    beside = [] if exact else [_features(pipeline, _moved(X, steps)) for steps in (-NEAR, NEAR)]
    here = {0: np.ones(len(Z), dtype=bool)}
    for node in np.flatnonzero(~tree.is_leaf):
        value, left = _left(tree, Z, node)
        _, found = _left(raw, R, node)
        children = [int(tree.children_left[node]), int(tree.children_right[node])]
        if raw.children_left[node] != children[0]:
            assert [raw.children_right[node], raw.children_left[node]] == children
            found = ~found
        rows, t = here[node], tree.threshold[node]
        if not exact and np.isfinite(t):
            scale = np.maximum(np.abs(value), abs(t))
            near = np.abs(value - t) <= NEAR * np.spacing(np.maximum(scale, 1e-300))
            # A step that subtracts makes the last bit of what it is given a much larger one.
            crossed = np.logical_xor(*(_left(tree, moved, node)[1] for moved in beside))
            rows = rows & ~near & ~crossed
        np.testing.assert_array_equal(found[rows], left[rows], err_msg=f"node {node}")
        here[children[0]], here[children[1]] = rows & left, rows & ~left
    return described


def _features(pipeline, X):
    return np.asarray(quiet(pipeline[:-1].transform, X), dtype=float)


def _moved(X, steps):
    """Rows whose numbers are some steps of float64 off."""
    return X + steps * np.spacing(np.abs(X))


def _left(tree, X, node):
    """The value that a node asks for, and whether it goes left, row by row."""
    terms = tree.terms(node) or [(int(tree.feature[node]), 1.0)]
    value = sum(weight * X[:, f].astype(float) for f, weight in terms)
    return value, (value <= tree.threshold[node]) | (np.isnan(value) & tree.missing_left[node])


def at_thresholds(random, raw, X):
    """Rows of X, and such that have a threshold in a column, and the numbers beside it."""
    rows = [X]
    for node in np.flatnonzero(~raw.is_leaf & np.isfinite(raw.threshold)):
        near = X[random.integers(len(X), size=5)]
        t = raw.threshold[node]
        above, below = np.nextafter(t, np.inf), np.nextafter(t, -np.inf)
        near[:, raw.feature[node]] = [t, above, below, np.nextafter(above, np.inf), -t]
        rows.append(near)
    return np.vstack(rows)
