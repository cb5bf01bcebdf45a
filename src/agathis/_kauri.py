"""Kauri: a decision tree that clusters, grown without labels.

:meth:`Kauri.fit` makes a dataset of what it is given (:mod:`agathis._dataset.given`) and a spec of
the parameters (:mod:`agathis._model.spec`), and keeps what the fit finds
(:mod:`agathis._fit.fit`): a :class:`~agathis.Tree` from which everything else is read.
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
from agathis._dataset.given import dataset_of
from agathis._describe.model_methods import ModelMethods
from agathis._fit.fit import OPTIONAL_ATTRIBUTES, FitResult, fit
from agathis._kernels.kernel import Kernel
from agathis._model.spec import FitSpec
from agathis._partitions.centres import Centres
from agathis._partitions.distances import DistancesMixin
from agathis._support.progress import Progress
from agathis._trees.model import TreeEstimator


class Kauri(DistancesMixin, TreeEstimator, ModelMethods, BaseEstimator):
    """A binary tree whose leaves are clusters, or parts of clusters.

    At each step the split of some leaf that most raises the kernel KMeans objective, the sum
    over clusters of their kernel values over their size, is made: one or both sides of the cut
    found a new cluster or join another one. The tree is grown from nothing, with no clustering
    to imitate, and ends when no split helps or a limit is reached.

    Five parameters matter most: the number of clusters (``n_clusters``) and of rules
    (``max_leaf_nodes``), the fewest samples of a rule (``min_samples_leaf``), what makes samples
    similar (``kernel``), and how far to look for a better tree (``search``).

    Parameters
    ----------
    n_clusters : int, default=8
        The maximum number of clusters; fewer are found where more do not help.
    max_leaf_nodes : int, "auto" or None, default="auto"
        The maximum number of leaves. "auto" is one leaf per cluster (at least two), so that a
        cluster is one rule; ``None`` is unlimited, for the closest fit.
    min_samples_leaf : int or float, default=1
        The minimum number of samples in a leaf. If float, a fraction of ``n_samples``. Samples
        count by their weight, except that the default limits nothing.
    kernel : str or callable, default="linear"
        A name that :func:`sklearn.metrics.pairwise.pairwise_kernels` knows, a function of two
        rows, or ``"precomputed"``: then ``fit`` takes the matrix as ``gram``. With the linear
        kernel the objective is that of KMeans.
    search : {"greedy", "local", "optimal"}, default="greedy"
        How far to look for a better tree. ``"greedy"`` is the paper's: the best split is made and
        never taken back. ``"local"`` goes on from there, from trees on the clusters of KMeans
        and from ``start``: nodes ask something else, leaves change clusters, are cut off and spent
        where they gain more, as long as the objective rises. It is never worse than the greedy
        tree; with more leaves than clusters it may give back a thousandth of the cost, and at
        most half of what it gained, for shorter explanations. ``"optimal"`` proves that no tree
        with a leaf for each cluster is better, for two to about five clusters, or says how far
        from the best one it may be when ``time_limit`` ends; a source of ``one_hot`` may then
        have up to 10 categories, and the kernel must be positive semi-definite.
    gamma : float, default=None
        For the rbf, Laplacian, polynomial, sigmoid and chi2 kernels; ``None`` is
        scikit-learn's default for each.
    degree : float, default=3
        For the polynomial kernel.
    coef0 : float, default=1
        For the polynomial and sigmoid kernels.
    kernel_params : dict, default=None
        Keyword arguments of a callable kernel.
    max_features : int, float, {"sqrt", "log2"}, default=None
        How many features each search of a leaf looks at, drawn anew each time; a float is a
        share of all. A group of ``one_hot`` is one feature.
    max_depth : int, default=None
        The maximum number of splits on the way to a leaf.
    min_samples_split : int or float, default=2
        The minimum number of samples of a node that is split. If float, a fraction of
        ``n_samples``. Samples count by their weight, except that the default limits nothing.
    engine : {"auto", "gram", "blocks", "features", "binned"}, default="auto"
        How gains are computed. ``"gram"`` computes the kernel matrix and keeps it; ``"blocks"``
        computes rows of it when they are needed, in memory that is linear in the number of rows;
        ``"features"`` sums the rows themselves (or what ``n_components`` makes of them) and no
        pair of rows is formed. These three give the same tree, but for rounding. ``"binned"`` is
        for very many rows: it looks only at thresholds between bins, and takes missing values
        (NaN): each cut says where these go, and to the kernel they are at their column's mean.
        ``"auto"`` is the first that fits, with n rows, d features and scikit-learn's
        ``working_memory`` (1 GiB unless configured):

        ================================== ======================================= ============
        kernel                             rows                                    engine
        ================================== ======================================= ============
        linear, cosine, or n_components    some miss values                        ``binned``
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
        The maximum number of bins of a feature, of about as many rows each, for ``"binned"``.
    subsample : int, default=50_000
        The most rows from which bins and feature maps are found.
    n_components : int, default=None
        How many features stand for the kernel: the tree is then grown with their inner products
        in its place, which makes kernels other than linear and cosine fit for very many rows.
        They are the columns of a randomly pivoted partial Cholesky factor, which stops when it
        leaves out no more than a thousandth. ``residual_trace_`` says what they leave out, and a
        warning if it is more than 10 %.
    one_hot : "auto", None, or groups of columns, default="auto"
        Columns that are the categories of one source: in each row at most one of a group is other
        than 0, and where that is, it is the same number above 0; where the category is missing, all
        of them are (NaN). Such a source is split into any two sets of its categories at once: a
        node of the tree then has ``terms`` (:class:`~agathis.Tree`). Of up to 10 categories in a
        leaf the best two sets are found, of more two that are good. A list of groups, each a list
        of columns by number or name or a mask, or a mapping with groups as its values. ``"auto"``
        takes what X tells of itself, as rows of the package's encoder do, else none; ``None`` is
        none, and columns of categories are numbers like others.
    split_features : "auto", None, or list of columns, default="auto"
        Columns that conditions of the tree may be on, by number or name, or as a mask; of a group
        of ``one_hot`` all or none. ``"auto"`` takes what X tells of itself, else all; ``None`` is
        all.
    kernel_features : "auto", None, or list of columns, default="auto"
        Columns that the kernel sees, said in the same way. The others may be split on all the
        same, but do not count for the objective.
    search_effort : float, default=1
        How long ``"local"`` searches: 1 is a few times the time of the greedy tree, 10 is for the
        patient. It counts what is looked at, not seconds: the same seed gives the same tree, in
        whatever order the rows come.
    n_init : int, default=None
        Runs of KMeans from whose clusters ``"local"`` makes trees to begin with; ``None`` lets
        ``search_effort`` say.
    time_limit : float, default=None
        Seconds that ``"optimal"`` may take for its proof; ``None`` is no limit.
    split : {"axis", "pair"}, default="axis"
        What a node may ask. ``"axis"`` is one column, ``"pair"`` also a sum of two,
        ``a x + b y <= t`` with small whole a and b (one of them times 1, 2 or 5 and a power of ten,
        where scales differ), where that gains clearly more.
    keep_training_data : bool, default=False
        Whether the model keeps the training rows, which :meth:`transform` needs with kernels
        other than linear and cosine unless ``n_components`` is given.
    n_jobs : int, default=None
        Threads; ``None`` is all cores, -1 too. The tree does not depend on it.
    verbose : int, default=0
        1 shows progress, as a bar where there is a terminal, and the time that each part took.
    random_state : int, RandomState instance or None, default=None
        Draws the features where ``max_features`` asks for it, the rows that ``subsample``
        and ``n_components`` call for, and what ``search`` tries. Pass an int for the same tree in
        every fit; ``None`` draws from NumPy's global random state. A greedy search of all
        features and rows draws nothing.

    Attributes
    ----------
    tree_ : Tree
        The tree as arrays.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training row; always equal to ``predict`` of it.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        The mean of each cluster in the columns of X, by weight; missing values are at their
        column's mean. With the linear kernel these are the centres of KMeans. There are none for
        kernels that compare rows pair by pair, without ``n_components``.
    objective_ : float
        The objective of the clusters, to be maximised. With ``n_components`` it is that of the
        feature map's kernel, and not to be compared with another map's.
    inertia_ : float
        The kernel KMeans cost of the clusters: their summed squared distances to the centres
        in the kernel's space.
    n_clusters_ : int
        How many clusters were found.
    n_leaves_ : int
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the sum of all gains; that of a split on some categories goes to
        their columns in equal parts.
    raw_thresholds_ : dict
        Of rows that :class:`agathis.TableEncoder` made, for a feature and a threshold of the tree
        the short number of the table that it is the image of; else empty.
    engine_ : str
        The engine that was used.
    roles_ : FeatureRoles
        What the columns were used for: ``roles_.one_hot``, a tuple of arrays of columns, and the
        masks ``roles_.split`` and ``roles_.kernel``.
    n_components_ : int or None
        How many features stand for the kernel; ``None`` without ``n_components``.
    residual_trace_ : float or None
        The share of the (centred) kernel that these leave out; with ``"binned"`` it is measured
        on at most ``subsample`` rows.
    search_path_ : list of Step
        With ``search`` other than greedy each betterment: ``seconds`` since the search began, the
        ``cost`` then, and the ``move`` that led there.
    search_interrupted_ : bool
        With ``search`` other than greedy: whether a KeyboardInterrupt ended the search, so that
        the tree is the best found until then.
    lower_bound_, gap_, is_optimal_ : float, float, bool
        With ``search="optimal"``: no tree with so many leaves costs less; the share of its cost by
        which a better tree could be better; whether this is proven to be the best.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only where X has column names that are all strings.

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

    # What a fit leaves; see ``FitResult.attributes``.
    labels_: Any
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
        """Grow the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows; the tree's conditions are on its columns. Values may be missing (NaN) where
            ``engine`` is ``"binned"`` or can become it. A ``numpy.memmap`` of float32 or
            float64 that is given to ``engine="binned"`` (or is too large for the exact engines of
            ``"auto"``) is read in blocks, and need not fit in memory.
        y : Ignored
        gram : array-like of shape (n_samples, n_samples), optional
            The kernel matrix, for ``kernel="precomputed"``; an array of floats is not copied.
            Tools that cut X into parts, such as ``GridSearchCV``, do not cut it along.
        sample_weight : array-like of shape (n_samples,), optional
            Weight 2 is the row twice, weight 0 the row left out. A weight below 1e-12 of their
            sum cannot be told from rounding and counts as 0.
        start : Tree or fitted estimator of the package, optional
            A tree to begin with, of the same columns and within the limits. The greedy tree goes on
            growing from it; a search begins with it beside the others.

        Returns
        -------
        self : Kauri
        """
        with checks.last_fit_kept(self):
            spec = FitSpec.of(self)
            missing = self._engine_takes_missing()
            dataset = dataset_of(
                self, X, sample_weight, gram=gram, n_clusters=self.n_clusters, missing=missing
            )
            with Progress(self.verbose, spec.max_leaves, self.n_clusters) as progress:
                found = fit(
                    dataset,
                    spec,
                    start=start,
                    progress=progress,
                    time_limit=self.time_limit,
                    keep_training_data=self.keep_training_data,
                )
        self._keep(found)
        return self

    def _keep(self, found: FitResult) -> None:
        """Keep what a fit found, in place of what the last one left."""
        for name in OPTIONAL_ATTRIBUTES:
            self.__dict__.pop(name, None)
        self.__dict__.update(found.attributes())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = Kernel(self.kernel).needs_non_negative
        tags.input_tags.allow_nan = self._engine_takes_missing()
        return tags

    @property
    def _takes_missing(self) -> bool:
        return ENGINES[self.engine_].takes_missing

    def _engine_takes_missing(self) -> bool:
        """Whether rows of a fit may miss values: "auto" then means "binned", where that can be."""
        if self.engine == AUTO:
            return self._has_points()
        return self.engine in engines(takes_missing=True)

    def _has_points(self) -> bool:
        """Whether rows are points of the kernel's space, their own or those of a feature map."""
        return Kernel(self.kernel).has_features or self.n_components is not None

    def _keeps_centres(self) -> bool:
        return self._has_points() or self.kernel == "precomputed" or self.keep_training_data
