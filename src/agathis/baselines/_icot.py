"""ICOT-style trees: every leaf is a cluster, and a criterion evaluates the whole tree.

Steps of the fit: merge equal rows, compute all pairwise distances, improve each initial tree
(``_icot_starts``) to a local optimum (``_icot_search``), and return the best. Each start has its
own seed, so the result does not depend on the number of threads.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils import check_random_state

from agathis._checks.data import min_weight
from agathis._checks.parameters import ICOT_CONSTRAINTS
from agathis._core.separation.dunn import Dunn, spanning_tree
from agathis._core.separation.silhouette import Silhouette
from agathis._fit.baseline import BuiltTree, CountedRows
from agathis._model.spec import FitSpec
from agathis.baselines._base import Baseline
from agathis.baselines._icot_search import RankedRows, Search, SizeLimits
from agathis.baselines._icot_starts import Start, starts


class ICOT(Baseline):
    """A tree whose leaves are well separated clusters, by local search over whole trees.

    Written after the description of ICOT by Bertsimas, Orfanoudaki and Wiberg. The original
    program is not public and not used here; its trees may differ.

    The search starts from several trees in turn: a single leaf (later random trees), a tree grown
    greedily by the criterion, and a classification tree of the labels of KMeans. It visits the
    nodes in random order and evaluates at each another split with the same subtrees, its left or
    right subtree in its place, and a leaf in its place; at a leaf, a split. The best move is
    applied if it raises the criterion, until no move at any node does. The best tree of all starts
    is the result.

    Parameters
    ----------
    n_clusters : int or None, default=8
        The maximum number of leaves, and so of clusters; there are fewer if more do not raise the
        criterion. None is unlimited.
    criterion : {"silhouette", "dunn"}, default="silhouette"
        The criterion to maximise, with Euclidean distances.

        - ``"silhouette"``: the mean over rows of (b - a) / max(a, b), where a is the mean
          distance of a row to the others of its cluster and b the minimum mean distance to another
          cluster; 0 for a row alone in its cluster. See
          :func:`sklearn.metrics.silhouette_score`.
        - ``"dunn"``: the minimum distance between two rows of different clusters over the maximum
          distance between two rows of one cluster. Infinite if the rows of each cluster are equal;
          independent of weights.

        Both are 0 for a single cluster, so a bad partition is worse than no split.
    max_depth : int, default=5
        The maximum depth of the tree. If None, the depth is not limited.
    min_samples_leaf : int or float, default=0.05
        The minimum number of samples in a leaf. If float, a fraction of ``n_samples``. Samples
        count by their weight; 1 is no limit. Both criteria favour clusters of a few outliers,
        which the default prevents; it also limits the tree to 20 leaves. With ``subsample`` the
        fraction refers to the sample.
    n_init : int, default=20
        The number of starts.
    max_candidates : int, default=None
        The maximum number of thresholds per feature in the search of a node, those in the widest
        gaps between values. None is unlimited.
    subsample : int, default=2_000
        The maximum number of rows to grow the tree from; larger data are sampled. Memory (8 bytes
        for each pair of rows) and time grow with its square.
    n_jobs : int, default=None
        The number of threads; None and -1 use all cores. The tree does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the starts, the order of the nodes and the sample.

    Attributes
    ----------
    tree_ : Tree
        The fitted tree.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training row, equal to ``predict(X)``.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        The mean of each cluster.
    criterion_value_ : float
        The criterion, on the rows from which the tree was grown.
    n_iter_ : int
        The number of moves from the start to the tree.
    inertia_ : float
        The KMeans cost: the sum of squared distances of rows to the mean of their cluster.
    n_clusters_ : int
        The number of clusters.
    n_leaves_ : int
        The number of leaves, equal to ``n_clusters_``.
    feature_importances_ : ndarray of shape (n_features,)
        The fraction of the total gain due to each feature.
    raw_thresholds_ : dict
        Maps (feature, threshold) to the threshold in original units. Empty unless ``X`` came
        from :class:`agathis.TableEncoder`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Defined only when ``X`` has feature names that are all strings.

    Notes
    -----
    The silhouette needs the number of other rows in the cluster of a row: integer weights are
    taken as numbers of rows, others are scaled to a mean of 1.

    References
    ----------
    Dimitris Bertsimas, Agni Orfanoudaki, Holly Wiberg. "Interpretable clustering: an
    optimization approach", Machine Learning 110, 2021.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from agathis.baselines import ICOT
    >>> X = load_iris().data
    >>> model = ICOT(random_state=0).fit(X)
    >>> model.n_clusters_, round(model.criterion_value_, 3)
    (2, 0.687)
    """

    _parameter_constraints: ClassVar[dict] = ICOT_CONSTRAINTS

    def __init__(
        self,
        n_clusters: int | None = 8,
        *,
        criterion: str = "silhouette",
        max_depth: int | None = 5,
        min_samples_leaf: int | float = 0.05,
        n_init: int = 20,
        max_candidates: int | None = None,
        subsample: int = 2_000,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.n_init = n_init
        self.max_candidates = max_candidates
        self.subsample = subsample
        self.n_jobs = n_jobs
        self.random_state = random_state

    @staticmethod
    def _build_tree(rows: CountedRows, spec: FitSpec) -> BuiltTree:
        """Run the search on at most ``subsample`` rows, with the parameters of a spec."""
        random, options, constraints = check_random_state(spec.seed), spec.options, spec.constraints
        X, weight = rows.X, as_repeats(rows.weight, len(rows.X))
        total = len(X) if rows.weight is None else rows.weight.sum()
        min_leaf = min_weight(constraints.min_samples_leaf, total, 1) * (weight.sum() / total)
        if len(X) > options["subsample"]:
            sampled = np.sort(random.choice(len(X), options["subsample"], replace=False))
            min_leaf *= weight[sampled].sum() / weight.sum()
            X, weight = X[sampled], weight[sampled]
        distinct, weight = distinct_rows(X, weight)
        n = len(distinct)
        limits = SizeLimits(
            max_leaves=n if spec.n_clusters is None else min(n, spec.n_clusters),
            max_depth=n if constraints.max_depth is None else constraints.max_depth,
            min_weight=min_leaf,
            max_candidates=options["max_candidates"],
        )
        table = RankedRows.of(distinct, weight)
        distance = cdist(distinct, distinct)
        seeds = random.randint(np.iinfo(np.int32).max, size=options["n_init"])
        tries = starts(table, limits, seeds)
        best = _best(table, distance, limits, tries, rows.threads, options["criterion"])
        attributes = {"criterion_value_": float(best.value), "n_iter_": len(best.values) - 1}
        return BuiltTree(table.builder(best.root), attributes)


def _best(
    table: RankedRows,
    distance: np.ndarray,
    limits: SizeLimits,
    tries: list[Start],
    threads: int,
    criterion: str,
) -> Search:
    """Run the searches in threads, so that the main thread can be interrupted."""
    stop = np.zeros(1, dtype=np.uint8)
    shared = distance, table.weight, limits.min_weight, stop
    edges = None if criterion == "silhouette" else spanning_tree(distance)

    def run(start: Start) -> Search:
        random = np.random.RandomState(start.seed)
        evaluator = Silhouette(*shared) if edges is None else Dunn(*shared, *edges)
        search = Search(table, evaluator, limits, random, stop, start.root)
        if start.greedy:
            search.grow()
        search.improve()
        return search

    pool = ThreadPoolExecutor(min(threads, len(tries)))
    try:
        waiting = [pool.submit(run, start) for start in tries]
        # Ties go to the first start.
        return max([future.result() for future in waiting], key=lambda search: search.value)
    finally:
        stop[0] = 1
        pool.shutdown(cancel_futures=True)


def as_repeats(weight: np.ndarray | None, n: int) -> np.ndarray:
    """Weights as numbers of rows: integers unchanged, others scaled to a mean of 1."""
    if weight is None:
        return np.ones(n)
    # Floats from 2^53 are always integers.
    if (weight >= 1).all() and (weight == np.floor(weight)).all() and weight.max() < 2**53:
        return weight
    # The sum of the weights themselves may overflow.
    relative = weight / weight.max()
    return relative / relative.mean()


def distinct_rows(X: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each distinct row with the sum of its weights, in lexicographic order."""
    # Turns -0.0 into 0.0.
    rows, which = np.unique(X + 0.0, axis=0, return_inverse=True)
    return rows, np.bincount(which.ravel(), weight)
