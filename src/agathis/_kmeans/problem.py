"""A kernel KMeans problem: its rows, the search for labels, and the centres of these.

A :class:`Task` has the rows of positive weight, as points or as a kernel matrix. :meth:`Task.auto`
and :meth:`Task.alternate` search for labels (see ``searches``). :meth:`Task.settle` computes the
centres and assigns all rows to them, so that ``labels_`` and ``predict`` of the training rows are
equal by construction, even for rows that are equally near to two centres up to rounding.
"""

from __future__ import annotations

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
    few_components,
    is_factor,
    triangle,
)
from agathis._kmeans.searches import PairwiseSpace, Points
from agathis._kmeans.tuning import ATTEMPTS, FACTOR_ROWS
from agathis._objective.centres import Centres, KernelCentres, PointCentres, SampleCentres
from agathis._objective.cost import kernel_cost
from agathis._objective.objective import membership

# Number of n x n matrices in memory at a time with "auto", with a full and a low-rank factor.
MATRICES = 7
MATRICES_OF_FEW = 2.1
# Centres at a squared distance up to this, times the rounding of a kernel value, are equal.
SAME = 64
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class KMeansResult:
    """Labels of the rows of a task.

    Attributes
    ----------
    labels : ndarray of shape (n_rows,)
        Without gaps.
    n_iter : int
    keep : bool
        Whether no cluster may become empty by assigning rows to the nearest centre.
    nearest : bool
        Whether rows should be assigned to the nearest centre.
    """

    labels: np.ndarray
    n_iter: int
    keep: bool
    nearest: bool


