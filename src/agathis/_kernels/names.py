"""The named kernels, and what is known of each: the one table of them.

The values come from ``sklearn.metrics.pairwise``. The parameter ``kernel``, the checks of rows, the
feature maps and the choices of the command line read this table. It is light to import.
"""

from __future__ import annotations

from typing import NamedTuple


class KernelTraits(NamedTuple):
    """What is known of a named kernel, whatever its parameters.

    Attributes
    ----------
    positive : bool
        Whether it is positive, or conditionally so, on any rows.
    origin_free : bool
        Whether its tree is the same wherever the origin is.
    unit_diagonal : bool
        Whether its value of a row with itself is 1 by definition.
    non_negative : bool
        Whether it takes no values below 0.
    gamma : bool
        Whether it has the parameter ``gamma``.
    command : bool
        Whether the command line offers it: not a second name, nor a kernel of a special use.
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
    """What is known of a kernel; of a function or a given matrix nothing."""
    return KERNELS.get(metric, KernelTraits()) if isinstance(metric, str) else KernelTraits()
