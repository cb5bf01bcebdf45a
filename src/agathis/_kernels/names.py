"""Registry of the named kernels and their properties.

Values come from ``sklearn.metrics.pairwise``. The parameter ``kernel``, the checks of rows, feature
maps and the choices of the command line use this table, which imports nothing heavy.
"""

from __future__ import annotations

from typing import NamedTuple


class KernelTraits(NamedTuple):
    """Properties of a named kernel, for any parameters.

    Attributes
    ----------
    positive : bool
        Whether it is (conditionally) positive semi-definite.
    origin_free : bool
        Whether a tree does not depend on the origin.
    unit_diagonal : bool
        Whether the kernel of a row with itself is 1.
    non_negative : bool
        Whether it needs non-negative values.
    gamma : bool
        Whether it has the parameter ``gamma``.
    command : bool
        Whether it is a choice of the command line (no synonyms).
    """

    positive: bool = False
    origin_free: bool = False
    unit_diagonal: bool = False
    non_negative: bool = False
    gamma: bool = False
    command: bool = True


KERNELS = {
    "linear": KernelTraits(positive=True, origin_free=True),
    "rbf": KernelTraits(positive=True, origin_free=True, unit_diagonal=True, gamma=True),
    "laplacian": KernelTraits(positive=True, origin_free=True, unit_diagonal=True, gamma=True),
    "polynomial": KernelTraits(gamma=True),
    "poly": KernelTraits(gamma=True, command=False),
    "sigmoid": KernelTraits(gamma=True),
    "cosine": KernelTraits(positive=True),
    "chi2": KernelTraits(positive=True, unit_diagonal=True, non_negative=True, gamma=True),
    "additive_chi2": KernelTraits(positive=True, non_negative=True, command=False),
}


def traits(metric: object) -> KernelTraits:
    """Properties of a kernel; defaults for a function or a precomputed matrix."""
    return KERNELS.get(metric, KernelTraits()) if isinstance(metric, str) else KernelTraits()
