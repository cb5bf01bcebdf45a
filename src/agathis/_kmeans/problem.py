"""What a kernel KMeans is run on, and what is made of the labels that it finds.

A :class:`Task` holds the rows that count, as points or as a kernel matrix. :meth:`Task.auto`,
:meth:`Task.lloyd` and :meth:`Task.similarity` find labels of them (see ``searches``).
:meth:`Task.settle` makes centres of these and has the centres label all rows again: what a model
says of its training rows and what it predicts for them is then the same by construction, whatever
rounding does to rows that are as near to two centres.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist
from sklearn import get_config

from agathis._checks.data import warn
from agathis._kernels.kernel import Kernel
from agathis._kernels.space import Space
from agathis._kmeans import searches as search
from agathis._kmeans.factor import (
    ROUNDING,
    centre,
    factor,
    few_components,
    triangle,
)
from agathis._kmeans.searches import Pairs, Points
from agathis._kmeans.tuning import ATTEMPTS, FACTOR_ROWS
from agathis._partitions.centres import ENLARGED, TINY, KernelCentres, PointCentres, SampleCentres
from agathis._partitions.cost import kernel_cost
from agathis._partitions.objective import membership

# Matrices of n x n numbers that the search with "auto" holds at a time, and where the points have
# few components.
MATRICES = 7
MATRICES_OF_FEW = 2.1
# Times the rounding of a kernel value: centres that are no further apart are the same.
SAME = 64
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Found:
    """Labels of the rows of a task.

    Attributes
    ----------
    labels : ndarray of shape (n_rows,)
        Without gaps.
    n_iter : int
    keep : bool
        Whether no cluster may be lost when the rows are labelled by their centres.
    nearest : bool
        Whether the rows should be in the cluster of their nearest centre.
    """

    labels: np.ndarray
    n_iter: int
    keep: bool
    nearest: bool


@dataclass(frozen=True)
class Task:
    """Rows for a kernel KMeans.

    Attributes
    ----------
    kernel : Kernel
    X : ndarray of shape (n_samples, n_features)
        All rows.
    matrix : ndarray of shape (n_samples, n_samples) or None
        Their kernel, where it is given.
    weight : ndarray of shape (n_samples,) or None
    counted : ndarray
        The rows of X that count.
    place : ndarray of shape (n_counted,)
        Which row of the task each of these is: several where equal rows are one.
    first : ndarray of shape (n_rows,)
        One row of X for each row of the task.
    space : Points or Pairs
        The task's rows and their weights.
    algorithm : {"auto", "lloyd", "similarity"}
    threads : int
    """

    kernel: Kernel
    X: np.ndarray
    matrix: np.ndarray | None
    weight: np.ndarray | None
    counted: np.ndarray
    place: np.ndarray
    first: np.ndarray
    space: Points | Pairs
    algorithm: str
    threads: int

    def lloyd(
        self, n_clusters: int, n_init: int, max_iter: int, random_state: np.random.RandomState
    ) -> Found:
        """Plain alternation from random rows, the best of some starts."""
        best, best_objective = None, -np.inf
        for _ in range(n_init):
            labels = self._around_some_rows(n_clusters, random_state)
            labels, objective, n_iter = search.lloyd(self.space, labels, max_iter)
            if best is None or objective > best_objective:
                best, best_objective = Found(labels, n_iter, False, True), objective
        assert best is not None, "there is at least one start"
        return best

    def _around_some_rows(self, n_clusters: int, random_state: np.random.RandomState) -> np.ndarray:
        """Each row with the nearest point, or largest kernel value, of some drawn at random."""
        n = len(self.first)
        drawn = random_state.permutation(n)[:n_clusters]
        if isinstance(self.space, Points):
            return np.argmin(cdist(self.space.points, self.space.points[drawn]), axis=1)
        chosen = np.zeros((n, len(drawn)))
        chosen[drawn, np.arange(len(drawn))] = 1.0
        return np.argmax(self.space.towards(chosen), axis=1)

    def similarity(
        self, n_clusters: int, n_init: int, max_iter: int, random_state: np.random.RandomState
    ) -> Found:
        """Each row to the most similar cluster, from random labels; the best of some starts."""
        best, best_objective = None, -np.inf
        for _ in range(n_init):
            for _ in range(ATTEMPTS):
                labels = random_state.randint(n_clusters, size=len(self.first))
                labels, objective, n_iter = search.most_similar(
                    self.space, labels, n_clusters, max_iter
                )
                whole = int(labels.max()) + 1 == n_clusters
                if whole:
                    break
            if best is None or objective > best_objective:
                best, best_objective = Found(labels, n_iter, True, whole), objective
        assert best is not None, "there is at least one start"
        return best

    def auto(
        self,
        n_clusters: int,
        n_init: int,
        max_iter: int,
        tol: float,
        random_state: np.random.RandomState,
    ) -> Found:
        """KMeans on points; for a matrix, on points that are made of it, then single moves."""
        space = self.space
        n = len(space.weight)
        if n <= n_clusters:
            return Found(self._merged(np.arange(n)), 1, True, False)
        positive = True
        if isinstance(space, Points):
            points = space.points
        else:
            centred = centre(_whole(space), space.weight)
            points, positive = _made_of(space, centred)
        best, best_cost = None, np.inf
        for labels, n_iter in search.starts(
            points,
            space.weight,
            n_clusters,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
        ):
            if isinstance(space, Points):
                cost = kernel_cost(Kernel("linear"), points, labels, space.weight, 1)
            else:
                labels, objective = search.single_moves(centred, space.weight, labels, max_iter)
                cost = float(space.weight @ np.diagonal(centred)) - objective
            # Starts that end in the same clusters may differ by rounding: the first counts.
            if best is None or cost < best_cost - 1e-10 * abs(best_cost):
                best, best_cost = (labels, n_iter), cost
        assert best is not None, "there is at least one start"
        labels, n_iter = best
        if isinstance(space, Points):
            labels, more = search.to_the_end(points, space.weight, labels, max_iter)
            n_iter += more
        return Found(self._merged(labels), n_iter, True, positive)

    def settle(
        self, found: Found
    ) -> tuple[PointCentres | SampleCentres | KernelCentres, np.ndarray]:
        """Centres, and the labels of all rows of X."""
        labels = found.labels
        while True:
            centres = self._centres(labels)
            nearest = self._nearest(centres)
            kept = np.unique(nearest[self.counted])
            whole = len(kept) == labels.max() + 1
            if not found.nearest or (found.keep and not whole):
                nearest[self.counted] = labels[self.place]
                return centres, nearest
            if whole:
                return centres, nearest
            labels = search.without_gaps(nearest[self.first])

    def cost(self, labels: np.ndarray) -> tuple[float, float]:
        """The cost of labels of X, and the kernel's trace."""
        space, labels = self.space, labels[self.first]
        rows = self.X[self.first].astype(np.float64)
        if isinstance(space, Points):
            points = self.kernel.features(rows)
            own = np.einsum("ij,ij->i", points, points)
            matrix = None
        else:
            matrix = space.matrix
            own = self.kernel.diagonal(rows) if matrix is None else np.diagonal(matrix)
        cost = kernel_cost(self.kernel, rows, labels, space.weight, self.threads, matrix)
        return cost, float(space.weight @ own)

    def _centres(self, labels: np.ndarray) -> PointCentres | SampleCentres | KernelCentres:
        space, similarity = self.space, self.algorithm == "similarity"
        member = membership(labels, int(labels.max()) + 1, space.weight)
        rows = np.ascontiguousarray(self.X[self.first], dtype=np.float64)
        if isinstance(space, Points):
            return PointCentres.of(Space(self.kernel), rows, member, similarity)
        stock = np.einsum("ik,ik->k", member, space.towards(member))
        means = stock / member.sum(axis=0) ** 2
        if self.matrix is None:
            samples = SampleCentres(labels, space.weight, means, similarity)
            origin = self.kernel.origin(rows)
            return KernelCentres(self.kernel, samples, rows - origin, origin)
        everywhere = np.zeros(len(self.X), dtype=np.int32)
        everywhere[self.counted] = labels[self.place]
        weight = self.weight
        if self.weight is not None and len(self.counted) < len(self.X):
            # A negligible weight is none.
            weight = np.zeros(len(self.X))
            weight[self.counted] = self.weight[self.counted]
        return SampleCentres(everywhere, weight, means, similarity)

    def _nearest(self, centres: PointCentres | SampleCentres | KernelCentres) -> np.ndarray:
        if isinstance(centres, SampleCentres):
            assert self.matrix is not None, "other kernels have centres with rows"
            return centres.nearest(self.matrix.astype(np.float64, copy=False), centres.shares())
        return centres.nearest(self.X, self.threads)

    def _merged(self, labels: np.ndarray) -> np.ndarray:
        """Clusters whose centres are one point, but for rounding, made one.

        Rows that differ may be the same in the kernel's space: to the cosine a row and its
        double are.
        """
        space = self.space
        member = membership(labels, int(labels.max()) + 1, space.weight)
        shares = member / member.sum(axis=0)
        if isinstance(space, Points):
            if self.kernel.metric == "linear":  # rows that differ are different points
                return labels
            centres = shares.T @ space.points
            same = cdist(centres, centres) <= SAME * EPS
        else:
            between = shares.T @ space.towards(shares)
            own = np.diagonal(between)
            largest = np.zeros(member.shape[1])
            np.maximum.at(largest, labels, np.abs(np.diagonal(_whole(space))))
            apart = own + own[:, None] - between - between.T
            same = np.abs(apart) <= SAME * EPS * np.maximum(largest, largest[:, None])
        np.fill_diagonal(same, True)
        return search.without_gaps(np.argmax(same, axis=1)[labels])


