"""From a table in a file to a fitted tree, as several commands need it."""

from __future__ import annotations

import inspect
import io
import math
import sys
import warnings
from collections.abc import Collection
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from agathis._cli.console import Messages, count
from agathis._cli.errors import BadData, WrongUse, bad_data
from agathis._cli.inputs import read_input, tell_of_numbers, title_of_input
from agathis._cli.names import Wanted, split_names
from agathis._cli.options import METHOD_NAMES

if TYPE_CHECKING:
    import pyarrow as pa
    from sklearn.base import BaseEstimator

    from agathis._fit_table import PreparedTable
    from agathis._io.read_table import ReadOptions

# Fits of fewer rows are over before a bar is read.
ROWS_WITH_BAR = 20_000


def read_rows(
    path: str, wanted: Wanted, reading: ReadOptions, messages: Messages, *, plain: bool = False
) -> tuple[PreparedTable, pa.Table]:
    """The table in a file, ready for a fit, and as it is; how columns are handled is said.

    ``plain`` is for methods that take no missing values.
    """
    count_cores()
    reading = replace(reading, strict=wanted.strict)
    read = read_input(path, reading, lambda names: split_names(wanted.categorical, names))
    messages.tell(read.doubts)
    rows = prepare(read.table, wanted, title_of_input(path), messages, plain=plain)
    tell_of_numbers(read.notes, rows.encoder.feature_names_, messages)
    return rows, read.table


def count_cores() -> None:
    """Let joblib count the cores now, unseen, and remember what it found.

    scikit-learn's KMeans asks for them. Where they cannot be counted, as in a container without
    lscpu, joblib warns and prints a piece of a traceback; it then takes all threads for cores.
    """
    from joblib import cpu_count

    with warnings.catch_warnings(), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        cpu_count(only_physical_cores=True)


def prepare(
    table: pa.Table, wanted: Wanted, title: str, messages: Messages, *, plain: bool = False
) -> PreparedTable:
    """Turn a table into numbers, and say what became of its columns."""
    from agathis import TableEncoder
    from agathis._fit_table import prepare as encode

    names = table.column_names
    wanted = wanted.of(names)
    messages.say(f"Read {count(table.num_rows, 'row')} and {count(table.num_columns, 'column')}.")
    encoder = TableEncoder(**encoder_options(wanted, names, title))
    missing = wanted.missing
    if wanted.strict:
        missing = "error"
    elif plain and missing == "tree":
        missing = "drop"
    found = encode(table, encoder, missing=missing, target=wanted.target)
    messages.tell(found.notes)
    messages.say(scaling_of(wanted))
    messages.tell(found.encoder.notes_on_weights())
    return found


def encoder_options(wanted: Wanted, names: Collection[str], title: str) -> dict[str, Any]:
    """The arguments of an encoder for a table with these columns."""
    return {
        "drop": list(wanted.drop),
        "keep": list(wanted.keep),
        "categorical": list(wanted.categorical),
        "no_split": list(wanted.no_split),
        "no_count": list(wanted.no_count),
        "show": list(wanted.show),
        "scale": wanted.scales(names),
        "weight": wanted.weights(names),
        "dates": wanted.dates,
        "strict": wanted.strict,
        "title": title,
    }


def scaling_of(wanted: Wanted) -> str:
    """What is done to numbers, as a sentence."""
    from agathis._encoding.scaling import scaling_summary

    return scaling_summary(wanted.scale)


@dataclass(frozen=True)
class Settings:
    """The options of a fit as they were typed."""

    method: str = "kauri"
    leaves: int | None = None
    min_leaf: float | None = None
    kernel: str = "linear"
    gamma: float | None = None
    search: str | None = None
    search_effort: float | None = None
    time_limit: float | None = None
    pairs: bool = False
    seed: int = 0
    jobs: int | None = None

    def check(self, clusters: int) -> None:
        """Raise for options that do not go together, with so many clusters."""
        from agathis._methods import METHODS

        name = METHOD_NAMES[self.method]
        method, leaves = METHODS[name], self.leaves
        known = inspect.signature(method.estimator_class).parameters
        if leaves is not None and leaves < clusters:
            raise WrongUse(
                f"--leaves {leaves} is less than -k {clusters}: each cluster has a leaf."
            )
        if leaves is not None and leaves > clusters and not method.leaves:
            text = f"--leaves {leaves}: a leaf of {name} is a cluster, and -k is {clusters}."
            raise WrongUse(text)
        if self.kernel != "linear" and not method.kernels:
            raise WrongUse(f"--kernel {self.kernel}: {name} knows the linear one only.")
        if self.gamma is not None and self.kernel in ("linear", "cosine"):
            raise WrongUse(f"--gamma: the {self.kernel} kernel has none.")
        if self.gamma is not None and not 0 <= self.gamma < math.inf:
            raise WrongUse(f"--gamma {self.gamma:g} must be a finite number, at least 0.")
        if self.min_leaf is not None and not 0 < self.min_leaf < math.inf:
            raise WrongUse(f"--min-leaf {self.min_leaf:g} must be rows, 1 or more, or their share.")
        if "search" not in known and (self.search is not None or self.pairs):
            raise WrongUse(f"--search and --pairs are for --method kauri, not {name}.")
        if self.time_limit is not None and self.search != "optimal":
            raise WrongUse("--time-limit is for the proof of --search optimal.")
        if self.search == "optimal" and leaves is not None and leaves > clusters:
            raise WrongUse(f"--search optimal: a leaf is a cluster, and --leaves is {leaves}.")
        if self.min_leaf is not None and "min_samples_leaf" not in known:
            raise WrongUse(f"--min-leaf {self.min_leaf:g}: {name} has no such limit.")


def fitted(
    settings: Settings, clusters: int, rows: PreparedTable, messages: Messages
) -> BaseEstimator:
    """Fit, with a bar on stderr where that is a terminal and the rows are many."""
    from agathis._fit_table import new_model

    n_rows = len(rows.X)
    settings.check(clusters)
    if n_rows < clusters:
        raise BadData(f"-k {clusters} is more than there are rows, {n_rows:,}.")
    bar = not messages.quiet and sys.stderr.isatty() and n_rows >= ROWS_WITH_BAR
    with bad_data(), redirect_stdout(sys.stderr):
        return new_model(
            rows,
            clusters,
            method=METHOD_NAMES[settings.method],
            max_leaf_nodes="auto" if settings.leaves is None else settings.leaves,
            min_samples_leaf=settings.min_leaf,
            kernel=settings.kernel,
            gamma=settings.gamma,
            search=settings.search,
            search_effort=settings.search_effort,
            time_limit=settings.time_limit,
            split="pair" if settings.pairs else "axis",
            random_state=settings.seed,
            n_jobs=settings.jobs,
            verbose=int(bar),
        ).fit(rows.X)
