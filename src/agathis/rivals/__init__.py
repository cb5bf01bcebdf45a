"""The other clustering trees: what Kauri is compared with, on the same ``Tree``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agathis._lazy import lazy

__all__ = ["ICOT", "IMM", "RDM", "ExKMC", "ExShallow", "KMeansTree"]

# Imported when first asked for: each needs its own part of scikit-learn.
_HOMES = {
    "ICOT": "agathis.rivals.icot",
    "IMM": "agathis.rivals.imm",
    "RDM": "agathis.rivals.rdm",
    "ExKMC": "agathis.rivals.exkmc",
    "ExShallow": "agathis.rivals.shallow",
    "KMeansTree": "agathis.rivals.kmeans_tree",
}

if TYPE_CHECKING:
    from agathis.rivals.exkmc import ExKMC
    from agathis.rivals.icot import ICOT
    from agathis.rivals.imm import IMM
    from agathis.rivals.kmeans_tree import KMeansTree
    from agathis.rivals.rdm import RDM
    from agathis.rivals.shallow import ExShallow

__getattr__, __dir__ = lazy(__name__, _HOMES)
