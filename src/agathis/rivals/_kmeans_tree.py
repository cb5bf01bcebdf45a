"""KMeans+DT: a decision tree that learns the clusters of (kernel) KMeans.

The teacher is :class:`~agathis.KernelKMeans`, the tree scikit-learn's
(:mod:`agathis._searching.learned`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Tags, check_random_state

from agathis._checks import data as checks
from agathis._checks.parameters import KMEANS_TREE_CONSTRAINTS
from agathis._growing.limits import leaf_limit
from agathis._kernel_kmeans import KernelKMeans
from agathis._kernels.kernel import Kernel
from agathis._partitions.centres import euclidean_distances
from agathis._searching.learned import learned_tree
from agathis._trees.builder import TreeBuilder
from agathis.rivals._base import Drawn, Rival


class KMeansTree(Rival):
    """A decision tree on the labels of (kernel) KMeans, known as KMeans+DT.

    Each leaf is given the cluster of most of its weight.

    Parameters
    ----------
    n_clusters : int, default=8
        The clusters of KMeans; the tree has no more.
    kernel : str or callable, default="linear"
        A name that :func:`sklearn.metrics.pairwise.pairwise_kernels` knows, or a function of two
        rows. Kernels other than linear and cosine need much memory for many rows: see
        :class:`~agathis.KernelKMeans`.
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
        How KMeans is run: see :class:`~agathis.KernelKMeans`.
    n_init : int or "auto", default="auto"
        From how many starts the best is taken; ``"auto"`` is 10 with ``algorithm="auto"`` and 1
        with the others.
    max_leaf_nodes : int, "auto" or None, default="auto"
        The maximum number of leaves. "auto" is one leaf per cluster that is learned (at least
        two); ``None`` is unlimited.
    max_depth : int, default=None
        The most splits on the way to a leaf.
    min_samples_leaf : int or float, default=1
        The least samples of a leaf, counted by their weight; a float is a share of all.
    centers : array-like of shape (n_clusters, n_features) or estimator, default=None
        Centres to be used instead of running KMeans: the tree learns which one is nearest. Only
        with the linear kernel.
    n_jobs : int, default=None
        Threads; ``None`` is all cores, -1 too.
    random_state : int, RandomState instance or None, default=None
        Draws the starts of KMeans, and which of two equally good splits is made.

    Attributes
    ----------
    tree_ : Tree
        The tree as arrays.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training row; always equal to ``predict`` of it.
    teacher_labels_ : ndarray of shape (n_samples,)
        The clusters that the tree learned, numbered as the tree's; numbers from ``n_clusters_``
        on are of clusters that no leaf has. A row of weight 0 has that of the nearest centre
        where there are ``cluster_centers_``, and else -1.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        The centres of KMeans, or those given, of the clusters that the tree has; where ``fit`` was
        given labels, the means of the tree's clusters. Only with the linear kernel.
    inertia_ : float
        The kernel KMeans cost of the tree's clusters.
    n_clusters_ : int
        How many clusters the tree has; a small tree may miss some.
    n_leaves_ : int
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the sum of all gains.
    raw_thresholds_ : dict
        Of rows that :class:`agathis.TableEncoder` made, for a feature and a threshold of the tree
        the short number of the table that it is the image of; else empty.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only where X has column names that are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from agathis.rivals import KMeansTree
    >>> X = load_iris().data
    >>> model = KMeansTree(n_clusters=3, max_leaf_nodes=3, random_state=0).fit(X)
    >>> model.n_clusters_, model.n_leaves_
    (3, 3)
    >>> agree = (model.labels_ == model.predict(X)).all()
    >>> bool(agree)
    True
    """

    n_clusters: int

    _parameter_constraints: ClassVar[dict] = KMEANS_TREE_CONSTRAINTS

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
        max_leaf_nodes: int | str | None = "auto",
        max_depth: int | None = None,
        min_samples_leaf: int | float = 1,
        centers: object = None,
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
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.centers = centers
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = Kernel(self.kernel).needs_non_negative
        return tags

    @checks.fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: ArrayLike,
        y: object = None,
        *,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> KMeansTree:
        """Run KMeans and grow the tree on what it found, or on labels that are given.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored
        labels : array-like of shape (n_samples,), optional
            The clusters of any other method, integers or strings, for the tree to explain.
            KMeans is not run then, and ``n_clusters`` does not count.
        sample_weight : array-like of shape (n_samples,), optional
            Weight 2 is the row twice, weight 0 the row left out.

        Returns
        -------
        self : KMeansTree
        """
        if labels is not None and self.centers is not None:
            raise ValueError("labels and centers both say what the tree is to learn; give one.")
        return self._fit(X, sample_weight, labels)

    def _draw(
        self,
        X: np.ndarray,
        weight: np.ndarray | None,
        threads: int,
        labels: np.ndarray | None = None,
    ) -> Drawn:
        random_state = check_random_state(self.random_state)
        centers = None
        if labels is None:
            labels, centers = self._teach(X, weight, random_state)
        found: dict[str, Any] = {"teacher_labels_": labels}
        if centers is not None:
            found["cluster_centers_"] = centers
        return self._learn(X, weight, labels, random_state), found

    def _teach(
        self, X: np.ndarray, weight: np.ndarray | None, random_state: np.random.RandomState
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """The labels to learn, and the centres where they are points of the data's space."""
        if self.centers is not None:
            if self.kernel != "linear":
                raise ValueError(
                    f"centers are points of the data's space, and kernel={self.kernel!r} has its "
                    "own: use kernel='linear', or centers=None."
                )
            centers = checks.check_centers(self, X.shape[1])
            return np.argmin(euclidean_distances(X, centers), axis=1).astype(np.int32), centers
        teacher = KernelKMeans(
            self.n_clusters,
            kernel=self.kernel,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            kernel_params=self.kernel_params,
            algorithm=self.algorithm,
            n_init=self.n_init,
            n_jobs=self.n_jobs,
            random_state=random_state,
        ).fit(X, sample_weight=weight)
        return teacher.labels_, getattr(teacher, "cluster_centers_", None)

    def _learn(
        self,
        X: np.ndarray,
        weight: np.ndarray | None,
        labels: np.ndarray,
        random_state: np.random.RandomState,
    ) -> TreeBuilder:
        total = float(len(X) if weight is None else weight.sum())
        least = checks.least_weight(self.min_samples_leaf, total, 1) / total
        most = leaf_limit(self.max_leaf_nodes, len(np.unique(labels)))
        return learned_tree(X, weight, labels, most, self.max_depth, least, random_state)
