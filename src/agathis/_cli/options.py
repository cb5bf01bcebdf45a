"""Arguments and options that several commands share.

A group of options is a dataclass: a command with a parameter ``columns: Columns`` has ``--drop``,
``--keep`` and so on (:func:`with_groups`). Choices are read from the registries.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_type_hints

import typer

from agathis._checks.searches import SEARCHES
from agathis._io.stream_limits import MAX_BYTES, MAX_LINE_BYTES
from agathis._kernels.names import KERNELS
from agathis._methods import METHODS

if TYPE_CHECKING:
    from agathis._io.table_reading import ReadOptions

#: The methods as typed, with the names in papers.
COMPARED_NAMES = {method.typed: name for name, method in METHODS.items()}
#: Methods of a fit; their search is an option of its own.
METHOD_NAMES = {method.typed: name for name, method in METHODS.items() if method.search is None}
#: Names of separators, for the shell.
SEPARATORS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|", "space": " "}
#: The maximum number of lines of a header.
MAX_HEADER = 9
# More than any machine has.
MAX_JOBS = 4096

if TYPE_CHECKING:
    Method = str
    Compared = str
    Kernel = str
    Search = str
else:
    Method = Literal[tuple(METHOD_NAMES)]
    # As an enum, since typer takes no lists of literals.
    Compared = Enum("Compared", {name: name for name in COMPARED_NAMES}, type=str)
    Kernel = Literal[tuple(name for name, traits in KERNELS.items() if traits.command)]
    Search = Literal[SEARCHES]


def _check_jobs(jobs: int | None) -> int | None:
    if jobs == 0:
        raise typer.BadParameter("0 has no meaning; 1 is one, and -1 all cores.")
    return jobs


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A table: CSV, TSV (.gz too), Parquet, Arrow, Excel or JSON lines; - is stdin.",
    ),
]
ModelFile = Annotated[
    str, typer.Argument(metavar="MODEL", help="The output of `agathis fit -o`; - is stdin.")
]
Clusters = Annotated[
    int, typer.Option("--clusters", "-k", min=2, metavar="K", help="Maximum number of clusters.")
]
Output = Annotated[
    str, typer.Option("--output", "-o", metavar="FILE", help="The output file; - is stdout.")
]
Leaves = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Maximum number of leaves; default: K.")
]
KernelName = Annotated[Kernel, typer.Option(help="Similarity of rows.")]
Show = Annotated[
    list[str], typer.Option(metavar="COLUMN", help="Only show the column in the report.")
]
Target = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Known classes: not used, but compared with the clusters."),
]
Identifier = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="COLUMN",
        help="Put this column into the report, to find rows by it; it is not clustered.",
    ),
]
Title = Annotated[
    str | None, typer.Option(metavar="TEXT", help="Title of the report; default: the file.")
]
Seed = Annotated[
    int, typer.Option(min=0, max=2**32 - 1, metavar="N", help="Seed for random sampling.")
]
Jobs = Annotated[
    int | None,
    typer.Option(
        min=-MAX_JOBS,
        max=MAX_JOBS,
        metavar="N",
        callback=_check_jobs,
        help="Number of threads or processes; default: all cores.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print warnings and errors only.")]
Open = Annotated[bool, typer.Option("--open", help="Open the report in the browser.")]


def _columns(text: str) -> Any:
    return typer.Option(metavar="COLUMN", help=text)


@dataclass(frozen=True)
class Columns:
    """How the columns of a table are used, as typed: names may have commas between them."""

    scale: Annotated[
        list[str],
        typer.Option(
            metavar="HOW",
            help="auto, standard, minmax, robust, rank, log or none, so that all columns "
            "have equal influence whatever their units; COLUMN=HOW for one of them.",
        ),
    ] = field(default_factory=list)
    weight: Annotated[
        list[str],
        typer.Option(
            metavar="COLUMN=N",
            help="Count a column as if it were there N times; equal: all once; default: learned.",
        ),
    ] = field(default_factory=list)
    drop: Annotated[list[str], _columns("Leave a column out; may come several times.")] = field(
        default_factory=list
    )
    keep: Annotated[list[str], _columns("Use it though it looks like an identifier.")] = field(
        default_factory=list
    )
    categorical: Annotated[list[str], _columns("Its values are categories, not numbers.")] = field(
        default_factory=list
    )
    ordered: Annotated[
        list[str],
        typer.Option(
            metavar="COLUMN=A<B<C",
            help="The order of its values, low to high; quote it for the shell.",
        ),
    ] = field(default_factory=list)
    dates: Annotated[
        Literal["out", "parts"],
        typer.Option(help="Leave dates and times out, or use their parts as features."),
    ] = "out"
    no_split: Annotated[list[str], _columns("Use for distances only, never in rules.")] = field(
        default_factory=list
    )
    no_count: Annotated[list[str], _columns("Use in rules only, not for distances.")] = field(
        default_factory=list
    )
    show: Show = field(default_factory=list)
    target: Target = None
    missing: Annotated[
        Literal["error", "drop", "tree"],
        typer.Option(help="Rows with missing values: stop, drop them, or let the tree learn."),
    ] = "tree"
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop if the meaning of a column is in doubt.")
    ] = False


@dataclass(frozen=True)
class TextFile:
    """How the file of a table is read, as typed."""

    na: Annotated[
        list[str], typer.Option(metavar="TEXT", help="Additional string for missing values.")
    ] = field(default_factory=list)
    encoding: Annotated[
        str | None, typer.Option(metavar="NAME", help="Encoding of a text file; default: UTF-8.")
    ] = None
    sep: Annotated[
        str | None,
        typer.Option(metavar="CHAR", help="Character between columns; default: detected."),
    ] = None
    decimal: Annotated[
        Literal[".", ","] | None,
        typer.Option(help="Decimal mark of numbers such as 1.200; default: detected."),
    ] = None
    sheet: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Sheet of an Excel file; default: the only table."),
    ] = None
    header_row: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="Line of the names of columns, or lines to join, such as 3-4; default: detected.",
        ),
    ] = None
    no_header: Annotated[
        bool, typer.Option("--no-header", help="Columns have no names: column 1, column 2, ...")
    ] = False
    skip_rows: Annotated[
        int, typer.Option(min=0, metavar="N", help="Leave out the first lines of the file.")
    ] = 0
    skip_footer: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Leave out the last lines; 0 keeps totals and notes, which are detected.",
        ),
    ] = None
    max_line_bytes: Annotated[
        int,
        typer.Option(
            min=1 << 20,
            metavar="N",
            help="Maximum number of bytes in a line of a text file; a longer line is an error.",
        ),
    ] = MAX_LINE_BYTES
    max_bytes: Annotated[
        int,
        typer.Option(
            min=1 << 20,
            metavar="N",
            help="Maximum number of bytes read from a pipe, a device or a gzip file "
            "(decompressed).",
        ),
    ] = MAX_BYTES

    def reading(self) -> ReadOptions:
        """Convert to the reader's options."""
        from agathis._cli.errors import WrongUse
        from agathis._columns.errors import BadTable, as_options, message_of
        from agathis._io.table_reading import ReadOptions

        given = {one.name: getattr(self, one.name) for one in fields(self)}
        separator = given.pop("sep")
        given["header_row"], lines = _header_lines(self.header_row)
        try:
            return ReadOptions(
                **given, header_lines=lines, separator=SEPARATORS.get(separator, separator)
            )
        except BadTable as error:
            raise WrongUse(message_of(error.parts, as_options)) from error


