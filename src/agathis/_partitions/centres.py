"""Clusters as points of the kernel's space, and the distance of rows to them.

Where the kernel has features a centre is a mean of rows. Elsewhere the distance of x to the
centre of C is ``k(x, x) - 2 mean of k(x, C) + mean of k(C, C)``: the last term is a number a
cluster, the middle one needs the kernel between x and the training rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils import gen_batches

from agathis._kernels.kernel import Kernel
from agathis._kernels.space import Space
from agathis._partitions.objective import ROWS_AT_ONCE, membership, moderate_weights

# Squares of values below this lose digits, or vanish; times so much they are as good as others.
TINY = 2.0**-400
ENLARGED = 2.0**600


def enlarged(values: np.ndarray) -> np.ndarray:
    """The rows, those of tiny values alone many times as large."""
    tiny = np.abs(values).max(axis=1) < TINY
    return np.where(tiny[:, None], values, 0.0) * ENLARGED + np.where(tiny[:, None], 0.0, values)


def euclidean_distances(points: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Euclidean distances, of tiny values too."""
    out = cdist(points, centres)
    if np.abs(centres).max() < TINY:
        tiny = np.abs(points).max(axis=1) < TINY
        out[tiny] = cdist(points[tiny] * ENLARGED, centres * ENLARGED) / ENLARGED
    return out


@dataclass(frozen=True)
class PointCentres:
    """Centres of a kernel that has features.

    ``origin`` is near the centres, so that data far from zero keep their digits. With
    ``similarity`` the largest inner product counts in place of the least distance.
    """

    space: Space
    points: np.ndarray
    origin: np.ndarray
    similarity: bool = False

    @property
    def kernel(self) -> Kernel:
        return self.space.kernel

    @classmethod
    def of(
        cls, space: Space, X: np.ndarray, member: np.ndarray, similarity: bool = False
    ) -> PointCentres:
        rows = space.points(X)
        origin = np.average(rows, axis=0, weights=member.sum(axis=1))
        points = (member / member.sum(axis=0)).T @ (rows - origin)
        return cls(space, points, origin, similarity)

    def distances(self, X: np.ndarray, threads: int) -> np.ndarray:
        out = np.empty((len(X), len(self.points)))
        for rows in gen_batches(len(X), ROWS_AT_ONCE):
            points = self.space.points(np.asarray(X[rows], dtype=np.float64), threads)
            out[rows] = euclidean_distances(points - self.origin, self.points)
        return out

    def nearest(self, X: np.ndarray, threads: int) -> np.ndarray:
        """The nearest centre of each row."""
        out = np.empty(len(X), dtype=np.int32)
        for rows in gen_batches(len(X), ROWS_AT_ONCE):
            if self.similarity:
                points = self.space.points(np.asarray(X[rows], dtype=np.float64), threads)
                centres = self.points + self.origin
                if np.abs(centres).max() < TINY:
                    points, centres = enlarged(points), centres * ENLARGED
                out[rows] = np.argmax(points @ centres.T, axis=1)
            else:
                out[rows] = np.argmin(self.distances(X[rows], threads), axis=1)
        return out


