"""``agathis compare``: compare all methods on a table."""

from __future__ import annotations

from typing import Annotated

import typer

from agathis._cli import options
from agathis._cli.console import Messages, count
from agathis._cli.errors import BadData, WrongUse, bad_data
from agathis._cli.options import COMPARED_NAMES, Columns, Compared, TextFile
from agathis._cli.output import STDOUT, check_apart, check_target, write

# With more rows a fit of ICOT takes seconds.
ROWS_OF_ICOT = 1000
# Starting processes takes longer than fitting small tables.
SMALL = 50_000
DROP_MISSING = Columns(missing="drop")


def compare(
    data: options.Data,
    clusters: options.Clusters,
    output: options.Output = STDOUT,
    csv: Annotated[bool, typer.Option("--csv", help="Write CSV.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Write Markdown.")] = False,
    method: Annotated[
        list[Compared], typer.Option(help="Only this method; may come several times.")
    ] = [],  # noqa: B006
    leaves: options.Leaves = None,
    kernel: options.KernelName = "linear",
    runs: Annotated[
        int, typer.Option(min=1, metavar="N", help="Number of runs, each with other rows.")
    ] = 10,
    rows_of_run: Annotated[
        float | None,
        typer.Option(
            "--rows",
            min=0,
            metavar="N",
            help="Rows of a run, or their fraction; default: 80 %, or what a minute allows.",
        ),
    ] = None,
    columns: Annotated[Columns, "dates", "no_split", "no_count", "show"] = DROP_MISSING,
    text: TextFile = options.TEXT_FILE,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
) -> None:
    """Compare the methods on a table: how good, how simple, how fast.

    relative is the cost over that of KMeans without a tree (1 is as good), wad and waes say how
    deep the tree is and how long its rules; ari, with --target, how well classes are met. The last
    sentence says which method to take, and why. If a fit fails, the exit code is 1. Kauri is
    the paper's greedy tree; Kauri local is searched, as agathis fit does it.

    Example: agathis compare iris.csv -k 3 --target species --runs 5
    """
    if csv and markdown:
        raise WrongUse("--csv and --markdown are two formats; choose one.")
    if columns.missing == "tree":
        raise WrongUse(
            "--missing tree: Kauri alone takes missing values, so there is nothing to compare. "
            "--missing drop compares all methods; agathis fit --missing tree grows a Kauri tree."
        )
    if leaves is not None and leaves < clusters:
        raise WrongUse(f"--leaves {leaves} is less than -k {clusters}.")
    if rows_of_run is not None and (
        rows_of_run == 0 or (rows_of_run > 1 and not rows_of_run.is_integer())
    ):
        raise WrongUse(f"--rows {rows_of_run:g} must be rows, 1 or more, or their fraction.")
    check_target(output)
    check_apart(data, o=output)
    reading = text.reading()

    import numpy as np

    import agathis
    from agathis._cli.fitting import read_rows
    from agathis._cli.names import scale_for_kernel
    from agathis._methods import WITH_KERNELS

    names = [COMPARED_NAMES[one] for one in method]
    linear_only = [name for name in names if kernel != "linear" and name not in WITH_KERNELS]
    if linear_only:
        raise WrongUse(f"--kernel {kernel}: {linear_only[0]} supports the linear one only.")
    messages = Messages(quiet)
    columns = scale_for_kernel(columns, kernel)
    rows, _ = read_rows(data, columns, reading, messages, plain=True)
    X = np.asarray(rows.X)
    chosen = names or _methods(len(X), clusters, leaves, kernel, messages)
    messages.say(f"{count(runs, 'run')} of {len(chosen)} methods.")
    with bad_data():
        comparison = agathis.compare(
            X,
            rows.target,
            n_clusters=clusters,
            methods=chosen,
            kernel=kernel,
            max_leaf_nodes="auto" if leaves is None else leaves,
            n_runs=runs,
            subsample=_subsample(rows_of_run),
            random_state=seed,
            n_jobs=1 if jobs is None and X.size * runs < SMALL else jobs,
            verbose=int(not quiet),
        )
    if csv:
        write(output, comparison.summary.to_csv())
        messages.say(" ".join(filter(None, [comparison.note, comparison.advice])))
    else:
        write(output, f"{comparison.to_markdown() if markdown else comparison}\n")
    if comparison.failed:
        raise BadData(
            f"{comparison.failed} of {count(len(comparison.runs), 'fit')} failed: "
            + "; ".join(comparison.reasons())
            + "."
        )


def _subsample(rows: float | None) -> float | None:
    """Convert a number of rows to an integer, but not a fraction.

    >>> _subsample(5000.0), _subsample(0.5)
    (5000, 0.5)
    """
    return int(rows) if rows is not None and rows > 1 else rows


def _methods(
    n: int, clusters: int, leaves: int | None, kernel: str, messages: Messages
) -> list[str]:
    """Return all methods but ICOT if it is slow, and ExKMC if it equals IMM."""
    from agathis._compare.methods import check_methods

    names = list(check_methods(None, kernel, (leaves or clusters) > clusters))
    if kernel == "linear":
        if n <= ROWS_OF_ICOT:
            return [*names, "ICOT"]
        messages.say("ICOT is left out, as it is slow for so many rows (--method icot).")
    return names
