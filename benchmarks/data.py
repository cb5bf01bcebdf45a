"""The data of the benchmarks: made, and the paper's."""

import os
import sys
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.datasets import make_blobs
from sklearn.preprocessing import StandardScaler

sys.path.append(str(Path(__file__).resolve().parent.parent))

from paper.datasets import available, load


@cache
def blobs(n, d):
    """Ten groups that overlap, standardised so that the rbf kernel's default gamma, 1/d, fits."""
    X, _ = make_blobs(n, d, centers=10, cluster_std=4, random_state=0)
    return StandardScaler().fit_transform(X)


@cache
def raw_blobs(n, d, dtype="float64"):
    """The same groups as they come, for the linear kernel."""
    X, _ = make_blobs(n, d, centers=10, cluster_std=4, random_state=0)
    return X.astype(dtype, copy=False)


def many_blobs(n, d, seed=None):
    """Such groups in float32, made in parts: ten million rows in float64 would be the peak.

    Other rows about the same centres with a seed.
    """
    random = np.random.default_rng(0)
    centres = random.uniform(-10, 10, (10, d)).astype(np.float32)
    if seed is not None:
        random = np.random.default_rng([seed, n])
    X = np.empty((n, d), dtype=np.float32)
    for begin in range(0, n, 100_000):
        part = X[begin : begin + 100_000]
        random.standard_normal(part.shape, dtype=np.float32, out=part)
        part *= 4
        part += centres[random.integers(10, size=len(part))]
    return X


def paper_sets():
    """The sets in the folder that AGATHIS_DATA names: name, rows scaled to 0..1, classes."""
    folder = os.environ.get("AGATHIS_DATA")
    for name in available() if folder else ():
        if (Path(folder) / f"{name}.csv.gz").exists():
            X, _, k = paper_set(name)
            yield name, X, k


def paper_set(name):
    """A set of the paper: rows scaled to 0..1, the class of each, how many clusters to find."""
    bunch = load(name, scaled=True)
    return bunch.data, bunch.target, bunch.n_clusters
