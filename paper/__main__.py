"""The command ``python -m paper``: compute the paper's tables and figures.

Exit codes: 0; 1, data or a file cannot be used; 2, the arguments cannot be understood; 3,
interrupted (Ctrl-C) and rows of results were added; 130, interrupted before that.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from agathis._utils.extras import needed
from paper.experiments import render, run
from paper.experiments.plan import EXPERIMENTS
from paper.experiments.store import Store


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    options = _parser().parse_args(arguments)
    before = 0
    try:
        # Before hours of fits, not after them.
        needed("matplotlib", "paper", "a figure")
        needed("jinja2", "paper", "the page")
        before = sum(1 for _ in Store(options.output).rows())
        if options.command == "run":
            run(
                options.output,
                experiments=options.only,
                quick=options.quick,
                data_home=options.data_home,
                n_jobs=options.jobs,
                verbose=not options.quiet,
            )
        else:
            render(options.output, quick=options.quick, data_home=options.data_home)
    except KeyboardInterrupt:
        return _interrupted(options.output, before)
    except (ValueError, RuntimeError, ImportError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    if not options.quiet:
        print(f"The page is {os.path.join(options.output, 'index.html')}.", file=sys.stderr)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m paper", description="Reproduce the paper.")
    commands = parser.add_subparsers(dest="command", required=True)
    fitting = commands.add_parser(
        "run",
        help="compute the tables and figures of the paper, next to the printed numbers",
        description="Rows of results are stored as they come: an interrupted run resumes. At the "
        "end there are cells.csv, tables.md, tables.tex, figures and index.html.",
    )
    writing = commands.add_parser("render", help="write tables, figures and page from stored rows")
    fitting.add_argument(
        "--only",
        action="append",
        choices=EXPERIMENTS,
        help="an experiment to run; may be repeated (default: all)",
    )
    fitting.add_argument("--jobs", type=int, help="number of processes (default: one per core)")
    for command in (fitting, writing):
        command.add_argument(
            "-o", "--output", default="results", metavar="FOLDER", help="default: %(default)s"
        )
        command.add_argument("--quick", action="store_true", help="five runs on small data sets")
        command.add_argument(
            "--data-home",
            metavar="FOLDER",
            help="folder of the data sets (default: AGATHIS_DATA, else they are downloaded)",
        )
        command.add_argument("-q", "--quiet", action="store_true", help="print errors only")
    return parser


def _interrupted(folder: str, before: int) -> int:
    """Report how many rows of results were added; returns the exit code."""
    stored = sum(1 for _ in Store(folder).rows())
    if stored <= before:
        print("Interrupted.", file=sys.stderr)
        return 130
    rows = "1 row" if stored == 1 else f"{stored} rows"
    print(
        f"Interrupted: {rows} of results stored in {folder}; the same command resumes from there.",
        file=sys.stderr,
    )
    return 3


if __name__ == "__main__":
    sys.exit(main())
