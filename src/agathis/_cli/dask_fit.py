"""``agathis fit --dask``: fit Parquet files on a Dask cluster, or on workers of this machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from typing import Any

from agathis._cli.console import Messages, count
from agathis._cli.errors import BadData, WrongUse, bad_data, needs
from agathis._cli.options import TREE, Columns, TreeOptions
from agathis._cli.output import STDOUT, write

LOCAL = "local"


def check_possible(
    tree: TreeOptions, columns: Columns, clusters: int | None, identifier: str | None = None
) -> None:
    """Raise for options that need all rows in one place."""
    refused = {
        "pairs": tree.pairs,
        "search": tree.search not in (None, "greedy"),
        "method": tree.method != TREE.method,
        "kernel": tree.kernel != TREE.kernel,
        "missing": columns.missing != "tree",
        "strict": columns.strict,
        "id": identifier is not None,
    }
    for name, given in refused.items():
        if given:
            raise WrongUse(f"--{name} needs the table in one place, and --dask leaves it in parts.")
    if clusters is None:
        raise WrongUse("--dask needs -k: the number of clusters is not suggested for it.")


def fit_on_cluster(
    address: str,
    path: str,
    columns: Columns,
    tree: TreeOptions,
    clusters: int,
    messages: Messages,
    *,
    output: str | None = None,
    report: str | None = None,
    open_report: bool = False,
    cluster_names: Sequence[str] | None = None,
    title: str | None = None,
) -> None:
    """Fit, print and write the results; a report describes a sample of the rows."""
    needs("distributed", "dask", "--dask")
    needs("dask", "dask", "--dask")
    import numpy as np

    from agathis._cli.names import columns_of, encoder_options
    from agathis._cli.reporting import write_report
    from agathis._encoding.scaling import scaling_summary
    from agathis._fit_table import PreparedTable, as_pipeline, leaf_size
    from agathis._io.table_reader import open_table
    from agathis._model.conversion import fitted_model
    from agathis._model.facts import ASKED, ColumnUse
    from agathis.dask import Kauri, TableEncoder
    from agathis.dask._files import in_pieces
    from agathis.dask._sampled_rows import WHY
    from agathis.export import to_json, to_rules

    with bad_data(OSError):
        source = open_table(path, many=True)
        if source.title != "Parquet":
            raise BadData(f"{path} is {source.title}; --dask reads Parquet, one file or many.")
    all_names = [name for name in source.names if name not in source.index_names]
    columns = columns_of(columns, all_names)
    # Columns that are left out are not even read.
    names = [name for name in all_names if name not in columns.drop and name != columns.target]
    if not names:
        raise BadData(f"{path} has no column left to cluster by.")
    encoder = TableEncoder(**encoder_options(replace(columns, drop=[]), names, path))
    with bad_data(OSError):
        files = in_pieces(source, names)
    with _client(address) as client, bad_data(RuntimeError, OSError, MemoryError):
        sample = encoder._learn(files, client)
        read = f"Read {count(encoder.n_rows_, 'row')} and {count(len(names), 'column')}."
        messages.say(f"{read} Scales and weights are those of {count(encoder.n_sampled_, 'row')}.")
        messages.tell(encoder.notes())
        messages.say(scaling_summary(columns.scale))
        messages.tell(encoder.notes_on_weights())
        model = Kauri(
            clusters,
            max_leaf_nodes=tree.leaves or "auto",
            min_samples_leaf=leaf_size(tree.min_leaf, tree.leaves or clusters),
            random_state=tree.seed,
            verbose=int(not messages.quiet),
        )
        # Progress is printed to stdout, which may be the model's.
        with redirect_stdout(sys.stderr):
            model.fit(encoder.transform(files), client=client)
    local = encoder.to_local()
    raw = local.encode(sample)
    rows = PreparedTable(
        local,
        local.scaled(raw.X),
        raw.X,
        sample,
        np.arange(len(raw.X)),
        encoder.n_rows_,
        notes=encoder.notes(),
    )
    pipeline = as_pipeline(rows, model.to_local())
    dropped = [ColumnUse(name, "", "left out", ASKED, False) for name in columns.drop]
    known = pipeline.provenance_
    pipeline.provenance_ = replace(
        known, source=os.path.basename(path), title=title, columns=(*known.columns, *dropped)
    )
    with bad_data():
        described = fitted_model(pipeline, cluster_names=cluster_names)
    messages.say(f"Found {count(model.n_clusters_, 'cluster')} with {model.n_leaves_} leaves.")
    if output is not None:
        write(output, to_json(described, indent=1) + "\n")
    if output != STDOUT:
        write(STDOUT, f"{to_rules(described)}\n")
    if report is not None:
        facts: dict[str, Any] = {"rows_read": encoder.n_rows_}
        if len(raw.X) < encoder.n_rows_:
            facts["rows_why"] = WHY
        write_report(report, described, sample, path, open_report, messages, provenance=facts)


@contextmanager
def _client(address: str) -> Iterator[Any]:
    """Connect to the scheduler at an address, or start workers on this machine."""
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
