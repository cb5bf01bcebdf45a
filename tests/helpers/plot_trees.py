"""Trees for tests of pictures: random ones of any shape, and one of each estimator."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from agathis import Kauri, Tree
from agathis._kernels.kernel import Kernel
from agathis._trees.builder import TreeBuilder
from agathis._trees.completion import completed
from agathis.baselines import ICOT, IMM, RDM, ExKMC, ExShallow, KMeansTree

MODELS = {
    "Kauri": Kauri(3, max_leaf_nodes=7),
    "ICOT": ICOT(3, random_state=0),
    "IMM": IMM(3, random_state=0),
    "RDM": RDM(3, random_state=0),
    "ExKMC": ExKMC(3, max_leaf_nodes=6, random_state=0),
    "ExShallow": ExShallow(3, random_state=0),
    "KMeansTree": KMeansTree(3, random_state=0, max_leaf_nodes=None),
}


@st.composite
def grown(draw, max_leaves: int = 40, n_features: int | None = None):
    """A random tree and its rows; long chains are as likely as bushes."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_leaves = draw(st.integers(1, max_leaves))
    chain = draw(st.booleans())
    d = n_features or draw(st.integers(1, 4))
    X = random.integers(0, 12, (3 * n_leaves + 2, d)).astype(np.float64)
    return random_tree(random, X, n_leaves, chain), X


def random_tree(random: np.random.Generator, X: np.ndarray, n_leaves: int, chain: bool) -> Tree:
    """Cut leaves at random places, mostly the last one for a chain, at most ``n_leaves``."""
    sketch, rows = TreeBuilder(), {0: np.arange(len(X))}
    for _ in range(n_leaves - 1):
        able = [i for i, r in rows.items() if (X[r] != X[r[0]]).any()]
        if not able:
            break
        node = able[-1] if chain and random.random() < 0.9 else int(random.choice(able))
        mine = X[rows[node]]
        feature = int(random.choice(np.flatnonzero((mine != mine[0]).any(axis=0))))
        values = np.unique(mine[:, feature])
        at = int(random.integers(len(values) - 1))
        threshold = (values[at] + values[at + 1]) / 2
        left, right = sketch.cut(node, feature, threshold)
        held = rows.pop(node)
        goes_left = X[held, feature] <= threshold
        rows[left], rows[right] = held[goes_left], held[~goes_left]
    for leaf in rows:
        sketch.cluster[leaf] = int(random.integers(1 + n_leaves // 2))
    return completed(sketch, X, None, Kernel("linear"), 1)[0]
