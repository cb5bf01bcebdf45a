"""Baselines: other clustering trees, with the same ``Tree`` as Kauri."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agathis._utils.lazy import lazy

__all__ = ["ICOT", "IMM", "RDM", "ExKMC", "ExShallow", "KMeansTree"]

# Imported on first use, since each needs another part of scikit-learn.
_HOMES = {
    "ICOT": "agathis.baselines._icot",
    "IMM": "agathis.baselines._imm",
    "RDM": "agathis.baselines._rdm",
    "ExKMC": "agathis.baselines._exkmc",
    "ExShallow": "agathis.baselines._shallow",
    "KMeansTree": "agathis.baselines._kmeans_tree",
}

if TYPE_CHECKING:
    from agathis.baselines._exkmc import ExKMC
    from agathis.baselines._icot import ICOT
    from agathis.baselines._imm import IMM
    from agathis.baselines._kmeans_tree import KMeansTree
    from agathis.baselines._rdm import RDM
    from agathis.baselines._shallow import ExShallow

__getattr__, __dir__ = lazy(__name__, _HOMES)
