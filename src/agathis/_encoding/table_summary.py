"""Summary of a table for reports: its columns, and the scaling of its numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agathis._encoding.table_encoder import TableEncoder

#: Descriptions of scalings.
SCALED_TO = {
    "auto": "standardised, with values clipped at the 1st and 99th percentiles",
    "standard": "scaled to a standard deviation of 1",
    "minmax": "scaled to 0..1",
    "robust": "scaled by their quartiles",
    "rank": "replaced by their ranks",
    "log": "scaled as logarithms",
    "none": "not scaled: columns with large numbers have the most influence",
}


def scaling_summary(scale: Iterable[object]) -> str:
    """Describe the scaling of numbers in a sentence.

    >>> scaling_summary(["minmax"])
    'Numbers are scaled to 0..1. Rules are in your units.'
    """
    how = next((one for one in scale if one in SCALED_TO), "auto")
    return f"Numbers are {SCALED_TO[str(how)]}. Rules are in your units."


def column_summary(encoder: TableEncoder) -> list[dict[str, Any]]:
    """List the columns of the table: their type, how each was handled, and why."""
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
