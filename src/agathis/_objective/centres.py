"""Cluster centres in the kernel's space, and the distances of rows to them.

If the kernel has features, a centre is a mean of rows. Otherwise the squared distance of x to the
centre of C is ``k(x, x) - 2 mean of k(x, C) + mean of k(C, C)``: the last term is one number per
cluster, the middle one needs the kernel between x and the training rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils import gen_batches

from agathis._kernels.kernel import Kernel
from agathis._kernels.space import Space
from agathis._objective.objective import (
    ROWS_AT_ONCE,
    membership,
    moderate_weights,
    point_sums,
)


@dataclass(frozen=True)
class PointCentres:
    """Centres of a kernel that has features.

    ``origin`` is near the centres, so that data far from zero keep their precision. With
    ``similarity`` the largest inner product replaces the smallest distance.
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
            out[rows] = cdist(points - self.origin, self.points)
        return out

    def nearest(self, X: np.ndarray, threads: int) -> np.ndarray:
        """The nearest centre of each row."""
        out = np.empty(len(X), dtype=np.int32)
        for rows in gen_batches(len(X), ROWS_AT_ONCE):
            if self.similarity:
                points = self.space.points(np.asarray(X[rows], dtype=np.float64), threads)
                out[rows] = np.argmax(points @ (self.points + self.origin).T, axis=1)
            else:
                out[rows] = np.argmin(self.distances(X[rows], threads), axis=1)
        return out


@dataclass(frozen=True)
class SampleCentres:
    """Centres of any kernel, represented by the training rows of each cluster.

    Attributes
    ----------
    labels : ndarray of shape (n_train,)
    weight : ndarray of shape (n_train,) or None
        None if all weights are 1.
    means : ndarray of shape (n_clusters,)
        Mean kernel value within each cluster.
    similarity : bool
        Whether the largest mean kernel value replaces the smallest distance.
    """

    labels: np.ndarray
    weight: np.ndarray | None
    means: np.ndarray
    similarity: bool = False

    def shares(self) -> np.ndarray:
        """Weight of each training row divided by the weight of its cluster."""
        weight = 1.0 if self.weight is None else self.weight
        member = membership(self.labels, len(self.means), weight)
        return member / member.sum(axis=0)

    def distances(self, cross: np.ndarray, diagonal: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """Distances, from kernel values with the training rows and of each row with itself."""
        towards = 2 * (cross @ shares)
        squared = diagonal[:, None] - towards + self.means
        # Rounding of a zero distance, and negative squares of an indefinite kernel, become 0.
        noise = np.abs(diagonal)[:, None] + np.abs(towards) + np.abs(self.means)
        squared[squared <= 16 * np.finfo(np.float64).eps * noise] = 0.0
        return np.sqrt(squared)

    def nearest(self, cross: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """The nearest centre, which does not depend on the kernel of a row with itself."""
        means = 0.0 if self.similarity else self.means
        return np.argmin(means - 2 * (cross @ shares), axis=1).astype(np.int32)


@dataclass(frozen=True)
class KernelCentres:
    """Sample centres with the kernel and the training rows relative to ``origin``."""

    kernel: Kernel
    samples: SampleCentres
    rows: np.ndarray
    origin: np.ndarray

    def distances(self, X: np.ndarray, threads: int) -> np.ndarray:
        out = np.empty((len(X), len(self.samples.means)))
        for part, rows, cross, shares in self._blocks(X, threads):
            out[part] = self.samples.distances(cross, self.kernel.diagonal(rows), shares)
        return out

    def nearest(self, X: np.ndarray, threads: int) -> np.ndarray:
        """The nearest centre of each row."""
        out = np.empty(len(X), dtype=np.int32)
        for part, _, cross, shares in self._blocks(X, threads):
            out[part] = self.samples.nearest(cross, shares)
        return out

    def _blocks(
        self, X: np.ndarray, threads: int
    ) -> Iterator[tuple[slice, np.ndarray, np.ndarray, np.ndarray]]:
        """Blocks of rows, with their kernel values with the training rows, and the shares."""
        X = self.kernel.seen(X) - self.origin
        # Memory-mapped models have read-only rows, which some kernels do not accept.
        rows, shares = np.require(self.rows, requirements="W"), self.samples.shares()
        for part, cross in self.kernel.blocks(X, rows, threads):
            yield part, X[part], cross, shares


#: Centres of any kernel, which give distances to clusters.
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
    """The centres of clusters, with the data that distances to them need.

    Parameters
    ----------
    kernel : Kernel
    X : ndarray of shape (n_train, n_features)
    labels : ndarray of shape (n_train,)
    weight : ndarray of shape (n_train,) or None
        None if all weights are 1.
    means : ndarray of shape (n_clusters,)
        Mean kernel value within each cluster.
    keep : bool
        Whether training rows may be kept. If not, the result is None for kernels that need them.
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
    """The mean of each cluster; missing values are replaced by ``fill``."""
    share = np.ones(len(X)) if weight is None else moderate_weights(weight)[0]
    space = Space(Kernel("linear"), fill=fill)
    sums, origin = point_sums(space, X, labels, share, 1, n_clusters)
    return sums / np.bincount(labels, share, minlength=n_clusters)[:, None] + origin
