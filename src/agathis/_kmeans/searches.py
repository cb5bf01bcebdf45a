"""Algorithms that lower the kernel KMeans cost of a partition.

With T[i, k] the weighted sum of the kernel between row i and cluster k, S[k] its sum over the
rows of k and W[k] the weight of k, the cost is the weighted trace minus the sum of S[k] / W[k],
and the squared distance of row i to the centre of k is k(i, i) - 2 T[i, k] / W[k] + S[k] / W[k]^2.
T is the product of the kernel matrix with the membership matrix, and S follows from T.
:func:`lloyd` moves every row to its nearest centre, :func:`single_moves` moves one row at a time
and accounts for the change of both centres. :func:`starts` runs scikit-learn's KMeans.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from agathis._kernels.kernel import Kernel
from agathis._objective.objective import membership

# The minimum gain of a move relative to the trace; less may be rounding.
MIN_GAIN = 1e-12


@dataclass(frozen=True)
class Points:
    """Rows as points of the kernel's space, centred, and their weights."""

    points: np.ndarray
    weight: np.ndarray

    def towards(self, member: np.ndarray) -> np.ndarray:
        """Sums of the kernel between each row and each cluster."""
        return self.points @ (member.T @ self.points).T


@dataclass(frozen=True)
class PairwiseSpace:
    """Rows represented by their kernel values with each other, and their weights.

    Attributes
    ----------
    matrix : ndarray of shape (n_rows, n_rows) or None
        None if it is too large to be stored: then each iteration computes it in blocks.
    weight : ndarray of shape (n_rows,)
    kernel : Kernel
    rows : ndarray of shape (n_rows, n_features)
        Relative to the kernel's origin.
    threads : int
    """

    matrix: np.ndarray | None
    weight: np.ndarray
    kernel: Kernel
    rows: np.ndarray
    threads: int

    def towards(self, member: np.ndarray) -> np.ndarray:
        """Sums of the kernel between each row and each cluster."""
        if self.matrix is not None:
            return self.matrix @ member
        out = np.empty(member.shape)
        for part, values in self.kernel.blocks(self.rows, self.rows, self.threads):
            self.kernel.check_finite(values)
            out[part] = values @ member
        return out


def without_missing(labels: np.ndarray) -> np.ndarray:
    """The same clusters numbered 0, 1, ... in the same order."""
    return np.unique(labels, return_inverse=True)[1].reshape(labels.shape)


def lloyd(
    space: Points | PairwiseSpace, labels: np.ndarray, max_iter: int, n_clusters: int | None = None
) -> tuple[np.ndarray, float, int]:
    """Move all rows to their nearest centre until none moves; empty clusters are dropped.

    With ``n_clusters``, rows move to the cluster of the largest mean kernel value instead, until a
    cluster is empty.

    Returns
    -------
    labels : ndarray of shape (n_rows,)
        Without gaps.
    objective : float
        Sum over clusters of kernel sum over weight.
    n_iter : int
    """
    labels, n_iter = without_missing(labels), 0
    while True:
        member = membership(labels, int(labels.max()) + 1, space.weight)
        towards, size = space.towards(member), member.sum(axis=0)
        kernel_sum = np.einsum("ik,ik->k", member, towards)
        if n_clusters is None:
            best = np.argmin(kernel_sum / size**2 - 2 * towards / size, axis=1)
        else:
            best = np.argmax(towards / size, axis=1)
        lost = n_clusters is not None and len(size) < n_clusters
        if lost or n_iter == max_iter or np.array_equal(best, labels):
            return labels, float(np.sum(kernel_sum / size)), max(n_iter, 1)
        labels = without_missing(best)
        n_iter += 1