def _whole(space: Pairs) -> np.ndarray:
    """The matrix of pairs, which ``"auto"`` always makes."""
    assert space.matrix is not None, "the matrix was made for algorithm='auto'"
    return space.matrix


def _made_of(space: Pairs, centred: np.ndarray) -> tuple[np.ndarray, bool]:
    """Points for a kernel matrix, and whether it is positive."""
    matrix, kernel = _whole(space), space.kernel
    if _in_few_components(kernel, len(matrix)):
        return few_components(kernel, centred), True
    rounding = EPS * float(max(matrix.max(), -matrix.min()))
    if kernel.is_positive:
        return triangle(centred, ROUNDING * len(matrix) * rounding), True
    found = factor(centred, space.weight, rounding)
    return found.points, found.positive


def _in_few_components(kernel: Kernel, n: int) -> bool:
    """Whether there are too many rows for all components of a kernel that can do with few."""
    return kernel.is_positive and n > FACTOR_ROWS


def make_task(
    kernel: Kernel,
    X: np.ndarray,
    weight: np.ndarray | None,
    ids: np.ndarray | None,
    matrix: np.ndarray | None,
    threads: int,
    *,
    algorithm: str,
) -> Task:
    """The rows that count, as points or pairs; for ``"auto"`` equal rows are one.

    Parameters
    ----------
    kernel : Kernel
    X : ndarray of shape (n_samples, n_features)
    weight : ndarray of shape (n_samples,) or None
    ids : ndarray of int or None
        The rows that count; ``None`` where it is all of them.
    matrix : ndarray of shape (n_samples, n_samples) or None
        The kernel matrix, where it is given.
    threads : int
    algorithm : {"auto", "lloyd", "similarity"}
    """
    auto = algorithm == "auto"
    counted = np.arange(len(X)) if ids is None else ids
    share = np.ones(len(counted)) if weight is None else weight[counted]
    rows = np.ascontiguousarray(X[counted], dtype=np.float64)
    values = matrix if matrix is None or ids is None else matrix[np.ix_(ids, ids)]
    place = one = np.arange(len(counted))
    if auto:
        # Sorted by what is in them: weight 2 and the row twice are the same task to the last bit.
        told = rows if values is None else values
        _, one, place = np.unique(told, axis=0, return_index=True, return_inverse=True)
        place = place.reshape(-1)
        share = np.bincount(place, share)
        rows = rows[one]
        values = None if values is None else values[np.ix_(one, one)]
    if values is not None:
        values = np.ascontiguousarray(values, dtype=np.float64)
        space: Points | Pairs = Pairs(values, share, kernel, rows, threads)
    elif kernel.has_features:
        # Similarities, unlike distances, are others where the rows are moved.
        space = _points(kernel, rows, share, centred=algorithm != "similarity")
    else:
        space = _pairs(kernel, rows, share, threads, auto)
    first = counted[one]
    return Task(kernel, X, matrix, weight, counted, place, first, space, algorithm, threads)


