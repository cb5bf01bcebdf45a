"""ExKMC: more leaves than centres.

The centres stay where they are. A leaf costs what its rows are from the one centre that is best
for all of them; the leaf whose best cut takes most off the sum of these costs is cut, and each
side takes whichever centre is best for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agathis._checks.parameters import EXKMC_CONSTRAINTS
from agathis._core.centres.best_pair import best_pair
from agathis._core.centres.cuts import SHARE, CentreCuts
from agathis._growing.limits import leaf_limit
from agathis._trees.builder import TreeBuilder
from agathis.rivals._base import Drawn
from agathis.rivals._centred import CentreTree, Teacher, first_least
from agathis.rivals._imm import grow_imm


class ExKMC(CentreTree):
    """Trees of many leaves over the clusters of KMeans.

    Starts from the tree of :class:`IMM` and always cuts the leaf where that takes most off the
    surrogate cost: the sum of squared distances of the rows to their leaf's centre, the one of
    the fixed centres that makes it least.

    Parameters
    ----------
    n_clusters : int, default=8
        How many centres there are.
    centers : array-like of shape (n_clusters, n_features) or fitted estimator, default=None
        The centres, or an estimator with ``cluster_centers_``; ``None`` is KMeans.
    n_init : int or "auto", default=10
        Starts of KMeans.
    max_leaf_nodes : int, "auto" or None, default="auto"
        The maximum number of leaves, the ``max_leaves`` of the publication. "auto" is one leaf
        per cluster (at least two), which leaves it at IMM's tree; ``None`` is unlimited.
    base_tree : {"imm"} or None, default="imm"
        The tree to start from; ``None`` is the root alone.
    n_jobs : int, default=None
        Threads; ``None`` is all cores, -1 too. The tree does not depend on it.
    random_state : int, RandomState instance or None, default=None
        For KMeans.

    Attributes
    ----------
    tree_ : Tree
        The tree as arrays.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training row; always equal to ``predict`` of it.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        The teacher's centre of each cluster of the tree; not the mean of its rows.
    teacher_labels_ : ndarray of shape (n_samples,)
        The nearest centre of each training row, numbered as the tree's clusters; numbers from
        ``n_clusters_`` on are of centres that no leaf has.
    inertia_ : float
        The KMeans cost of the tree's clusters: their summed squared distances to their means.
    n_clusters_ : int
        How many clusters the tree has; fewer than ``n_clusters`` where a centre has no leaf.
    n_leaves_ : int
        Fewer than ``max_leaf_nodes`` where no cut takes anything off the cost.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the sum of all gains.
    raw_thresholds_ : dict
        Of rows that :class:`agathis.TableEncoder` made, for a feature and a threshold of the tree
        the short number of the table that it is the image of; else empty.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Where X has column names that are all strings.

    Notes
    -----
    Of equally good leaves the one that was made first is cut; of equally good cuts the one of
    the first feature is taken, and there the lowest; of equally good centres the first.

    References
    ----------
    N. Frost, M. Moshkovitz, C. Rashtchian, "ExKMC: Expanding explainable k-means clustering",
    2020.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from agathis.rivals import ExKMC
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

    def _draw(self, X: np.ndarray, weight: np.ndarray | None, threads: int) -> Drawn:
        most = leaf_limit(self.max_leaf_nodes, self.n_clusters)
        if self.base_tree == "imm" and most is not None and most < self.n_clusters:
            raise ValueError(
                f"max_leaf_nodes={most} is less than n_clusters={self.n_clusters}, the leaves of "
                "the IMM tree to start from; base_tree=None starts from the root."
            )
        return super()._draw(X, weight, threads)

    def _grow(
        self,
        X: np.ndarray,
        weight: np.ndarray,
        teacher: Teacher,
        random: np.random.RandomState,
        threads: int,
    ) -> TreeBuilder:
        sketch = TreeBuilder()
        cuts = CentreCuts(X, weight, teacher.centres, threads)
        leaves = [(0, 0)]
        if self.base_tree == "imm":
            leaves = grow_imm(sketch, cuts, teacher.labels)
        growth = _Growth(sketch, cuts, teacher)
        for leaf in leaves:
            growth.add(*leaf)
        most = leaf_limit(self.max_leaf_nodes, self.n_clusters)
        while (most is None or len(growth.leaves) < most) and growth.cut_best():
            pass
        return sketch


@dataclass(eq=False)
class _Leaf:
    """A leaf, and its best cut once that is known.

    ``total`` is what its rows cost with each centre; values that differ by no more than ``slack``
    differ by rounding.
    """

    node: int
    slot: int
    total: np.ndarray
    slack: float
    cut: tuple[float, int, float] | None = None
    searched: bool = False

    @property
    def drop(self) -> float:
        """What the best cut takes off the cost."""
        return 0.0 if self.cut is None else float(self.total.min()) - self.cut[0]


class _Growth:
    """Leaves that are cut, the one with the largest drop first."""

    def __init__(self, sketch: TreeBuilder, cuts: CentreCuts, teacher: Teacher) -> None:
        self.sketch, self.cuts = sketch, cuts
        self.n_centres = len(teacher.centres)
        distance = teacher.distance[:, : self.n_centres]
        nearest = distance.min(axis=1)
        # What each row costs with each centre beyond its nearest one, in columns that are padded.
        self.cost = np.zeros(teacher.distance.shape)
        self.cost[:, : self.n_centres] = cuts.weight[:, None] * (distance - nearest[:, None])
        self.least = cuts.weight * nearest
        self.leaves: list[_Leaf] = []

    def add(self, node: int, slot: int) -> None:
        """A new leaf takes the centre that costs least."""
        rows = self.cuts.samples(slot)
        total = self.cost[rows].sum(axis=0)[: self.n_centres]
        # Distances have the digits of their own size: those to the centres that come into
        # question, not those to centres far away.
        slack = SHARE * float(total.min() + self.least[rows].sum())
        self.sketch.cluster[node] = first_least(total, slack)
        self.leaves.append(_Leaf(node, slot, total, slack))

    def cut_best(self) -> bool:
        """Cut the leaf with the largest drop; whether there was one."""
        best = None
        for leaf in sorted(self.leaves, key=lambda leaf: leaf.node):
            if not leaf.searched:
                leaf.cut = best_pair(self.cuts, leaf.slot, self.cost, leaf.total, leaf.slack)
                leaf.searched = True
            if leaf.cut is None:
                continue
            if best is None or leaf.drop > best.drop + max(leaf.slack, best.slack):
                best = leaf
        if best is None or best.cut is None:
            return False
        _, feature, threshold = best.cut
        left, right = self.sketch.cut(best.node, feature, threshold)
        other = self.cuts.split(best.slot, feature, threshold)
        self.leaves.remove(best)
        self.add(left, best.slot)
        self.add(right, other)
        return True
