"""Kauri and the table encoder for distributed rows on a Dask cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agathis._utils.lazy import lazy

__all__ = ["Kauri", "TableEncoder", "sample_rows"]

# Imported lazily, as Dask is an optional dependency.
_HOMES = {
    "Kauri": "agathis.dask._estimator",
    "TableEncoder": "agathis.dask._encoder",
    "sample_rows": "agathis.dask._sampling",
}

if TYPE_CHECKING:
    from agathis.dask._encoder import TableEncoder
    from agathis.dask._estimator import Kauri
    from agathis.dask._sampling import sample_rows

__getattr__, __dir__ = lazy(__name__, _HOMES)
