"""Short thresholds for a tree of encoded partitions, those that it would have in memory.

Encoded partitions remember the raw table they are made of (``Origin``). Once the tree is grown, the
columns that it asks for are read again, each partition tells how much room its rows leave to every
threshold, and the rooms of all are put together on the way. Rows do not move, and partitions that
were worked on since (``persist``, another column) are others: their thresholds stay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from dask.delayed import Delayed

from agathis._describe.described_tree import in_units
from agathis._describe.short_thresholds import RawThresholds, TreeRooms, to_shorten
from agathis._tables.encode import TableEncoder
from agathis._tables.frames import as_arrow
from agathis._trees.tree import Tree
from agathis.dask._cluster_rows import ClusterRows
from agathis.dask._waiting import computed, put_together

NAME = "_agathis_origin"


@dataclass(frozen=True)
class Origin:
    """The raw table that partitions of encoded rows are made of.

    Attributes
    ----------
    encoder : TableEncoder
    columns : callable
        Gives the partitions for names of columns; others may be in them.
    """

    encoder: TableEncoder
    columns: Callable[[list[str]], list[Any]]


class EncodedBlock(Delayed):
    """A delayed block in a list that remembers its origin: it is the block of that number."""

    __slots__ = ("_agathis_origin", "_number", "_of")

    def __init__(self, task: Delayed, origin: Origin, number: int, of: int) -> None:
        super().__init__(task.key, task.dask, layer=task.__dask_layers__()[0])
        for name, value in ((NAME, origin), ("_number", number), ("_of", of)):
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[type[Delayed], tuple[Any, ...]]:
        """Elsewhere it is any block."""
        return Delayed, (self.key, self.dask)


def remembering(X: Any, origin: Origin) -> Any:
    """The collection, a frame or a list of blocks, which knows its origin from now on."""
    if isinstance(X, list):
        return [EncodedBlock(block, origin, number, len(X)) for number, block in enumerate(X)]
    setattr(X, NAME, (origin, X._name))
    return X


def origin_of(X: Any) -> Origin | None:
    """The origin that a collection remembers; None where it was worked on since."""
    if isinstance(X, (list, tuple)):
        if not X or not all(isinstance(block, EncodedBlock) for block in X):
            return None
        origin = getattr(X[0], NAME)
        told = [(id(getattr(block, NAME)), block._number, block._of) for block in X]
        same = told == [(id(origin), number, len(X)) for number in range(len(X))]
        return origin if same else None
    origin, name = getattr(X, "__dict__", {}).get(NAME, (None, None))
    # A column may have been set in place.
    return origin if isinstance(origin, Origin) and X._name == name else None


def short_thresholds(tree: Tree, dataset: ClusterRows) -> tuple[Tree, RawThresholds]:
    """The tree with thresholds of as few digits, in raw units, as all rows allow.

    Sums of columns, which only a tree that growth was begun with may have, stay as they are.
    Nothing more is asked of the rows that workers hold afterwards.
    """
    origin, cluster = origin_of(dataset.X), dataset.cluster
    if origin is None:
        return tree, {}
    cluster.close()
    encoder = origin.encoder
    if not to_shorten(tree, encoder):
        return tree, {}
    import dask

    asked = {*tree.feature[~tree.is_leaf].tolist(), *tree.term_feature.tolist()}
    places = {s: p for s, p in encoder.places().items() if not asked.isdisjoint(p.tolist())}
    features = [encoder.feature_names_[place] for some in places.values() for place in some]
    long = in_units(tree, encoder).tree
    with cluster.client.as_current():
        told = [dask.delayed(one, traverse=False) for one in (tree, long, encoder, features)]
        found = [dask.delayed(_rooms)(block, *told) for block in origin.columns(list(places))]
        (rooms,) = computed([put_together(found, _within_all)], cluster.timeout)
    if not dataset.weighted and (rooms.n_rows != tree.n_node_samples)[tree.is_leaf].any():
        raise ValueError(
            "partitions of X were read again for short thresholds, and have changed. Partitions "
            "must be the same each time, without random numbers."
        )
    return rooms.short_thresholds(tree, long, encoder)


def _rooms(
    block: Any, tree: Tree, long: Tree, encoder: TableEncoder, features: Sequence[str]
) -> TreeRooms:
    """The rooms that the rows of a partition leave."""
    rows = encoder._features(as_arrow(block), features).within(*encoder.ends_)
    return TreeRooms.of(tree, long, encoder.scaler_, rows.X)


def _within_all(found: Sequence[TreeRooms]) -> TreeRooms:
    return reduce(TreeRooms.within, found)