@dataclass(frozen=True)
class Task:
    """A kernel KMeans problem.

    Attributes
    ----------
    kernel : Kernel
    X : ndarray of shape (n_samples, n_features)
        All rows.
    matrix : ndarray of shape (n_samples, n_samples) or None
        The kernel matrix, if given.
    weight : ndarray of shape (n_samples,) or None
    counted : ndarray
        The rows of X with positive weight.
    place : ndarray of shape (n_counted,)
        The row of the task for each of these, as equal rows can be merged.
    first : ndarray of shape (n_rows,)
        A row of X for each row of the task.
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
    space: Points | PairwiseSpace
    algorithm: str
    threads: int

    def alternate(
        self, n_clusters: int, n_init: int, max_iter: int, random_state: np.random.RandomState
    ) -> KMeansResult:
        """Lloyd's iterations, or assignment by similarity: the best of some random starts."""
        similarity = self.algorithm == "similarity"
        results = []
        for _ in range(n_init):
            for _ in range(ATTEMPTS if similarity else 1):
                if similarity:
                    labels = random_state.randint(n_clusters, size=len(self.first))
                else:
                    labels = self._around_some_rows(n_clusters, random_state)
                required = n_clusters if similarity else None
                result = search.lloyd(self.space, labels, max_iter, required)
                if int(result[0].max()) + 1 == n_clusters:
                    break
            results.append(result)
        labels, _, n_iter = max(results, key=lambda result: result[1])
        complete = int(labels.max()) + 1 == n_clusters
        return KMeansResult(labels, n_iter, keep=similarity, nearest=complete or not similarity)

    def _around_some_rows(self, n_clusters: int, random_state: np.random.RandomState) -> np.ndarray:
        """Assign rows to the nearest point, or largest kernel value, of random rows."""
        n = len(self.first)
        sampled = random_state.permutation(n)[:n_clusters]
        if isinstance(self.space, Points):
            return np.argmin(cdist(self.space.points, self.space.points[sampled]), axis=1)
        chosen = np.zeros((n, len(sampled)))
        chosen[sampled, np.arange(len(sampled))] = 1.0
        return np.argmax(self.space.towards(chosen), axis=1)

    def auto(
        self,
        n_clusters: int,
        n_init: int,
        max_iter: int,
        tol: float,
        random_state: np.random.RandomState,
    ) -> KMeansResult:
        """KMeans on points; for a matrix, on a factor of it, followed by single moves."""
        space = self.space
        n = len(space.weight)
        if n <= n_clusters:
            return KMeansResult(self._merged(np.arange(n)), 1, True, False)
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
            # The same clusters from another start may differ by rounding; keep the first.
            if best is None or cost < best_cost - 1e-10 * abs(best_cost):
                best, best_cost = (labels, n_iter), cost
        assert best is not None, "there is at least one start"
        labels, n_iter = best
        if isinstance(space, Points):
            labels, more = search.to_the_end(points, space.weight, labels, max_iter)
            n_iter += more
        return KMeansResult(self._merged(labels), n_iter, True, positive)

    def settle(self, result: KMeansResult) -> tuple[Centres, np.ndarray]:
        """The centres, and the labels of all rows of X."""
        labels = result.labels
        while True:
            centres = self._centres(labels)
            nearest = self._nearest(centres)
            nonempty = np.unique(nearest[self.counted])
            is_complete = len(nonempty) == labels.max() + 1
            if not result.nearest or (result.keep and not is_complete):
                nearest[self.counted] = labels[self.place]
                return centres, nearest
            if is_complete:
                return centres, nearest
            labels = search.without_missing(nearest[self.first])

    def cost(self, labels: np.ndarray) -> tuple[float, float]:
        """The cost of labels of X, and the trace of the kernel."""
        space, labels = self.space, labels[self.first]
        rows = self.X[self.first].astype(np.float64)
        if isinstance(space, Points):
            points = self.kernel.features(rows)
            diagonal = np.einsum("ij,ij->i", points, points)
            matrix = None
        else:
            matrix = space.matrix
            diagonal = self.kernel.diagonal(rows) if matrix is None else np.diagonal(matrix)
        cost = kernel_cost(self.kernel, rows, labels, space.weight, self.threads, matrix)
        return cost, float(space.weight @ diagonal)

    def _centres(self, labels: np.ndarray) -> Centres:
        space, similarity = self.space, self.algorithm == "similarity"
        member = membership(labels, int(labels.max()) + 1, space.weight)
        rows = np.ascontiguousarray(self.X[self.first], dtype=np.float64)
        if isinstance(space, Points):
            return PointCentres.of(Space(self.kernel), rows, member, similarity)
        kernel_sum = np.einsum("ik,ik->k", member, space.towards(member))
        means = kernel_sum / member.sum(axis=0) ** 2
        if self.matrix is None:
            samples = SampleCentres(labels, space.weight, means, similarity)
            origin = self.kernel.origin(rows)
            return KernelCentres(self.kernel, samples, rows - origin, origin)
        everywhere = np.zeros(len(self.X), dtype=np.int32)
        everywhere[self.counted] = labels[self.place]
        weight = self.weight
        if self.weight is not None and len(self.counted) < len(self.X):
            # Negligible weights count as 0.
            weight = np.zeros(len(self.X))
            weight[self.counted] = self.weight[self.counted]
        return SampleCentres(everywhere, weight, means, similarity)

    def _nearest(self, centres: Centres) -> np.ndarray:
        if isinstance(centres, SampleCentres):
            assert self.matrix is not None, "other kernels have centres with rows"
            return centres.nearest(self.matrix.astype(np.float64, copy=False), centres.shares())
        return centres.nearest(self.X, self.threads)

    def _merged(self, labels: np.ndarray) -> np.ndarray:
        """Merge clusters whose centres are equal up to rounding.

        Different rows may be equal in the kernel's space, such as x and 2 x for the cosine.
        """
        space = self.space
        member = membership(labels, int(labels.max()) + 1, space.weight)
        shares = member / member.sum(axis=0)
        if isinstance(space, Points):
            if self.kernel.metric == "linear":  # distinct rows are distinct points
                return labels
            centres = shares.T @ space.points
            same = cdist(centres, centres) <= SAME * EPS
        else:
            between = shares.T @ space.towards(shares)
            diagonal = np.diagonal(between)
            largest = np.zeros(member.shape[1])
            np.maximum.at(largest, labels, np.abs(np.diagonal(_whole(space))))
            squared = diagonal + diagonal[:, None] - between - between.T
            same = np.abs(squared) <= SAME * EPS * np.maximum(largest, largest[:, None])
        np.fill_diagonal(same, True)
        return search.without_missing(np.argmax(same, axis=1)[labels])


