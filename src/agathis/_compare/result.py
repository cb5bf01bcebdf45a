"""Result of a comparison: tables of fits and of methods, and the recommendation."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from agathis._compare.advice import advice
from agathis._utils.result_table import Table

MEASURES = ("ari", "relative_score", "wad", "waes", "leaves", "clusters", "seconds")
_SHORT = {"relative_score": "relative"}
_WIDTH = 80


@dataclass(frozen=True, repr=False)
class Comparison:
    """The result of :func:`compare`; its representation is the summary.

    Attributes
    ----------
    runs : Table
        One row per method and run.
    summary : Table
        One row per method: the number of runs that finished, failed or timed out, and mean and
        standard deviation of each score over the finished runs.
    note : str
        A remark on the number of rows per run, or empty.
    """

    runs: Table
    summary: Table
    note: str = ""

    def __iter__(self) -> Iterator[Table]:
        return iter((self.runs, self.summary))

    @property
    def advice(self) -> str:
        """The recommended method, with reasons.

        Among the methods with a cost at most 5 % above the lowest, and of these with the shortest
        rules, the lowest cost decides; without a significant difference the fewest conditions.
        True classes are not used.
        """
        return advice(self.runs, self.summary)

    @property
    def failed(self) -> int:
        """The number of fits that failed or timed out."""
        return sum(status != "done" for status in self.runs["status"])

    def reasons(self) -> list[str]:
        """Why fits failed or timed out, one line per method and reason."""
        counts = Counter(
            (row["method"], row["status"], row["note"])
            for row in self.runs
            if row["status"] != "done"
        )
        return [
            f"{method}: {status} in {count} run{'s'[: count != 1]}: {note}"
            for (method, status, note), count in counts.items()
        ]

    def __repr__(self) -> str:
        table = str(_readable(self.summary))
        below = [line for paragraph in self._below() for line in textwrap.wrap(paragraph, _WIDTH)]
        return "\n".join([table, *self.reasons(), "", *below])

    def to_markdown(self) -> str:
        """The summary and the recommendation in Markdown."""
        return "\n\n".join([_readable(self.summary).to_markdown().rstrip("\n"), *self._below()])

    def _repr_html_(self) -> str:
        lines = [*self.reasons(), *self._below()]
        below = "".join(f"<p>{escape(line)}</p>" for line in lines)
        return _readable(self.summary)._repr_html_() + below

    def _below(self) -> Iterator[str]:
        """The lines below the table."""
        if self.note:
            yield self.note
        if self.failed:
            yield f"{self.failed} of {len(self.runs)} fits did not finish."
        yield self.advice


def summary_of(runs: Table, methods: list[str]) -> Table:
    """One row per method: how its fits ended, and mean scores of the finished ones."""
    rows = []
    for method in methods:
        done = [row for row in runs if row["method"] == method and row["status"] == "done"]
        ends = [row["status"] for row in runs if row["method"] == method]
        row: dict[str, Any] = {
            "method": method,
            "runs": len(done),
            "failed": ends.count("failed"),
            "timeouts": ends.count("timeout"),
        }
        for measure in (name for name in MEASURES if name in runs.columns):
            values = [r[measure] for r in done if r[measure] is not None]
            row[measure] = float(np.mean(values)) if values else None
            spread = bool(values) and bool(np.isfinite(values).all())
            row[f"{measure}_std"] = float(np.std(values)) if spread else None
        rows.append(row)
    return Table(rows)


def _readable(summary: Table) -> Table:
    """Mean and standard deviation in one cell, for 80 columns."""
    same = len(set(summary["runs"])) == 1 and not any(summary["failed"] + summary["timeouts"])
    rows = []
    for row in summary:
        out = {"method": row["method"]}
        if not same:
            out["runs"] = row["runs"]
            out.update({name: row[name] for name in ("failed", "timeouts") if any(summary[name])})
        for measure in (name for name in MEASURES if name in summary.columns):
            mean, std = row[measure], row[f"{measure}_std"]
            if mean is None:
                cell = ""
            elif measure in ("leaves", "clusters", "seconds"):
                cell = f"{mean:.2g}" if measure == "seconds" else f"{mean:.1f}".removesuffix(".0")
            else:
                cell = f"{mean:.2f}" if std is None else f"{mean:.2f}±{std:.2f}"
            out[_SHORT.get(measure, measure)] = cell
        rows.append(out)
    return Table(rows)