@dataclass(frozen=True)
class SampleCentres:
    """Centres of any kernel, by the training rows that belong to them.

    Attributes
    ----------
    labels : ndarray of shape (n_train,)
    weight : ndarray of shape (n_train,) or None
        ``None`` where all weights are 1.
    means : ndarray of shape (n_clusters,)
        Mean kernel value within each cluster.
    similarity : bool
        Whether the largest mean kernel value counts in place of the least distance.
    """

    labels: np.ndarray
    weight: np.ndarray | None
    means: np.ndarray
    similarity: bool = False

    def shares(self) -> np.ndarray:
        """Weight of each training row over the size of its cluster."""
        member = membership(
            self.labels, len(self.means), 1.0 if self.weight is None else self.weight
        )
        return member / member.sum(axis=0)

    def distances(self, cross: np.ndarray, diagonal: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """Distances from kernel values with the training rows and with oneself."""
        towards = 2 * (cross @ shares)
        squared = diagonal[:, None] - towards + self.means
        # What rounding leaves of a distance of zero, or a kernel that is not positive makes.
        noise = np.abs(diagonal)[:, None] + np.abs(towards) + np.abs(self.means)
        squared[squared <= 16 * np.finfo(np.float64).eps * noise] = 0.0
        return np.sqrt(squared)

    def nearest(self, cross: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """The nearest centre, for which the kernel of a row with itself does not matter."""
        means = 0.0 if self.similarity else self.means
        return np.argmin(means - 2 * (cross @ shares), axis=1).astype(np.int32)


@dataclass(frozen=True)
class KernelCentres:
    """Sample centres together with the kernel and the training rows, about their origin."""

    kernel: Kernel
    samples: SampleCentres
    rows: np.ndarray
    origin: np.ndarray

    def distances(self, X: np.ndarray, threads: int) -> np.ndarray:
        X = self.kernel.seen(X) - self.origin
        # Rows of a model that was mapped from disk are read-only, which some kernels refuse.
        rows = np.require(self.rows, requirements="W")
        shares = self.samples.shares()
        out = np.empty((len(X), shares.shape[1]))
        for part, cross in self.kernel.blocks(X, rows, threads):
            out[part] = self.samples.distances(cross, self.kernel.diagonal(X[part]), shares)
        return out

    def nearest(self, X: np.ndarray, threads: int) -> np.ndarray:
        """The nearest centre of each row."""
        X = self.kernel.seen(X) - self.origin
        rows = np.require(self.rows, requirements="W")
        shares = self.samples.shares()
        out = np.empty(len(X), dtype=np.int32)
        for part, cross in self.kernel.blocks(X, rows, threads):
            out[part] = self.samples.nearest(cross, shares)
        return out


#: What tells distances to clusters, of whatever kernel.
Centres = PointCentres | SampleCentres | KernelCentres


def centres_of(
    kernel: Kernel,
    X: np.ndarray,
    labels: np.ndarray,
    weight: np.ndarray | None,
    means: np.ndarray,
    *,
    keep: bool,
) -> Centres | None:
    """What it takes to tell distances to the clusters, and no more.

    Parameters
    ----------
    kernel : Kernel
    X : ndarray of shape (n_train, n_features)
    labels : ndarray of shape (n_train,)
    weight : ndarray of shape (n_train,) or None
        ``None`` where all weights are 1.
    means : ndarray of shape (n_clusters,)
        Mean kernel value within each cluster.
    keep : bool
        Whether training rows may be kept; ``None`` comes back where it takes them.
    """
    if kernel.has_features:
        member = membership(labels, len(means), 1.0 if weight is None else weight)
        return PointCentres.of(Space(kernel), X, member)
    samples = SampleCentres(labels, weight, means)
    if kernel.metric == "precomputed":
        return samples
    if not keep:
        return None
    X = kernel.seen(X)
    origin = kernel.origin(X)
    return KernelCentres(kernel, samples, X - origin, origin)


def cluster_means(
    X: np.ndarray,
    labels: np.ndarray,
    n_clusters: int,
    weight: np.ndarray | None = None,
    fill: np.ndarray | None = None,
) -> np.ndarray:
    """The mean of each cluster in the columns of X; a missing value counts as its ``fill``."""
    weight, _ = moderate_weights(weight)
    size = np.bincount(labels, weight, minlength=n_clusters)
    means = np.zeros((n_clusters, X.shape[1]))
    for rows in gen_batches(len(X), ROWS_AT_ONCE):
        block = np.asarray(X[rows], dtype=np.float64)
        if fill is not None:
            block = np.where(np.isnan(block), fill, block)
        share = membership(labels[rows], n_clusters, 1.0 if weight is None else weight[rows])
        means += (share / size).T @ block
    return means
