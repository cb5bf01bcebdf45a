"""The encoder of raw tables in partitions, beside memory: two cases of ``cluster.py``."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROWS, MANY, PARTITIONS = 200_000, 2_000_000, 8


def encoder(bench) -> dict:
    """``fit``, and all features, of a raw table of 200,000 rows that the workers have."""
    return _beside_memory(bench, min(bench.n, ROWS))


def encoder_large(bench) -> dict:
    """The same of 2,000,000 rows."""
    return _beside_memory(bench, min(bench.n, MANY))


def _beside_memory(bench, n: int) -> dict:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
    import dask.dataframe as dd
    from distributed import wait
    from helpers.raw_tables import raw_table

    from agathis import TableEncoder as LocalEncoder
    from agathis.dask import TableEncoder

    table = raw_table(n)
    X = dd.from_pandas(table, npartitions=PARTITIONS).persist()
    wait(X)
    local, spread = LocalEncoder(), TableEncoder()

    def on_workers(rows) -> None:
        wait(spread.fit(rows).transform(rows).persist())

    # So that nobody imports while it is timed.
    local.fit_transform(table.iloc[:1_000])
    on_workers(dd.from_pandas(table.iloc[:1_000], npartitions=PARTITIONS))
    found = bench.alternate(
        {
            "memory learns": lambda: local.fit(table),
            "cluster learns": lambda: spread.fit(X),
            "memory": lambda: local.fit_transform(table),
            "cluster": lambda: on_workers(X),
        }
    )
    same = list(local.feature_names_) == list(spread.feature_names_)
    apart = np.nan
    if same:
        rows, other = np.asarray(local.transform(table)), spread.transform(X).compute().to_numpy()
        apart = float(np.nanmax(np.abs(rows - other)))
    cpu = found["cluster"]["cpu"] / found["memory"]["cpu"]
    clock = found["cluster"]["seconds"] / found["memory"]["seconds"]
    return {
        "rows": len(table),
        "figure": f"{cpu:.2f} times the processors of memory, {clock:.2f} times its time; same "
        f"features: {same}, values at most {apart:.2g} apart",
        "bar": "the same features and values",
        "met": same and apart == 0,
        **found,
    }
