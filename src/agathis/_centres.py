"""Clusters as points of the kernel's space, and the distance of rows to them.

Where the kernel has features a centre is a mean of rows. Elsewhere the distance of x to the
centre of C is ``k(x, x) - 2 mean of k(x, C) + mean of k(C, C)``: the last term is a number a
cluster, the middle one needs the kernel between x and the training rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from agathis._kernels import Kernel


@dataclass(frozen=True)
class PointCentres:
    """Centres of a kernel that has features.

    ``origin`` is near the centres, so that data far from zero keep their digits.
    """

    kernel: Kernel
    points: np.ndarray
    origin: np.ndarray

    @classmethod
    def of(cls, kernel: Kernel, X: np.ndarray, member: np.ndarray) -> PointCentres:
        rows = kernel.features(X)
        origin = np.average(rows, axis=0, weights=member.sum(axis=1))
        points = (member / member.sum(axis=0)).T @ (rows - origin)
        return cls(kernel, points, origin)

    def distances(self, X: np.ndarray) -> np.ndarray:
        return euclidean_distances(self.kernel.features(X) - self.origin, self.points)


@dataclass(frozen=True)
class SampleCentres:
    """Centres of any kernel, by the training rows' shares in them.

    Attributes
    ----------
    share : ndarray of shape (n_train, n_clusters)
        Weight of each training row over the size of its cluster.
    offset : ndarray of shape (n_clusters,)
        Mean kernel value within each cluster.
    """

    share: np.ndarray
    offset: np.ndarray

    def distances(self, cross: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
        """Distances from kernel values with the training rows and with oneself."""
        squared = diagonal[:, None] - 2 * (cross @ self.share) + self.offset
        return np.sqrt(np.maximum(squared, 0.0))


@dataclass(frozen=True)
class KernelCentres:
    """Sample centres together with the kernel and the training rows, about their origin."""

    kernel: Kernel
    samples: SampleCentres
    rows: np.ndarray
    origin: np.ndarray

    def distances(self, X: np.ndarray) -> np.ndarray:
        X = X - self.origin
        out = np.empty((len(X), len(self.samples.offset)))
        for part, cross in self.kernel.blocks(X, self.rows):
            out[part] = self.samples.distances(cross, self.kernel.diagonal(X[part]))
        return out


def centres_of(
    kernel: Kernel,
    X: np.ndarray,
    member: np.ndarray,
    means: Callable[[], np.ndarray],
    *,
    keep: bool,
) -> PointCentres | SampleCentres | KernelCentres | None:
    """What it takes to tell distances to the clusters, and no more.

    Parameters
    ----------
    kernel : Kernel
    X : ndarray of shape (n_train, n_features)
    member : ndarray of shape (n_train, n_clusters)
        Weight of each row in each cluster.
    means : callable
        Gives the mean kernel value within each cluster.
    keep : bool
        Whether training rows may be kept; ``None`` comes back where it takes them.
    """
    if kernel.has_features:
        return PointCentres.of(kernel, X, member)
    if not keep:
        return None
    samples = SampleCentres(member / member.sum(axis=0), means())
    if kernel.metric == "precomputed":
        return samples
    origin = kernel.origin(X)
    return KernelCentres(kernel, samples, X - origin, origin)
