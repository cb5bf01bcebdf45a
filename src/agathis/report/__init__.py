"""A tree, its clusters and what is in them as one page for the browser.

    fitted model, rows -> ``summarise``: a plain dict -> a template -> one HTML file

The dict holds all that the page shows and no HTML; the template puts words and tables into the
page, and small scripts, which are part of it, draw the tree and the charts. Nothing is fetched
from anywhere. Needs jinja2: ``pip install "agathis[report]"``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agathis._utils.lazy import lazy

__all__ = ["summarise", "write"]

# Imported when first asked for.
_HOMES = {
    "summarise": "agathis.report._page_data",
    "write": "agathis.report._page",
}

if TYPE_CHECKING:
    from agathis.report._page import write
    from agathis.report._page_data import summarise

__getattr__, __dir__ = lazy(__name__, _HOMES)
