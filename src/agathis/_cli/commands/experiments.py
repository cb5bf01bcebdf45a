"""``agathis experiments``: the paper's tables and figures made again."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from agathis._cli import options
from agathis._cli.console import Messages, count, listed
from agathis._cli.errors import PartialResult, WrongUse, as_messages, bad_data, needs

Folder = Annotated[
    str, typer.Option("--output", "-o", metavar="FOLDER", help="Where results are kept.")
]
DataHome = Annotated[
    str | None,
    typer.Option(
        metavar="FOLDER", help="Of the data sets; by default AGATHIS_DATA, else downloads."
    ),
]
# What a user can mend, by another folder, a package or a connection.
_KINDS = (RuntimeError, ImportError, OSError)


def run(
    output: Folder = "results",
    quick: Annotated[bool, typer.Option("--quick", help="Five runs on small sets.")] = False,
    only: Annotated[
        list[str],
        typer.Option(
            metavar="NAME",
            help="small, large, kernels, angle, samples or lost; may come several times.",
        ),
    ] = [],  # noqa: B006
    data_home: DataHome = None,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
) -> None:
    """Make the paper's tables and figures again, beside the printed numbers.

    Results are kept as they come: a run that was stopped goes on where it was. At the end there
    are cells.csv, tables.md, tables.tex, figures and index.html, a page with all of it.

    Example: agathis experiments run --quick -o results
    """
    _check()
    from agathis.experiments import run as run_them
    from agathis.experiments._plan import EXPERIMENTS
    from agathis.experiments._run import check_experiments
    from agathis.experiments._store import Store

    unknown = [name for name in only if name not in EXPERIMENTS]
    if unknown:
        raise WrongUse(f"--only {unknown[0]}: there are {listed(EXPERIMENTS)}.")
    names = check_experiments(only or None)
    try:
        with bad_data(*_KINDS):
            run_them(
                output,
                experiments=names,
                quick=quick,
                data_home=data_home,
                n_jobs=jobs,
                verbose=not quiet,
            )
    except KeyboardInterrupt as error:
        if not (kept := sum(1 for _ in Store(output).rows())):
            raise
        raise PartialResult(
            f"{count(kept, 'row')} of results are kept in {output}; the same command goes on from "
            "there."
        ) from error
    _told(output, quiet)


def render(
    output: Folder = "results",
    quick: Annotated[bool, typer.Option("--quick", help="Of a quick run.")] = False,
    data_home: DataHome = None,
    quiet: options.Quiet = False,
) -> None:
    """Write tables, figures and the page again from the rows of a run.

    Example: agathis experiments render -o results
    """
    _check()
    from agathis.experiments import render as render_them

    with bad_data(*_KINDS):
        render_them(output, quick=quick, data_home=data_home)
    _told(output, quiet)


def _check() -> None:
    """Say what is not installed before hours of work, not after."""
    needs("matplotlib", "plot", "a picture")
    needs("jinja2", "report", "the page")


def _told(folder: str, quiet: bool) -> None:
    Messages(quiet).say(f"The page is {os.path.join(folder, 'index.html')}.")


def _app() -> typer.Typer:
    from agathis._cli.app import SETTINGS, help_of

    _, example = help_of(run.__doc__)
    app = typer.Typer(help="The paper's experiments, by one command.", epilog=example, **SETTINGS)
    for command in (run, render):
        text, example = help_of(command.__doc__)
        app.command(command.__name__, help=text, epilog=example)(as_messages(command))
    return app


experiments = _app()
