"""Baselines: other clustering trees, with the same ``Tree`` as Kauri."""

from agathis.baselines._exkmc import ExKMC
from agathis.baselines._icot import ICOT
from agathis.baselines._imm import IMM
from agathis.baselines._kmeans_tree import KMeansTree
from agathis.baselines._rdm import RDM
from agathis.baselines._shallow import ExShallow

__all__ = ["ICOT", "IMM", "RDM", "ExKMC", "ExShallow", "KMeansTree"]


def __dir__() -> list[str]:
    return __all__
