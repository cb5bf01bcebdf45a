"""Fits in the processes of a pool beside fits in this one: ``python process_pools.py POOL METHOD``.

A process of its own, so that what else a test run has started (threads, other pools) is not forked.
"""

import multiprocessing
import sys
import warnings

import numpy as np
from joblib import Parallel, delayed

from agathis import Kauri

X = np.random.default_rng(0).normal(size=(600, 6))
SEEDS = range(3)


def labels_of(seed):
    return Kauri(4, max_leaf_nodes=8 + seed, n_jobs=2).fit(X).labels_


def main(pool, method):
    """End with 0 where the processes find what this one finds."""
    warnings.simplefilter("ignore")
    expected = [labels_of(seed) for seed in SEEDS]
    if pool == "joblib":
        found = Parallel(2, backend=method)(delayed(labels_of)(seed) for seed in SEEDS)
    else:
        with multiprocessing.get_context(method).Pool(2) as workers:
            found = workers.map_async(labels_of, SEEDS).get(timeout=100)
    np.testing.assert_array_equal(found, expected)


if __name__ == "__main__":
    main(*sys.argv[1:])
