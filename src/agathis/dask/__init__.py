"""Kauri on a Dask cluster: rows stay where they are, and only tables of sums travel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agathis._support.lazy import lazy

__all__ = ["Kauri"]

# Imported when first asked for: Dask is an extra.
_HOMES = {"Kauri": "agathis.dask._estimator"}

if TYPE_CHECKING:
    from agathis.dask._estimator import Kauri

__getattr__, __dir__ = lazy(__name__, _HOMES)
