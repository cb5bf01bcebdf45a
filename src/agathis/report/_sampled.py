"""Rows that are in partitions: a page tells of some of them, and says so."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from sklearn.pipeline import Pipeline

#: The most rows that a page of a collection tells of.
ROWS = 50_000
WHY = "a sample of them, drawn at random"


def sampled(
    X: Any, provenance: Mapping[str, Any] | None, others: Mapping[str, Any]
) -> tuple[Any, Mapping[str, Any] | None]:
    """A sample of the rows of a Dask collection, and where it comes from; else X as it is.

    Parameters
    ----------
    X : object
    provenance : mapping, optional
    others : mapping
        Arguments that go row by row with X, which nobody can sample along.
    """
    # Whoever has a collection has imported Dask.
    dask = sys.modules.get("dask")
    if dask is None or not (dask.is_dask_collection(X) or _is_list(dask, X)):
        return X, provenance
    for name, value in others.items():
        if value is not None:
            raise ValueError(
                f"{name} has a value for each row, and of X, a collection of Dask, a sample is "
                "shown: give rows of agathis.dask.sample_rows, and what goes with them."
            )
    from agathis.dask._partitions import partitions_of
    from agathis.dask._sampling import counted_blocks, sample_rows, sizes_of

    n = sum(sizes_of(counted_blocks(X, partitions_of(X).blocks)))
    rows = sample_rows(X, ROWS)
    if len(rows) == n:
        return rows, provenance
    told = {"rows_read": n, "rows_used": len(rows), "rows_why": WHY}
    return rows, {**told, **(provenance or {})}


def as_local(model: Any) -> Any:
    """A model of a Dask cluster as one of memory, which a page may fit to other rows."""
    if isinstance(model, Pipeline):
        return Pipeline([(name, as_local(step)) for name, step in model.steps])
    return model.to_local() if hasattr(model, "to_local") else model


def _is_list(dask: Any, X: object) -> bool:
    return isinstance(X, list) and len(X) > 0 and all(map(dask.is_dask_collection, X))
