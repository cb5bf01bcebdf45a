"""Search parameters."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SearchSpec:
    """The parameters of the search for a better tree than the greedy one.

    Attributes
    ----------
    search : {"greedy", "local", "optimal"}
    search_effort : float
        The work budget of ``"local"``, relative to the greedy tree.
    n_init : int or None
        The number of KMeans runs from which initial trees are built. If None, it follows from
        ``search_effort``.
    split : {"axis", "pair"}
        Whether a node may split on a sum of two columns.
    """

    search: str = "greedy"
    search_effort: float = 1
    n_init: int | None = None
    split: str = "axis"