def single_moves(
    matrix: np.ndarray, weight: np.ndarray, labels: np.ndarray, max_iter: int
) -> tuple[np.ndarray, float]:
    """Move single rows while the cost decreases; no cluster becomes empty.

    The cost decreases for any symmetric matrix. For a positive semi-definite one each row is in
    the cluster of its nearest centre at the end.

    Returns
    -------
    labels : ndarray of shape (n_rows,)
    objective : float
        Sum over clusters of kernel sum over weight.
    """
    labels = labels.copy()
    n_clusters = int(labels.max()) + 1
    diagonal = np.diagonal(matrix)
    all_rows = np.arange(len(labels))
    minimum = MIN_GAIN * float(weight @ np.abs(diagonal))
    # Whether sums were computed, and whether they are free of rounding by incremental updates.
    known = exact = False
    for _ in range(max_iter):
        if not known:
            towards, kernel_sum, size = _sums(matrix, weight, labels, n_clusters)
            n_rows = np.bincount(labels, minlength=n_clusters)
            known = exact = True
        gains, _ = _gains(towards, kernel_sum, size, diagonal, weight, labels, all_rows)
        hopeful = np.flatnonzero((gains > minimum) & (n_rows[labels] > 1))
        moved = False
        for i in hopeful[np.argsort(-gains[hopeful], kind="stable")]:
            a, w = labels[i], weight[i]
            if n_rows[a] == 1:
                continue
            # Moves of other rows have changed the gain.
            gain, best = _gains(towards, kernel_sum, size, diagonal, weight, labels, np.array([i]))
            if gain[0] <= minimum:
                continue
            b = best[0]
            kernel_sum[a] += w * (w * diagonal[i] - 2 * towards[a, i])
            kernel_sum[b] += w * (w * diagonal[i] + 2 * towards[b, i])
            change = w * matrix[i]
            towards[a] -= change
            towards[b] += change
            size[a], size[b] = size[a] - w, size[b] + w
            n_rows[a], n_rows[b] = n_rows[a] - 1, n_rows[b] + 1
            labels[i], moved = b, True
        if moved:
            exact = False
        elif exact:
            break
        else:
            known = False
    if not exact:
        _, kernel_sum, size = _sums(matrix, weight, labels, n_clusters)
    return labels, float(np.sum(kernel_sum / size))


def _sums(
    matrix: np.ndarray, weight: np.ndarray, labels: np.ndarray, n_clusters: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """T (one row per cluster), S and W, as defined at the top of this file.

    The membership is sparse, since most of a dense product would be with zeros.
    """
    rows = np.arange(len(labels))
    member = sparse.csr_matrix((weight, (labels, rows)), shape=(n_clusters, len(labels)))
    towards = member @ matrix
    kernel_sum = np.bincount(labels, weight * towards[labels, rows], minlength=n_clusters)
    return towards, kernel_sum, np.bincount(labels, weight, minlength=n_clusters)


def _gains(
    towards: np.ndarray,
    kernel_sum: np.ndarray,
    size: np.ndarray,
    diagonal: np.ndarray,
    weight: np.ndarray,
    labels: np.ndarray,
    rows: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """The gain of the objective by the best move of each row, and its target cluster.

    ``towards`` has one row per cluster.
    """
    w, a, each = weight[rows], labels[rows], np.arange(len(rows))
    square = w**2 * diagonal[rows]
    before = kernel_sum / size
    arrive = kernel_sum[:, None] + 2 * w * towards[:, rows] + square
    arrive /= size[:, None] + w
    arrive -= before[:, None]
    arrive[a, each] = -np.inf
    best = np.argmax(arrive, axis=0)
    left = size[a] - w
    # The only row of a cluster does not move, so its value is not used.
    left[left <= 0] = 1.0
    leave = (kernel_sum[a] - 2 * w * towards[a, rows] + square) / left - before[a]
    return leave + arrive[best, each], best


def starts(
    points: np.ndarray,
    weight: np.ndarray,
    n_clusters: int,
    *,
    n_init: int,
    max_iter: int,
    tol: float,
    random_state: np.random.RandomState,
) -> Iterator[tuple[np.ndarray, int]]:
    """Yield labels and iterations of scikit-learn's KMeans from ``n_init`` starts."""
    for _ in range(n_init):
        model = KMeans(n_clusters, n_init=1, max_iter=max_iter, tol=tol, random_state=random_state)
        yield _fitted(model, points, weight), model.n_iter_


def to_the_end(
    points: np.ndarray, weight: np.ndarray, labels: np.ndarray, max_iter: int
) -> tuple[np.ndarray, int]:
    """Run scikit-learn's KMeans from given clusters until no row moves; labels, iterations."""
    n_clusters = int(labels.max()) + 1
    member = membership(labels, n_clusters, weight)
    centres = (member / member.sum(axis=0)).T @ points
    model = KMeans(n_clusters, init=centres, n_init=1, max_iter=max_iter, tol=0, random_state=0)
    return _fitted(model, points, weight), model.n_iter_


def _fitted(model: KMeans, points: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Labels of KMeans without gaps: points closer than rounding may leave a cluster empty."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(points, sample_weight=weight)
    return without_missing(model.labels_)
