"""ICOT-style trees: every leaf is a cluster, and the tree is judged as a whole.

The flow of the fit: equal rows become one row of their weight, the distances between all rows
are computed, each start (``_starts``) moves to a local optimum (``_local_search``), and the best
of these is the tree. A start has its own seed and shares nothing with the others, so that the
number of threads does not matter.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils import check_random_state, gen_batches

from agathis._checks import data as checks
from agathis._checks.parameters import ICOT_CONSTRAINTS
from agathis._core.separation.criterion import Criterion
from agathis._core.separation.dunn import Dunn, spanning_tree
from agathis._core.separation.silhouette import Silhouette
from agathis._kernels.kernel import in_threads, rows_at_once
from agathis.rivals._base import Drawn, Rival
from agathis.rivals._icot_search import RankedRows, Search, SizeLimits
from agathis.rivals._icot_starts import Start, starts


class ICOT(Rival):
    """A tree whose leaves are well separated clusters, found by local search over whole trees.

    ICOT-style: made after the description of ICOT by Bertsimas, Orfanoudaki and Wiberg. The
    original program is closed and not used here, and its trees may be others.

    The search starts from several trees: in turn none (the first time the root alone, then a
    random tree), one that grows greedily by the criterion, and a classification tree of the
    labels of KMeans. It visits the nodes of a tree in random order and tries at each another cut
    with the same subtrees below it, its left or its right subtree in its place, and a leaf in its
    place; at a leaf it tries a cut. The best of these is made if it raises the criterion, until
    none at any node does. The best tree of all starts is taken.

    Parameters
    ----------
    n_clusters : int or None, default=8
        The most leaves, and so clusters, there may be; fewer are found where more do not help.
        ``None`` is as many as help.
    criterion : {"silhouette", "dunn"}, default="silhouette"
        What is maximised, with Euclidean distances.

        - ``"silhouette"``: the mean over rows of (b - a) / max(a, b), where a is the mean
          distance of a row to the others of its cluster and b the least mean distance to another
          cluster; 0 for a row alone in its cluster. As
          :func:`sklearn.metrics.silhouette_score`.
        - ``"dunn"``: the least distance between two rows of different clusters over the largest
          distance between two rows of one cluster. Infinite where the rows of each cluster are
          equal; weights do not matter to it.

        Both are 0 for a single cluster, so that rows are left together rather than badly parted.
    max_depth : int, default=5
        The most splits on the way to a leaf; ``None`` is no limit.
    min_samples_leaf : int or float, default=0.05
        The least samples of a leaf; a float is a share of all. Samples count by their weight,
        except that 1 limits nothing. Both criteria like to part a few far rows from all others,
        which the default forbids; it also means that there are at most 20 leaves. Where rows
        are drawn (see ``subsample``) the share of these is limited.
    n_init : int, default=20
        How many starts there are.
    max_candidates : int, default=None
        How many thresholds of a feature a search of a node looks at: those in the widest gaps
        between values. ``None`` is all of them.
    subsample : int, default=2_000
        The most rows from which the tree is grown: of more than these so many are drawn. Their
        distances are kept, 8 bytes for each pair, and time grows with their square.
    n_jobs : int, default=None
        Threads; ``None`` is all cores, -1 too. The tree does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the starts, the order of the nodes and the rows of ``subsample``.

    Attributes
    ----------
    tree_ : Tree
        The tree as arrays.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training row; always equal to ``predict`` of it.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        The mean of each cluster.
    criterion_value_ : float
        The criterion of the clusters, on the rows from which the tree was grown.
    n_iter_ : int
        How many moves led from its start to the tree.
    inertia_ : float
        The KMeans cost of the clusters: their summed squared distances to the means.
    n_clusters_ : int
        How many clusters were found.
    n_leaves_ : int
        The same.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in what the cuts take off the sum of squares.
    raw_thresholds_ : dict
        Of rows that :class:`agathis.TableEncoder` made, for a feature and a threshold of the tree
        the short number of the table that it is the image of; else empty.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only where X has column names that are all strings.

    Notes
    -----
    A silhouette needs to know how many others a row has in its cluster: weights that are all
    whole numbers are so many rows each, and any others are scaled so that their mean is 1.

    References
    ----------
    Dimitris Bertsimas, Agni Orfanoudaki, Holly Wiberg. "Interpretable clustering: an
    optimization approach", Machine Learning 110, 2021.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from agathis.rivals import ICOT
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

    def _draw(self, X: np.ndarray, weight: np.ndarray | None, threads: int) -> Drawn:
        random = check_random_state(self.random_state)
        given, weight = weight, as_repeats(weight, len(X))
        total = len(X) if given is None else given.sum()
        least = checks.least_weight(self.min_samples_leaf, total, 1) * (weight.sum() / total)
        if len(X) > self.subsample:
            drawn = np.sort(random.choice(len(X), self.subsample, replace=False))
            least *= weight[drawn].sum() / weight.sum()
            X, weight = X[drawn], weight[drawn]
        rows, weight = distinct_rows(X, weight)
        n = len(rows)
        limits = SizeLimits(
            max_leaves=n if self.n_clusters is None else min(n, self.n_clusters),
            max_depth=n if self.max_depth is None else self.max_depth,
            least=least,
            max_candidates=self.max_candidates,
        )
        table = RankedRows.of(rows, weight)
        distance = distances(rows, threads)
        seeds = random.randint(np.iinfo(np.int32).max, size=self.n_init)
        tries = starts(table, limits, seeds)
        best = self._best(table, distance, limits, tries, threads)
        found: dict[str, Any] = {
            "criterion_value_": float(best.value),
            "n_iter_": len(best.values) - 1,
        }
        return table.sketch(best.root), found

    def _best(
        self,
        table: RankedRows,
        distance: np.ndarray,
        limits: SizeLimits,
        tries: list[Start],
        threads: int,
    ) -> Search:
        """The first of the best searches.

        They are in threads, also where there is but one, because this one hears an interrupt.
        """
        stop = np.zeros(1, dtype=np.uint8)
        make = self._criterion(table, distance, limits, stop)

        def run(start: Start) -> Search:
            random = np.random.RandomState(start.seed)
            search = Search(table, make(), limits, random, stop, start.root)
            if start.greedy:
                search.grow()
            search.improve()
            return search

        pool = ThreadPoolExecutor(min(threads, len(tries)))
        try:
            waiting = [pool.submit(run, start) for start in tries]
            # The first of equal ones.
            return max([future.result() for future in waiting], key=lambda search: search.value)
        finally:
            stop[0] = 1
            pool.shutdown(cancel_futures=True)

    def _criterion(
        self, table: RankedRows, distance: np.ndarray, limits: SizeLimits, stop: np.ndarray
    ) -> Callable[[], Criterion]:
        """What makes the criterion of one search."""
        shared = distance, table.weight, limits.least, stop
        if self.criterion == "silhouette":
            return lambda: Silhouette(*shared)
        edges = spanning_tree(distance)
        return lambda: Dunn(*shared, *edges)


