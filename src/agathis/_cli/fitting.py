"""Read and encode a table, and fit a tree: the steps that commands share."""

from __future__ import annotations

import inspect
import io
import math
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from typing import TYPE_CHECKING

from agathis._cli.console import Messages, count, one_line
from agathis._cli.errors import BadData, WrongUse, bad_data
from agathis._cli.inputs import notes_on_numbers, read_input, title_of_input
from agathis._cli.names import columns_of, encoder_options, lacks, split_names
from agathis._cli.options import METHOD_NAMES, Columns, TreeOptions

if TYPE_CHECKING:
    import pyarrow as pa
    from sklearn.base import BaseEstimator

    from agathis._fit_table import PreparedTable
    from agathis._io.read_table import TableInMemory
    from agathis._io.table_reading import ReadOptions

# Fits of fewer rows take too little time for a progress bar.
ROWS_WITH_BAR = 20_000


def read_rows(
    path: str,
    columns: Columns,
    reading: ReadOptions,
    messages: Messages,
    *,
    plain: bool = False,
    identifier: str | None = None,
) -> tuple[PreparedTable, TableInMemory]:
    """Read and encode a table, and report how its columns are handled.

    ``plain`` is for methods without missing values; ``identifier`` is a column that finds rows.
    """
    _count_cores()
    reading = replace(reading, strict=columns.strict)
    read = read_input(path, reading, lambda names: split_names(columns.categorical, names))
    messages.tell(read.doubts)
    names = read.table.column_names
    if identifier is not None and identifier not in names:
        raise WrongUse(f"--id {one_line(identifier)}: {lacks(identifier, names)}")
    columns = columns_of(columns, names)
    if identifier is not None and identifier not in (*columns.drop, *columns.keep, *columns.show):
        columns = replace(columns, drop=[*columns.drop, identifier])
    rows = prepare(read.table, columns, title_of_input(path), messages, plain=plain)
    numbers = notes_on_numbers(read.notes, rows.encoder.feature_names_)
    messages.tell(numbers)
    notes = [*read.doubts, *rows.notes, *numbers]
    return replace(rows, notes=notes, identifier=identifier), read


def _count_cores() -> None:
    """Let joblib count the cores now, silently, and cache the result.

    scikit-learn's KMeans asks for them. Where they cannot be counted, as in a container without
    lscpu, joblib warns and prints part of a traceback; it then counts threads.
    """
    from joblib import cpu_count

    with warnings.catch_warnings(), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        cpu_count(only_physical_cores=True)


def prepare(
    table: pa.Table, columns: Columns, title: str, messages: Messages, *, plain: bool = False
) -> PreparedTable:
    """Encode a table, and report how its columns are handled."""
    from agathis import TableEncoder
    from agathis._encoding.scaling import scaling_summary
    from agathis._fit_table import prepare as encode

    names = table.column_names
    columns = columns_of(columns, names)
    messages.say(f"Read {count(table.num_rows, 'row')} and {count(table.num_columns, 'column')}.")
    encoder = TableEncoder(**encoder_options(columns, names, title))
    missing = columns.missing
    if columns.strict:
        missing = "error"
    elif plain and missing == "tree":
        missing = "drop"
    prepared = encode(table, encoder, missing=missing, target=columns.target)
    messages.tell(prepared.notes)
    messages.say(scaling_summary(columns.scale))
    messages.tell(prepared.encoder.notes_on_weights())
    return prepared


def check_settings(tree: TreeOptions, clusters: int) -> None:
    """Raise if options contradict each other or this number of clusters."""
    from agathis._methods import METHODS

    name = METHOD_NAMES[tree.method]
    method, leaves, min_leaf = METHODS[name], tree.leaves, tree.min_leaf
    known = inspect.signature(method.estimator_class).parameters
    if leaves is not None and leaves < clusters:
        raise WrongUse(f"--leaves {leaves} is less than -k {clusters}: each cluster has a leaf.")
    if leaves is not None and leaves > clusters and not method.leaves:
        raise WrongUse(f"--leaves {leaves}: {name} has one leaf per cluster, and -k is {clusters}.")
    if tree.kernel != "linear" and not method.kernels:
        raise WrongUse(f"--kernel {tree.kernel}: {name} supports the linear one only.")
    if tree.gamma is not None and tree.kernel in ("linear", "cosine"):
        raise WrongUse(f"--gamma: the {tree.kernel} kernel has none.")
    if tree.gamma is not None and not 0 <= tree.gamma < math.inf:
        raise WrongUse(f"--gamma {tree.gamma:g} must be a finite number, at least 0.")
    if min_leaf is not None and not 0 < min_leaf < math.inf:
        raise WrongUse(f"--min-leaf {min_leaf:g} must be rows, 1 or more, or their fraction.")
    if "search" not in known and (tree.search is not None or tree.pairs):
        raise WrongUse(f"--search and --pairs are for --method kauri, not {name}.")
    if tree.time_limit is not None and tree.search != "optimal":
        raise WrongUse("--time-limit is for the proof of --search optimal.")
    if tree.search == "optimal" and leaves is not None and leaves > clusters:
        raise WrongUse(f"--search optimal has one leaf per cluster, and --leaves is {leaves}.")
    if min_leaf is not None and "min_samples_leaf" not in known:
        raise WrongUse(f"--min-leaf {min_leaf:g}: {name} has no such limit.")


def fitted(
    tree: TreeOptions, clusters: int, rows: PreparedTable, messages: Messages
) -> BaseEstimator:
    """Fit, with a progress bar on a terminal if there are many rows."""
    from agathis._fit_table import new_model

    n_rows = len(rows.X)
    check_settings(tree, clusters)
    if n_rows < clusters:
        raise BadData(f"-k {clusters} is more than there are rows, {n_rows:,}.")
    bar = not messages.quiet and sys.stderr.isatty() and n_rows >= ROWS_WITH_BAR
    with bad_data(), redirect_stdout(sys.stderr):
        return new_model(
            rows,
            clusters,
            method=METHOD_NAMES[tree.method],
            max_leaf_nodes="auto" if tree.leaves is None else tree.leaves,
            min_samples_leaf=tree.min_leaf,
            kernel=tree.kernel,
            gamma=tree.gamma,
            search=tree.search,
            search_effort=tree.search_effort,
            time_limit=tree.time_limit,
            split="pair" if tree.pairs else "axis",
            random_state=tree.seed,
            n_jobs=tree.jobs,
            verbose=int(bar),
        ).fit(rows.X)
