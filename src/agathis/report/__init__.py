"""A tree, its clusters and their rows as one HTML page.

    fitted model, rows -> ``summarise``: a plain dict -> a template -> one HTML file

The dict holds all that the page shows and no HTML; the template writes text and tables, and small
scripts, which are part of the page, draw the tree and the charts. The page loads nothing. Requires
jinja2: ``pip install "agathis[report]"``.
"""

from agathis.report._page import write
from agathis.report._page_data import summarise

__all__ = ["summarise", "write"]


def __dir__() -> list[str]:
    return __all__
