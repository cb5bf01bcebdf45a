"""``agathis fit``: a tree of a table."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from agathis._cli import options
from agathis._cli.console import Messages, count, listed
from agathis._cli.errors import BadData, PartialResult, WrongUse, bad_data
from agathis._cli.options import KAURI, LINEAR, Dates, Kernel, Method, Missing, Search
from agathis._cli.output import STDOUT, check_apart, check_target, write
from agathis._cli.reporting import check_report, write_report
from agathis._io.stream_limits import MAX_BYTES, MAX_LINE_BYTES

if TYPE_CHECKING:
    import numpy as np
    from sklearn.base import BaseEstimator

    from agathis._fit_table import PreparedTable
    from agathis.export import FittedModel

#: Where a table has as many values, looking for a number of clusters takes several seconds.
VALUES_TO_WAIT_FOR = 300_000


def fit(
    data: options.Data,
    clusters: options.ClustersOrSuggested = None,
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
        typer.Option(min=1, metavar="N", help="Maximum number of leaves; default: K."),
    ] = None,
    method: Annotated[Method, typer.Option(help="How the tree is grown.")] = KAURI,
    kernel: Annotated[Kernel, typer.Option(help="What makes rows alike.")] = LINEAR,
    gamma: Annotated[float | None, typer.Option(metavar="G", help="Of the kernel.")] = None,
    search: Annotated[
        Search | None,
        typer.Option(
            help="Search effort: local by default; optimal proves optimality, for few clusters.",
            show_default=False,
        ),
    ] = None,
    search_effort: Annotated[
        float | None,
        typer.Option(
            min=0.1,
            max=1000,
            metavar="N",
            help="How long to search: by default 24 for small tables and 1 for large ones.",
            show_default=False,
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            min=1e-3, metavar="SECONDS", help="How long --search optimal may take for its proof."
        ),
    ] = None,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Allow rules on a sum of two columns, where it pays.")
    ] = False,
    min_leaf: Annotated[
        float | None,
        typer.Option(
            min=0, metavar="N", help="Fewest rows of a leaf, or their share; by default 2 %."
        ),
    ] = None,
    scale: options.Scaling = [],  # noqa: B006
    weight: options.Weights = [],  # noqa: B006
    drop: options.Drop = [],  # noqa: B006
    keep: options.Keep = [],  # noqa: B006
    categorical: options.Categorical = [],  # noqa: B006
    dates: options.DatesAre = Dates.out,
    no_split: options.NoSplit = [],  # noqa: B006
    no_count: options.NoCount = [],  # noqa: B006
    show: options.Show = [],  # noqa: B006
    target: options.Target = None,
    names: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Names for the clusters, in their order.")
    ] = None,
    missing: options.MissingValues = Missing.tree,
    strict: options.Strict = False,
    na: options.Na = [],  # noqa: B006
    encoding: options.Encoding = None,
    sep: options.Separator = None,
    decimal: options.DecimalPoint = None,
    max_line_bytes: options.MaxLineBytes = MAX_LINE_BYTES,
    max_bytes: options.MaxBytes = MAX_BYTES,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    dask: Annotated[
        str | None,
        typer.Option(
            "--dask",
            metavar="ADDRESS",
            help="Of Parquet files, with the workers of a Dask scheduler; local starts some here.",
        ),
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Find clusters in a table, and say what they are.

    The rules, a sentence a cluster, go to stdout.

    Example: agathis fit iris.csv -k 3 --target species -o model.json
    """
    check_target(output)
    from agathis._cli.names import Wanted

    if dask is not None:
        from agathis._cli.clusters import check_possible, fit_on_cluster
        from agathis._fit_table import leaf_size

        check_possible(
            {
                "pairs": pairs,
                "search": search is not None and search.value != "greedy",
                "method": method is not KAURI,
                "kernel": kernel is not LINEAR,
                "missing": missing is not Missing.tree,
                "strict": strict,
            },
            clusters,
        )
        check_report(report, "--report")
        check_apart(data, o=output, report=report)
        fit_on_cluster(
            dask,
            data,
            Wanted(
                drop, keep, categorical, no_split, no_count, show, target, missing.value, scale,
                weight, dates.value, strict,
            ),
            {
                "n_clusters": clusters,
                "max_leaf_nodes": leaves or "auto",
                "min_samples_leaf": leaf_size(min_leaf, leaves or clusters or 2),
                "random_state": seed,
            },
            Messages(quiet),
            output=output,
            report=report,
            open_report=open_report,
            cluster_names=_names(names, clusters),
        )  # fmt: skip
        return
    check_report(report, "--report")
    check_apart(data, o=output, report=report)
    if open_report and report is None:
        raise WrongUse("--open opens the report: give its file with --report.")
    cluster_names = _names(names, clusters)
    if method is not KAURI and (dates is Dates.parts or no_split or no_count):
        raise WrongUse("--dates parts, --no-split and --no-count are for --method kauri.")
    reading = options.reading_of(na, encoding, sep, decimal, max_line_bytes, max_bytes)

    from agathis._cli.fitting import Settings, fitted, read_rows
    from agathis._cli.inputs import title_of_input
    from agathis._encoding.scaling import SCALES
    from agathis._fit_table import as_pipeline
    from agathis._model.conversion import fitted_model
    from agathis.export import to_json, to_rules

    settings = Settings(
        method=method.value,
        leaves=leaves,
        min_leaf=min_leaf,
        kernel=kernel.value,
        gamma=gamma,
        search=None if search is None else search.value,
        search_effort=search_effort,
        time_limit=time_limit,
        pairs=pairs,
        seed=seed,
        jobs=jobs,
    )
    # What is wrong with the options is said before the table is read.
    settings.check(clusters or min(2, leaves or 2))
    messages = Messages(quiet)
    if kernel.value == "chi2" and not any(one in SCALES for one in scale):
        scale = ["minmax", *scale]  # it takes no number below 0
    wanted = Wanted(
        drop, keep, categorical, no_split, no_count, show, target, missing.value, scale, weight,
        dates.value, strict,
    )  # fmt: skip
    rows, table = read_rows(data, wanted, reading, messages, plain=method is not KAURI)
    asked = clusters or _suggested(rows, leaves, seed, jobs, messages)
    model = fitted(settings, asked, rows, messages)
    found = model.tree_.n_clusters
    if cluster_names is not None and len(cluster_names) != found:
        raise BadData(f"the tree has {found} clusters, and --names {len(cluster_names)} names.")
    with bad_data():
        pipeline = as_pipeline(rows, model)
        pipeline.provenance_ = replace(
            rows.provenance,
            source=os.path.basename(title_of_input(data)),
            reading=options.given_of(reading),
        )
        described = fitted_model(pipeline, cluster_names=cluster_names, X=rows.encoded)
    tell = messages.say if described.n_clusters_ > 1 else messages.warn
    tell(_outcome(asked, leaves, described))
    _tell_proof(model, messages)
    messages.tell(rows.notes_on(model))
    if output is not None:
        write(output, to_json(described, indent=1) + "\n")
    if output != STDOUT:
        write(STDOUT, f"{to_rules(described, rows.raw, rows.target)}\n")
    _tell_target(rows, model.labels_, messages)
    if output not in (None, STDOUT):
        messages.say(f"Wrote {output}. Next: agathis show {output}")
    if report is not None:
        write_report(report, described, table, data, open_report, messages)
    if getattr(model, "search_interrupted_", False):
        files = [file for file in (output, report) if file not in (None, STDOUT)]
        where = listed([*files, "standard output"])
        raise PartialResult(f"the best tree found so far was written to {where}.")


