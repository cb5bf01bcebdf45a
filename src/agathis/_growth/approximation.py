"""Parameters of the kernel approximation and of binning."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Approximation:
    """Parameters of the kernel approximation and of binning.

    Attributes
    ----------
    n_components : int or None
        The number of components of the feature map, if any.
    max_bins : int
    subsample : int
        The maximum number of rows used to compute feature maps and bins.
    """

    n_components: int | None = None
    max_bins: int = 255
    subsample: int = 50_000
