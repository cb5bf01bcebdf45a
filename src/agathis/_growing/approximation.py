"""How points and bins are found, where these stand for the kernel and for the values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Approximation:
    """How points and bins are found, where these stand for the kernel and for the values.

    Attributes
    ----------
    n_components : int or None
        Components of a feature map; ``None`` where there is none.
    max_bins : int
    subsample : int
        The most rows that maps and bins are found from.
    """

    n_components: int | None = None
    max_bins: int = 255
    subsample: int = 50_000
