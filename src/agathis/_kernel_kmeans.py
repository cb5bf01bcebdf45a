"""Kernel KMeans: clusters without a tree, what the trees are measured against.

The flow of :meth:`KernelKMeans.fit`: the data are checked, the rows that count become points or
a kernel matrix (:mod:`agathis._kmeans.problem`), a search finds labels
(:mod:`agathis._kmeans.searches`; points of a matrix by :mod:`agathis._kmeans.factor`), and the
centres of these (:mod:`agathis._partitions.centres`) say which cluster any row belongs to, the
training rows too.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state, gen_batches
from sklearn.utils.validation import check_is_fitted

from agathis._checks import data as checks
from agathis._checks import kernels as kernel_checks
from agathis._checks.parameters import KERNEL_KMEANS_CONSTRAINTS
from agathis._dataset.given import dataset_of
from agathis._kernels.kernel import Kernel, at_most, rows_at_once
from agathis._kmeans.problem import Task, make_task
from agathis._partitions.centres import Centres, PointCentres, SampleCentres
from agathis._partitions.distances import DistancesMixin
from agathis._partitions.objective import kernel_objective


class KernelKMeans(DistancesMixin, ClusterMixin, BaseEstimator):
    """Clusters with the least sum of squared distances to their centres, in a kernel's space.

    Parameters
    ----------
    n_clusters : int, default=8
    kernel : str or callable, default="linear"
        A name that :func:`sklearn.metrics.pairwise.pairwise_kernels` knows, a function of two
        rows, or ``"precomputed"``: then ``fit`` takes the matrix as ``gram``.
    gamma : float, default=None
        For the rbf, Laplacian, polynomial, sigmoid and chi2 kernels; ``None`` is
        scikit-learn's default for each.
    degree : float, default=3
        For the polynomial kernel.
    coef0 : float, default=1
        For the polynomial and sigmoid kernels.
    kernel_params : dict, default=None
        Keyword arguments of a callable kernel.
    algorithm : {"auto", "lloyd", "similarity"}, default="auto"
        ``"auto"`` runs scikit-learn's KMeans (k-means++ and ``n_init`` starts) on points whose
        inner products are the kernel: the rows themselves (linear), rows of length one (cosine),
        or an exact factor of the centred kernel matrix; of more than 2,000 rows and a kernel that
        is known to be positive (rbf, Laplacian, chi2, additive chi2), 256 components that are
        nearly the kernel. With kernels other than linear and cosine each start is then improved
        on the kernel itself, by moving single rows as long as the cost falls. It finds
        ``n_clusters`` clusters wherever that many rows differ in the kernel's space.

        ``"lloyd"`` is plain kernel KMeans: of ``n_clusters`` rows drawn at random each row joins
        the nearest (linear, cosine) or the one with the largest kernel value (the others), and
        then goes to its nearest centre until none moves. A cluster that loses its rows is gone,
        which with the polynomial kernel is the rule: ``n_clusters_`` says how many are left.

        ``"similarity"`` starts from random labels and takes a shortcut: each row goes to the
        cluster with the largest mean kernel value, as if all centres were equally long vectors.
        Where a cluster loses its rows it starts again, and the tenth start stays as it was when
        that happened, which with some kernels is the rule. Centres differ in length, so that this
        does not minimise the cost: it is here to compare with results that were made like this.
    n_init : int or "auto", default="auto"
        From how many starts the best is taken; ``"auto"`` is 10 with ``algorithm="auto"`` and 1
        with the others.
    max_iter : int, default=300
        The most iterations from one start.
    tol : float, default=1e-4
        When a start of ``"auto"`` has converged, as in :class:`sklearn.cluster.KMeans`. The best
        one is always followed until no row moves.
    n_jobs : int, default=None
        Threads; ``None`` is all cores, -1 too.
    random_state : int, RandomState instance or None, default=None
        Draws the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training row, 0, 1, ... without a gap.
    n_clusters_ : int
        How many clusters there are.
    inertia_ : float
        The kernel KMeans cost of ``labels_``: the (weighted) sum of squared distances of the
        rows to the mean of their cluster, in the kernel's space.
    objective_ : float
        The sum over clusters of their kernel values over their size, as that of
        :class:`~agathis.Kauri`: the kernel's trace less ``inertia_``.
    n_iter_ : int
        Iterations of the best start.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Only with the linear kernel.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only where X has column names that are all strings.

    Notes
    -----
    Kernels other than linear and cosine need the kernel between all pairs of rows. With those
    that are known to be positive, ``"auto"`` holds two matrices of 8 n^2 bytes at a time (1.7 GB
    for 10,000 rows) and its time grows with n^2; with others, such as the polynomial one or a
    given matrix, it holds seven (0.5 GB for 3,000 rows, 5.6 GB for 10,000) and takes eigenvectors,
    whose time grows with n^3. It warns of more than four times scikit-learn's
    ``working_memory``, and refuses what the machine has no memory for. The other algorithms keep
    one matrix where it fits in ``working_memory`` and otherwise compute it again, in blocks, in
    every iteration.

    A kernel that is not positive (such as the sigmoid) is no inner product, and its cost no sum
    of squares; it can be minimised all the same. The starts of ``"auto"`` then leave out negative
    eigenvalues, and the single moves that follow lower the cost by the kernel as it is: no
    single row can be moved to lower it further. A row need not be in the cluster with the nearest
    centre there, so ``predict`` of a training row may differ from ``labels_``; with any positive
    kernel, and always with ``"lloyd"``, they are equal.

    ``"similarity"`` predicts by similarity too. ``predict`` of the training rows is ``labels_``
    then, unless a cluster was lost or would be next, as rows were still to move; or where a row is
    as similar to two clusters, but for rounding.

    Equal rows are one row with the sum of their weights to ``"auto"``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.metrics import adjusted_rand_score
    >>> from agathis import KernelKMeans
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelKMeans(n_clusters=3, kernel="laplacian", random_state=0).fit(X)
    >>> model.n_clusters_
    3
    >>> round(adjusted_rand_score(y, model.labels_), 2)
    0.73
    """

    _centres: Centres

    _parameter_constraints: ClassVar[dict] = KERNEL_KMEANS_CONSTRAINTS

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        kernel: str | Callable[..., float] = "linear",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        algorithm: str = "auto",
        n_init: int | str = "auto",
        max_iter: int = 300,
        tol: float = 1e-4,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.algorithm = algorithm
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state

    if TYPE_CHECKING:  # scikit-learn's has no types

        def fit_predict(self, X: ArrayLike, y: object = None, **params: object) -> np.ndarray: ...

    @checks.fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: ArrayLike,
        y: object = None,
        *,
        gram: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> KernelKMeans:
        """Find the clusters.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored
        gram : array-like of shape (n_samples, n_samples), optional
            The kernel matrix, for ``kernel="precomputed"``.
        sample_weight : array-like of shape (n_samples,), optional
            Weight 2 is the row twice, weight 0 the row left out.

        Returns
        -------
        self : KernelKMeans
        """
        with checks.last_fit_kept(self):
            data = dataset_of(self, X, sample_weight, gram=gram, n_clusters=self.n_clusters)
            kernel, matrix, threads = data.kernel, data.matrix, data.threads
            task = make_task(
                kernel, data.X, data.weight, data.ids, matrix, threads, algorithm=self.algorithm
            )
            fitted = self._search(task, threads)
        for name in ("cluster_centers_", "_gram_digest"):
            self.__dict__.pop(name, None)
        if matrix is not None:
            self._gram_digest = digest(matrix)
        for name, value in fitted.items():
            setattr(self, name, value)
        if self.algorithm == "auto" and self.n_clusters_ < self.n_clusters:
            checks.warn(
                f"{self.n_clusters_} clusters were found, fewer than n_clusters="
                f"{self.n_clusters}: no more rows of X differ in the space of {kernel}.",
                ConvergenceWarning,
            )
        return self

    def predict(self, X: ArrayLike, *, gram: ArrayLike | None = None) -> np.ndarray:
        """The cluster whose centre is nearest to each row.

        With ``algorithm="similarity"``, the one with the largest mean kernel value.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        gram : array-like of shape (n_samples, n_train), optional
            For ``kernel="precomputed"``: kernel values with the training rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        X, threads = self._rows_and_threads(X)
        return self._nearest(X, gram, "gram", threads)

    def score(
        self,
        X: ArrayLike,
        y: object = None,
        *,
        gram: ArrayLike | None = None,
        cross_gram: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """The objective of the clusters that ``predict`` makes of X, as that of ``Kauri.score``.

        Higher is better. For the training rows, with the same weights, this is ``objective_``
        wherever ``predict`` of them is ``labels_``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored
        gram : array-like of shape (n_samples, n_samples), optional
            The kernel matrix of X, for ``kernel="precomputed"``.
        cross_gram : array-like of shape (n_samples, n_train), optional
            For ``kernel="precomputed"``: kernel values with the training rows; not needed where
            ``gram`` is the matrix that ``fit`` was given.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        score : float
        """
        X, threads = self._rows_and_threads(X)
        weight = checks.check_sample_weight(sample_weight, len(X))
        kernel, matrix = kernel_checks.kernel_and_matrix(self, X, gram, threads)
        if cross_gram is None and matrix is not None and digest(matrix) == self._gram_digest:
            cross_gram = matrix
        labels = self._nearest(X, cross_gram, "cross_gram", threads)
        return kernel_objective(kernel, X, labels, weight, threads, matrix)

    def _search(self, task: Task, threads: int) -> dict[str, Any]:
        """Find labels and their centres; what the fit leaves."""
        random_state = check_random_state(self.random_state)
        n_init = self.n_init
        if isinstance(n_init, str):
            n_init = 10 if self.algorithm == "auto" else 1
        n, steps = self.n_clusters, self.max_iter
        # The limit of threads is one for the whole process: it is left alone by default.
        with nullcontext() if self.n_jobs is None else at_most(threads):
            if self.algorithm == "auto":
                found = task.auto(n, n_init, steps, self.tol, random_state)
            elif self.algorithm == "lloyd":
                found = task.lloyd(n, n_init, steps, random_state)
            else:
                found = task.similarity(n, n_init, steps, random_state)
        centres, labels = task.settle(found)
        cost, trace = task.cost(labels)
        fitted = {
            "labels_": labels,
            "n_clusters_": int(labels[task.counted].max()) + 1,
            "inertia_": cost,
            "objective_": trace - cost,
            "n_iter_": found.n_iter,
            "_centres": centres,
        }
        if self.kernel == "linear" and isinstance(centres, PointCentres):
            fitted["cluster_centers_"] = centres.points + centres.origin
        return fitted

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = Kernel(self.kernel).needs_non_negative
        return tags

    def _rows_and_threads(self, X: ArrayLike) -> tuple[np.ndarray, int]:
        """Rows that come after the fit, checked."""
        check_is_fitted(self, "labels_")
        threads = checks.n_threads(self.n_jobs)
        X, _ = checks.check_X(self, X, reset=False, missing=False, threads=threads)
        return X, threads

    def _nearest(
        self, X: np.ndarray, gram: ArrayLike | None, name: str, threads: int
    ) -> np.ndarray:
        centres = self._centres
        if isinstance(centres, SampleCentres):
            cross = kernel_checks.check_gram_to_train(gram, name, len(X), len(centres.labels))
            return centres.nearest(cross, centres.shares())
        kernel_checks.check_no_gram(centres.kernel, **{name: gram})
        kernel_checks.check_domain(centres.kernel, X)
        return centres.nearest(X, threads)


def digest(matrix: np.ndarray) -> bytes:
    """What tells a matrix from others, in few bytes."""
    total = blake2b(digest_size=16)
    for rows in gen_batches(len(matrix), rows_at_once(len(matrix), 1)):
        # Plus zero, because minus zero is equal to it.
        values = np.ascontiguousarray(matrix[rows], dtype=np.float64) + 0.0
        total.update(values.data)
    return total.digest()
