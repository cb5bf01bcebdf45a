"""Kauri: an unsupervised decision tree for clustering.

:meth:`Kauri.fit` converts its input into a dataset (:mod:`agathis._dataset.fit_input`) and its
parameters into a spec (:mod:`agathis._model.spec`), and stores the result of
:mod:`agathis._fit.fit`: a :class:`~agathis.Tree` and the attributes derived from it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import Tags

from agathis._checks import data as checks
from agathis._checks.engines import AUTO, ENGINES, engines
from agathis._checks.parameters import KAURI_CONSTRAINTS
from agathis._checks.roles import FeatureRoles
from agathis._dataset.fit_input import dataset_of
from agathis._fit.fit import fit
from agathis._kernels.kernel import Kernel
from agathis._model.spec import FitSpec
from agathis._objective.centres import Centres
from agathis._objective.distances import DistancesMixin
from agathis._rules.estimator_methods import ModelMethods
from agathis._trees.model import TreeEstimator
from agathis._utils.progress import Progress


class Kauri(DistancesMixin, TreeEstimator, ModelMethods, BaseEstimator):
    """A decision tree for clustering: each leaf is assigned to a cluster.

    The tree is grown greedily. Each step applies the split of a leaf that most increases the
    kernel KMeans objective: one or both sides of the split form a new cluster or join an existing
    one. No reference clustering is needed. Growth stops when no split improves the objective or a
    limit is reached.

    The five most important parameters are the number of clusters (``n_clusters``) and of rules
    (``max_leaf_nodes``), the minimum size of a leaf (``min_samples_leaf``), the similarity of
    samples (``kernel``) and the search strategy (``search``).

    Parameters
    ----------
    n_clusters : int, default=8
        The maximum number of clusters. Fewer are returned if more do not improve the objective.
    max_leaf_nodes : int, "auto" or None, default="auto"
        The maximum number of leaves. If "auto", one leaf per cluster (at least two), so that each
        cluster is one rule. If None, unlimited: the closest fit.
    min_samples_leaf : int or float, default=1
        The minimum number of samples required to be at a leaf node. If float, a fraction of
        ``n_samples``. Samples count by their weight; the default imposes no limit.
    kernel : str or callable, default="linear"
        A kernel of :func:`sklearn.metrics.pairwise.pairwise_kernels`, a function of two rows, or
        ``"precomputed"``, for which ``fit`` takes the kernel matrix as ``gram``. With the linear
        kernel the objective is that of KMeans.
    search : {"greedy", "local", "optimal"}, default="greedy"
        The search strategy.

        - ``"greedy"``: the paper's algorithm, which applies the best split and never revises it.
        - ``"local"``: local search from the greedy tree, from trees fitted to KMeans clusters and
          from ``start``. Moves replace a split, reassign a leaf, or prune a leaf and split
          elsewhere, as long as the objective increases. The result is never worse than the greedy
          tree. With more leaves than clusters the tree is then simplified, which may increase the
          cost by a thousandth, at most by half of the improvement.
        - ``"optimal"``: proves that no tree with one leaf per cluster is better, for two to about
          five clusters, or reports the optimality gap when ``time_limit`` is reached. A
          categorical feature (``one_hot``) may have up to 10 categories, and the kernel must be
          positive semi-definite.
    gamma : float, default=None
        Kernel coefficient of the rbf, Laplacian, polynomial, sigmoid and chi2 kernels. If None,
        scikit-learn's default for each.
    degree : float, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=1
        Independent term of the polynomial and sigmoid kernels.
    kernel_params : dict, default=None
        Keyword arguments of a callable kernel.
    max_features : int, float, {"sqrt", "log2"}, default=None
        The number of features to consider when looking for the best split of a leaf, sampled for
        each leaf. If float, a fraction of all features. A group of ``one_hot`` is one feature.
    max_depth : int, default=None
        The maximum depth of the tree.
    min_samples_split : int or float, default=2
        The minimum number of samples required to split a node. If float, a fraction of
        ``n_samples``. Samples count by their weight; the default imposes no limit.
    engine : {"auto", "gram", "blocks", "features", "binned"}, default="auto"
        How gains are computed. The first three give the same tree up to rounding.

        - ``"gram"``: from the whole kernel matrix, kept in memory.
        - ``"blocks"``: from kernel rows computed when needed, in memory linear in the number of
          rows.
        - ``"features"``: from sums of the rows (or of their ``n_components`` features), without
          pairwise kernel values.
        - ``"binned"``: for very many rows. Thresholds lie between bins. Supports missing values
          (NaN): each split sends them to one side, and the kernel uses the mean of the column.

        ``"auto"`` selects the first that fits, with n rows, d features and scikit-learn's
        ``working_memory`` (1 GiB unless configured):

        ================================== ======================================= ============
        kernel                             rows                                    engine
        ================================== ======================================= ============
        linear, cosine, or n_components    with missing values                     ``binned``
        precomputed                        any                                     ``gram``
        linear, cosine                     d > 128, n <= d, and 8 n^2 bytes fit    ``gram``
        linear, cosine                     d > 128, n <= 100,000, and 57 n d bytes ``blocks``
                                           fit
        linear, cosine, or n_components    n <= 100,000, and 13 n d + 16 n D bytes ``features``
                                           fit, D being n_components or d
        linear, cosine, or n_components    more                                    ``binned``
        any other                          8 n^2 bytes fit (some 11,000 rows)      ``gram``
        any other                          more                                    ``blocks``
        ================================== ======================================= ============

        Missing values with any other kernel are an error, unless n_components is given.
    max_bins : int, default=255
        The maximum number of bins per feature for ``"binned"``; bins have about equal counts.
    subsample : int, default=50_000
        The maximum number of rows used to compute bins and feature maps.
    n_components : int, default=None
        The number of features of a low-rank approximation of the kernel, from a randomly pivoted
        partial Cholesky factorisation that stops at a residual of a thousandth. It makes kernels
        other than linear and cosine usable with very many rows. ``residual_trace_`` is the
        residual; above 10 % there is a warning.
    one_hot : "auto", None, or groups of columns, default="auto"
        The groups of one-hot encoded columns; each group is one categorical feature. In each row at
        most one column of a group is nonzero, with the same positive value wherever it is; a
        missing category is NaN in all of them. Such a feature is split into two sets of categories,
        stored as ``terms`` of the node (:class:`~agathis.Tree`): the best two for up to 10
        categories in a leaf, a heuristic for more. A list of groups, each a list of column indices
        or names or a mask, or a mapping with groups as its values. ``"auto"`` takes the groups
        declared by X, as rows from :class:`agathis.TableEncoder` do, else none. ``None`` treats
        all columns as numbers.
    split_features : "auto", None, or list of columns, default="auto"
        The columns used for splits, as indices, names or a mask; all or none of a group of
        ``one_hot``. ``"auto"`` takes the columns declared by X, else all. ``None`` is all.
    kernel_features : "auto", None, or list of columns, default="auto"
        The columns used by the kernel, given like ``split_features``. The others may be used for
        splits, but do not contribute to the objective.
    search_effort : float, default=1
        The work budget of ``"local"``: 1 takes a few times as long as the greedy tree, 10 is a
        thorough search. It does not count seconds, so the same seed gives the same tree, whatever
        the order of the rows.
    n_init : int, default=None
        The number of KMeans runs from which ``"local"`` builds initial trees. If None, it follows
        from ``search_effort``.
    time_limit : float, default=None
        The maximum time of ``"optimal"`` in seconds. If None, no limit.
    split : {"axis", "pair"}, default="axis"
        The split conditions. ``"axis"`` splits on one column. ``"pair"`` also on a sum of two,
        ``a x + b y <= t``, where it improves the objective clearly more; a and b are small integers
        (one of them times 1, 2 or 5 and a power of ten, if scales differ).
    keep_training_data : bool, default=False
        Whether to store the training rows in the model. :meth:`transform` needs them with kernels
        other than linear and cosine, unless ``n_components`` is given.
    n_jobs : int, default=None
        The number of threads. None and -1 mean all cores. The tree does not depend on it.
    verbose : int, default=0
        If 1, print progress (a bar in a terminal) and the time of each stage.
    random_state : int, RandomState instance or None, default=None
        Controls the features sampled for ``max_features``, the rows sampled for ``subsample`` and
        ``n_components``, and the random moves of ``search``. Pass an int for reproducible output;
        None uses NumPy's global random state. A greedy search of all features and rows is
        deterministic.

    Attributes
    ----------
    tree_ : Tree
        The tree as arrays.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training row, equal to ``predict`` of it.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        The weighted mean of each cluster in the columns of X, with missing values replaced by the
        mean of their column. With the linear kernel these are the centres of KMeans. Not available
        for kernels of pairs of rows, unless ``n_components`` is given.
    objective_ : float
        The objective, to be maximised: the sum over clusters of their kernel values divided by
        their size. With ``n_components`` it refers to the approximated kernel, and values of
        different approximations are not comparable.
    inertia_ : float
        The kernel KMeans cost: the sum of squared distances of samples to their cluster centre in
        the feature space of the kernel.
    n_clusters_ : int
        The number of clusters.
    n_leaves_ : int
        The number of leaves.
    feature_importances_ : ndarray of shape (n_features,)
        The fraction of the total gain due to each feature. The gain of a split on categories is
        divided equally among their columns.
    raw_thresholds_ : dict
        Maps (feature, threshold) to the threshold in original units. Empty unless X came from
        :class:`agathis.TableEncoder`.
    engine_ : str
        The engine that was used.
    roles_ : FeatureRoles
        The roles of the columns: ``roles_.one_hot``, a tuple of arrays of columns, and the masks
        ``roles_.split`` and ``roles_.kernel``.
    n_components_ : int or None
        The number of features that approximate the kernel; None without ``n_components``.
    residual_trace_ : float or None
        The fraction of the trace of the (centred) kernel that the approximation leaves out; with
        ``"binned"``, estimated on at most ``subsample`` rows.
    search_path_ : list of Step
        Each improvement of the search (unless greedy): ``seconds`` since its start, the ``cost``
        and the ``move`` that reached it.
    search_interrupted_ : bool
        Whether a KeyboardInterrupt ended the search (unless greedy); the tree is then the best
        one so far.
    lower_bound_, gap_, is_optimal_ : float, float, bool
        With ``search="optimal"``: a lower bound of the cost of trees with as many leaves, the
        optimality gap as a fraction of the cost, and whether the tree is proven optimal.
    n_features_in_ : int
        The number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of features seen during fit. Defined only if X has feature names that are all
        strings.

    References
    ----------
    Louis Ohl, Pierre-Alexandre Mattei, Mickaël Leclercq, Arnaud Droit, Frédéric Precioso.
    "Kernel KMeans clustering splits for end-to-end unsupervised decision trees", 2024.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.metrics import adjusted_rand_score
    >>> from agathis import Kauri
    >>> X, y = load_iris(return_X_y=True)
    >>> model = Kauri(n_clusters=3, kernel="rbf", max_leaf_nodes=12).fit(X)
    >>> model.predict(X[:3])
    array([0, 0, 0], dtype=int32)
    >>> round(adjusted_rand_score(y, model.labels_), 2)
    0.75
    """

    _parameter_constraints: ClassVar[dict] = KAURI_CONSTRAINTS

    # Attributes set by ``fit``; see ``FitResult.attributes``.
    labels_: np.ndarray
    roles_: FeatureRoles
    engine_: str
    n_clusters_: int
    n_leaves_: int
    inertia_: float
    objective_: float
    _centres: Centres | None

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        max_leaf_nodes: int | str | None = "auto",
        min_samples_leaf: int | float = 1,
        kernel: str | Callable[..., float] = "linear",
        search: str = "greedy",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        max_features: int | float | str | None = None,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        engine: str = "auto",
        max_bins: int = 255,
        subsample: int = 50_000,
        n_components: int | None = None,
        one_hot: Any = "auto",
        split_features: Any = "auto",
        kernel_features: Any = "auto",
        search_effort: float = 1,
        n_init: int | None = None,
        time_limit: float | None = None,
        split: str = "axis",
        keep_training_data: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.kernel = kernel
        self.search = search
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.engine = engine
        self.max_bins = max_bins
        self.subsample = subsample
        self.n_components = n_components
        self.one_hot = one_hot
        self.split_features = split_features
        self.kernel_features = kernel_features
        self.search_effort = search_effort
        self.n_init = n_init
        self.time_limit = time_limit
        self.split = split
        self.keep_training_data = keep_training_data
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    @checks.fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: ArrayLike,
        y: object = None,
        *,
        gram: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        start: object = None,
    ) -> Kauri:
        """Fit the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples; the tree splits on its columns. Missing values (NaN) are supported by
            ``engine="binned"``, and by ``"auto"`` where it can select that engine. A
            ``numpy.memmap`` of float32 or float64 is read in blocks with ``engine="binned"`` (or
            ``"auto"``, if too large for the exact engines), and need not fit in memory.
        y : Ignored
            Not used, present for API consistency.
        gram : array-like of shape (n_samples, n_samples), optional
            The kernel matrix, for ``kernel="precomputed"``; an array of floats is not copied.
            Tools that slice X, such as ``GridSearchCV``, do not slice it.
        sample_weight : array-like of shape (n_samples,), optional
            Weight 2 counts a row twice, weight 0 excludes it. Weights below 1e-12 of their sum
            are indistinguishable from rounding errors and count as 0.
        start : Tree or fitted estimator of the package, optional
            An initial tree on the same columns, within the limits. A greedy fit continues to grow
            it; a search uses it as one of its initial trees.

        Returns
        -------
        self : Kauri
            Fitted estimator.
        """
        with checks.last_fit_kept(self):
            spec = FitSpec.of(self)
            missing = self._engine_takes_missing()
            dataset = dataset_of(
                self, X, sample_weight, gram=gram, n_clusters=self.n_clusters, missing=missing
            )
            with Progress(self.verbose, spec.max_leaves, self.n_clusters) as progress:
                result = fit(
                    dataset,
                    spec,
                    start=start,
                    progress=progress,
                    time_limit=self.time_limit,
                    keep_training_data=self.keep_training_data,
                )
        result.set_attributes(self)
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = Kernel(self.kernel).needs_non_negative
        tags.input_tags.allow_nan = self._engine_takes_missing()
        return tags

    @property
    def _takes_missing(self) -> bool:
        return ENGINES[self.engine_].takes_missing

    def _engine_takes_missing(self) -> bool:
        """Whether ``fit`` supports missing values; "auto" then selects "binned" if possible."""
        if self.engine == AUTO:
            return self._has_points()
        return self.engine in engines(takes_missing=True)

    def _has_points(self) -> bool:
        """Whether rows have explicit kernel features, of the kernel itself or of a feature map."""
        return Kernel(self.kernel).has_features or self.n_components is not None

    def _keeps_centres(self) -> bool:
        return self._has_points() or self.kernel == "precomputed" or self.keep_training_data
