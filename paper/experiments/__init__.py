"""The experiments of the paper: its tables and figures, next to the printed numbers.

A piece of work is a random subset of a data set with a kernel (``plan``). Each fit on it gives one
row (``fits``), which is stored at once (``store``), so that an interrupted run resumes
(``runner``). Rows become cells, next to those of the paper (``cells``, ``printed``), and cells
become tables (``result_tables``, ``written``) and reasons for differences (``reasons``). Rows and
data sets become figures (``figures``, drawn by ``curves``, ``pictures`` and ``congress``). The page
shows all of it (``summary``, ``page``), and ``rendering`` writes the files.
"""

from paper.experiments.rendering import render
from paper.experiments.runner import run

__all__ = ["render", "run"]
