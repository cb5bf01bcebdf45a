"""Generators of small data sets.

``_synthetic`` has the synthetic data of the paper, ``_fcps`` the shapes of the Fundamental
Clustering Problems Suite.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agathis._utils.lazy import lazy

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

# Imported on first use.
_HOMES = {
    "make_atom": "agathis.datasets._fcps",
    "make_chainlink": "agathis.datasets._fcps",
    "make_engytime": "agathis.datasets._fcps",
    "make_hepta": "agathis.datasets._fcps",
    "make_imm": "agathis.datasets._synthetic",
    "make_lsun": "agathis.datasets._fcps",
    "make_rotated_gaussians": "agathis.datasets._synthetic",
    "make_target": "agathis.datasets._fcps",
    "make_tetra": "agathis.datasets._fcps",
    "make_two_diamonds": "agathis.datasets._fcps",
    "make_wing_nut": "agathis.datasets._fcps",
}

if TYPE_CHECKING:
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

__getattr__, __dir__ = lazy(__name__, _HOMES)
