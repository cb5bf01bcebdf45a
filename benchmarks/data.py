"""The made data of the benchmarks."""

from functools import cache

from sklearn.datasets import make_blobs
from sklearn.preprocessing import StandardScaler


@cache
def blobs(n, d):
    """Ten groups that overlap, standardised so that the rbf kernel's default gamma, 1/d, fits."""
    X, _ = make_blobs(n, d, centers=10, cluster_std=4, random_state=0)
    return StandardScaler().fit_transform(X)
