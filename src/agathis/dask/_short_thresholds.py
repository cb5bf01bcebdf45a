"""Short thresholds for a tree of encoded partitions, those that it would have in memory.

Encoded partitions remember the raw table they are made of (``Origin``). Once the tree is grown, the
columns that it asks for are read again, each partition tells how much room its rows leave to every
threshold, and the rooms of all are put together on the way. Rows do not move, and partitions that
were worked on since (``persist``, another column) remember nothing: their thresholds stay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeVar

import numpy as np

from agathis._describe.short_thresholds import RawThresholds, TreeRooms
from agathis._tables.encode import TableEncoder
from agathis._tables.frames import as_arrow
from agathis._trees.tree import Tree
from agathis.dask._waiting import computed

NAME = "_agathis_origin"
#: Partitions whose rooms are put together at a time.
AT_ONCE = 8
Collection = TypeVar("Collection")


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


class EncodedBlocks(list[Any]):
    """A list of delayed blocks, which may remember where they come from."""


def remembering(X: Collection, origin: Origin) -> Collection:
    """The collection, which knows its origin from now on."""
    setattr(X, NAME, origin)
    return X


def short_thresholds(
    tree: Tree, X: object, client: Any, timeout: float
) -> tuple[Tree, RawThresholds]:
    """The tree with thresholds of as few digits, in raw units, as all rows allow.

    Parameters
    ----------
    tree : Tree
    X : collection of Dask
        Where it has no origin nothing is done.
    client : distributed.Client
    timeout : float
        Seconds that the scheduler may take for an answer.
    """
    origin = getattr(X, "__dict__", {}).get(NAME)
    if not isinstance(origin, Origin) or tree.node_count == 1:
        return tree, {}
    import dask

    encoder, asked = origin.encoder, _asked(tree)
    places = {s: p for s, p in encoder.places().items() if not asked.isdisjoint(p.tolist())}
    features = [encoder.feature_names_[place] for some in places.values() for place in some]
    with client.as_current():
        told = [dask.delayed(one, traverse=False) for one in (tree, encoder, features)]
        found = [dask.delayed(_rooms)(block, *told) for block in origin.columns(list(places))]
        while len(found) > 1:
            groups = [found[i : i + AT_ONCE] for i in range(0, len(found), AT_ONCE)]
            found = [dask.delayed(_within_all)(group) for group in groups]
        (rooms,) = computed(found, timeout)
    return rooms.short_thresholds(tree, encoder)


def _asked(tree: Tree) -> set[int]:
    """The features that any node asks for."""
    inner = np.flatnonzero(~tree.is_leaf).tolist()
    alone = {int(tree.feature[node]) for node in inner if not tree.terms(node)}
    return alone | {feature for node in inner for feature, _ in tree.terms(node)}


def _rooms(block: Any, tree: Tree, encoder: TableEncoder, features: Sequence[str]) -> TreeRooms:
    """The rooms that the rows of a partition leave."""
    rows = encoder._features(as_arrow(block), features).within(*encoder.ends_)
    return TreeRooms.of(tree, encoder, rows.X)


def _within_all(found: Sequence[TreeRooms]) -> TreeRooms:
    return reduce(TreeRooms.within, found)
