"""The data sets of the paper, and makers of small ones that need no download.

:func:`load` and :func:`available` are about real sets; ``_registry`` is the list of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__all__ = ["available", "load"]

# Imported when first asked for.
_HOMES = {
    "available": "agathis.datasets._load",
    "load": "agathis.datasets._load",
}

if TYPE_CHECKING:
    from agathis.datasets._load import available, load


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'agathis.datasets' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
