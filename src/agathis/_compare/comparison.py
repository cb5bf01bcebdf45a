"""Compare clustering trees on one table.

The protocol of the Kauri paper: in each run rows are sampled, every method grows its tree on them,
and the trees are evaluated on the same rows. Each fit is a task (``workers``), so that a failure or
timeout affects no other fit. Kernel KMeans on the rows of a run is the reference of the costs, and
a task too. The default number of rows is limited such that a comparison takes about a minute.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state

from agathis._checks import data as checks
from agathis._checks import kernels as kernel_checks
from agathis._checks.metrics import CheckedRows, check_labels
from agathis._checks.parameters import COMPARE_CONSTRAINTS
from agathis._compare.measures import measure_fit
from agathis._compare.methods import check_methods
from agathis._compare.result import MEASURES, Comparison, summary_of
from agathis._compare.tuning import CELLS, FEWEST, SHARE
from agathis._compare.workers import Outcome, run
from agathis._growth.limits import leaf_limit
from agathis._kernel_kmeans import KernelKMeans
from agathis._kernels.spec import KernelSpec
from agathis._model.spec import FitSpec
from agathis._utils.progress import progress_bar
from agathis._utils.result_table import Table
from agathis.metrics._labels import relative, rounding_of

COLUMNS = ("method", "run", *MEASURES, "status", "note")


def compare(
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    n_clusters: int,
    methods: Sequence[str] | Mapping[str, BaseEstimator] | str | None = None,
    kernel: str | Callable[..., float] = "linear",
    gamma: float | None = None,
    degree: float = 3,
    coef0: float = 1,
    kernel_params: dict[str, Any] | None = None,
    max_leaf_nodes: int | str | None = "auto",
    n_runs: int = 30,
    subsample: float | None = None,
    timeout: float | None = None,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Comparison:
    """Compare methods on random subsamples of the same data.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Not scaled: features with a large range have more weight in most methods.
    y : array-like of shape (n_samples,), optional
        The true classes, for the adjusted Rand index. They are not used by any method.
    n_clusters : int
    methods : sequence of str, "all" or dict of estimators, optional
        Names among "Kauri" (greedy), "Kauri local" (``search="local"``, the default of the command
        line and :func:`~agathis.fit_table`), "KMeans+DT", "IMM", "ExKMC", "ExShallow", "RDM" and
        "ICOT", or a dict of names and estimators with a ``tree_``. By default all that support the
        kernel except ICOT, which is slow, and ExKMC with one leaf per cluster, which equals IMM.
        In a dict, None stands for the method of that name. Estimators are fitted with their own
        parameters; only ``random_state`` and ``n_jobs`` are set.
    kernel, gamma, degree, coef0, kernel_params
        As in :class:`~agathis.Kauri`, except "precomputed". Kernels other than linear are only
        supported by Kauri and KMeans+DT, and by Kauri local on request.
    max_leaf_nodes : int, "auto" or None, default="auto"
        The maximum number of leaves. "auto" is one leaf per cluster; None is unlimited. Ignored by
        IMM, ExShallow, RDM and ICOT, which always have one leaf per cluster.
    n_runs : int, default=30
        The number of runs.
    subsample : float or int, optional
        The fraction or number of rows sampled without replacement for each run; all methods of a
        run use the same rows. By default 80 %, but at most two million values in all runs (about a
        minute) and at least 2,000 rows per run, and at most 2,000 rows with kernels other than
        linear and cosine. Then ``note`` of the result says so.
    timeout : float, optional
        The maximum number of seconds of one fit and its evaluation. Fits then run in separate
        processes, which are killed after a timeout.
    random_state : int, RandomState instance or None, default=None
        Seed of the samples and the methods. Pass an int for reproducible results, except times and
        timeouts.
    n_jobs : int, default=None
        The number of processes; None and -1 use all cores. With 1 and no timeout the work is done
        in this process. Each fit uses one thread.
    verbose : int, default=0
        If 1, show a progress bar in a terminal.

    Returns
    -------
    comparison : Comparison
        Unpacks as ``runs, summary``; ``advice`` recommends a method. The columns of ``runs`` are
        the method and the run; ``ari``; ``relative_score``, the kernel KMeans cost relative to
        kernel KMeans on the same rows; ``wad`` and ``waes`` as in :mod:`agathis.metrics` (the root
        has depth 1, no offset); ``leaves`` and ``clusters``; the ``seconds`` of the fit, including
        the method's KMeans; ``status`` ("done", "failed" or "timeout"); and ``note`` with errors
        and warnings. Standard deviations in ``summary`` have ``ddof=0``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from agathis import compare
    >>> X, y = load_iris(return_X_y=True)
    >>> runs, summary = compare(
    ...     X, y, n_clusters=3, methods=["Kauri", "IMM"], n_runs=3, random_state=0, n_jobs=1
    ... )
    >>> summary["method"], summary["runs"]
    (['Kauri', 'IMM'], [3, 3])
    >>> all(score >= 1 for score in summary["relative_score"])
    True
    """
    table = checks.check_table(X)
    kernel_args: dict[str, Any] = {
        "kernel": kernel,
        "gamma": gamma,
        "degree": degree,
        "coef0": coef0,
        "kernel_params": kernel_params,
    }
    checks.check_arguments(
        "compare",
        constraints=COMPARE_CONSTRAINTS,
        **kernel_args,
        n_clusters=n_clusters,
        max_leaf_nodes=max_leaf_nodes,
        n_runs=n_runs,
        subsample=subsample,
        timeout=timeout,
        n_jobs=n_jobs,
        verbose=verbose,
        random_state=random_state,
    )
    kernel_checks.check_domain(KernelSpec(**kernel_args).resolve(), table)
    classes = None if y is None else check_labels(y, "y", len(table))
    leaves = leaf_limit(max_leaf_nodes, n_clusters)
    if leaves is not None and leaves < n_clusters:
        raise ValueError(
            f"max_leaf_nodes={max_leaf_nodes} is less than n_clusters={n_clusters}, but each "
            "cluster needs a leaf."
        )
    chosen = check_methods(methods, kernel, leaves is None or leaves > n_clusters)
    size = _sample_size(subsample, table.shape, n_clusters, n_runs, kernel)
    setting = _Setting(table, classes, kernel_args, n_clusters, leaves, chosen, size)
    tasks = _tasks(setting, n_runs, check_random_state(random_state))
    workers = checks.n_processes(n_jobs)
    outcomes: dict[int, Outcome] = {}
    with progress_bar("compare", verbose) as show:
        what = "fits, including kernel KMeans"
        show(what, 0, len(tasks))
        work = run(_measure, setting, tasks, n_workers=workers, timeout=timeout, prepare=_prepare)
        # Stops all processes, also after an error.
        with closing(work) as completed:
            for done, outcome in enumerate(completed, 1):
                outcomes[outcome.task] = outcome
                show(what, done, len(tasks))
    runs = _rows(tasks, outcomes, with_classes=classes is not None)
    note = ""
    if subsample is None and size < round(SHARE * len(table)):
        note = f"Each run uses a sample of {size:,} of the {len(table):,} rows; see subsample."
    return Comparison(runs, summary_of(runs, list(chosen)), note)


# The result of ``RandomState.get_state``.
State = dict[str, Any] | tuple[Any, ...]


@dataclass(frozen=True)
class _Setting:
    """The data and parameters of all fits."""

    X: np.ndarray
    y: np.ndarray | None
    kernel: dict[str, Any]
    n_clusters: int
    max_leaf_nodes: int | None
    methods: dict[str, BaseEstimator | None]
    size: int

    def rows(self, state: State) -> np.ndarray:
        """The rows of a run, sampled by a generator in that state."""
        random = np.random.RandomState()
        random.set_state(state)
        return np.sort(random.permutation(len(self.X))[: self.size])


class _Task(NamedTuple):
    """A fit of a method, or the reference (None), on the rows of a run."""

    method: str | None
    run: int
    state: State
    seed: int


def _sample_size(
    subsample: float | None,
    shape: tuple[int, ...],
    n_clusters: int,
    n_runs: int,
    kernel: object,
) -> int:
    n, d = shape
    if subsample is None:
        pairs = kernel not in ("linear", "cosine")
        max_rows = FEWEST if pairs else max(FEWEST, CELLS // (n_runs * d))
        size, subsample = min(round(SHARE * n), max(max_rows, n_clusters)), SHARE
    elif isinstance(subsample, Integral):
        size = int(subsample)
    else:
        size = round(subsample * n)
    if not n_clusters <= size <= n:
        raise ValueError(
            f"subsample={subsample} is {size} of the {n} rows of X; it must be at least "
            f"n_clusters={n_clusters} and at most all rows."
        )
    return size


def _tasks(setting: _Setting, n_runs: int, random: np.random.RandomState) -> list[_Task]:
    tasks = []
    for number in range(n_runs):
        state = random.get_state()
        random.permutation(len(setting.X))
        seed = int(random.randint(np.iinfo(np.int32).max))
        tasks += [_Task(method, number, state, seed) for method in (None, *setting.methods)]
    return tasks


def _measure(setting: _Setting, task: _Task) -> dict[str, Any]:
    """Fit and evaluate the method of a task; for the reference return the cost only."""
    rows = setting.rows(task.state)
    X = np.ascontiguousarray(setting.X[rows], dtype=np.float64)
    kernel = KernelSpec(**setting.kernel).resolve()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if task.method is None:
            reference = KernelKMeans(
                setting.n_clusters, **setting.kernel, random_state=task.seed, n_jobs=1
            ).fit(X)
            given = CheckedRows(X, kernel, None, 1)
            return {"reference": reference.inertia_, "rounding": rounding_of(given, None)}
        model = _model(setting, task.method, task.seed)
        classes = None if setting.y is None else setting.y[rows]
        scores = measure_fit(lambda: model.fit(X), X, classes, kernel)
    notes = list(dict.fromkeys(str(warning.message) for warning in caught))
    n_clusters = model.get_params(deep=False).get("n_clusters", setting.n_clusters)
    if n_clusters != setting.n_clusters:
        notes.insert(0, f"n_clusters={n_clusters}, but {setting.n_clusters} of the reference")
    return scores | {"note": "; ".join(notes)}


def _prepare(setting: _Setting) -> None:
    """Warm up: the first fit takes longer, so fit once on a few rows before measuring times."""
    few = replace(setting, size=min(setting.size, 5 * setting.n_clusters))
    for name in (None, *(name for name, model in setting.methods.items() if model is None)):
        # The measured fit raises the same error.
        with suppress(Exception):
            _measure(few, _Task(name, 0, np.random.RandomState(0).get_state(), 0))


def _model(setting: _Setting, name: str, seed: int) -> BaseEstimator:
    given = setting.methods[name]
    if given is None:
        spec = FitSpec.of_method(
            name,
            n_clusters=setting.n_clusters,
            max_leaf_nodes=setting.max_leaf_nodes,
            **setting.kernel,
            random_state=seed,
        )
        return spec.to_estimator(n_jobs=1)
    model = clone(given)
    known = model.get_params(deep=False)
    ours = {"random_state": seed, "n_jobs": 1}
    return model.set_params(**{key: value for key, value in ours.items() if key in known})


def _rows(tasks: list[_Task], outcomes: dict[int, Outcome], with_classes: bool) -> Table:
    """One row per fit, with its cost relative to the reference of its run."""
    references = {
        task.run: outcomes[index] for index, task in enumerate(tasks) if task.method is None
    }
    rows = []
    for index, task in enumerate(tasks):
        if task.method is None:
            continue
        outcome = outcomes[index]
        row: dict[str, Any] = {"method": task.method, "run": task.run, "status": outcome.status}
        if outcome.status == "done":
            scores = dict(outcome.value)
            cost, notes = scores.pop("cost"), [scores.pop("note")]
            reference = references[task.run]
            if reference.status != "done":
                notes.append(f"no relative score, kernel KMeans: {reference.note}")
            elif reference.value["reference"] < -reference.value["rounding"]:
                notes.append("no relative score: the kernel is not positive semi-definite")
            else:
                row["relative_score"] = relative(cost, **reference.value)
            row.update(scores, note="; ".join(filter(None, notes)))
        else:
            row["note"] = outcome.note
        rows.append(row)
    if not with_classes:
        rows = [{name: value for name, value in row.items() if name != "ari"} for row in rows]
    return Table(rows, [name for name in COLUMNS if with_classes or name != "ari"])