def as_repeats(weight: np.ndarray | None, n: int) -> np.ndarray:
    """Weights as numbers of rows: whole ones as they are, others with a mean of 1."""
    if weight is None:
        return np.ones(n)
    # Floats from 2^53 on are whole whatever they mean.
    if (weight >= 1).all() and (weight == np.floor(weight)).all() and weight.max() < 2**53:
        return weight
    # Not the mean of the weights themselves, whose sum may overflow.
    share = weight / weight.max()
    return share / share.mean()


def distinct_rows(X: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each row once, in an order that depends on nothing else, and the weight of its repeats."""
    # Minus zero is zero, and must not stand before it.
    rows, which = np.unique(X + 0.0, axis=0, return_inverse=True)
    return rows, np.bincount(which.ravel(), weight)


def distances(X: np.ndarray, threads: int) -> np.ndarray:
    """Euclidean distances between all rows."""
    n = len(X)
    try:
        out = np.empty((n, n))
    except (MemoryError, ValueError) as error:
        raise MemoryError(
            f"The distances between {n:,} rows take {8 * n * n / 2**30:.1f} GiB: use a smaller "
            "subsample."
        ) from error
    batches = gen_batches(n, rows_at_once(n, X.shape[1]))
    for rows, values in in_threads(lambda rows: cdist(X[rows], X), batches, threads):
        out[rows] = values
    if not np.isfinite(out.max()):
        raise ValueError(
            "X has values so large that the distances between its rows are infinite; the largest "
            f"is {np.abs(X).max():.6g}. Scale it, for example with "
            "sklearn.preprocessing.MinMaxScaler."
        )
    return out
