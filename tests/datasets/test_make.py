"""Generated data sets: their shapes, and the claims of their docstrings."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from agathis import Kauri, datasets
from agathis.baselines import ExKMC, KMeansTree
from agathis.datasets import make_imm, make_rotated_gaussians
from agathis.datasets._samplers import apportion

ALL = {name: getattr(datasets, name) for name in datasets.__all__}


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
    sizes = apportion(n, shares)
    assert sizes.sum() == n
    assert sizes.min() >= 1
    exact = np.array(shares) * n / 404
    if exact.min() >= 1:
        assert abs(sizes - exact).max() < 1
    else:
        assert sizes[-1] == 1


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
    labels = KMeansTree(3, random_state=0, max_leaf_nodes=None).fit(X)
    assert labels.tree_.feature[0] == 0
    assert adjusted_rand_score(y, labels.labels_) == 1
    assert labels.tree_.is_leaf.sum() == 4
