"""Names of the searches, see the parameter ``search`` of :class:`agathis.Kauri`.

They are implemented in :mod:`agathis._search.tree_search`.
"""

from __future__ import annotations

SEARCHES = ("greedy", "local", "optimal")
