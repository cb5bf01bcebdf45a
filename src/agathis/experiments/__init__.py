"""The paper's experiments: its tables and figures made again, beside the printed numbers.

A piece of work is a random part of a data set with a kernel (``_plan``); the fits on it give a row
each (``_fits``), which is kept as it comes (``_store``), so that a run that was stopped goes on
(``_run``). Rows become cells, beside the paper's (``_cells``, ``_paper``), and cells become tables
(``_tables``, ``_written``) and reasons why they differ (``_reasons``); rows and data sets become
figures (``_figures``, and what it draws: ``_curves``, ``_pictures``, ``_congress``). The page has
all of it (``_summary``, ``_page``), and ``_render`` writes the files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agathis._support.lazy import lazy

__all__ = ["render", "run"]

# Imported when first asked for.
_HOMES = {"render": "agathis.experiments._render", "run": "agathis.experiments._run"}

if TYPE_CHECKING:
    from agathis.experiments._render import render
    from agathis.experiments._run import run

__getattr__, __dir__ = lazy(__name__, _HOMES)