def _whole(space: PairwiseSpace) -> np.ndarray:
    """The kernel matrix, which ``"auto"`` always computes."""
    assert space.matrix is not None, "algorithm='auto' computes the matrix"
    return space.matrix


def _made_of(space: PairwiseSpace, centred: np.ndarray) -> tuple[np.ndarray, bool]:
    """Points of a kernel matrix, and whether the matrix is positive semi-definite."""
    matrix, kernel = _whole(space), space.kernel
    if _in_few_components(kernel, len(matrix)):
        return few_components(kernel, centred), True
    rounding = EPS * float(max(matrix.max(), -matrix.min()))
    points = triangle(centred, ROUNDING * len(matrix) * rounding)
    # Kernels known to be positive are not checked, as rounding could fail the check.
    return points, kernel.is_positive or is_factor(points, centred, rounding)


def _in_few_components(kernel: Kernel, n: int) -> bool:
    """Whether to use a low-rank factor: many rows and a positive kernel."""
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
    """The rows of positive weight, as points or pairs; "auto" merges equal rows.

    Parameters
    ----------
    kernel : Kernel
    X : ndarray of shape (n_samples, n_features)
    weight : ndarray of shape (n_samples,) or None
    ids : ndarray of int or None
        The rows of positive weight; None for all rows.
    matrix : ndarray of shape (n_samples, n_samples) or None
        The kernel matrix, if given.
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
        # Sorted by value: weight 2 and a repeated row give the same task to the last bit.
        content = rows if values is None else values
        _, one, place = np.unique(content, axis=0, return_index=True, return_inverse=True)
        place = place.reshape(-1)
        share = np.bincount(place, share)
        rows = rows[one]
        values = None if values is None else values[np.ix_(one, one)]
    if values is not None:
        values = np.ascontiguousarray(values, dtype=np.float64)
        space: Points | PairwiseSpace = PairwiseSpace(values, share, kernel, rows, threads)
    elif kernel.has_features:
        # Similarities, unlike distances, change with the origin.
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
            raise ValueError("X is too large: the squared norm of some row is not finite.")
    return Points(points, weight)


def _pairs(
    kernel: Kernel, rows: np.ndarray, weight: np.ndarray, threads: int, auto: bool
) -> PairwiseSpace:
    limit = get_config()["working_memory"] * 2**20
    settled = rows - kernel.origin(rows)
    if auto:
        _warn_of_memory(kernel, len(rows), limit)
    elif 8 * len(rows) ** 2 > limit:
        return PairwiseSpace(None, weight, kernel, settled, threads)
    matrix = kernel.matrix(settled, threads)
    kernel.check_finite(matrix)
    return PairwiseSpace(matrix, weight, kernel, settled, threads)


def _warn_of_memory(kernel: Kernel, n: int, limit: float) -> None:
    """Warn if the matrices of "auto" take more than four times scikit-learn's working memory."""
    matrices = MATRICES_OF_FEW if _in_few_components(kernel, n) else MATRICES
    needed = 8 * matrices * n**2
    if needed > 4 * limit:
        warn(
            f"{kernel} with algorithm='auto' needs {needed / 1e9:.0f} GB for the kernel between "
            f"{n:,} distinct rows. To use less, fit a sample, map the rows to features (such as "
            "sklearn.kernel_approximation.Nystroem, with kernel='linear'), or use "
            "algorithm='lloyd', which needs no matrix.",
            UserWarning,
        )
