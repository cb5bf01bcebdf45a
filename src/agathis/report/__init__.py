"""A tree, its clusters and what is in them as one page for the browser.

    fitted model, rows -> ``summarise``: a plain dict -> a template -> one HTML file

The dict holds all that the page shows and no HTML; the template puts words and tables into the
page, and small scripts, which are part of it, draw the tree and the charts. Nothing is fetched
from anywhere. Needs jinja2: ``pip install "agathis[report]"``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__all__ = ["summarise", "write"]

# Imported when first asked for.
_HOMES = {
    "summarise": "agathis.report.summary",
    "write": "agathis.report._page",
}

if TYPE_CHECKING:
    from agathis.report._page import write
    from agathis.report.summary import summarise


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'agathis.report' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
