"""Rows that are in partitions: a page or a picture tells of some of them, and says so."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from sklearn.pipeline import Pipeline

#: The most rows that is told of where X is a collection.
ROWS = 50_000
WHY = "a sample of them, drawn at random"


class Shown(NamedTuple):
    """Rows in memory; ``n_read`` are all there are, or ``None`` where these are all."""

    rows: Any
    n_read: int | None = None

    def provenance(self, given: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        """Where the rows come from, as a page tells it."""
        if self.n_read is None:
            return given
        told = {"rows_read": self.n_read, "rows_used": len(self.rows), "rows_why": WHY}
        return {**told, **(given or {})}


def shown_rows(X: Any, others: Mapping[str, Any]) -> Shown:
    """A sample of the rows of a Dask collection; else X as it is.

    Parameters
    ----------
    X : object
    others : mapping
        Arguments that go row by row with X, which nobody can sample along.
    """
    # Whoever has a collection has imported Dask.
    dask = sys.modules.get("dask")
    if dask is None or not (dask.is_dask_collection(X) or _is_list(dask, X)):
        return Shown(X)
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
    return Shown(rows, n if len(rows) < n else None)


def as_local(model: Any) -> Any:
    """A model of a Dask cluster as one of memory, which may be fitted to other rows."""
    if isinstance(model, Pipeline):
        return Pipeline([(name, as_local(step)) for name, step in model.steps])
    return model.to_local() if hasattr(model, "to_local") else model


def _is_list(dask: Any, X: object) -> bool:
    return isinstance(X, list) and len(X) > 0 and all(map(dask.is_dask_collection, X))
