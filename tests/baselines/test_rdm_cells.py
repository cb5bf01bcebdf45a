"""RDM against cells that a paper prints: a tree of the same seed on each of 30 subsamples.

The printed mean ARI and weighted average depth (the root counts 1) come with their standard
deviations over the subsamples. A mean of ours agrees within two of them or 0.02: the subsamples
and the starts of KMeans are not the paper's, the numbers that the cuts are drawn with are.
"""

import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import MinMaxScaler

from agathis.baselines import RDM

FOLDER = os.environ.get("AGATHIS_DATA")


def averages(X, y, n_clusters):
    """Mean ARI and mean weighted average depth."""
    X = MinMaxScaler().fit_transform(X)
    result = []
    for run in range(30):
        ids = np.random.RandomState(run).permutation(len(X))[: int(0.8 * len(X))]
        rows = X[ids]
        reference_clustering = KMeans(n_clusters, n_init=10, random_state=run).fit(rows)
        model = RDM(n_clusters, centers=reference_clustering, random_state=0).fit(rows)
        depth = model.tree_.depth[model.tree_.apply(rows)] + 1
        result.append((adjusted_rand_score(y[ids], model.labels_), depth.mean()))
    return np.mean(result, axis=0)


def agrees(result, printed):
    mean, deviation = printed
    return abs(result - mean) <= max(0.02, 2 * deviation)


@pytest.mark.parametrize(
    ("load", "ari", "depth"),
    [
        (load_iris, (0.51, 0.03), (2.68, 0.02)),
        (load_wine, (0.29, 0.09), (2.63, 0.10)),
        pytest.param(load_digits, (0.23, 0.04), (4.48, 0.17), marks=pytest.mark.slow),
    ],
)
def test_sets_of_scikit_learn(load, ari, depth):
    X, y = load(return_X_y=True)
    result = averages(X, y, len(np.unique(y)))
    assert agrees(result[0], ari)
    assert agrees(result[1], depth)


@pytest.mark.slow
@pytest.mark.skipif(not FOLDER, reason="AGATHIS_DATA does not name a folder")
@pytest.mark.parametrize(
    ("name", "n_clusters", "ari", "depth"),
    [
        ("hepta", 7, (0.93, 0.02), (4.91, 0.06)),
        ("lsun", 3, (0.58, 0.10), (2.59, 0.09)),
        ("target", 6, (0.28, 0.02), (4.03, 0.02)),
        ("tetra", 4, (0.61, 0.03), (3.14, 0.03)),
    ],
)
def test_sets_of_a_folder(name, n_clusters, ari, depth):
    table = np.loadtxt(Path(FOLDER) / f"{name}.csv.gz", delimiter=",", skiprows=1, dtype=str)
    result = averages(table[:, :-1].astype(np.float64), table[:, -1], n_clusters)
    assert agrees(result[0], ari)
    assert agrees(result[1], depth)
