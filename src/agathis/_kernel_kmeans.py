"""Kernel k-means: clusters without a tree, as a reference for trees.

Steps of :meth:`KernelKMeans.fit`: check the data, represent rows of positive weight as points or
by a kernel matrix (:mod:`agathis._kmeans.problem`), search for labels
(:mod:`agathis._kmeans.searches`, :mod:`agathis._kmeans.factor`), and assign all rows to the centres
of these (:mod:`agathis._objective.centres`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from agathis._checks import data as checks
from agathis._checks import kernels as kernel_checks
from agathis._checks.parameters import KERNEL_KMEANS_CONSTRAINTS
from agathis._dataset.fit_input import dataset_of
from agathis._kernels.kernel import Kernel, at_most
from agathis._kmeans.problem import Task, make_task
from agathis._objective.centres import Centres, PointCentres, SampleCentres
from agathis._objective.distances import DistancesMixin
from agathis._objective.objective import kernel_objective


class KernelKMeans(DistancesMixin, ClusterMixin, BaseEstimator):
    """Kernel k-means clustering.

    Minimises the sum of squared distances of rows to their cluster centre in the kernel's space.

    Parameters
    ----------
    n_clusters : int, default=8
    kernel : str or callable, default="linear"
        A kernel of :func:`sklearn.metrics.pairwise.pairwise_kernels`, a function of two rows, or
        "precomputed": then ``fit`` takes the matrix as ``gram``.
    gamma : float, default=None
        Parameter of the rbf, Laplacian, polynomial, sigmoid and chi2 kernels. If None,
        scikit-learn's default for the kernel.
    degree : float, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=1
        Constant term of the polynomial and sigmoid kernels.
    kernel_params : dict, default=None
        Keyword arguments of a callable kernel.
    algorithm : {"auto", "lloyd", "similarity"}, default="auto"
        "auto" runs scikit-learn's KMeans (k-means++) on points whose inner products equal the
        kernel: the rows (linear), normalised rows (cosine), or a factor of the centred kernel
        matrix. For more than 2,000 rows and a kernel known to be positive semi-definite (rbf,
        Laplacian, chi2, additive chi2) the factor has rank 256. With kernels other than linear
        and cosine each start is then improved on the exact kernel, by moving single rows while the
        cost decreases.

        "lloyd" is plain kernel k-means: rows are assigned to the nearest (linear, cosine) or most
        similar (other kernels) of ``n_clusters`` random rows, and then to the nearest centre until
        no row moves. Empty clusters are dropped, which is common with the polynomial kernel.

        "similarity" starts from random labels and assigns each row to the cluster with the largest
        mean kernel value. It restarts when a cluster becomes empty, at most ten times. It does not
        minimise the cost, because it ignores the norms of the centres; use it only to compare with
        published results.
    n_init : int or "auto", default="auto"
        The number of initialisations; the best is kept. "auto" is 10 with ``algorithm="auto"`` and
        1 otherwise.
    max_iter : int, default=300
        The maximum number of iterations of one initialisation.
    tol : float, default=1e-4
        Tolerance of convergence with "auto", as in :class:`sklearn.cluster.KMeans`. The best
        initialisation is continued until no row moves.
    n_jobs : int, default=None
        The number of threads; None and -1 use all cores.
    random_state : int, RandomState instance or None, default=None
        Seed of the initialisation.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training row.
    n_clusters_ : int
        The number of clusters.
    inertia_ : float
        The kernel k-means cost: the (weighted) sum of squared distances of rows to the mean of
        their cluster, in the kernel's space.
    objective_ : float
        The trace of the kernel minus ``inertia_``, as for :class:`~agathis.Kauri`.
    n_iter_ : int
        The number of iterations of the best initialisation.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Only with the linear kernel.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Defined only when ``X`` has feature names that are all strings.

    Notes
    -----
    Kernels other than linear and cosine need the kernel between all pairs of rows. For kernels
    known to be positive semi-definite, "auto" uses two matrices of 8 n^2 bytes (1.7 GB for 10,000
    rows) and quadratic time; for others, such as the polynomial kernel or a precomputed matrix, it
    uses seven (5.6 GB for 10,000 rows) and computes eigenvectors in cubic time. It warns above
    four times scikit-learn's ``working_memory``. The other algorithms store one matrix if it fits
    into ``working_memory``, and otherwise recompute it in blocks in every iteration.

    The cost of an indefinite kernel (such as the sigmoid) is not a sum of squares, but it can be
    minimised as well. "auto" then ends in a partition where no move of a single row lowers the
    cost, although a row may be nearer to another centre: ``predict`` of a training row may differ
    from ``labels_``. With positive semi-definite kernels, and always with "lloyd", they are equal.
    With "similarity", which also predicts by similarity, they may differ after ``max_iter`` or if
    a cluster became empty.

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
        """Compute the clustering.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored
        gram : array-like of shape (n_samples, n_samples), optional
            The kernel matrix, for ``kernel="precomputed"``.
        sample_weight : array-like of shape (n_samples,), optional
            Weight 2 is equivalent to repeating the row, weight 0 to removing it.

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
        self.__dict__.pop("cluster_centers_", None)  # an earlier fit may have set it
        for name, value in fitted.items():
            setattr(self, name, value)
        if self.algorithm == "auto" and self.n_clusters_ < self.n_clusters:
            checks.warn(
                f"Number of distinct clusters ({self.n_clusters_}) is smaller than n_clusters="
                f"{self.n_clusters}: too few rows of X are distinct in the space of {kernel}.",
                ConvergenceWarning,
            )
        return self

    def predict(self, X: ArrayLike, *, gram: ArrayLike | None = None) -> np.ndarray:
        """Predict the cluster with the nearest centre for each row.

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
        """The objective of the predicted clusters of X, as for ``Kauri.score``; higher is better.

        For the training rows and weights it equals ``objective_`` if ``predict`` equals
        ``labels_``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored
        gram : array-like of shape (n_samples, n_samples), optional
            The kernel matrix of X, for ``kernel="precomputed"``.
        cross_gram : array-like of shape (n_samples, n_train), optional
            For ``kernel="precomputed"``: kernel values with the training rows, for which it is
            ``gram`` again.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        score : float
        """
        X, threads = self._rows_and_threads(X)
        weight = checks.check_sample_weight(sample_weight, len(X))
        kernel, matrix = kernel_checks.kernel_and_matrix(self, X, gram, threads)
        labels = self._nearest(X, cross_gram, "cross_gram", threads)
        return kernel_objective(kernel, X, labels, weight, threads, matrix)

    def _search(self, task: Task, threads: int) -> dict[str, Any]:
        """Compute the fitted attributes."""
        random_state = check_random_state(self.random_state)
        n_init = self.n_init
        if isinstance(n_init, str):
            n_init = 10 if self.algorithm == "auto" else 1
        n, steps = self.n_clusters, self.max_iter
        # The limit holds for the whole process, so it is only set if requested.
        with nullcontext() if self.n_jobs is None else at_most(threads):
            if self.algorithm == "auto":
                best = task.auto(n, n_init, steps, self.tol, random_state)
            else:
                best = task.alternate(n, n_init, steps, random_state)
        centres, labels = task.settle(best)
        cost, trace = task.cost(labels)
        fitted = {
            "labels_": labels,
            "n_clusters_": int(labels[task.counted].max()) + 1,
            "inertia_": cost,
            "objective_": trace - cost,
            "n_iter_": best.n_iter,
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
        """Validate new rows."""
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
