"""Arguments and options that several commands share."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Annotated, cast

import typer

from agathis._checks.searches import SEARCHES
from agathis._kernels.names import KERNELS
from agathis._methods import METHODS

if TYPE_CHECKING:
    from agathis._io.read_table import ReadOptions
    from agathis._model.facts import GivenReadOptions

#: The methods as they are typed, with the names that papers use.
COMPARED_NAMES = {method.typed: name for name, method in METHODS.items()}
#: Those that are grown by name; how they are searched is an option of its own.
METHOD_NAMES = {method.typed: name for name, method in METHODS.items() if method.search is None}
# More than any machine has.
MAX_JOBS = 4096


class Method(str, Enum):
    """The methods that a tree is grown by."""

    _ignore_ = "members name"
    members = vars()
    for name in METHOD_NAMES:
        members[name] = name


class Compared(str, Enum):
    """The methods that can be compared."""

    _ignore_ = "members name"
    members = vars()
    for name in COMPARED_NAMES:
        members[name] = name


class Kernel(str, Enum):
    """The kernels by name."""

    _ignore_ = "members name traits"
    members = vars()
    for name, traits in KERNELS.items():
        if traits.command:
            members[name] = name


KAURI, LINEAR = Method("kauri"), Kernel("linear")


class Dates(str, Enum):
    out = "out"
    parts = "parts"


class Decimal(str, Enum):
    point = "."
    comma = ","


class Search(str, Enum):
    """How thoroughly to search for the tree."""

    _ignore_ = "members name"
    members = vars()
    for name in SEARCHES:
        members[name] = name


class Missing(str, Enum):
    error = "error"
    drop = "drop"
    tree = "tree"


def _some_jobs(jobs: int | None) -> int | None:
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
    str, typer.Argument(metavar="MODEL", help="What `agathis fit -o` wrote; - is stdin.")
]
Clusters = Annotated[
    int, typer.Option("--clusters", "-k", min=2, metavar="K", help="Maximum number of clusters.")
]
ClustersOrSuggested = Annotated[
    int | None,
    typer.Option(
        "--clusters",
        "-k",
        min=2,
        metavar="K",
        help="Maximum number of clusters; default: suggested.",
    ),
]
Output = Annotated[
    str, typer.Option("--output", "-o", metavar="FILE", help="Where to write; - is stdout.")
]
Drop = Annotated[
    list[str], typer.Option(metavar="COLUMN", help="Leave a column out; may come several times.")
]
Keep = Annotated[
    list[str], typer.Option(metavar="COLUMN", help="Use it though it looks like an identifier.")
]
NoSplit = Annotated[
    list[str], typer.Option(metavar="COLUMN", help="Use for distances only, never in rules.")
]
NoCount = Annotated[
    list[str], typer.Option(metavar="COLUMN", help="Use in rules only, not for distances.")
]
Show = Annotated[list[str], typer.Option(metavar="COLUMN", help="Only show it, in the report.")]
Categorical = Annotated[
    list[str], typer.Option(metavar="COLUMN", help="Its values are categories, not numbers.")
]
Target = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Known classes: not used, but compared with the clusters."),
]
Scaling = Annotated[
    list[str],
    typer.Option(
        "--scale",
        metavar="HOW",
        help="auto, standard, minmax, robust, rank, log or none, so that all columns "
        "have equal influence whatever their units; COLUMN=HOW for one of them.",
    ),
]
Weights = Annotated[
    list[str],
    typer.Option(
        "--weight",
        metavar="COLUMN=N",
        help="Count a column as if it were there N times; equal: all once; by default learned.",
    ),
]
DatesAre = Annotated[
    Dates, typer.Option("--dates", help="Leave dates and parts of dates out, or use their parts.")
]
MissingValues = Annotated[
    Missing,
    typer.Option(help="Rows that miss values: stop, drop them, or let the tree learn."),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Stop where something about a column is in doubt.")
]
Na = Annotated[
    list[str], typer.Option(metavar="TEXT", help="Additional string for missing values.")
]
Encoding = Annotated[
    str | None, typer.Option(metavar="NAME", help="Of a text file; by default UTF-8.")
]
Separator = Annotated[
    str | None, typer.Option("--sep", metavar="CHAR", help="Between columns; by default found.")
]
DecimalPoint = Annotated[
    Decimal | None,
    typer.Option(help="Of numbers such as 1.200, which may be either; by default found."),
]
MaxLineBytes = Annotated[
    int,
    typer.Option(
        min=1 << 20,
        metavar="N",
        help="Maximum number of bytes in a line of a text file; a longer line is an error.",
    ),
]
MaxBytes = Annotated[
    int,
    typer.Option(
        min=1 << 20,
        metavar="N",
        help="Maximum number of bytes read from a pipe, a device or a gzip file (decompressed).",
    ),
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
        callback=_some_jobs,
        help="Threads or processes; by default all cores.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No messages but warnings and errors.")]
Open = Annotated[bool, typer.Option("--open", help="Open the report in the browser.")]


def reading_of(
    na: list[str],
    encoding: str | None,
    sep: str | None,
    decimal: Decimal | None,
    max_line_bytes: int,
    max_bytes: int,
) -> ReadOptions:
    """What the options say about how a file is read."""
    from agathis._io.read_table import ReadOptions

    point = None if decimal is None else decimal.value
    return ReadOptions(
        na,
        encoding,
        separator_of(sep),
        point,
        max_line_bytes=max_line_bytes,
        max_bytes=max_bytes,
    )


def given_of(reading: ReadOptions) -> GivenReadOptions:
    """Those of the options that were given, for the file of a model."""
    found = {
        "na": list(reading.na),
        "encoding": reading.encoding,
        "separator": reading.separator,
        "decimal": reading.decimal,
    }
    return cast("GivenReadOptions", {name: value for name, value in found.items() if value})


def separator_of(given: str | None) -> str | None:
    """The character, where its name or what shells make of it was typed."""
    from agathis._cli.errors import WrongUse
    from agathis._io.csv_layout import is_separator

    names = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|", "space": " "}
    found = names.get(given, given) if given is not None else None
    if found is not None and not is_separator(found):
        raise WrongUse(f"--sep {given!r} must be one character, or tab.")
    return found
