"""``agathis fit --dask``: a tree of Parquet files by a Dask cluster, or by one of this machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agathis._cli.console import Messages, count
from agathis._cli.errors import BadData, WrongUse, bad_data, needs
from agathis._cli.output import STDOUT, write

if TYPE_CHECKING:
    from agathis._cli.names import Wanted

LOCAL = "local"


def check_possible(given: dict[str, Any], clusters: int | None) -> None:
    """Raise for options that need all rows in one place; ``given`` says which were typed."""
    for name, value in given.items():
        if value:
            raise WrongUse(f"--{name} needs the table in one place, and --dask leaves it in parts.")
    if clusters is None:
        raise WrongUse("--dask needs -k: how many clusters is not suggested for parts of a table.")


def fit_on_cluster(
    address: str,
    path: str,
    wanted: Wanted,
    params: dict[str, Any],
    messages: Messages,
    *,
    output: str | None = None,
    report: str | None = None,
    open_report: bool = False,
    cluster_names: Sequence[str] | None = None,
) -> None:
    """Fit, tell and write; a report is of a sample of the rows."""
    needs("distributed", "dask", "--dask")
    needs("dask", "dask", "--dask")
    import numpy as np

    from agathis._cli.fitting import encoder_options, scaling_of
    from agathis._cli.reporting import write_report
    from agathis._fit_table import PreparedTable, as_pipeline
    from agathis._io.table_reader import open_table
    from agathis._model.conversion import fitted_model
    from agathis._model.facts import ColumnUse
    from agathis.dask import Kauri, TableEncoder
    from agathis.dask._files import in_pieces
    from agathis.dask._sampled_rows import WHY
    from agathis.export import to_json, to_rules

    with bad_data(OSError):
        source = open_table(path, many=True)
        if source.title != "Parquet":
            raise BadData(f"{path} is {source.title}; --dask reads Parquet, a file or many.")
    there = [name for name in source.names if name not in source.index_names]
    wanted = wanted.of(there)
    # What is left out is not even read.
    names = [name for name in there if name not in wanted.drop and name != wanted.target]
    if not names:
        raise BadData(f"{path} has no column left to cluster by.")
    encoder = TableEncoder(**encoder_options(replace(wanted, drop=()), names, path))
    with bad_data(OSError):
        files = in_pieces(source, names)
    with _client(address) as client, bad_data(RuntimeError, OSError, MemoryError):
        sample = encoder._learn(files, client)
        read = f"Read {count(encoder.n_rows_, 'row')} and {count(len(names), 'column')}."
        messages.say(f"{read} Scales and weights are those of {count(encoder.n_sampled_, 'row')}.")
        messages.tell(encoder.notes())
        messages.say(scaling_of(wanted))
        messages.tell(encoder.notes_on_weights())
        model = Kauri(verbose=int(not messages.quiet), **params)
        # Progress is told on stdout, where the model may be written.
        with redirect_stdout(sys.stderr):
            model.fit(encoder.transform(files), client=client)
    local = encoder.to_local()
    raw = local.encode(sample)
    rows = PreparedTable(
        local, local.scaled(raw.X), raw.X, sample, np.arange(len(raw.X)), encoder.n_rows_
    )
    pipeline = as_pipeline(rows, model.to_local())
    left_out = [ColumnUse(name, "", "left out", "as was asked for", False) for name in wanted.drop]
    known = rows.provenance
    pipeline.provenance_ = replace(
        known, source=os.path.basename(path), columns=(*known.columns, *left_out)
    )
    with bad_data():
        described = fitted_model(pipeline, cluster_names=cluster_names)
    messages.say(f"Found {count(model.n_clusters_, 'cluster')} with {model.n_leaves_} leaves.")
    if output is not None:
        write(output, to_json(described, indent=1) + "\n")
    if output != STDOUT:
        write(STDOUT, f"{to_rules(described)}\n")
    if report is not None:
        told: dict[str, Any] = {"rows_read": encoder.n_rows_}
        if len(raw.X) < encoder.n_rows_:
            told["rows_why"] = WHY
        write_report(report, described, sample, path, open_report, messages, provenance=told)


@contextmanager
def _client(address: str) -> Iterator[Any]:
    """A client of the scheduler at an address, or of workers on this machine."""
    from distributed import Client, LocalCluster

    if address == LOCAL:
        with LocalCluster(dashboard_address=":0") as cluster, Client(cluster) as client:
            yield client
        return
    try:
        client = Client(address)
    except (OSError, ValueError) as error:
        raise BadData(f"--dask {address}: no scheduler answers there ({error}).") from error
    with client:
        yield client
