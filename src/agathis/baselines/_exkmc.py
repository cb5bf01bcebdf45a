"""ExKMC: more leaves than centres.

The centres are fixed. The surrogate cost of a leaf is the sum of squared distances of its rows to
the centre that is best for all of them. The leaf whose best split lowers the total cost most is
split next, and each child takes the centre that is best for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agathis._checks.parameters import EXKMC_CONSTRAINTS
from agathis._core.centres.best_pair import best_pair
from agathis._core.centres.splits import SHARE, CentreSplits
from agathis._fit.baseline import BuiltTree, CountedRows
from agathis._model.spec import FitSpec
from agathis._trees.builder import TreeBuilder
from agathis.baselines._base import CentreTree
from agathis.baselines._imm import grow_imm
from agathis.baselines._reference import ReferenceClustering, first_minimum


class ExKMC(CentreTree):
    """Trees of many leaves over the clusters of KMeans.

    Starts from the tree of :class:`IMM` and repeatedly splits the leaf that lowers the surrogate
    cost most: the sum of squared distances of the rows to the centre of their leaf, which is the
    best of the fixed centres.

    Parameters
    ----------
    n_clusters : int, default=8
        The number of centres.
    centers : array-like of shape (n_clusters, n_features) or fitted estimator, default=None
        The centres, or an estimator with ``cluster_centers_``. If None, KMeans is run.
    n_init : int or "auto", default=10
        The number of initialisations of KMeans.
    max_leaf_nodes : int, "auto" or None, default="auto"
        The maximum number of leaves, the ``max_leaves`` of the publication. "auto" is one leaf
        per cluster (at least two), which is IMM's tree; None is unlimited.
    base_tree : {"imm"} or None, default="imm"
        The tree to start from; None is a single leaf.
    n_jobs : int, default=None
        The number of threads; None and -1 use all cores. The tree does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of KMeans.

    Attributes
    ----------
    tree_ : Tree
        The fitted tree.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training row, equal to ``predict(X)``.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        The centre that each cluster comes from, which is not the mean of its rows.
    teacher_labels_ : ndarray of shape (n_samples,)
        The nearest centre of each training row, numbered as the tree's clusters. Centres
        without a leaf have numbers from ``n_clusters_``, rows of weight 0 have -1.
    inertia_ : float
        The KMeans cost: the sum of squared distances of rows to the mean of their cluster.
    n_clusters_ : int
        The number of clusters; less than ``n_clusters`` if some centres have no leaf.
    n_leaves_ : int
        The number of leaves; less than ``max_leaf_nodes`` if no split lowers the cost.
    feature_importances_ : ndarray of shape (n_features,)
        The fraction of the total gain due to each feature.
    raw_thresholds_ : dict
        Maps (feature, threshold) to the threshold in original units. Empty unless ``X`` came
        from :class:`agathis.TableEncoder`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Defined only when ``X`` has feature names that are all strings.

    Notes
    -----
    Ties are broken by the leaf created first, the first feature, the lowest threshold and the
    first centre.

    References
    ----------
    N. Frost, M. Moshkovitz, C. Rashtchian, "ExKMC: Expanding explainable k-means clustering",
    2020.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from agathis.baselines import ExKMC
    >>> model = ExKMC(3, max_leaf_nodes=5, random_state=0).fit(load_iris().data)
    >>> model.n_leaves_, model.n_clusters_
    (5, 3)
    """

    _parameter_constraints: ClassVar[dict] = EXKMC_CONSTRAINTS

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        centers: object = None,
        n_init: int | str = 10,
        max_leaf_nodes: int | str | None = "auto",
        base_tree: str | None = "imm",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(
            n_clusters, centers=centers, n_init=n_init, n_jobs=n_jobs, random_state=random_state
        )
        self.max_leaf_nodes = max_leaf_nodes
        self.base_tree = base_tree

    @staticmethod
    def _build_tree(rows: CountedRows, spec: FitSpec) -> BuiltTree:
        """Grow the tree of a spec."""
        max_leaves, base_tree = spec.max_leaves, spec.options["base_tree"]
        reference, builder = ReferenceClustering.of(rows, spec), TreeBuilder()
        if base_tree == "imm" and max_leaves is not None and max_leaves < (spec.n_clusters or 0):
            raise ValueError(
                f"max_leaf_nodes={max_leaves} is less than n_clusters={spec.n_clusters}, the "
                "number of leaves of the IMM tree to start from; base_tree=None starts from a "
                "single leaf."
            )
        splits = CentreSplits(rows.X, reference.weight, reference.centres, rows.threads)
        leaves = [(0, 0)]
        if base_tree == "imm":
            leaves = grow_imm(builder, splits, reference.labels)
        growth = _Growth(builder, splits, reference)
        for leaf in leaves:
            growth.add(*leaf)
        while (max_leaves is None or len(growth.leaves) < max_leaves) and growth.split_best():
            pass
        return reference.built(builder)


@dataclass(eq=False)
class _Leaf:
    """A leaf, and its best split once that was searched.

    ``total`` is the cost of its rows with each centre; values that differ by at most ``slack`` are
    equal up to rounding.
    """

    node: int
    leaf_index: int
    total: np.ndarray
    slack: float
    best_split: tuple[float, int, float] | None = None
    searched: bool = False

    @property
    def drop(self) -> float:
        """The decrease of the cost by the best split."""
        return 0.0 if self.best_split is None else float(self.total.min()) - self.best_split[0]


class _Growth:
    """The leaves; the one with the largest decrease of the cost is split first."""

    def __init__(
        self, builder: TreeBuilder, splits: CentreSplits, reference: ReferenceClustering
    ) -> None:
        self.builder, self.splits = builder, splits
        self.n_centres = len(reference.centres)
        distance = reference.distance[:, : self.n_centres]
        nearest = distance.min(axis=1)
        # What each row costs with each centre beyond its nearest one, in columns that are padded.
        self.cost = np.zeros(reference.distance.shape)
        self.cost[:, : self.n_centres] = splits.weight[:, None] * (distance - nearest[:, None])
        self.nearest_cost = splits.weight * nearest
        self.leaves: list[_Leaf] = []

    def add(self, node: int, leaf_index: int) -> None:
        """Add a leaf with the centre that has the lowest cost."""
        rows = self.splits.samples(leaf_index)
        total = self.cost[rows].sum(axis=0)[: self.n_centres]
        # Rounding is relative to the distances to near centres, not to centres far away.
        slack = SHARE * float(total.min() + self.nearest_cost[rows].sum())
        self.builder.cluster[node] = first_minimum(total, slack)
        self.leaves.append(_Leaf(node, leaf_index, total, slack))

    def split_best(self) -> bool:
        """Split the leaf with the largest decrease; False if no split lowers the cost."""
        best = None
        for leaf in sorted(self.leaves, key=lambda leaf: leaf.node):
            if not leaf.searched:
                leaf.best_split = best_pair(
                    self.splits, leaf.leaf_index, self.cost, leaf.total, leaf.slack
                )
                leaf.searched = True
            if leaf.best_split is None:
                continue
            if best is None or leaf.drop > best.drop + max(leaf.slack, best.slack):
                best = leaf
        if best is None or best.best_split is None:
            return False
        _, feature, threshold = best.best_split
        left, right = self.builder.cut(best.node, feature, threshold)
        other = self.splits.split(best.leaf_index, feature, threshold)
        self.leaves.remove(best)
        self.add(left, best.leaf_index)
        self.add(right, other)
        return True
