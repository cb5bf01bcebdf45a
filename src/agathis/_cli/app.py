"""Assemble the commands.

A command is a file in ``commands`` with a function of its name. Its file is imported for ``--help``
too, so it imports nothing heavy at its top: NumPy, scikit-learn and pyarrow come when the command
runs. A new command is a new file and a line in ``COMMANDS``. A command parses, calls the library
and prints. What commands share:

    inputs (read tables and models) -> fitting (encode, fit) -> output (write files),
    with messages on stderr (console), and exceptions as error messages (errors).
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from inspect import cleandoc
from typing import Annotated, TextIO, cast

import typer

from agathis._cli.console import SafeStream
from agathis._cli.errors import BAD_DATA, Ended, as_messages, end_in_order, output_failed
from agathis._cli.options import with_groups

#: The commands in the order of the help, with their modules.
COMMANDS = (
    "inspect",
    "fit",
    "explain",
    "predict",
    "show",
    "rename",
    "export",
    "report",
    "compare",
    "suggest",
    "demo",
)

#: Plain help without frames is quick, and examples can be copied.
SETTINGS = {
    "add_completion": False,
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
    "no_args_is_help": True,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}


def make_app() -> typer.Typer:
    """Create the application with all its commands."""
    app = typer.Typer(name="agathis", epilog=_EXAMPLE, **SETTINGS)
    app.callback()(_agathis)
    for name in COMMANDS:
        module = import_module(f"agathis._cli.commands.{name}")
        command = getattr(module, name)
        text, example = help_of(command.__doc__)
        app.command(name, help=text, epilog=example)(as_messages(with_groups(command)))
    return app


def help_of(doc: str | None) -> tuple[str, str]:
    """Split a docstring into its text and its last paragraph, an example.

    >>> help_of("Do it.\\n\\n    Example: agathis do it")
    ('Do it.', '\\x08\\nExample: agathis do it')
    """
    text, _, example = cleandoc(doc or "").rpartition("\n\n")
    return text, f"\b\n{example}"


def run() -> None:
    """Run the command line."""
    end_in_order()
    # A closed stream gets a descriptor, so that no file gets its number. It is open for reading
    # only: writing to it fails with EBADF, as it does when closed.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            number = os.open(os.devnull, os.O_RDONLY)
            setattr(sys, name, open(number, mode, encoding="utf-8"))  # noqa: SIM115
    # Names that the terminal cannot display must not stop a command.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    sys.stderr = cast(TextIO, SafeStream(sys.stderr))
    try:
        make_app()(prog_name="agathis")
    except Ended as ended:  # before a command began, or after it
        raise SystemExit(128 + ended.args[0]) from None
    except OSError as error:  # --help and --version, which no command writes
        if error.filename is not None or error.strerror is None:
            raise
        print(output_failed(error), file=sys.stderr)
        raise SystemExit(BAD_DATA) from None


def _show_version(asked: bool) -> None:
    if asked:
        from agathis import __version__

        typer.echo(f"agathis {__version__}")
        raise typer.Exit


_EXAMPLE = "\b\nExample: agathis demo"


def _agathis(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="The version."),
    ] = False,
) -> None:
    """Interpretable clustering: a table in, a few short rules out.

    Results go to stdout, messages to stderr. Exit codes: 0; 1, data or a file cannot be used, or
    stdout cannot be written; 2, wrong arguments; 3, interrupted (Ctrl-C), and the
    best result so far was written; 4, results were written, but no groups could be shown;
    130, interrupted before the results were written.
    """
