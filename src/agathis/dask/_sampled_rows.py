"""Samples of distributed rows for reports and plots."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from sklearn.pipeline import Pipeline

from agathis.dask._partitions import is_collection, partitions_of

#: The maximum number of rows shown if X is a Dask collection.
ROWS = 50_000
WHY = "a sample of them, drawn at random"


class SampledRows(NamedTuple):
    """Rows in memory; ``n_read`` is the number of all rows if these are a sample."""

    rows: Any
    n_read: int | None = None

    def provenance(self, given: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        """The provenance of the rows, for a report."""
        if self.n_read is None:
            return given
        counts = {"rows_read": self.n_read, "rows_used": len(self.rows), "rows_why": WHY}
        return {**counts, **(given or {})}


def sampled_rows(X: Any, others: Mapping[str, Any]) -> SampledRows:
    """A sample of the rows of a Dask collection; any other X is returned unchanged.

    Parameters
    ----------
    X : object
    others : mapping
        Arguments with one value per row of X, which are not supported with a sample.
    """
    # A Dask collection implies that Dask has been imported.
    if "dask" not in sys.modules or not is_collection(X):
        return SampledRows(X)
    for name, value in others.items():
        if value is not None:
            raise ValueError(
                f"{name} has one value per row, but only a sample of X, a Dask collection, is "
                "shown: pass rows from agathis.dask.sample_rows and the values of these rows."
            )
    from agathis.dask._sampling import counted_blocks, sample_rows, sizes_of

    n = sum(sizes_of(counted_blocks(X, partitions_of(X).blocks)))
    rows = sample_rows(X, ROWS)
    return SampledRows(rows, n if len(rows) < n else None)


def as_local(model: Any) -> Any:
    """Convert a model or pipeline of a Dask cluster into one in memory."""
    if isinstance(model, Pipeline):
        return Pipeline([(name, as_local(step)) for name, step in model.steps])
    return model.to_local() if hasattr(model, "to_local") else model
