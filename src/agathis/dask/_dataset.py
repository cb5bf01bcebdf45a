"""The dataset of a fit on a cluster: statistics, samples, and sums of leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from agathis._checks import data as checks
from agathis._checks.kernels import kernel_of
from agathis._checks.roles import FeatureRoles
from agathis._dataset.features import Features
from agathis._dataset.fit_input import roles_for
from agathis._dataset.fixed_point import Seen
from agathis._dataset.parts import Answer, LeafSums, Question, Report, added
from agathis._dataset.protocol import sampled_positions
from agathis._dataset.row_stores import Plan
from agathis._dataset.splits import AppliedSplit
from agathis._kernels.kernel import Kernel
from agathis._trees.tree import Tree
from agathis.dask._actors import Cluster
from agathis.dask._partitions import mapped
from agathis.dask._prediction import LabelsOfTree
from agathis.dask._sampling import by_block
from agathis.dask._worker import PartitionFacts


@dataclass(frozen=True)
class Survey:
    """Statistics of all rows: counts by partition, the total weight and missing values.

    ``roles`` are those of encoded rows, ``names`` the column names if all are strings.
    """

    n_rows: list[int]
    n_features: int
    missing: np.ndarray
    total: Fraction | None
    roles: FeatureRoles | None = None
    names: list[str] | None = None

    @property
    def n(self) -> int:
        return sum(self.n_rows)


def survey(cluster: Cluster, n_features: int | None) -> Survey:
    """Collect the statistics of all partitions; raise ValueError for invalid ones."""
    first: dict[int, PartitionFacts] = {}

    def unchanged(all_parts: list[PartitionFacts]) -> None:
        for part in all_parts:
            known = first[part.number]
            same = part.n_rows == known.n_rows and part.weight == known.weight
            same = same and part.names == known.names
            if not same or part.missing.tolist() != known.missing.tolist():
                raise changed(part.number)

    for all_parts in cluster.ask("inspect", remember=True, check=unchanged):
        first.update({part.number: part for part in all_parts})
    facts = [first[number] for number in sorted(first)]
    for part in facts:
        if part.fault is not None:
            raise ValueError(f"X, partition {part.number}: {part.fault}")
    width = n_features or max(part.n_features for part in facts)
    for part in facts:
        if part.n_features != width and part.n_rows:
            raise ValueError(
                f"X, partition {part.number}: it has {part.n_features} columns, and others {width}."
            )
    names = _same_names([part for part in facts if part.n_rows])
    if len({part.wide for part in facts if part.n_rows}) > 1:
        cluster.ask("widen", remember=True)
    if sum(part.n_rows for part in facts) == 0:
        raise ValueError("X has no rows; at least one is needed.")
    total = None
    if any(part.n_weighted for part in facts):
        smallest = min(part.least for part in facts if part.n_rows)
        if smallest < 0:
            raise ValueError(
                f"sample_weight must not be negative; its smallest value is {smallest:.6g}."
            )
        total = sum((part.weight for part in facts), Fraction(0))
        if total == 0:
            raise ValueError("sample_weight is zero for every row; at least one must be positive.")
    missing = sum(part.missing for part in facts if part.n_rows)
    return Survey(
        [part.n_rows for part in facts],
        width,
        np.asarray(missing),
        total,
        _same_roles([part for part in facts if part.n_rows]),
        names,
    )


def _same_names(facts: list[PartitionFacts]) -> list[str] | None:
    """The column names if all are strings; raise ValueError if partitions differ."""
    if not facts:
        return None
    first = facts[0]
    for part in facts[1:]:
        if part.names != first.names:
            raise ValueError(
                f"X, partition {part.number}: it {_names_message(part.names)}, and partition "
                f"{first.number} {_names_message(first.names)}; all must have the same, in the "
                "same order."
            )
    names = first.names
    return names if names is not None and all(isinstance(name, str) for name in names) else None


def _names_message(names: list[Any] | None) -> str:
    return "has columns without names" if names is None else f"has the columns {names}"


def _same_roles(facts: list[PartitionFacts]) -> FeatureRoles | None:
    encoded = [part for part in facts if part.roles is not None]
    if encoded and len(encoded) < len(facts):
        other = next(part.number for part in facts if part.roles is None)
        raise ValueError(
            f"X, partition {other}: its rows are not encoded by the same encoder as those of "
            f"partition {encoded[0].number}."
        )
    return encoded[0].roles if encoded else None


def changed(number: int) -> RuntimeError:
    return RuntimeError(
        f"partition {number} of X was read again after its worker was lost, and has changed: the "
        "fit cannot go on. Partitions must be the same each time, without random numbers."
    )


@dataclass(frozen=True, eq=False)
class ClusterRows:
    """The dataset of a fit on a cluster.

    Attributes
    ----------
    cluster : Cluster
    X : collection of Dask
    features : Features
    kernel : Kernel
    counted : list of int
        The number of rows of positive weight of each partition.
    total_weight : float
    weighted : bool
    fill : ndarray or None
    threads : int
        The number of threads of this process.
    names : list of str or None
        The columns of frames.
    """

    cluster: Cluster
    X: Any
    features: Features
    kernel: Kernel
    counted: list[int]
    total_weight: float
    weighted: bool
    fill: np.ndarray | None
    threads: int
    names: list[str] | None

    @property
    def n_counted(self) -> int:
        return sum(self.counted)

    @property
    def n_rows(self) -> int:
        """The number of rows of positive weight, as a holder of partitions."""
        return self.n_counted

    def labels(self, tree: Tree) -> Any:
        return mapped(self.X, LabelsOfTree(tree, self.names), None)

    def sample(
        self, most: int, random_state: np.random.RandomState
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Sample the same rows by position as a fit in memory."""
        positions = sampled_positions(self.n_counted, most, random_state)
        parts = enumerate(by_block(positions, self.counted))
        positions_of = {number: part for number, part in parts if len(part)}
        rows_of: dict[int, tuple[np.ndarray, Any]] = {}
        for answer in self.cluster.ask("rows", positions_of):
            rows_of.update(answer)
        rows = np.concatenate([rows_of[number][0] for number in sorted(rows_of)])
        if not self.weighted:
            return rows, None
        return rows, np.concatenate([rows_of[number][1] for number in sorted(rows_of)])

    def holder(self, plan: Plan) -> ClusterRows:
        self.cluster.ask("prepare", plan, self.weighted, remember=True)
        return self

    # The interface of ``Holder``.

    def sums(
        self,
        cuts: Sequence[AppliedSplit],
        leaf_index: int,
        leaf_sums: LeafSums,
        squares: bool,
        report: Report,
    ) -> None:
        if squares:
            return self._root(leaf_sums, report)
        answers = self.cluster.ask("sums", list(cuts), leaf_index, summed=True)
        for answer in answers:
            leaf_sums.put(answer)
        report(len(answers), len(answers))
        return None

    def _root(self, leaf_sums: LeafSums, report: Report) -> None:
        needs: dict[int, Seen] = {}

        def unchanged(answer: Any) -> None:
            for number, seen in answer[1].items():
                known = needs[number]
                if seen.lengths != known.lengths or seen.squares != known.squares:
                    raise changed(number)

        grid = leaf_sums.bins.grid
        for sums, seen in self.cluster.ask(
            "root", grid, remember=True, check=unchanged, summed=True
        ):
            needs.update(seen)
            leaf_sums.put(sums)
        leaf_sums.seen = added(needs[number] for number in sorted(needs))
        report(self.n_rows, self.n_rows)

    def size(self, cuts: Sequence[AppliedSplit], leaf_index: int) -> int:
        return sum(self.cluster.ask("size", list(cuts), leaf_index))

    def ask(self, cuts: Sequence[AppliedSplit], leaf_index: int, question: Question) -> Answer:
        return added(self.cluster.ask("ask", list(cuts), leaf_index, question))


