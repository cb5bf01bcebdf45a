"""``cluster_centers_``: the mean of each cluster in the columns of X."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from agathis import Kauri
from agathis.baselines import ICOT, KMeansTree

IRIS = load_iris().data
WEIGHT = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 3.0], len(IRIS))


def means(X, labels, weight=None):
    """By definition; a missing value is at the mean of its column."""
    weight = np.ones(len(X)) if weight is None else weight
    seen = ~np.isnan(X)
    columns = np.nansum(X * weight[:, None], axis=0) / (seen * weight[:, None]).sum(axis=0)
    full = np.where(seen, X, columns)
    return np.stack(
        [
            np.average(full[labels == k], axis=0, weights=weight[labels == k])
            for k in range(labels.max() + 1)
        ]
    )


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"search": "local", "random_state": 0},
        {"search": "optimal"},
        {"engine": "binned", "max_leaf_nodes": 6},
        {"kernel_features": [2, 3]},
        {"kernel": "cosine"},
        {"kernel": "rbf", "n_components": 20, "random_state": 0},
    ],
    ids=lambda params: "-".join(map(str, params.values())) or "default",
)
@pytest.mark.filterwarnings("ignore:20 components leave out")
def test_of_kauri(params, weight):
    model = Kauri(3, **params).fit(IRIS, sample_weight=weight)
    assert_allclose(model.cluster_centers_, means(IRIS, model.labels_, weight), rtol=1e-12)


@pytest.mark.parametrize("kernel_features", ["auto", [0, 1]])
def test_of_rows_that_miss_values(kernel_features):
    X = IRIS.copy()
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    model = Kauri(3, kernel_features=kernel_features).fit(X, sample_weight=WEIGHT)
    assert_allclose(model.cluster_centers_, means(X, model.labels_, WEIGHT), rtol=1e-12)


def test_of_rows_in_a_file(tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, IRIS)
    X = np.load(path, mmap_mode="r")
    for columns in ("auto", [0, 1]):
        model = Kauri(3, engine="binned", kernel_features=columns).fit(X)
        assert_allclose(model.cluster_centers_, means(IRIS, model.labels_), rtol=1e-12)


def test_kernels_of_pairs_have_none():
    model = Kauri(3).fit(IRIS)
    assert model.cluster_centers_.shape == (3, 4)
    model.set_params(kernel="rbf").fit(IRIS)
    assert not hasattr(model, "cluster_centers_")
    precomputed = Kauri(3, kernel="precomputed").fit(IRIS, gram=IRIS @ IRIS.T)
    assert not hasattr(precomputed, "cluster_centers_")


def test_of_baselines_that_learn_no_centres():
    model = ICOT(random_state=0, n_init=1).fit(IRIS, sample_weight=WEIGHT)
    assert_allclose(model.cluster_centers_, means(IRIS, model.labels_, WEIGHT))
    told = KMeansTree(random_state=0).fit(IRIS, labels=load_iris().target)
    assert_allclose(told.cluster_centers_, means(IRIS, told.labels_))
