"""How far Kauri looks for a better tree: the one list of searches.

Each is described at the parameter ``search`` of :class:`agathis.Kauri`; what it does is in
:mod:`agathis._searching.fitting`.
"""

from __future__ import annotations

SEARCHES = ("greedy", "local", "optimal")
