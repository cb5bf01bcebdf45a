"""Fits with threads, every engine and every loop that shares its work: for ThreadSanitizer.

`make test-tsan` runs these with a build that reports two threads at one place. Here they say that
threads do not matter.
"""

import threading

import numpy as np
import pytest
from helpers.models import same_bits

from agathis import Kauri, KernelKMeans
from agathis.baselines import ICOT, IMM, RDM, ExKMC, ExShallow, KMeansTree

N_JOBS = 4


def rows(n, d, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, d))
    X[:, ::2] = np.round(X[:, ::2], 1)
    return X


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize(
    ("kernel", "engine"),
    [
        ("linear", "features"),
        ("linear", "binned"),
        ("linear", "gram"),
        ("linear", "blocks"),
        ("rbf", "gram"),
        ("rbf", "blocks"),
    ],
)
def test_engines(kernel, engine, weighted):
    X = rows(1200, 16)
    weight = np.random.default_rng(1).integers(1, 4, len(X)).astype(float) if weighted else None
    params = {"kernel": kernel, "engine": engine, "max_leaf_nodes": 24}
    one = Kauri(6, n_jobs=1, **params).fit(X, sample_weight=weight)
    many = Kauri(6, n_jobs=N_JOBS, **params).fit(X, sample_weight=weight)
    np.testing.assert_array_equal(one.labels_, many.labels_)
    np.testing.assert_array_equal(one.predict(X), many.predict(X))


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_categories(kernel):
    random = np.random.default_rng(2)
    codes = random.integers(0, 6, 1500)
    X = np.column_stack([rows(1500, 6), np.eye(6)[codes]])
    params = {"kernel": kernel, "max_leaf_nodes": 12, "one_hot": [list(range(6, 12))]}
    one, many = (Kauri(5, n_jobs=jobs, **params).fit(X) for jobs in (1, N_JOBS))
    np.testing.assert_array_equal(one.labels_, many.labels_)


@pytest.mark.filterwarnings("ignore:32 components leave out")
def test_maps_and_missing_values():
    X = rows(2000, 8)
    X[::7, 3] = np.nan
    params = {"kernel": "rbf", "n_components": 32, "max_leaf_nodes": 10, "random_state": 0}
    one, many = (Kauri(4, n_jobs=jobs, **params).fit(X) for jobs in (1, N_JOBS))
    same_bits(one.tree_, many.tree_)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"one_hot": [[100, 101, 102, 103]]},
        {"kernel": "rbf", "n_components": 6},
        {"split": "pair"},
    ],
    ids=["columns", "categories", "components", "pairs"],
)
@pytest.mark.filterwarnings("ignore:6 components leave out")
def test_local_search(params):
    """So many rows and columns that leaves and inner nodes are searched by several threads."""
    codes = np.random.default_rng(3).integers(0, 4, 2400)
    X = np.column_stack([rows(2400, 100), np.eye(4)[codes]])
    kept = {"max_leaf_nodes": 6, "random_state": 0, "search_effort": 0.02, "n_init": 1}
    kept |= {"kernel_features": [0, 1, 2, 100, 101, 102, 103], "search": "local"}
    one, many = (Kauri(4, n_jobs=jobs, **kept, **params).fit(X) for jobs in (1, N_JOBS))
    same_bits(one.tree_, many.tree_)


def test_optimal_search():
    X = rows(150, 4)
    one, many = (Kauri(3, search="optimal", n_jobs=jobs).fit(X) for jobs in (1, N_JOBS))
    same_bits(one.tree_, many.tree_)


@pytest.mark.parametrize("kind", [IMM, ExKMC, RDM, ICOT, ExShallow, KMeansTree])
def test_rivals(kind):
    X = rows(200 if kind is ICOT else 1500, 6)
    one, many = (kind(4, n_jobs=jobs, random_state=0).fit(X) for jobs in (1, N_JOBS))
    np.testing.assert_array_equal(one.labels_, many.labels_)


@pytest.mark.slow
def test_kernel_kmeans():
    X = rows(600, 5)
    one, many = (
        KernelKMeans(4, kernel="rbf", n_jobs=jobs, random_state=0).fit(X) for jobs in (1, N_JOBS)
    )
    np.testing.assert_array_equal(one.labels_, many.labels_)


def test_two_fits_at_once():
    X, found = rows(1200, 12), {}

    def work(k):
        found[k] = Kauri(k, kernel="rbf", n_jobs=2, max_leaf_nodes=20).fit(X).labels_

    threads = [threading.Thread(target=work, args=(k,)) for k in (3, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in (3, 5):
        alone = Kauri(k, kernel="rbf", n_jobs=1, max_leaf_nodes=20).fit(X)
        np.testing.assert_array_equal(found[k], alone.labels_)