def dataset_on(
    cluster: Cluster, estimator: BaseEstimator, X: Any, n_features: int | None
) -> ClusterRows:
    """The dataset of a fit, from the partitions loaded on a cluster.

    Sets ``n_features_in_`` and ``feature_names_in_`` of the estimator.
    """
    facts = survey(cluster, n_features)
    estimator.n_features_in_ = facts.n_features
    # Encoded rows have no feature names, as in memory.
    names = facts.names if facts.roles is None else None
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    else:
        vars(estimator).pop("feature_names_in_", None)
    counted = counted_rows(cluster, facts, estimator.n_clusters)
    roles = roles_for(estimator, facts)
    on = on_in_all(cluster, roles.groups, facts.names) if roles.groups else None
    kernel = kernel_of(estimator, roles.kernel_columns)
    cluster.ask("check_domain", kernel)
    fill = None
    if facts.missing.any():
        totals = [answer for answer in cluster.ask("totals") if answer is not None]
        fill = checks.means_of_totals(sum(totals[1:], totals[0]))
    return ClusterRows(
        cluster=cluster,
        X=X,
        features=Features(roles, on),
        kernel=kernel,
        counted=counted,
        total_weight=float(facts.n if facts.total is None else facts.total),
        weighted=facts.total is not None,
        fill=fill,
        threads=checks.n_threads(estimator.n_jobs),
        names=names,
    )


def counted_rows(cluster: Cluster, facts: Survey, n_clusters: int) -> list[int]:
    """The number of rows of positive weight of each partition."""
    threshold = None if facts.total is None else checks.NEGLIGIBLE * float(facts.total)
    counts: dict[int, int] = {}
    for answer in cluster.ask("count", threshold, remember=True):
        counts.update(dict(answer))
    counted = [counts[number] for number in sorted(counts)]
    total = float(facts.n if facts.total is None else facts.total)
    checks.check_enough(facts.n, sum(counted), total, n_clusters)
    return counted


def on_in_all(cluster: Cluster, groups: Sequence[np.ndarray], names: Any) -> np.ndarray:
    """The nonzero value of the columns of each group; raise ValueError if partitions differ."""
    values_of = [pair for answer in cluster.ask("on", list(groups), names) for pair in answer]
    # Blocks without nonzero values in a group return 1.
    values = np.array([on for _, on in sorted(values_of, key=lambda pair: pair[0])])
    out = np.ones(values.shape[1])
    for group, column in enumerate(values.T):
        other = np.unique(column[column != 1.0])
        if len(other) > 1 or (len(other) == 1 and (column == 1.0).any()):
            raise ValueError(
                f"one_hot, group {group}: partitions of X have {np.unique(column).tolist()} as "
                "nonzero values of the columns; all must have the same positive value."
            )
        if len(other):
            out[group] = other[0]
    return out
