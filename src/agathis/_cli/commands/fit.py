"""``agathis fit``: a tree of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from agathis._cli import options
from agathis._cli.console import Messages, count
from agathis._cli.errors import BadData, WrongUse, bad_data
from agathis._cli.options import Kernel, Method, Missing, Scale
from agathis._cli.output import STDOUT, check_apart, check_target, write
from agathis._cli.reporting import check_report, write_report

if TYPE_CHECKING:
    import numpy as np

    from agathis._tables.encode import Prepared
    from agathis.export import LoadedTree


def fit(
    data: options.Data,
    clusters: options.Clusters,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="The model, as JSON; - is stdout."),
    ] = None,
    report: Annotated[
        str | None, typer.Option(metavar="FILE", help="A page about the clusters, as HTML.")
    ] = None,
    open_report: options.Open = False,
    leaves: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="The most leaves; by default K."),
    ] = None,
    method: Annotated[Method, typer.Option(help="How the tree is grown.")] = Method.kauri,
    kernel: Annotated[Kernel, typer.Option(help="What makes rows alike.")] = Kernel.linear,
    gamma: Annotated[float | None, typer.Option(metavar="G", help="Of the kernel.")] = None,
    min_leaf: Annotated[
        float | None,
        typer.Option(
            min=0, metavar="N", help="Fewest rows of a leaf, or their share; by default 2 %."
        ),
    ] = None,
    scale: options.Scaling = Scale.minmax,
    drop: options.Drop = [],  # noqa: B006
    keep: options.Keep = [],  # noqa: B006
    categorical: options.Categorical = [],  # noqa: B006
    target: options.Target = None,
    names: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Names for the clusters, in their order.")
    ] = None,
    missing: options.MissingValues = Missing.error,
    na: options.Na = [],  # noqa: B006
    encoding: options.Encoding = None,
    sep: options.Separator = None,
    decimal: options.DecimalPoint = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
) -> None:
    """Find clusters in a table, and say what they are.

    The rules, a sentence a cluster, go to stdout.

    Example: agathis fit iris.csv -k 3 --target species -o model.json
    """
    check_target(output)
    check_report(report, "--report")
    check_apart(data, o=output, report=report)
    if open_report and report is None:
        raise WrongUse("--open opens the report: give its file with --report.")
    cluster_names = None if names is None else [name.strip() for name in names.split(",")]
    if cluster_names is not None and len(cluster_names) > clusters:
        raise WrongUse(f"--names has {len(cluster_names)} names, and -k is {clusters}.")
    if cluster_names is not None and len(set(cluster_names) - {""}) < len(cluster_names):
        raise WrongUse(f"--names {names}: each cluster needs a name of its own.")
    reading = options.reading_of(na, encoding, sep, decimal)

    from agathis._cli.fitting import fitted, new_model, read_rows, scaled
    from agathis._cli.names import Wanted
    from agathis.export import to_json, to_rules
    from agathis.export._loaded import loaded

    model = new_model(
        method.value,
        clusters,
        leaves=leaves,
        min_leaf=min_leaf,
        kernel=kernel.value,
        gamma=gamma,
        missing=missing is Missing.tree,
        seed=seed,
        jobs=jobs,
    )
    messages = Messages(quiet)
    wanted = Wanted(drop, keep, categorical, target, missing.value)
    rows = read_rows(data, wanted, reading, messages)
    X, scaler = scaled(rows, scale.value, messages)
    fitted(model, X, messages)
    found = model.tree_.n_clusters
    if cluster_names is not None and len(cluster_names) != found:
        raise BadData(f"the tree has {found} clusters, and --names {len(cluster_names)} names.")
    with bad_data():
        described = loaded(
            model,
            scaler=scaler,
            feature_names=rows.names,
            cluster_names=cluster_names,
            one_hot=rows.one_hot or None,
        )
    messages.say(_outcome(clusters, leaves, described))
    if output is not None:
        write(output, to_json(described, indent=1) + "\n")
    if output != STDOUT:
        write(STDOUT, f"{to_rules(described, rows.X, rows.target)}\n")
    _tell_target(rows, model.labels_, messages)
    if output not in (None, STDOUT):
        messages.say(f"Wrote {output}. Next: agathis show {output}")
    if report is not None:
        write_report(report, described, rows.X, rows.target, data, open_report, messages)


def _outcome(clusters: int, leaves: int | None, model: LoadedTree) -> str:
    leaf = f"{model.n_leaves_} {'leaf' if model.n_leaves_ == 1 else 'leaves'}"
    found = f"Found {count(model.n_clusters_, 'cluster')} with {leaf}."
    if model.n_clusters_ == clusters:
        return found
    if model.n_leaves_ < (leaves or clusters):
        return f"{found} More would not help, or be smaller than --min-leaf allows."
    return f"{found} For more clusters, allow more --leaves."


def _tell_target(rows: Prepared, labels: np.ndarray, messages: Messages) -> None:
    if rows.target is None:
        return
    from sklearn.metrics import adjusted_rand_score

    ari = adjusted_rand_score(rows.target, labels)
    messages.say(f"Agreement with the classes: ARI {ari:.2f} (1 is perfect, 0 is chance).")