@dataclass(frozen=True)
class TreeOptions:
    """The settings of a fit, as typed."""

    leaves: Leaves = None
    method: Annotated[Method, typer.Option(help="How the tree is grown.")] = "kauri"
    kernel: KernelName = "linear"
    gamma: Annotated[
        float | None, typer.Option(metavar="G", help="Parameter gamma of the kernel.")
    ] = None
    search: Annotated[
        Search | None,
        typer.Option(
            help="Search effort: local by default; optimal proves optimality, for few clusters."
        ),
    ] = None
    search_effort: Annotated[
        float | None,
        typer.Option(
            min=0.1,
            max=1000,
            metavar="N",
            help="How long to search; default: 24 for small tables and 1 for large ones.",
        ),
    ] = None
    time_limit: Annotated[
        float | None,
        typer.Option(
            min=1e-3, metavar="SECONDS", help="Time limit of the proof of --search optimal."
        ),
    ] = None
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Allow rules on a sum of two columns, where it pays.")
    ] = False
    min_leaf: Annotated[
        float | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Minimum number of rows in a leaf, or their fraction; default: 2 %.",
        ),
    ] = None
    seed: Seed = 0
    jobs: Jobs = None


#: The defaults of the groups.
COLUMNS, TEXT_FILE, TREE = Columns(), TextFile(), TreeOptions()


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with an option for each field of its groups.

    Defaults are those of the parameter's default value. ``Annotated[Columns, "show", "target"]`` is
    the group without these two options.
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, tuple[Any, list[str]]] = {}
    parameters = []
    for name, parameter in inspect.signature(command).parameters.items():
        kind, *hidden = get_args(hints[name]) or (hints[name],)
        if not is_dataclass(kind):
            parameters.append(_option(name, parameter.default, hints[name]))
            continue
        options = [one.name for one in fields(kind) if one.name not in hidden]
        types = get_type_hints(kind, include_extras=True)
        groups[name] = parameter.default, options
        parameters += [_option(one, getattr(parameter.default, one), types[one]) for one in options]

    @functools.wraps(command)
    def run(**given: Any) -> None:
        for name, (default, options) in groups.items():
            given[name] = replace(default, **{one: given.pop(one) for one in options})
        command(**given)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def _option(name: str, default: object, annotation: object) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


def options_typed(group: Any) -> list[str]:
    """Return the options of a group that are not the defaults, as typed.

    >>> options_typed(TextFile(na=["-", "?"], sep=";"))
    ['--na', '-', '--na', '?', '--sep', ';']
    """
    default, out = type(group)(), []
    for name in (one.name for one in fields(group)):
        option, value = f"--{name.replace('_', '-')}", getattr(group, name)
        if isinstance(value, list):
            out += [text for one in value for text in (option, one)]
        elif value != getattr(default, name):
            out += [option] if value is True else [option, str(value)]
    return out


def _header_lines(given: str | None) -> tuple[int | None, int]:
    """Return the first line of a header and the number of its lines.

    >>> _header_lines("3"), _header_lines("3-4")
    ((3, 1), (3, 2))
    """
    from agathis._cli.errors import WrongUse

    if given is None:
        return None, 1
    match = re.fullmatch(r"([1-9][0-9]{0,8})(?:-([1-9][0-9]{0,8}))?", given.strip())
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
    if not 0 <= last - first < MAX_HEADER:
        raise WrongUse(
            f"--header-row {given}: it is a line, counted from 1, or lines to join, such as 3-4."
        )
    return first, last - first + 1
