"""Baselines: other clustering trees, with the same ``Tree`` as Kauri."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agathis._support.lazy import lazy

__all__ = ["ICOT", "IMM", "RDM", "ExKMC", "ExShallow", "KMeansTree"]

# Imported on first use, since each needs another part of scikit-learn.
_HOMES = {
    "ICOT": "agathis.rivals._icot",
    "IMM": "agathis.rivals._imm",
    "RDM": "agathis.rivals._rdm",
    "ExKMC": "agathis.rivals._exkmc",
    "ExShallow": "agathis.rivals._shallow",
    "KMeansTree": "agathis.rivals._kmeans_tree",
}

if TYPE_CHECKING:
    from agathis.rivals._exkmc import ExKMC
    from agathis.rivals._icot import ICOT
    from agathis.rivals._imm import IMM
    from agathis.rivals._kmeans_tree import KMeansTree
    from agathis.rivals._rdm import RDM
    from agathis.rivals._shallow import ExShallow

__getattr__, __dir__ = lazy(__name__, _HOMES)
