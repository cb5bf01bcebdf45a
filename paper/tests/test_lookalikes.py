"""Generated data sets next to the real ones of the same name."""

import os

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, pairwise_distances

from paper.datasets import load
from paper.datasets.registry import REGISTRY
from paper.tests.helpers.paper_tables import MAKERS

needs_data = pytest.mark.skipif(
    not os.environ.get("AGATHIS_DATA"), reason="AGATHIS_DATA names no folder"
)


@pytest.mark.parametrize("name", MAKERS)
def test_lookalikes_have_the_classes_of_the_original(name):
    entry = REGISTRY[name]
    X, y = MAKERS[name](random_state=0)
    assert X.shape == (entry.n_samples, len(entry.features))
    assert np.bincount(y).tolist() == list(entry.classes.values())
    _, classes = MAKERS[name](10 * entry.n_samples, random_state=0)
    np.testing.assert_array_equal(np.bincount(classes), 10 * np.bincount(y))


def shape_of(X, y):
    """Means, deviations and extents of each class, and the least distance between classes."""
    classes = [X[y == k] for k in np.unique(y)]
    means = np.array([rows.mean(axis=0) for rows in classes])
    spread = np.array([rows.std(axis=0) for rows in classes])
    ends = np.array([[rows.min(axis=0), rows.max(axis=0)] for rows in classes])
    apart = min(pairwise_distances(X[y == k], X[y != k]).min() for k in np.unique(y))
    return means, spread, ends, apart


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize("name", MAKERS)
def test_lookalikes_look_like_the_original(name):
    real = load(name)
    k = real.n_clusters
    made = MAKERS[name](random_state=0)
    extent = np.ptp(real.data, axis=0)
    theirs = shape_of(real.data, real.target)
    ours = shape_of(*made)
    # Where every class is, how wide it is, and where it ends, in parts of the extent of the set.
    for a, b in zip(theirs[:2], ours[:2], strict=True):
        assert (abs(a - b) / extent).max() < 0.06
    big = np.bincount(real.target) > 50
    far = abs(theirs[2] - ours[2])[big] / extent if big.any() else np.zeros(1)
    assert far.max() < (0.2 if name == "engytime" else 0.12)
    assert abs(theirs[3] - ours[3]) / extent.max() < 0.08
    # As hard for KMeans.
    drawn = [MAKERS[name](random_state=seed) for seed in range(4)]
    found = np.mean([kmeans_ari(X, y, k) for X, y in drawn])
    assert abs(found - kmeans_ari(real.data, real.target, k)) < 0.08


def kmeans_ari(X, y, k):
    return adjusted_rand_score(y, KMeans(k, n_init=3, random_state=0).fit_predict(X))