def _points(kernel: Kernel, rows: np.ndarray, weight: np.ndarray, *, centred: bool) -> Points:
    points = kernel.features(rows)
    with np.errstate(over="ignore", invalid="ignore"):
        if centred:
            points = points - np.average(points, axis=0, weights=weight)
        if not np.isfinite(weight @ np.einsum("ij,ij->i", points, points)):
            raise ValueError("X is too large: the squared length of some row is not finite.")
    # Clusters do not depend on the unit.
    points = points * ENLARGED if np.abs(points).max() < TINY else points
    return Points(points, weight)


def _pairs(kernel: Kernel, rows: np.ndarray, weight: np.ndarray, threads: int, auto: bool) -> Pairs:
    room = get_config()["working_memory"] * 2**20
    settled = rows - kernel.origin(rows)
    if auto:
        _check_room(kernel, len(rows), room)
    elif 8 * len(rows) ** 2 > room:
        return Pairs(None, weight, kernel, settled, threads)
    matrix = kernel.matrix(settled, threads)
    search.check_values(kernel, matrix)
    return Pairs(matrix, weight, kernel, settled, threads)


def _check_room(kernel: Kernel, n: int, room: float) -> None:
    """Warn of much memory, and raise where there is not as much, before it is asked for."""
    held = MATRICES_OF_FEW if _in_few_components(kernel, n) else MATRICES
    needed = 8 * held * n**2
    if needed <= 4 * room:
        return
    advice = (
        f"{kernel} with algorithm='auto' takes {needed / 1e9:.0f} GB for the pairs of {n:,} rows "
        "that differ{there}. Fewer rows take less, as do points that stand for the kernel (such "
        "as those of sklearn.kernel_approximation.Nystroem, with kernel='linear'); "
        "algorithm='lloyd' needs no matrix."
    )
    have = _physical_memory()
    if have is not None and needed > have:
        raise MemoryError(advice.format(there=f", and this machine has {have / 1e9:.0f} GB"))
    warn(advice.format(there=""), UserWarning)


def _physical_memory() -> int | None:
    """Bytes of memory of the machine; ``None`` where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None
