"""Estimators in other processes and threads: pickled, forked, fitted side by side."""

import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from agathis import Kauri, KernelKMeans
from agathis.baselines import KMeansTree

X = np.random.default_rng(0).normal(size=(600, 6))
HELPERS = Path(__file__).parents[1] / "helpers"


def similarity(x, y):
    return float(x @ y)


@pytest.mark.parametrize("kind", [Kauri, KernelKMeans, KMeansTree])
def test_a_nameless_function_is_pickled_by_cloudpickle(kind):
    model = kind(2, kernel=lambda x, y: float(x @ y)).fit(X[:30])
    cloudpickle = pytest.importorskip("cloudpickle")
    again = pickle.loads(cloudpickle.dumps(model))
    np.testing.assert_array_equal(again.labels_, model.labels_)
    assert deepcopy(model).kernel is model.kernel
    assert clone(model).kernel is model.kernel


def test_a_function_with_a_name_is_pickled():
    model = Kauri(2, kernel=similarity, max_leaf_nodes=None).fit(X[:30])
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


FORKS = """
import os, sys, warnings
import numpy as np
from agathis import Kauri
from agathis.baselines import KMeansTree

X = np.random.default_rng(0).normal(size=(3000, 20))
params = dict(kernel="rbf", max_leaf_nodes=30, n_jobs=2)
if sys.argv[1] == "after":
    before = Kauri(5, **params).fit(X)
pid = os.fork()
if pid == 0:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = Kauri(5, **params).fit(X)
        model.predict(X)
    texts = {str(w.message) for w in told if "forked" in str(w.message)}
    if sys.argv[1] == "after":
        good = len(texts) == 1 and np.array_equal(model.labels_, before.labels_)
    else:
        good = not texts
    os._exit(0 if good else 3)
_, status = os.waitpid(pid, 0)
Kauri(5, **params).fit(X)  # the parent still has its threads
sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
@pytest.mark.slow
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_process_forked_after_a_fit_fits(when):
    """With the threads that its parent had it would wait for ever."""
    ended = subprocess.run(
        [sys.executable, "-c", FORKS, when], capture_output=True, text=True, timeout=120
    )
    assert ended.returncode == 0, ended.stderr


POOLS = [
    *(("joblib", backend) for backend in ("loky", "threading", "multiprocessing")),
    *(("multiprocessing", method) for method in multiprocessing.get_all_start_methods()),
]


@pytest.mark.slow
@pytest.mark.parametrize(("pool", "method"), POOLS)
def test_pools_of_processes(pool, method):
    ended = subprocess.run(
        [sys.executable, HELPERS / "process_pools.py", pool, method],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr


def in_threads(work, n):
    """Call ``work(0)``, ... in threads that begin together; what went wrong is raised."""
    start, errors = threading.Barrier(n), []

    def run(i):
        try:
            start.wait()
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
        assert not thread.is_alive()
    if errors:
        raise errors[0]


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_fits_in_two_threads_at_once(kernel):
    expected = [Kauri(k + 2, kernel=kernel, max_leaf_nodes=None).fit(X).labels_ for k in range(3)]
    found = [None] * 3

    def work(i):
        for _ in range(5):
            found[i] = Kauri(i + 2, kernel=kernel, n_jobs=2, max_leaf_nodes=None).fit(X).labels_

    in_threads(work, 3)
    np.testing.assert_array_equal(found, expected)


def test_one_estimator_fitted_from_two_threads():
    """Whichever is last, the model is one of the two and not a mixture."""
    parts = X[:300], X[300:]
    expected = [Kauri(4, max_leaf_nodes=None).fit(part) for part in parts]
    model = Kauri(4, n_jobs=2, max_leaf_nodes=None)

    def work(i):
        for _ in range(10):
            model.fit(parts[i])

    in_threads(work, 2)
    same = [
        np.array_equal(model.labels_, other.labels_)
        and np.array_equal(model.tree_.threshold, other.tree_.threshold)
        for other in expected
    ]
    assert any(same)
