"""Rows and labels for the measures of labels, and these measures written out pair by pair."""

import numpy as np
import pytest
from hypothesis import strategies as st
from sklearn.metrics.pairwise import pairwise_kernels

from agathis.metrics import (
    kernel_kmeans_score,
    mmd_gemini,
    relative_kmeans_score,
    unsupervised_accuracy,
)
from helpers.models import SEEDS

PARAMS = {
    "linear": {},
    "cosine": {},
    "rbf": {"gamma": 0.3},
    "laplacian": {"gamma": 0.2},
    "poly": {"degree": 2, "gamma": 0.5, "coef0": 0.5},
    "sigmoid": {"gamma": 0.1},
    "chi2": {"gamma": 0.4},
    "additive_chi2": {},
}
CASES = st.tuples(SEEDS, st.sampled_from([*PARAMS]), st.booleans())


def case(seed, kernel, weighted):
    """Rows with ties, labels of which some may be of no row, weights with zeros."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 25)), int(rng.integers(1, 4))
    X = rng.integers(0, 5, (n, d)) if seed % 2 else rng.uniform(0, 3, (n, d))
    labels = rng.integers(0, int(rng.integers(1, 6)), n)
    weight = rng.integers(0, 4, n) if weighted else np.ones(n)
    weight[rng.integers(n)] = 1
    gram = pairwise_kernels(X, metric=kernel, **PARAMS[kernel])
    return X.astype(float), labels, weight.astype(float), gram


def naive_cost(gram, labels, weight):
    """Sum over clusters of squared distances of all pairs, over twice the weight."""
    cost = 0.0
    for k in set(labels.tolist()):
        rows = np.flatnonzero((labels == k) & (weight > 0))
        total = 0.0
        for i in rows:
            for j in rows:
                total += weight[i] * weight[j] * (gram[i, i] + gram[j, j] - 2 * gram[i, j])
        cost += total / (2 * weight[rows].sum()) if len(rows) else 0.0
    return cost


def naive_objective(gram, labels, weight):
    out = 0.0
    for k in set(labels.tolist()):
        inside = weight * (labels == k)
        out += inside @ gram @ inside / inside.sum() if inside.sum() else 0.0
    return out


def naive_gemini(gram, labels, weight, mode, squared):
    """The appendix's expectations, with p(y | x) the indicator of the cluster."""
    n = weight.sum()
    clusters = [k for k in set(labels.tolist()) if weight[labels == k].sum() > 0]
    given_x = {k: (labels == k) * 1.0 for k in clusters}
    p = {k: weight @ given_x[k] / n for k in clusters}
    data = weight / n

    def expected(f):
        """Over x_a and x_b from the rows, of kappa times f."""
        total = 0.0
        for a in range(len(labels)):
            for b in range(len(labels)):
                total += data[a] * data[b] * gram[a, b] * f(a, b)
        return total if squared else np.sqrt(max(total, 0.0))

    def one_all(k):
        y, q = given_x[k], p[k]
        return expected(lambda a, b: y[a] * y[b] / q**2 + 1 - 2 * y[a] / q)

    def one_one(k, m):
        y, z, q, r = given_x[k], given_x[m], p[k], p[m]
        return expected(
            lambda a, b: y[a] * y[b] / q**2 + z[a] * z[b] / r**2 - 2 * y[a] * z[b] / (q * r)
        )

    if mode == "ova":
        return sum(p[k] * one_all(k) for k in clusters)
    return sum(p[k] * p[m] * one_one(k, m) for k in clusters for m in clusters)


def near(value, scale):
    return pytest.approx(value, rel=1e-9, abs=1e-11 * max(1.0, abs(scale)))


METRICS = [
    kernel_kmeans_score,
    lambda X, labels, **k: relative_kmeans_score(X, labels, reference=3.0, **k),
    mmd_gemini,
    lambda X, labels, **k: mmd_gemini(X, labels, mode="ovo", squared=False, **k),
    lambda X, labels, **k: unsupervised_accuracy(X[:, 0].astype(int), labels, **k),
]
