"""``agathis fit``: fit a tree to a table."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from agathis._cli import options
from agathis._cli.console import Messages, count, listed
from agathis._cli.dask_fit import check_possible, fit_on_cluster
from agathis._cli.errors import BadData, NotShown, PartialResult, WrongUse, bad_data
from agathis._cli.options import Columns, TextFile, TreeOptions
from agathis._cli.output import STDOUT, check_apart, check_target, write
from agathis._cli.reporting import check_report, write_report

if TYPE_CHECKING:
    import numpy as np
    from sklearn.base import BaseEstimator

    from agathis._evidence import Repeats
    from agathis._fit_table import PreparedTable
    from agathis.export import FittedModel

#: With as many values the test takes about a second.
VALUES_TO_WAIT_FOR = 300_000


def fit(
    data: options.Data,
    clusters: Annotated[
        int | None,
        typer.Option(
            "--clusters",
            "-k",
            min=2,
            metavar="K",
            help="Maximum number of clusters; default: suggested.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="The model, as JSON; - is stdout."),
    ] = None,
    report: Annotated[
        str | None, typer.Option(metavar="FILE", help="A report about the clusters, as HTML.")
    ] = None,
    open_report: options.Open = False,
    identifier: options.Identifier = None,
    title: options.Title = None,
    tree: TreeOptions = options.TREE,
    columns: Columns = options.COLUMNS,
    names: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Names of the clusters, in their order.")
    ] = None,
    text: TextFile = options.TEXT_FILE,
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Fit Parquet files with the workers of a Dask scheduler; local starts some here.",
        ),
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Find clusters in a table, and describe them.

    The rules, one per cluster, go to stdout.

    Example: agathis fit iris.csv -k 3 --target species -o model.json
    """
    check_target(output)
    if dask is not None:
        check_possible(tree, columns, clusters, identifier)
    check_report(report, "--report")
    check_apart(data, o=output, report=report)
    if open_report and report is None:
        raise WrongUse("--open opens the report: give its file with --report.")
    cluster_names = _names(names, clusters)
    messages = Messages(quiet)
    if dask is not None and clusters is not None:
        fit_on_cluster(
            dask,
            data,
            columns,
            tree,
            clusters,
            messages,
            output=output,
            report=report,
            open_report=open_report,
            cluster_names=cluster_names,
            title=title,
        )
        return
    is_kauri = tree.method == options.TREE.method
    if not is_kauri and (columns.dates == "parts" or columns.no_split or columns.no_count):
        raise WrongUse("--dates parts, --no-split and --no-count are for --method kauri.")
    reading = text.reading()

    from agathis._cli.fitting import check_settings, fitted, read_rows
    from agathis._cli.inputs import title_of_input
    from agathis._cli.names import scale_for_kernel
    from agathis._evidence import Repeats
    from agathis._fit_table import as_pipeline
    from agathis._model.conversion import fitted_model
    from agathis.export import to_json, to_rules

    # Errors in the options come before the table is read.
    check_settings(tree, clusters or min(2, tree.leaves or 2))
    columns = scale_for_kernel(columns, tree.kernel)
    rows, read = read_rows(
        data, columns, reading, messages, plain=not is_kauri, identifier=identifier
    )
    # The evidence is that of the linear kernel.
    repeats = None
    if clusters is None or tree.kernel == "linear":
        if rows.X.size >= VALUES_TO_WAIT_FOR:
            messages.say("Testing whether there are groups.")
        repeats = Repeats.of(rows.X, tree.seed)
    n_clusters = clusters or _suggested(rows, repeats, tree, messages)
    model = fitted(tree, n_clusters, rows, messages)
    evidence = None if repeats is None else repeats.evidence(model.tree_)
    found = model.tree_.n_clusters
    if cluster_names is not None and len(cluster_names) != found:
        raise BadData(f"the tree has {found} clusters, and --names {len(cluster_names)} names.")
    with bad_data():
        pipeline = as_pipeline(rows, model, evidence)
        pipeline.provenance_ = replace(
            pipeline.provenance_,
            source=os.path.basename(title_of_input(data)),
            reading=read.reading.decided,
            title=title,
        )
        described = fitted_model(pipeline, cluster_names=cluster_names)
    tell = messages.say if described.n_clusters_ > 1 or n_clusters == 1 else messages.warn
    tell(_outcome(n_clusters, tree.leaves, described))
    if evidence is not None and evidence.shown:
        messages.tell(evidence.doubts())
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
        write_report(
            report, described, read.table, data, open_report, messages, reading=read.reading
        )
    if getattr(model, "search_interrupted_", False):
        files = [file for file in (output, report) if file not in (None, STDOUT)]
        where = listed([*files, "standard output"])
        if evidence is not None and not evidence.shown:
            messages.warn(evidence.not_shown())
        raise PartialResult(f"the best tree found so far was written to {where}.")
    if evidence is not None and not evidence.shown:
        all_the_same = " -k 2 splits the rows all the same." if clusters is None else ""
        raise NotShown(f"{evidence.not_shown()}{all_the_same}")


def _names(names: str | None, clusters: int | None) -> list[str] | None:
    """Split the names of the clusters."""
    if names is None:
        return None
    out = [name.strip() for name in names.split(",")]
    if clusters is not None and len(out) > clusters:
        raise WrongUse(f"--names has {len(out)} names, and -k is {clusters}.")
    if len(set(out) - {""}) < len(out):
        raise WrongUse(f"--names {names}: each cluster needs a different name.")
    return out


def _suggested(
    rows: PreparedTable, repeats: Repeats | None, tree: TreeOptions, messages: Messages
) -> int:
    """The suggested number of clusters."""
    from agathis._fit_table import suggested

    assert repeats is not None
    with bad_data():
        k = suggested(rows, repeats).n_clusters
    if tree.leaves is not None:
        k = min(k, tree.leaves)
    if k > 1:
        messages.say(f"{k} clusters are suggested; -k sets another number.")
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
    """Report the proven distance to the optimal tree, if it was computed."""
    gap = getattr(model, "gap_", None)
    if gap is None:
        return
    none = f"no tree with {_leaves(model.n_clusters)} is"
    if model.is_optimal_:
        messages.say(f"Proven: {none} better.")
    else:
        # Rounded up, so as not to claim more than is proven.
        percent = math.ceil(1000 * gap) / 10
        messages.say(
            f"The proof did not finish: it shows that {none} more than {percent} % better."
        )


def _tell_target(rows: PreparedTable, labels: np.ndarray, messages: Messages) -> None:
    if rows.target is None:
        return
    from sklearn.metrics import adjusted_rand_score

    ari = adjusted_rand_score(rows.target, labels)
    messages.say(f"Agreement with the classes: ARI {ari:.2f} (1 is perfect, 0 is chance).")
