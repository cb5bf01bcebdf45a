"""Short thresholds for trees of encoded partitions, the same as in memory.

Encoded partitions store a reference to their raw table (``Origin``). After growth the columns used
by the tree are read again, each partition computes the interval of equivalent values of every
threshold, and the intervals are intersected. Partitions that were modified since (``persist``,
another column) have no origin, and their thresholds are not shortened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from dask.delayed import Delayed

from agathis._columns.frames import as_arrow
from agathis._encoding.table_encoder import TableEncoder
from agathis._rules.described_tree import in_units
from agathis._rules.short_thresholds import RawThresholds, ThresholdIntervals, to_shorten
from agathis._trees.tree import Tree
from agathis.dask._dataset import ClusterRows
from agathis.dask._timeouts import computed, tree_reduced

NAME = "_agathis_origin"


@dataclass(frozen=True)
class Origin:
    """The raw table of encoded partitions.

    Attributes
    ----------
    encoder : TableEncoder
    columns : callable
        Returns the partitions with at least these columns.
    """

    encoder: TableEncoder
    columns: Callable[[list[str]], list[Any]]


class EncodedBlock(Delayed):
    """A delayed block of a list, with its origin and its index."""

    __slots__ = ("_agathis_origin", "_number", "_of")

    def __init__(self, task: Delayed, origin: Origin, number: int, of: int) -> None:
        super().__init__(task.key, task.dask, layer=task.__dask_layers__()[0])
        for name, value in ((NAME, origin), ("_number", number), ("_of", of)):
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[type[Delayed], tuple[Any, ...]]:
        """Without the origin, for other processes."""
        return Delayed, (self.key, self.dask)


def with_origin(X: Any, origin: Origin) -> Any:
    """Attach an origin to a collection, a frame or a list of blocks."""
    if isinstance(X, list):
        return [EncodedBlock(block, origin, number, len(X)) for number, block in enumerate(X)]
    setattr(X, NAME, (origin, X._name))
    return X


def origin_of(X: Any) -> Origin | None:
    """The origin of a collection; None if it was modified since."""
    if isinstance(X, (list, tuple)):
        if not X or not all(isinstance(block, EncodedBlock) for block in X):
            return None
        origin = getattr(X[0], NAME)
        marks = [(id(getattr(block, NAME)), block._number, block._of) for block in X]
        same = marks == [(id(origin), number, len(X)) for number in range(len(X))]
        return origin if same else None
    origin, name = getattr(X, "__dict__", {}).get(NAME, (None, None))
    # A column may have been set in place.
    return origin if isinstance(origin, Origin) and X._name == name else None


def short_thresholds(tree: Tree, dataset: ClusterRows) -> tuple[Tree, RawThresholds]:
    """Round the thresholds to as few digits, in original units, as all rows allow.

    Splits on sums of columns, which only occur in ``start``, are unchanged. The cluster is closed.
    """
    origin, cluster = origin_of(dataset.X), dataset.cluster
    if origin is None:
        return tree, {}
    cluster.close()
    encoder = origin.encoder
    if not to_shorten(tree, encoder):
        return tree, {}
    import dask

    used = {*tree.feature[~tree.is_leaf].tolist(), *tree.term_feature.tolist()}
    columns_of = {s: p for s, p in encoder.places().items() if not used.isdisjoint(p.tolist())}
    features = [encoder.feature_names_[column] for some in columns_of.values() for column in some]
    long = in_units(tree, encoder).tree
    with cluster.client.as_current():
        shared = [dask.delayed(one, traverse=False) for one in (tree, long, encoder, features)]
        tasks = [
            dask.delayed(_intervals)(block, *shared) for block in origin.columns(list(columns_of))
        ]
        (intervals,) = computed([tree_reduced(tasks, _within_all)], cluster.timeout)
    if not dataset.weighted and (intervals.n_rows != tree.n_node_samples)[tree.is_leaf].any():
        raise ValueError(
            "partitions of X were read again for short thresholds, and have changed. Partitions "
            "must be the same each time, without random numbers."
        )
    return intervals.short_thresholds(tree, long, encoder)


def _intervals(
    block: Any, tree: Tree, long: Tree, encoder: TableEncoder, features: Sequence[str]
) -> ThresholdIntervals:
    """The intervals of equivalent thresholds for the rows of a partition."""
    rows = encoder._features(as_arrow(block), features).within(*encoder.ends_)
    return ThresholdIntervals.of(tree, long, encoder.scaler_, rows.X)


def _within_all(intervals: Sequence[ThresholdIntervals]) -> ThresholdIntervals:
    return reduce(ThresholdIntervals.within, intervals)
