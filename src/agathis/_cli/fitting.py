"""From a table in a file to a fitted tree, as several commands need it."""

from __future__ import annotations

import io
import math
import sys
import warnings
from collections.abc import Collection
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
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
    from agathis._tables.whole_table import Reading

# Fits of fewer rows are over before a bar is read.
ROWS_WITH_BAR = 20_000


def read_rows(
    path: str, wanted: Wanted, reading: Reading, messages: Messages, *, plain: bool = False
) -> PreparedTable:
    """The table in a file, ready for a fit; what became of its columns is said.

    ``plain`` is for methods that take no missing values.
    """
    count_cores()
    reading = replace(reading, strict=wanted.strict)
    read = read_input(path, reading, lambda names: split_names(wanted.categorical, names))
    messages.tell(read.doubts)
    rows = prepare(read.table, wanted, title_of_input(path), messages, plain=plain)
    tell_of_numbers(read.notes, rows.encoder.feature_names_, messages)
    return rows


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
    from agathis._tables.told import told_scaling

    return told_scaling(wanted.scale)


def new_model(
    method: str,
    clusters: int,
    *,
    leaves: int | None,
    min_leaf: float | None,
    kernel: str,
    gamma: float | None,
    search: str | None,
    effort: float | None,
    time_limit: float | None,
    pairs: bool,
    seed: int,
    jobs: int | None,
) -> BaseEstimator:
    """An estimator with the options as they were typed."""
    from agathis._growing.limits import leaf_limit
    from agathis._methods import WITH_KERNELS, WITH_LEAVES, KernelSettings, make_method
    from agathis._suggest import default_min_leaf

    name = METHOD_NAMES[method]
    if leaves is not None and leaves < clusters:
        raise WrongUse(f"--leaves {leaves} is less than -k {clusters}: each cluster has a leaf.")
    if leaves is not None and leaves > clusters and name not in WITH_LEAVES:
        raise WrongUse(f"--leaves {leaves}: a leaf of {name} is a cluster, and -k is {clusters}.")
    if kernel != "linear" and name not in WITH_KERNELS:
        raise WrongUse(f"--kernel {kernel}: {name} knows the linear one only.")
    if gamma is not None and kernel in ("linear", "cosine"):
        raise WrongUse(f"--gamma: the {kernel} kernel has none.")
    if gamma is not None and not 0 <= gamma < math.inf:
        raise WrongUse(f"--gamma {gamma:g} must be a finite number, at least 0.")
    if min_leaf is not None and not 0 < min_leaf < math.inf:
        raise WrongUse(f"--min-leaf {min_leaf:g} must be rows, 1 or more, or their share.")
    most: int | str = "auto" if leaves is None else leaves
    leaves = leaf_limit(most, clusters) or clusters
    params: KernelSettings = {"kernel": kernel, "gamma": gamma}
    model = make_method(
        name, clusters, max_leaf_nodes=most, kernel=params, random_state=seed, n_jobs=jobs
    )
    known = model.get_params(deep=False)
    if "search" in known:
        model.set_params(
            search=search or "local",
            search_effort=1.0 if effort is None else effort,
            time_limit=time_limit,
            split="pair" if pairs else "axis",
        )
    elif search is not None or pairs:
        raise WrongUse(f"--search and --pairs are for --method kauri, not {name}.")
    if time_limit is not None and search != "optimal":
        raise WrongUse("--time-limit is for the proof of --search optimal.")
    if search == "optimal" and leaves > clusters:
        raise WrongUse(f"--search optimal: a leaf is a cluster, and --leaves is {leaves}.")
    if min_leaf is not None and "min_samples_leaf" not in known:
        raise WrongUse(f"--min-leaf {min_leaf:g}: {name} has no such limit.")
    if "min_samples_leaf" in known and (min_leaf is not None or name != "ICOT"):
        least = default_min_leaf(leaves) if min_leaf is None else min_leaf
        model.set_params(min_samples_leaf=int(least) if least >= 1 else least)
    return model


def fitted(
    model: BaseEstimator, rows: PreparedTable, messages: Messages, effort: float | None = None
) -> BaseEstimator:
    """Fit, with a bar on stderr where that is a terminal and the rows are many."""
    from agathis._fit_table import for_rows

    X = rows.X
    for_rows(model, rows, effort)
    if "verbose" in model.get_params(deep=False):
        bar = not messages.quiet and sys.stderr.isatty() and len(X) >= ROWS_WITH_BAR
        model.set_params(verbose=int(bar))
    if len(X) < model.n_clusters:
        raise BadData(f"-k {model.n_clusters} is more than there are rows, {len(X):,}.")
    with bad_data(), redirect_stdout(sys.stderr):
        return model.fit(X)
