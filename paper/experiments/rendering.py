"""Rows on disk become files that people read: cells, tables, figures and the page."""

from __future__ import annotations

import math
import os
from numbers import Real
from pathlib import Path

from agathis._checks import data as checks
from agathis._utils.files import write_atomic
from paper.experiments.figures import draw_all
from paper.experiments.output_files import latex, markdown
from paper.experiments.page import Report, page
from paper.experiments.reasons import find_reasons
from paper.experiments.result_cells import Row, as_table, make_cells
from paper.experiments.result_tables import make_tables
from paper.experiments.store import Store
from paper.experiments.summary import progress

#: What the rows of each experiment are read for.
_MEASURES = {
    "small": ("ari", "wad", "cost", "reference"),
    "large": ("ari", "waes", "cost", "reference"),
    "kernels": ("ari", "cost", "reference", "strong"),
    "angle": ("waes",),
    "samples": ("waes",),
    "lost": ("clusters",),
}


def render(
    folder: str | os.PathLike[str] = "results",
    *,
    quick: bool = False,
    data_home: str | os.PathLike[str] | None = None,
) -> Path:
    """Write tables, figures and the page from the rows of a folder.

    Rows may be those of a run that was stopped or of some experiments only: what has no rows is
    left out, and the page says so. Into the folder go ``cells.csv``, a line a cell, ``tables.md``
    and ``tables.tex``, ``figures/``, PNG, SVG and a tree as JSON, and ``index.html``, the page,
    which holds all of it. The same rows give the same files. Needs ``pip install
    "agathis[paper]"``.

    Parameters
    ----------
    folder : str or PathLike, default="results"
        As :func:`run` left it.
    quick : bool, default=False
        Whether the page compares what is there with the plan of a quick run.
    data_home : str or PathLike, optional
        A folder of the data sets, for the pictures of wine and of the Congress votes: see
        :func:`paper.datasets.load`.

    Returns
    -------
    page : Path
        Of the page.

    Raises
    ------
    ValueError
        Where the folder has no rows, or some that are not the experiments'.

    Examples
    --------
    >>> from paper.experiments import render
    >>> render("results")  # doctest: +SKIP
    PosixPath('results/index.html')
    """
    checks.check_arguments(
        "render",
        {
            "folder": [str, os.PathLike],
            "quick": ["boolean"],
            "data_home": [str, os.PathLike, None],
        },
        folder=folder,
        quick=quick,
        data_home=data_home,
    )
    store = Store(folder)
    rows = list(store.rows())
    if not rows:
        raise ValueError(
            f"folder has no rows: {os.fspath(store.path)!r} is not there or is empty. Run the "
            "experiments into it first."
        )
    for row in rows:
        _check_row(store.path, row)
    cells = make_cells(rows)
    result_tables = make_tables(cells)
    figures = draw_all(rows, data_home)
    report = Report(
        progress(rows, quick), cells, result_tables, find_reasons(cells), figures, quick
    )
    written = {
        "cells.csv": as_table(cells).to_csv(),
        "tables.md": markdown(result_tables),
        "tables.tex": latex(result_tables),
        "index.html": page(report),
    }
    home = Path(folder)
    (home / "figures").mkdir(exist_ok=True)
    for drawn in figures:
        write_atomic(home / "figures" / f"{drawn.name}.png", drawn.png)
        write_atomic(home / "figures" / f"{drawn.name}.svg", drawn.svg)
        if drawn.tree is not None:
            write_atomic(home / "figures" / f"{drawn.name}.json", drawn.tree)
    for name, text in written.items():
        write_atomic(home / name, text)
    return home / "index.html"


def _check_row(path: Path, row: Row) -> None:
    """Raise ValueError where a row is not one of the experiments'."""
    where = f"{path}: the row of {row['method']!r} on {row['dataset']!r}, run {row['run']!r},"
    if row["experiment"] not in _MEASURES:
        raise ValueError(
            f"{where} is of experiment {row['experiment']!r}; there are {', '.join(_MEASURES)}."
        )
    for name in ("run", "at", *_MEASURES[row["experiment"]]):
        value = row.get(name)
        if not isinstance(value, Real) or not math.isfinite(value):
            raise ValueError(f"{where} has {name}={value!r}; it must be a number.")
