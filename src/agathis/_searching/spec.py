"""How far to look for a better tree, as a user asks for it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SearchSpec:
    """The search for a better tree than the greedy one.

    Attributes
    ----------
    search : {"greedy", "local", "optimal"}
    search_effort : float
        How long ``"local"`` searches, in units of the greedy tree's work.
    n_init : int or None
        Runs of KMeans whose clusters are made trees to begin with; ``None`` lets the effort say.
    split : {"axis", "pair"}
        Whether a node may split on a sum of two columns.
    """

    search: str = "greedy"
    search_effort: float = 1
    n_init: int | None = None
    split: str = "axis"
