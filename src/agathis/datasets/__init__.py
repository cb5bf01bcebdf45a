"""Generators of small data sets.

``_synthetic`` has the synthetic data of the paper, ``_fcps`` the shapes of the Fundamental
Clustering Problems Suite.
"""

from agathis.datasets._fcps import (
    make_atom,
    make_chainlink,
    make_engytime,
    make_hepta,
    make_lsun,
    make_target,
    make_tetra,
    make_two_diamonds,
    make_wing_nut,
)
from agathis.datasets._synthetic import make_imm, make_rotated_gaussians

__all__ = [
    "make_atom",
    "make_chainlink",
    "make_engytime",
    "make_hepta",
    "make_imm",
    "make_lsun",
    "make_rotated_gaussians",
    "make_target",
    "make_tetra",
    "make_two_diamonds",
    "make_wing_nut",
]


def __dir__() -> list[str]:
    return __all__
