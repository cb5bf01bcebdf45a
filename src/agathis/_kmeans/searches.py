"""Ways to lower the kernel KMeans cost of a partition.

With T[i, k] the weighted sum of the kernel between row i and cluster k, S[k] its sum over the
rows of k and W[k] the weight of k, the cost is the weighted trace less the sum of S[k] / W[k],
and the squared distance of row i to the centre of k is k(i, i) - 2 T[i, k] / W[k] + S[k] / W[k]^2.
One product of the kernel with the membership of the rows gives T, and T gives all the rest:
:func:`lloyd` moves every row to its nearest centre, :func:`single_moves` moves one row at a time
and takes into account that both centres move with it. :func:`most_similar` leaves out S / W^2.
:func:`starts` are scikit-learn's KMeans.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from agathis._kernels.kernel import Kernel
from agathis._partitions.objective import membership

# Of the trace, what a move must gain at least: less may be rounding.
LEAST_GAIN = 1e-12


@dataclass(frozen=True)
class Points:
    """Rows as points of the kernel's space, about their mean, and their weights."""

    points: np.ndarray
    weight: np.ndarray

    def towards(self, member: np.ndarray) -> np.ndarray:
        """Sums of the kernel between each row and each cluster."""
        return self.points @ (member.T @ self.points).T


@dataclass(frozen=True)
class Pairs:
    """Rows by the kernel's values between them, and their weights.

    Attributes
    ----------
    matrix : ndarray of shape (n_rows, n_rows) or None
        ``None`` where it is too large to be kept: blocks of it are computed in every iteration.
    weight : ndarray of shape (n_rows,)
    kernel : Kernel
    rows : ndarray of shape (n_rows, n_features)
        About the kernel's origin.
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
            check_values(self.kernel, values)
            out[part] = values @ member
        return out


def check_values(kernel: Kernel, values: np.ndarray) -> None:
    """Raise where kernel values are not finite."""
    if not np.isfinite(values).all():
        raise ValueError(
            f"{kernel} gives NaN or infinity for some rows of X; every kernel value must be "
            "finite. Is X very large, or the kernel not defined on it?"
        )


def without_gaps(labels: np.ndarray) -> np.ndarray:
    """The same clusters numbered 0, 1, ... in their order."""
    return np.unique(labels, return_inverse=True)[1].reshape(labels.shape)


def lloyd(
    space: Points | Pairs, labels: np.ndarray, max_iter: int
) -> tuple[np.ndarray, float, int]:
    """Move all rows to their nearest centre until none moves; a cluster without rows is gone.

    Returns
    -------
    labels : ndarray of shape (n_rows,)
        Without gaps.
    objective : float
        Sum over clusters of stock over size.
    n_iter : int
    """
    return _moved(space, labels, max_iter, lambda T, S, W: np.argmin(S / W**2 - 2 * T / W, axis=1))


def most_similar(
    space: Points | Pairs, labels: np.ndarray, n_clusters: int, max_iter: int
) -> tuple[np.ndarray, float, int]:
    """Move all rows to the cluster of the largest mean kernel value, until none moves.

    This ends as soon as there are fewer than ``n_clusters``; it returns what :func:`lloyd` does.
    """
    return _moved(space, labels, max_iter, lambda T, S, W: np.argmax(T / W, axis=1), n_clusters)


def _moved(
    space: Points | Pairs,
    labels: np.ndarray,
    max_iter: int,
    choose: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray],
    least: int = 0,
) -> tuple[np.ndarray, float, int]:
    """Move all rows to the clusters that T, S and W choose, until none moves or some are lost."""
    labels, n_iter = without_gaps(labels), 0
    while True:
        member = membership(labels, int(labels.max()) + 1, space.weight)
        towards, size = space.towards(member), member.sum(axis=0)
        stock = np.einsum("ik,ik->k", member, towards)
        best = choose(towards, stock, size)
        lost = len(size) < least
        if lost or n_iter == max_iter or np.array_equal(best, labels):
            return labels, float(np.sum(stock / size)), max(n_iter, 1)
        labels = without_gaps(best)
        n_iter += 1


def single_moves(
    matrix: np.ndarray, weight: np.ndarray, labels: np.ndarray, max_iter: int
) -> tuple[np.ndarray, float]:
    """Move single rows as long as the cost falls; no cluster loses its last row.

    This holds for any symmetric matrix. Where it is positive a row that is nearer to another
    centre can be moved with a gain, so that in the end each row is at its nearest centre.

    Returns
    -------
    labels : ndarray of shape (n_rows,)
    objective : float
        Sum over clusters of stock over size.
    """
    labels = labels.copy()
    n_clusters = int(labels.max()) + 1
    own = np.diagonal(matrix)
    all_rows = np.arange(len(labels))
    least = LEAST_GAIN * float(weight @ np.abs(own))
    # Whether there are sums, and whether moves have not added to them what rounding makes of each.
    known = exact = False
    for _ in range(max_iter):
        if not known:
            towards, stock, size = _sums(matrix, weight, labels, n_clusters)
            held = np.bincount(labels, minlength=n_clusters)
            known = exact = True
        gains, _ = _gains(towards, stock, size, own, weight, labels, all_rows)
        hopeful = np.flatnonzero((gains > least) & (held[labels] > 1))
        moved = False
        for i in hopeful[np.argsort(-gains[hopeful], kind="stable")]:
            a, w = labels[i], weight[i]
            if held[a] == 1:
                continue
            # Rows that moved before have changed what this one gains.
            gain, best = _gains(towards, stock, size, own, weight, labels, np.array([i]))
            if gain[0] <= least:
                continue
            b = best[0]
            stock[a] += w * (w * own[i] - 2 * towards[a, i])
            stock[b] += w * (w * own[i] + 2 * towards[b, i])
            change = w * matrix[i]
            towards[a] -= change
            towards[b] += change
            size[a], size[b] = size[a] - w, size[b] + w
            held[a], held[b] = held[a] - 1, held[b] + 1
            labels[i], moved = b, True
        if moved:
            exact = False
        elif exact:
            break
        else:
            known = False
    if not exact:
        _, stock, size = _sums(matrix, weight, labels, n_clusters)
    return labels, float(np.sum(stock / size))


def _sums(
    matrix: np.ndarray, weight: np.ndarray, labels: np.ndarray, n_clusters: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """T with a row a cluster, of which a move changes two, S and W: see the head of this file.

    Rows of the matrix are added up: as a product of matrices most of it would be with zeros.
    """
    rows = np.arange(len(labels))
    member = sparse.csr_matrix((weight, (labels, rows)), shape=(n_clusters, len(labels)))
    towards = member @ matrix
    stock = np.bincount(labels, weight * towards[labels, rows], minlength=n_clusters)
    return towards, stock, np.bincount(labels, weight, minlength=n_clusters)


def _gains(
    towards: np.ndarray,
    stock: np.ndarray,
    size: np.ndarray,
    own: np.ndarray,
    weight: np.ndarray,
    labels: np.ndarray,
    rows: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """What the best move of each of these rows adds to the objective, and where it leads.

    ``towards`` has a row a cluster.
    """
    w, a, each = weight[rows], labels[rows], np.arange(len(rows))
    square = w**2 * own[rows]
    before = stock / size
    arrive = stock[:, None] + 2 * w * towards[:, rows] + square
    arrive /= size[:, None] + w
    arrive -= before[:, None]
    arrive[a, each] = -np.inf
    best = np.argmax(arrive, axis=0)
    left = size[a] - w
    # A row that is all of its cluster does not leave it; what is computed for it is not used.
    left[left <= 0] = 1.0
    leave = (stock[a] - 2 * w * towards[a, rows] + square) / left - before[a]
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
    """Labels by scikit-learn's KMeans from ``n_init`` starts, with the iterations of each."""
    points = _scaled(points)
    for _ in range(n_init):
        model = KMeans(n_clusters, n_init=1, max_iter=max_iter, tol=tol, random_state=random_state)
        yield _fitted(model, points, weight), model.n_iter_


