"""``agathis compare``: all methods on one table, side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from agathis._cli import options
from agathis._cli.console import Messages, count
from agathis._cli.errors import BadData, WrongUse, bad_data
from agathis._cli.options import COMPARED_NAMES, LINEAR, Compared, Kernel, Missing
from agathis._cli.output import STDOUT, check_apart, check_target, write
from agathis._io.stream_limits import MAX_BYTES, MAX_LINE_BYTES

# ICOT takes seconds a fit with more rows than that.
ROWS_OF_ICOT = 1000
# Processes take longer to start than small tables to be clustered.
SMALL = 50_000


def compare(
    data: options.Data,
    clusters: options.Clusters,
    output: options.Output = STDOUT,
    csv: Annotated[bool, typer.Option("--csv", help="As CSV, for machines.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="As Markdown.")] = False,
    method: Annotated[
        list[Compared], typer.Option(help="Only this one; may come several times.")
    ] = [],  # noqa: B006
    leaves: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Maximum number of leaves; default: K.")
    ] = None,
    kernel: Annotated[Kernel, typer.Option(help="What makes rows alike.")] = LINEAR,
    runs: Annotated[
        int, typer.Option(min=1, metavar="N", help="Each with other rows, 80 % of all.")
    ] = 10,
    rows_of_run: Annotated[
        float | None,
        typer.Option(
            "--rows",
            min=0,
            metavar="N",
            help="Rows of a run, or their share; by default 80 %, of many what a minute allows.",
        ),
    ] = None,
    scale: options.Scaling = [],  # noqa: B006
    weight: options.Weights = [],  # noqa: B006
    drop: options.Drop = [],  # noqa: B006
    keep: options.Keep = [],  # noqa: B006
    categorical: options.Categorical = [],  # noqa: B006
    target: options.Target = None,
    missing: options.MissingValues = Missing.drop,
    strict: options.Strict = False,
    na: options.Na = [],  # noqa: B006
    encoding: options.Encoding = None,
    sep: options.Separator = None,
    decimal: options.DecimalPoint = None,
    max_line_bytes: options.MaxLineBytes = MAX_LINE_BYTES,
    max_bytes: options.MaxBytes = MAX_BYTES,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
) -> None:
    """Compare the methods on a table: how good, how simple, how fast.

    relative is the cost over that of KMeans without a tree (1 is as good), wad and waes say how
    deep the tree is and how long its rules; ari, with --target, how well classes are met. The last
    sentence says which method to take, and why. Where a fit fails the exit code is 1. Kauri is
    the paper's greedy tree; Kauri local is searched, as agathis fit does it.

    Example: agathis compare iris.csv -k 3 --target species --runs 5
    """
    if csv and markdown:
        raise WrongUse("--csv and --markdown are two forms; choose one.")
    if missing is Missing.tree:
        raise WrongUse(
            "--missing tree: Kauri alone takes missing values, so there is nothing to compare. "
            "--missing drop compares all methods; agathis fit --missing tree grows a Kauri tree."
        )
    if leaves is not None and leaves < clusters:
        raise WrongUse(f"--leaves {leaves} is less than -k {clusters}.")
    if rows_of_run is not None and (
        rows_of_run == 0 or (rows_of_run > 1 and not rows_of_run.is_integer())
    ):
        raise WrongUse(f"--rows {rows_of_run:g} must be rows, 1 or more, or their share.")
    check_target(output)
    check_apart(data, o=output)
    reading = options.reading_of(na, encoding, sep, decimal, max_line_bytes, max_bytes)

    import numpy as np

    import agathis
    from agathis._cli.fitting import read_rows
    from agathis._cli.names import Wanted
    from agathis._encoding.scaling import SCALES
    from agathis._methods import WITH_KERNELS

    names = [COMPARED_NAMES[one.value] for one in method]
    wrong = [name for name in names if kernel is not LINEAR and name not in WITH_KERNELS]
    if wrong:
        raise WrongUse(f"--kernel {kernel.value}: {wrong[0]} knows the linear one only.")
    messages = Messages(quiet)
    if kernel.value == "chi2" and not any(one in SCALES for one in scale):
        scale = ["minmax", *scale]  # it takes no number below 0
    wanted = Wanted(
        drop, keep, categorical, target=target, missing=missing.value, scale=scale, weight=weight,
        strict=strict,
    )  # fmt: skip
    rows, _ = read_rows(data, wanted, reading, messages, plain=True)
    X = np.asarray(rows.X)
    chosen = names or _methods(len(X), clusters, leaves, kernel, messages)
    messages.say(f"{count(runs, 'run')} of {len(chosen)} methods.")
    with bad_data():
        found = agathis.compare(
            X,
            rows.target,
            n_clusters=clusters,
            methods=chosen,
            kernel=kernel.value,
            max_leaf_nodes="auto" if leaves is None else leaves,
            n_runs=runs,
            subsample=_subsample(rows_of_run),
            random_state=seed,
            n_jobs=1 if jobs is None and X.size * runs < SMALL else jobs,
            verbose=int(not quiet),
        )
    if csv:
        write(output, found.summary.to_csv())
        messages.say(" ".join(filter(None, [found.note, found.advice])))
    else:
        write(output, f"{found.to_markdown() if markdown else found}\n")
    if found.failed:
        raise BadData(
            f"{found.failed} of {count(len(found.runs), 'fit')} came to no end: "
            + "; ".join(found.reasons())
            + "."
        )


def _subsample(rows: float | None) -> float | None:
    """A number of rows as a whole number, a share as it is.

    >>> _subsample(5000.0), _subsample(0.5)
    (5000, 0.5)
    """
    return int(rows) if rows is not None and rows > 1 else rows


def _methods(
    n: int, clusters: int, leaves: int | None, kernel: Kernel, messages: Messages
) -> list[str]:
    """All that suit: not ICOT where it is slow, nor ExKMC where it is IMM."""
    from agathis._compare.methods import check_methods

    names = list(check_methods(None, kernel.value, (leaves or clusters) > clusters))
    if kernel is LINEAR:
        if n <= ROWS_OF_ICOT:
            return [*names, "ICOT"]
        messages.say("ICOT is left out, as it is slow for so many rows (--method icot).")
    return names
