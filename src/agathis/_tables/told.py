"""What became of a table, as a page tells it: its columns, and the scaling of its numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agathis._tables.encode import TableEncoder

#: What is done to numbers, in words.
SCALED_TO = {
    "auto": "scaled to count alike, values beyond the 1st and 99th percentile held there",
    "standard": "scaled to a standard deviation of 1",
    "minmax": "scaled to 0..1",
    "robust": "scaled by their quartiles",
    "rank": "replaced by their ranks",
    "log": "scaled as logarithms",
    "none": "not scaled: columns with large numbers count most",
}


def told_scaling(scale: Iterable[object]) -> str:
    """What is done to numbers, as a sentence.

    >>> told_scaling(["minmax"])
    'Numbers are scaled to 0..1. Rules are in your units.'
    """
    how = next((one for one in scale if one in SCALED_TO), "auto")
    return f"Numbers are {SCALED_TO[str(how)]}. Rules are in your units."


def told_columns(encoder: TableEncoder) -> list[dict[str, Any]]:
    """A row for each column of the table: what it is, what became of it, and why."""
    used = {"left out": False, "only shown": None}
    return [
        {
            "column": row["column"],
            "kind": row["kind"],
            "became": "" if row["became"] == "only shown" else row["became"],
            "why": row["why"],
            "used": used.get(row["became"], True),
        }
        for row in encoder.columns_
    ]
