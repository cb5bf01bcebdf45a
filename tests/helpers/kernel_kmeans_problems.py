"""Problems for kernel KMeans, and its cost by definition."""

import numpy as np

from agathis._kmeans.searches import PairwiseSpace
from helpers.strategies import kernel_matrix, table

NAMED = ["linear", "cosine", "rbf", "laplacian", "chi2", "additive_chi2", "polynomial", "sigmoid"]
POSITIVE = NAMED[:-1]
ALGORITHMS = ["auto", "lloyd", "similarity"]


def pair_cost(gram, labels, weight=None):
    """The cost by its definition over pairs, cluster by cluster."""
    weight = np.ones(len(gram)) if weight is None else weight
    total = 0.0
    for k in np.unique(labels):
        w, own = weight[labels == k], gram[np.ix_(labels == k, labels == k)]
        # Half the mean squared distance between two rows of a cluster, times its weight.
        apart = np.diag(own)[:, None] + np.diag(own) - 2 * own
        total += (w @ apart @ w) / (2 * w.sum()) if w.sum() > 0 else 0.0
    return total


def centroid_cost(X, labels, weight=None):
    weight = np.ones(len(X)) if weight is None else weight
    return sum(
        w @ ((rows - np.average(rows, axis=0, weights=w)) ** 2).sum(axis=1)
        for rows, w in ((X[labels == k], weight[labels == k]) for k in np.unique(labels))
    )


def problem(seed, kernel, least=4, most=25):
    rng = np.random.default_rng(seed)
    X = table(rng, int(rng.integers(least, most)), int(rng.integers(1, 4)), "normal")
    gram = kernel_matrix(rng, X, kernel)
    return rng, X, gram


def pairs(gram, weight=None):
    weight = np.ones(len(gram)) if weight is None else weight
    return PairwiseSpace(gram, weight, None, None, 1)
