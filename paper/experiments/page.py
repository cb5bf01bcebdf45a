"""One page with all of it: self-contained, without a script and without a request to anywhere."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import ModuleType
from typing import Any

from agathis import __version__
from agathis._utils.extras import needed
from paper.experiments.figures import TITLES, Drawn
from paper.experiments.labels import (
    KERNEL_LABELS,
    METHOD_LABELS,
    METRICS,
    counted,
    decimals,
    set_label,
    signed,
)
from paper.experiments.plan import METHODS
from paper.experiments.reasons import Reason
from paper.experiments.result_cells import Cell
from paper.experiments.result_tables import ResultTable, section_of
from paper.experiments.summary import Progress, count_label, counts, headlines


@dataclass(frozen=True)
class Report:
    """All that the page shows."""

    progress: Sequence[Progress]
    cells: Sequence[Cell]
    result_tables: Sequence[ResultTable]
    reasons: Sequence[Reason]
    figures: Sequence[Drawn]
    quick: bool


def page(report: Report) -> str:
    """The page as HTML."""
    template = _template(needed("jinja2", "paper", "the page"))
    found = counts(report.cells)
    shown = {method for methods in found.values() for method in methods}
    order = dict.fromkeys(method for methods in METHODS.values() for method in methods)
    return template.render(
        version=__version__,
        report=report,
        headlines=headlines(found),
        counts=found,
        count_words=[count_label(*key) for key in found],
        methods=[method for method in order if method in shown],
        rules=Counter(reason.rule for reason in report.reasons),
        sections=_sections(report.result_tables),
        images={drawn.name: _image(drawn) for drawn in report.figures},
        unfinished=any(each.done < each.planned for each in report.progress),
        missing=_missing(report),
        widths=_widths,
    )


@cache
def _template(jinja2: ModuleType) -> Any:
    """Compiled once a process."""
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "decimals": decimals,
        "signed": signed,
        "set_word": set_label,
        "counted": counted,
        "method_word": METHOD_LABELS.__getitem__,
        "metric_word": lambda metric: METRICS[metric].word,
        "kernel_word": KERNEL_LABELS.__getitem__,
    }
    text = files("paper.experiments").joinpath("page.html.j2").read_text(encoding="utf-8")
    return environment.from_string(text)


def _sections(result_tables: Sequence[ResultTable]) -> dict[str, list[ResultTable]]:
    found: dict[str, list[ResultTable]] = {}
    for sheet in result_tables:
        found.setdefault(section_of(sheet), []).append(sheet)
    return found


def _widths(sheet: ResultTable) -> list[tuple[str, int]]:
    """How many columns each metric of a sheet has."""
    columns = Counter(column.metric for column in sheet.columns)
    return [(METRICS[metric].word, columns[metric]) for metric in sheet.metrics if columns[metric]]


def _missing(report: Report) -> list[str]:
    """What the page lacks altogether, in words."""
    drawn = {figure.name for figure in report.figures}
    return [f"fits: {each.word}" for each in report.progress if not each.done] + [
        f"figure: {title}" for name, title in TITLES.items() if name not in drawn
    ]


def _image(drawn: Drawn) -> str:
    """The smaller of the two files, as an address that holds it."""
    small = len(drawn.svg) <= len(drawn.png)
    kind, data = ("svg+xml", drawn.svg) if small else ("png", drawn.png)
    return f"data:image/{kind};base64,{base64.b64encode(data).decode('ascii')}"