def to_the_end(
    points: np.ndarray, weight: np.ndarray, labels: np.ndarray, max_iter: int
) -> tuple[np.ndarray, int]:
    """scikit-learn's KMeans from the given clusters until no row moves; labels, iterations."""
    n_clusters = int(labels.max()) + 1
    points = _scaled(points)
    member = membership(labels, n_clusters, weight)
    centres = (member / member.sum(axis=0)).T @ points
    model = KMeans(n_clusters, init=centres, n_init=1, max_iter=max_iter, tol=0, random_state=0)
    return _fitted(model, points, weight), model.n_iter_


def _fitted(model: KMeans, points: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Labels of a KMeans, where no cluster is empty."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(points, sample_weight=weight)
    return fill(points, weight, model.labels_, model.n_clusters)


def _scaled(points: np.ndarray) -> np.ndarray:
    """Points of about 1: squares of very large or very small ones are no numbers."""
    largest = np.abs(points).max()
    return np.ldexp(points, -int(np.frexp(largest)[1])) if largest > 0 else points


def fill(points: np.ndarray, weight: np.ndarray, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Give clusters without rows one each, the row whose leaving its cluster lowers the cost most.

    There must be as many points as clusters at least. KMeans leaves a cluster empty only where
    points are so close together that its distances round to zero.
    """
    labels = without_gaps(labels)
    while (found := int(labels.max()) + 1) < n_clusters:
        member = membership(labels, found, weight)
        size = member.sum(axis=0)[labels]
        apart = points - ((member / member.sum(axis=0)).T @ points)[labels]
        apart /= np.abs(apart).max() or 1.0
        others = np.bincount(labels)[labels] > 1
        left = np.where(others, size - weight, 1.0)
        gain = np.einsum("ij,ij->i", apart, apart) * weight * size / left
        labels[np.argmax(np.where(others, gain, -1.0))] = found
    return labels
