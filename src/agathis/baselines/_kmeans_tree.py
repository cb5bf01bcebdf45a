"""KMeans+DT: a decision tree fitted to the labels of (kernel) KMeans.

The labels come from :class:`~agathis.KernelKMeans`, the tree from scikit-learn
(:mod:`agathis._search.local.surrogate_tree`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from sklearn.utils import Tags, check_random_state

from agathis._checks import data as checks
from agathis._checks.data import min_weight
from agathis._checks.parameters import KMEANS_TREE_CONSTRAINTS
from agathis._fit.baseline import BuiltTree, CountedRows
from agathis._growth.limits import leaf_limit
from agathis._kernel_kmeans import KernelKMeans
from agathis._kernels.kernel import Kernel
from agathis._model.spec import FitSpec
from agathis._search.local.surrogate_tree import surrogate_tree
from agathis.baselines._base import Baseline


class KMeansTree(Baseline):
    """A decision tree on the labels of (kernel) KMeans, known as KMeans+DT.

    The cluster of a leaf is the one with the largest weight in it.

    Parameters
    ----------
    n_clusters : int, default=8
        The number of clusters of KMeans, and the maximum of the tree.
    kernel : str or callable, default="linear"
        A kernel of :func:`sklearn.metrics.pairwise.pairwise_kernels`, or a function of two
        rows. Kernels other than linear and cosine need memory quadratic in ``n_samples``: see
        :class:`~agathis.KernelKMeans`.
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
        The algorithm of KMeans: see :class:`~agathis.KernelKMeans`.
    n_init : int or "auto", default="auto"
        The number of initialisations of KMeans; "auto" is 10 with ``algorithm="auto"`` and 1 with
        the others.
    max_leaf_nodes : int, "auto" or None, default="auto"
        The maximum number of leaves. "auto" is one leaf per learned cluster (at least two); None
        is unlimited.
    max_depth : int, default=None
        The maximum depth of the tree. If None, the depth is not limited.
    min_samples_leaf : int or float, default=1
        The minimum number of samples in a leaf. If float, a fraction of ``n_samples``. Samples
        count by their weight.
    centers : array-like of shape (n_clusters, n_features) or estimator, default=None
        Centres to use instead of running KMeans: the tree learns the nearest one. Only with the
        linear kernel.
    n_jobs : int, default=None
        The number of threads; None and -1 use all cores.
    random_state : int, RandomState instance or None, default=None
        Seed of KMeans, and of ties between splits.

    Attributes
    ----------
    tree_ : Tree
        The fitted tree.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training row, equal to ``predict(X)``.
    teacher_labels_ : ndarray of shape (n_samples,)
        The labels that the tree learned, numbered as the tree's clusters. Clusters without a leaf
        have numbers from ``n_clusters_``, rows of weight 0 have -1.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        The centres of KMeans, or those given, of the tree's clusters; with ``fit(labels=...)`` the
        means of the tree's clusters. Only with the linear kernel.
    inertia_ : float
        The kernel KMeans cost of the tree's clusters.
    n_clusters_ : int
        The number of clusters, which may be smaller than ``n_clusters`` in a small tree.
    n_leaves_ : int
        The number of leaves.
    feature_importances_ : ndarray of shape (n_features,)
        The fraction of the total gain due to each feature.
    raw_thresholds_ : dict
        Maps (feature, threshold) to the threshold in original units. Empty unless ``X`` came
        from :class:`agathis.TableEncoder`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Defined only when ``X`` has feature names that are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from agathis.baselines import KMeansTree
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
        """Fit the tree to the labels of KMeans, or to given labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored
        labels : array-like of shape (n_samples,), optional
            Cluster labels of another method, integers or strings, to fit the tree to. KMeans is
            not run, and ``n_clusters`` is ignored.
        sample_weight : array-like of shape (n_samples,), optional
            Weight 2 is equivalent to repeating the row, weight 0 to removing it.

        Returns
        -------
        self : KMeansTree
        """
        if labels is not None and self.centers is not None:
            raise ValueError("labels and centers both define what the tree learns; pass only one.")
        if self.centers is not None and self.kernel != "linear":
            raise ValueError(
                f"centers are points in the space of X, but kernel={self.kernel!r} has "
                "another space: use kernel='linear', or centers=None."
            )
        return self._fit(X, sample_weight, labels)

    @staticmethod
    def _build_tree(rows: CountedRows, spec: FitSpec) -> BuiltTree:
        """Fit the tree of a spec."""
        random_state = check_random_state(spec.seed)
        labels, attributes = rows.labels, {}
        if labels is None:
            labels, centres = _kmeans_labels(rows, spec, random_state)
            if centres is not None:
                attributes["cluster_centers_"] = centres
        attributes["teacher_labels_"] = labels
        total = float(len(rows.X) if rows.weight is None else rows.weight.sum())
        constraints = spec.constraints
        min_fraction = min_weight(constraints.min_samples_leaf, total, 1) / total
        max_leaves = leaf_limit(constraints.max_leaf_nodes, len(np.unique(labels)))
        tree = surrogate_tree(
            rows.X,
            rows.weight,
            labels,
            max_leaves,
            constraints.max_depth,
            min_fraction,
            random_state,
        )
        return BuiltTree(tree, attributes)


def _kmeans_labels(
    rows: CountedRows, spec: FitSpec, random_state: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray | None]:
    """The labels to learn, and with the linear kernel the centres."""
    centers = spec.options["centers"]
    if centers is not None:
        return np.argmin(cdist(rows.X, centers), axis=1).astype(np.int32), centers
    n_clusters = spec.n_clusters
    assert n_clusters is not None
    kmeans = KernelKMeans(
        n_clusters,
        **asdict(spec.kernel),
        algorithm=spec.options["algorithm"],
        n_init=spec.options["n_init"],
        n_jobs=rows.threads,
        random_state=random_state,
    ).fit(rows.X, sample_weight=rows.weight)
    return kmeans.labels_, getattr(kmeans, "cluster_centers_", None)
