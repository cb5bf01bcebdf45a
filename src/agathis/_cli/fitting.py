"""From a table in a file to a fitted tree, as several commands need it."""

from __future__ import annotations

import math
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from agathis._cli.console import Messages, count
from agathis._cli.errors import BadData, WrongUse, bad_data
from agathis._cli.inputs import read_input, tell_of_numbers, title_of_input
from agathis._cli.names import Wanted, name_of, split_names
from agathis._cli.options import METHOD_NAMES

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from sklearn.base import BaseEstimator

    from agathis._tables.encode import Prepared
    from agathis._tables.whole_table import Reading

# Fits of fewer rows are over before a bar is read.
ROWS_WITH_BAR = 20_000


def read_rows(path: str, wanted: Wanted, reading: Reading, messages: Messages) -> Prepared:
    """The rows of a file as numbers."""
    read = read_input(path, reading, lambda names: split_names(wanted.categorical, names))
    rows = prepare(read.table, wanted, title_of_input(path), messages)
    tell_of_numbers(read.notes, rows.names, messages)
    return rows


def prepare(table: pa.Table, wanted: Wanted, title: str, messages: Messages) -> Prepared:
    """Turn a table into numbers, and say what became of its columns."""
    from agathis._tables.encode import Prepared, TableEncoder, classes_of, usable_rows

    wanted = wanted.of(table.column_names)
    target = wanted.target
    messages.say(f"Read {count(table.num_rows, 'row')} and {count(table.num_columns, 'column')}.")
    encoder = TableEncoder(
        drop=[*wanted.drop, *([] if target is None else [target])],
        keep=wanted.keep,
        categorical=wanted.categorical,
        title=title,
    )
    try:
        encoder.fit(table)
    finally:
        # That no column is left is clearer with the reasons before it.
        if hasattr(encoder, "columns_"):
            messages.tell(encoder.notes())
            if target is not None:
                messages.say(f"Kept for judging only: {name_of(target)}.")
    X = encoder.transform(table)
    rows, notes = usable_rows(encoder, X, wanted.missing)
    messages.tell(notes)
    classes = None if target is None else classes_of(table, target)[rows]
    return Prepared(X[rows], encoder.feature_names_, encoder.one_hot_, classes, rows)


def scaled(rows: Prepared, how: str, messages: Messages) -> tuple[np.ndarray, BaseEstimator | None]:
    """The rows for a fit, and the scaler to undo it by."""
    if how == "none":
        messages.say("Columns are not scaled: those with large numbers count most.")
        return rows.X, None
    from agathis._tables.scaling import SCALERS

    to = {"minmax": "to 0..1", "standard": "to a standard deviation of 1"}
    with bad_data():
        scaler = SCALERS[how](rows.sources()).fit(rows.X)
        X = scaler.transform(rows.X)
    messages.say(
        f"Numbers are scaled {to[how]}"
        + ", and a column of categories counts as much as one of numbers" * scaler.balanced_
        + ". Rules are in your units."
    )
    return X, scaler


def new_model(
    method: str,
    clusters: int,
    *,
    leaves: int | None,
    min_leaf: float | None,
    kernel: str,
    gamma: float | None,
    missing: bool,
    seed: int,
    jobs: int | None,
) -> BaseEstimator:
    """An estimator with the options as they were typed."""
    from agathis._compare.methods import WITH_KERNELS, WITH_LEAVES, KernelSettings, make_method
    from agathis._suggest import default_min_leaf

    name = METHOD_NAMES[method]
    if leaves is not None and leaves < clusters:
        raise WrongUse(f"--leaves {leaves} is less than -k {clusters}: each cluster has a leaf.")
    if leaves is not None and leaves > clusters and name not in WITH_LEAVES:
        raise WrongUse(f"--leaves {leaves}: a leaf of {name} is a cluster, and -k is {clusters}.")
    if kernel != "linear" and name not in WITH_KERNELS:
        raise WrongUse(f"--kernel {kernel}: {name} knows the linear one only.")
    if missing and name != "Kauri":
        raise WrongUse(f"--missing tree: {name} takes no missing values; --method kauri does.")
    if gamma is not None and kernel in ("linear", "cosine"):
        raise WrongUse(f"--gamma: the {kernel} kernel has none.")
    if gamma is not None and not 0 <= gamma < math.inf:
        raise WrongUse(f"--gamma {gamma:g} must be a finite number, at least 0.")
    if min_leaf is not None and not 0 < min_leaf < math.inf:
        raise WrongUse(f"--min-leaf {min_leaf:g} must be rows, 1 or more, or their share.")
    # A leaf a cluster: each is then one short rule. Whoever wants a closer fit asks for more.
    leaves = clusters if leaves is None else leaves
    params: KernelSettings = {"kernel": kernel, "gamma": gamma}
    model = make_method(
        name, clusters, max_leaf_nodes=leaves, kernel=params, random_state=seed, n_jobs=jobs
    )
    known = model.get_params(deep=False)
    if min_leaf is not None and "min_samples_leaf" not in known:
        raise WrongUse(f"--min-leaf {min_leaf:g}: {name} has no such limit.")
    if "min_samples_leaf" in known and (min_leaf is not None or name != "ICOT"):
        least = default_min_leaf(leaves) if min_leaf is None else min_leaf
        model.set_params(min_samples_leaf=int(least) if least >= 1 else least)
    if missing:
        model.set_params(engine="binned")
        if kernel not in ("linear", "cosine"):
            model.set_params(n_components=256)
    return model


def fitted(model: BaseEstimator, X: np.ndarray, messages: Messages) -> BaseEstimator:
    """Fit, with a bar on stderr where that is a terminal and the rows are many."""
    if "verbose" in model.get_params(deep=False):
        bar = not messages.quiet and sys.stderr.isatty() and len(X) >= ROWS_WITH_BAR
        model.set_params(verbose=int(bar))
    if len(X) < model.n_clusters:
        raise BadData(f"-k {model.n_clusters} is more than there are rows, {len(X):,}.")
    with bad_data(), redirect_stdout(sys.stderr):
        return model.fit(X)
