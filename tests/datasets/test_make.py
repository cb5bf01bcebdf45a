"""Data that is made: its shapes, the claims of its descriptions, and how near it is to the real."""

import os

import numpy as np
import pytest
from helpers.paper_tables import MAKERS
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, pairwise_distances

from agathis import Kauri, datasets
from agathis.datasets import load, make_imm, make_rotated_gaussians
from agathis.datasets._draws import share_out
from agathis.datasets._registry import REGISTRY
from agathis.rivals import ExKMC, KMeansTree

needs_data = pytest.mark.skipif(
    not os.environ.get("AGATHIS_DATA"), reason="AGATHIS_DATA names no folder"
)
ALL = {name: getattr(datasets, name) for name in datasets.__all__ if name.startswith("make_")}


@pytest.mark.parametrize("name", ALL)
def test_rows_are_drawn(name):
    make = ALL[name]
    X, y = make(random_state=3)
    assert X.dtype == np.float64
    assert np.isfinite(X).all()
    assert y.shape == (len(X),)
    again, same = make(random_state=3)
    np.testing.assert_array_equal(X, again)
    np.testing.assert_array_equal(y, same)
    assert not np.array_equal(X, make(random_state=4)[0])
    generator = np.random.RandomState(3)
    np.testing.assert_array_equal(X, make(random_state=generator)[0])
    assert not np.array_equal(X, make(random_state=generator)[0])
    # Shuffled: no class stands in one piece.
    assert np.count_nonzero(np.diff(y)) > len(np.unique(y))
    few, classes = make(31, random_state=0)
    assert len(few) == len(classes) == 31
    assert len(np.unique(classes)) == len(np.unique(y))


@pytest.mark.parametrize("name", ALL)
def test_bad_arguments(name):
    with pytest.raises(ValueError, match=f"'n_samples' parameter of {name} must be an int"):
        ALL[name](1)
    with pytest.raises(ValueError, match=f"'n_samples' parameter of {name} must be .* Got 9.5"):
        ALL[name](9.5)
    with pytest.raises(ValueError, match=f"'random_state' parameter of {name} must be .*'a'"):
        ALL[name](random_state="a")


def test_bad_numbers():
    with pytest.raises(ValueError, match="'angle' parameter of make_rotated_gaussians"):
        make_rotated_gaussians(angle="up")
    for bad in (np.inf, np.nan):
        with pytest.raises(ValueError, match="angle"):
            make_rotated_gaussians(angle=bad)
    with pytest.raises(ValueError, match=r"'height' parameter of make_imm must be .* Got 0"):
        make_imm(height=0)
    with pytest.raises(ValueError, match=r"'height' parameter of make_imm must be .* Got inf"):
        make_imm(height=np.inf)
    with pytest.raises(ValueError, match=r"'variance' parameter of make_imm must be .* Got -1"):
        make_imm(variance=-1)


@pytest.mark.parametrize("n", [4, 5, 7, 100, 404, 10_000])
def test_shares(n):
    shares = [200, 100, 100, 4]
    sizes = share_out(n, shares)
    assert sizes.sum() == n
    assert sizes.min() >= 1
    exact = np.array(shares) * n / 404
    if exact.min() >= 1:
        assert abs(sizes - exact).max() < 1
    else:
        assert sizes[-1] == 1


@pytest.mark.parametrize("name", MAKERS)
def test_lookalikes_have_the_classes_of_the_original(name):
    entry = REGISTRY[name]
    X, y = MAKERS[name](random_state=0)
    assert X.shape == (entry.n_samples, len(entry.features))
    assert np.bincount(y).tolist() == list(entry.classes.values())
    _, classes = MAKERS[name](10 * entry.n_samples, random_state=0)
    np.testing.assert_array_equal(np.bincount(classes), 10 * np.bincount(y))


@pytest.mark.parametrize("angle", [0, 0.3, np.pi / 4, np.pi / 2, -2])
def test_gaussians_lie_on_their_line(angle):
    X, y = make_rotated_gaussians(60_000, angle, random_state=0)
    along = np.array([np.cos(angle), np.sin(angle)])
    for k in range(3):
        rows = X[y == k]
        # Five standard errors of a mean and of a variance of 20,000 rows.
        near = 5 * np.sqrt(0.2 / 20_000)
        np.testing.assert_allclose(rows.mean(axis=0), (k - 1) * np.sqrt(2) * along, atol=near)
        near = 5 * 0.2 * np.sqrt(2 / 20_000)
        np.testing.assert_allclose(np.cov(rows.T), 0.2 * np.eye(2), atol=near)


@pytest.mark.parametrize("seed", range(5))
def test_trees_of_the_example_of_imm(seed):
    X, y = make_imm(random_state=seed)
    assert sorted(X[y == 2].tolist()) == [[-2, 1000], [2, 1000]]
    np.testing.assert_allclose([X[y == k, 0].mean() for k in (0, 1)], [2, -2], atol=0.1)
    for model in (Kauri(3, max_leaf_nodes=3), ExKMC(3, random_state=0)):
        model.fit(X)
        assert model.tree_.feature[0] == 1
        assert adjusted_rand_score(y, model.labels_) == 1
    labels = KMeansTree(3, random_state=0).fit(X)
    assert labels.tree_.feature[0] == 0
    assert adjusted_rand_score(y, labels.labels_) == 1
    assert labels.tree_.is_leaf.sum() == 4


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