def _names(names: str | None, clusters: int | None) -> list[str] | None:
    """The names of the clusters that were typed."""
    if names is None:
        return None
    found = [name.strip() for name in names.split(",")]
    if clusters is not None and len(found) > clusters:
        raise WrongUse(f"--names has {len(found)} names, and -k is {clusters}.")
    if len(set(found) - {""}) < len(found):
        raise WrongUse(f"--names {names}: each cluster needs a different name.")
    return found


def _suggested(
    rows: PreparedTable, leaves: int | None, seed: int, jobs: int | None, messages: Messages
) -> int:
    from agathis._fit_table import suggested

    if rows.X.size >= VALUES_TO_WAIT_FOR:
        messages.say("Looking how many clusters there are; -k gives a number, and saves the time.")
    with bad_data():
        found = suggested(rows, random_state=seed, n_jobs=jobs)
    k = found.n_clusters if leaves is None else min(found.n_clusters, leaves)
    messages.say(f"{k} clusters are suggested; -k sets another number.")
    for doubt in found.doubts("a larger -k"):
        messages.say(doubt)
    return k


def _leaves(n: int) -> str:
    return "1 leaf" if n == 1 else f"{n} leaves"


def _outcome(clusters: int, leaves: int | None, model: FittedModel) -> str:
    found = f"Found {count(model.n_clusters_, 'cluster')} with {_leaves(model.n_leaves_)}."
    if model.n_clusters_ == clusters:
        return found
    if model.n_leaves_ < (leaves or clusters):
        return f"{found} More would not help, or be smaller than --min-leaf allows."
    return f"{found} For more clusters, allow more --leaves."


def _tell_proof(model: BaseEstimator, messages: Messages) -> None:
    """How far from the best tree this one can be, where that was asked for."""
    gap = getattr(model, "gap_", None)
    if gap is None:
        return
    none = f"no tree with {_leaves(model.n_clusters)} is"
    if model.is_optimal_:
        messages.say(f"Proven: {none} better.")
    else:
        # Rounded up: less would claim more than is proven.
        most = math.ceil(1000 * gap) / 10
        messages.say(f"The proof did not end. So much is proven: {none} more than {most} % better.")


def _tell_target(rows: PreparedTable, labels: np.ndarray, messages: Messages) -> None:
    if rows.target is None:
        return
    from sklearn.metrics import adjusted_rand_score

    ari = adjusted_rand_score(rows.target, labels)
    messages.say(f"Agreement with the classes: ARI {ari:.2f} (1 is perfect, 0 is chance).")
