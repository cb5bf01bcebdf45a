"""``agathis fit --dask``: a tree of Parquet files by a Dask cluster, or by one of this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from agathis._cli.console import Messages, count
from agathis._cli.errors import BadData, WrongUse, bad_data, needs
from agathis._cli.output import STDOUT, write

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
    output: str | None,
    params: dict[str, Any],
    columns: tuple[list[str], list[str]],
    messages: Messages,
) -> None:
    """Fit, tell and write; ``columns`` are those to keep and to drop."""
    needs("distributed", "dask", "--dask")
    needs("dask", "dask", "--dask")
    import dask.dataframe as dd

    from agathis._tables.file_columns import choose_columns
    from agathis._tables.source import open_source
    from agathis.dask import Kauri
    from agathis.export import to_json, to_rules

    with bad_data(OSError):
        source = open_source(path, many=True)
        if source.title != "Parquet":
            raise BadData(f"{path} is {source.title}; --dask reads Parquet, a file or many.")
        keep, drop = columns
        for option, given in (("keep", keep), ("drop", drop)):
            for name in given:
                if name not in source.names:
                    raise BadData(
                        f"--{option} {name}: there is no such column. There are "
                        f"{', '.join(source.names)}."
                    )
        names = [name for name in choose_columns(source, keep or None, None) if name not in drop]
    messages.say(f"Numbers of {count(len(names), 'column')} are taken as they are, not scaled.")
    with _client(address) as client, bad_data(RuntimeError, OSError, MemoryError):
        files = [file.path for file in getattr(source, "files", [source])]
        model = Kauri(verbose=not messages.quiet, **params)
        model.fit(dd.read_parquet(files, columns=names), client=client)
    local = model.to_local()
    messages.say(f"Found {count(local.n_clusters_, 'cluster')} with {local.n_leaves_} leaves.")
    if output is not None:
        write(output, to_json(local, indent=1) + "\n")
    if output != STDOUT:
        write(STDOUT, f"{to_rules(local)}\n")


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
