"""From a table in a file to a fitted tree, as several commands need it."""

from __future__ import annotations

import math
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

import numpy as np

from agathis._cli.console import Messages
from agathis._cli.errors import BadData, WrongUse, bad_data
from agathis._cli.names import Wanted
from agathis._cli.options import METHOD_NAMES
from agathis._cli.prepare import Prepared, prepare
from agathis._cli.table import Reading, read_table, shown

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

# Fits of fewer rows are over before a bar is read.
ROWS_WITH_BAR = 20_000


def read_rows(path: str, wanted: Wanted, reading: Reading, messages: Messages) -> Prepared:
    """The rows of a file as numbers."""
    read = read_table(path, reading, wanted.categorical)
    rows = prepare(read.table, wanted, shown(path), messages)
    read.tell(rows.names, messages)
    return rows


def scaled(rows: Prepared, how: str, messages: Messages) -> tuple[np.ndarray, BaseEstimator | None]:
    """The rows for a fit, and the scaler to undo it by."""
    if how == "none":
        messages.say("Columns are not scaled: those with large numbers count most.")
        return rows.X, None
    from sklearn.preprocessing import MinMaxScaler, StandardScaler

    kinds = {"minmax": MinMaxScaler, "standard": StandardScaler}
    to = {"minmax": "to 0..1", "standard": "to a standard deviation of 1"}
    with bad_data():
        scaler = kinds[how]().fit(rows.X)
        balanced = _balance(scaler, rows)
        messages.say(
            f"Numbers are scaled {to[how]}"
            + ", and a column of categories counts as much as one of numbers" * balanced
            + ". Rules are in your units."
        )
        return scaler.transform(rows.X), scaler


def _balance(scaler: BaseEstimator, rows: Prepared) -> bool:
    """Let the columns of a source of categories vary as much, in sum, as a number does on average.

    Else a category would outweigh many numbers: it is 0 or 1, and they are mostly in between.
    """
    variance = np.nanvar(scaler.transform(rows.X), axis=0)
    sources = rows.sources()
    made = np.concatenate(sources) if sources else np.zeros(0, dtype=np.intp)
    numbers = np.delete(variance, made)
    if not len(made) or not numbers.any():
        return False
    raw = np.nanvar(rows.X, axis=0)
    for places in sources:
        factor = np.sqrt(numbers.mean() / max(raw[places].sum(), np.finfo(float).tiny))
        if hasattr(scaler, "min_"):
            scaler.min_[places], scaler.scale_[places] = 0.0, factor
        else:
            scaler.mean_[places], scaler.scale_[places] = 0.0, 1 / factor
    return True


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
    from agathis._compare.methods import WITH_KERNELS, WITH_LEAVES, make_method
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
    params: dict[str, Any] = {"kernel": kernel, "gamma": gamma}
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
