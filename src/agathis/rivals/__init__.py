"""The other clustering trees: what Kauri is compared with, on the same ``Tree``."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__all__ = ["KMeansTree"]

# Imported when first asked for: each needs its own part of scikit-learn.
_HOMES = {"KMeansTree": "agathis.rivals.kmeans_tree"}

if TYPE_CHECKING:
    from agathis.rivals.kmeans_tree import KMeansTree


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'agathis.rivals' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
