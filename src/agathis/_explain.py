"""Explain given labels by a tree: :func:`explain`.

    labels -> rows with a label -> encoded rows -> label_tree -> agreement, also held-out -> model

The columns of X are only for splits, so that they are neither scaled nor weighted.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state

from agathis._checks import data as checks
from agathis._checks.metrics import check_labels
from agathis._checks.parameters import KAURI_CONSTRAINTS
from agathis._checks.roles import EncodedRows, FeatureRoles
from agathis._columns.arrow_values import plain
from agathis._columns.errors import BadTable
from agathis._columns.frames import as_arrow, is_table
from agathis._columns.wording import count, quoted, suggestion
from agathis._dataset.fit_input import dataset_of
from agathis._encoding.table_encoder import TableEncoder
from agathis._fit.labels import LabelTree, label_tree, with_labels
from agathis._fit_table import PreparedTable, prepare
from agathis._growth.limits import leaf_limit
from agathis._model.agreement import Agreement
from agathis._model.conversion import fitted_model
from agathis._model.encoding import Unavailable
from agathis._model.facts import FitMetrics
from agathis._model.fitted_model import FittedModel
from agathis._model.spec import FitSpec
from agathis._rules.columns import is_missing
from agathis._rules.short_thresholds import short_thresholds

#: Labels of noise.
NOISE = "-1"
#: More, also than half of the rows, are rather identifiers or measurements.
MAX_LABELS, FEW_LABELS = 1000, 20
#: Up to as many rows are cross-fitted; of more, a tree of as many is tested on the others.
CROSS_FITTED_ROWS, N_FOLDS = 10_000, 5
NO_SPEC = Unavailable("it explains labels, which the model does not store")


class Labels(NamedTuple):
    """Labels as numbers.

    Attributes
    ----------
    codes : ndarray of int of shape (n_rows,)
        -1 for noise.
    names : list of str
    integers : bool
        Whether the labels are integers.
    """

    codes: np.ndarray
    names: list[str]
    integers: bool


@dataclass(frozen=True, eq=False)
class Task:
    """Rows, labels and settings of a fit; the rows are encoded and have positive weight."""

    X: EncodedRows
    codes: np.ndarray
    weight: np.ndarray | None
    n_labels: int
    settings: dict[str, Any]
    n_jobs: int | None
    time_limit: float | None

    def of(self, rows: np.ndarray) -> Task:
        """The task for a part of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        return replace(self, X=self.X[rows], codes=self.codes[rows], weight=weight)

    def tree(self, n_leaves: int) -> LabelTree:
        """The best tree found with at most as many leaves."""
        n_leaves = min(n_leaves, len(self.codes))
        spec = FitSpec.of_method(
            "Kauri", **self.settings, n_clusters=n_leaves, max_leaf_nodes=max(2, n_leaves)
        )
        dataset = dataset_of(
            spec.to_estimator(n_jobs=self.n_jobs), self.X, self.weight, missing=True
        )
        dataset = with_labels(dataset, self.codes, self.n_labels)
        return label_tree(dataset, spec, self.n_labels, self.time_limit)

    def held_out(self, n_leaves: int, seed: int) -> tuple[np.ndarray, int]:
        """The label that a tree predicts for each row that it was not fitted to, and their number.

        -1 for rows that no tree was tested on.
        """
        n_rows, few = len(self.codes), len(self.codes) <= CROSS_FITTED_ROWS
        step = N_FOLDS if few else -(-n_rows // CROSS_FITTED_ROWS)
        random = check_random_state(seed)
        # Each part has its share of each label; of many rows it nearly has without sorting.
        order = np.lexsort((random.random_sample(n_rows), self.codes)) if few else None
        part = np.empty(n_rows, dtype=np.intp)
        part[random.permutation(n_rows) if order is None else order] = np.arange(n_rows) % step
        out, rows = np.full(n_rows, -1), np.asarray(self.X)
        if n_rows < N_FOLDS:
            return out, 0
        for index in range(N_FOLDS if few else 1):
            tested = (part == index) == few
            found = self.of(np.flatnonzero(~tested)).tree(n_leaves)
            out[tested] = found.labels[found.tree.predict(rows)[tested]]
        return out, N_FOLDS if few else 1


def explain(
    X: Any,
    labels: ArrayLike | str,
    *,
    max_leaf_nodes: int | str = "auto",
    search: str = "local",
    min_samples_leaf: int | float = 1,
    max_depth: int | None = None,
    search_effort: float = 1,
    time_limit: float | None = None,
    noise: str = "ignore",
    sample_weight: ArrayLike | None = None,
    missing: str = "tree",
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    categorical: Sequence[str] = (),
    dates: str = "out",
    show: Sequence[str] = (),
    max_categories: int = 20,
    strict: bool = False,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> FittedModel:
    """Explain given labels, such as those of another clustering method, by a decision tree.

    The tree is searched for as by :class:`agathis.Kauri`, with the one-hot labels as the space of
    the objective, which is then the Gini criterion. The leaves get the label with the largest
    weight in them, and of several trees the one is taken whose leaves have the label of most rows
    (by weight). The tree of :class:`sklearn.tree.DecisionTreeClassifier` with as many leaves and
    the same ``random_state`` is always one of them.

    Parameters
    ----------
    X : DataFrame of pandas or polars, pyarrow.Table, or array-like of shape (n_samples, n_features)
        The columns of a table are encoded as by :func:`agathis.fit_table`, but not scaled.
    labels : array-like of shape (n_samples,), or str
        Integers or strings, or the name of a column of X. That column is not a feature.
    max_leaf_nodes : int or "auto", default="auto"
        The maximum number of leaves. "auto" is one leaf per label, and more, at most twice as
        many, until each label has a leaf.
    search : {"local", "greedy", "optimal"}, default="local"
        See :class:`agathis.Kauri`. With more than 100,000 rows, "local" and scikit-learn's tree use
        a sample of 20,000 rows, and another tree is grown greedily on all.
    min_samples_leaf : int or float, default=1
        The minimum number of samples in a leaf. If float, a fraction of the rows.
    max_depth : int, optional
    search_effort : float, default=1
    time_limit : float, optional
        See :class:`agathis.Kauri`.
    noise : {"ignore", "label"}, default="ignore"
        The meaning of the label -1: noise, whose rows have weight 0 and are only counted, or a
        label like others.
    sample_weight : array-like of shape (n_samples,), optional
        Weight 2 counts a row twice, weight 0 excludes it.
    missing, drop, keep, categorical, dates, show, max_categories, strict : optional
        For tables, as for :func:`agathis.fit_table`.
    random_state : int, RandomState instance or None, default=None
        The random state of the search and of held-out rows.
    n_jobs : int, optional
        The number of threads; by default all cores.
    verbose : int, default=0
        Whether to print how the columns were handled, and the agreement.

    Returns
    -------
    model : FittedModel
        It predicts the cluster of a row, and ``model.classes_`` has the label of each cluster.
        ``model.agreement`` has the fraction of rows with the label of their leaf: overall, of each
        label and leaf, and of held-out rows. These are cross-fitted (5 folds) up to 10,000 rows;
        with more, a tree of 10,000 rows is tested on the others.

    Examples
    --------
    >>> import pandas as pd
    >>> from agathis import explain
    >>> crm = pd.DataFrame({"visits": [1, 2, 2, 9, 8, 9], "segment": ["new"] * 3 + ["loyal"] * 3})
    >>> model = explain(crm, "segment", random_state=0)
    >>> print(model.rules())
    loyal is where visits > 5: 3 of 6 rows (50.0 %).
    new is where visits <= 5: 3 of 6 rows (50.0 %).
    >>> model.agreement.agreement
    1.0
    """
    settings = {
        "min_samples_leaf": min_samples_leaf,
        "max_depth": max_depth,
        "search": search,
        "search_effort": search_effort,
        "random_state": random_state,
    }
    known = {**settings, "max_leaf_nodes": max_leaf_nodes, "time_limit": time_limit}
    checks.check_arguments("explain", {name: KAURI_CONSTRAINTS[name] for name in known}, **known)
    for name, value, accepted in (
        ("noise", noise, ("ignore", "label")),
        ("missing", missing, ("tree", "drop", "error")),
    ):
        if value not in accepted:
            raise ValueError(f"{name}={value!r} must be {' or '.join(map(repr, accepted))}.")
    if max_leaf_nodes is None:
        raise ValueError("max_leaf_nodes=None must be a number of leaves, or 'auto'.")
    table = as_arrow(X) if is_table(X) else None
    rows = checks.check_table(X, missing=True) if table is None else table
    given, column = given_labels(labels, table, len(rows), noise)
    weight = checks.check_sample_weight(sample_weight, len(rows))
    counted = given.codes >= 0 if weight is None else (given.codes >= 0) & (weight > 0)
    _check_several(given, counted)
    used = np.flatnonzero(counted)
    prepared = None
    if table is None:
        roles = getattr(X, "roles", None) or FeatureRoles.plain(rows.shape[1])
        encoded = EncodedRows.of(rows if counted.all() else rows[used], roles)
    else:
        dropped = [*drop, *([] if column is None or column not in table.column_names else [column])]
        encoder = TableEncoder(
            drop=dropped,
            keep=keep,
            categorical=categorical,
            scale="none",
            weight="equal",
            dates=dates,
            show=show,
            max_categories=max_categories,
            strict=strict,
        )
        kept = table if counted.all() else table.take(used)
        prepared = prepare(kept, encoder, missing=missing)
        used, encoded = used[prepared.rows], prepared.X
    seed = settings["random_state"] = _seed(random_state)
    # Numbered without labels that only noise or rows of weight 0 have.
    codes, present = renumbered(given.codes[used])
    names = [given.names[code] for code in present]
    task = Task(
        encoded,
        codes,
        None if weight is None else weight[used],
        len(names),
        settings,
        n_jobs,
        time_limit,
    )
    n_leaves = leaf_limit(max_leaf_nodes, len(names)) or 2
    found = task.tree(n_leaves)
    while max_leaf_nodes == "auto" and len(found.labels) < len(names) and n_leaves < 2 * len(names):
        n_leaves = min(2 * len(names), n_leaves + len(names) - len(found.labels))
        found = task.tree(n_leaves)
    predicted, n_folds = (np.full(len(codes), -1), 0)
    if not found.interrupted:
        predicted, n_folds = task.held_out(n_leaves, seed)
    noisy = np.flatnonzero(given.codes < 0)
    agreement = Agreement.of(
        found.tree,
        found.labels,
        names,
        np.asarray(encoded),
        codes,
        task.weight,
        predicted,
        method=found.method,
        integers=given.integers,
        column=column,
        n_folds=n_folds,
        n_noise=len(noisy),
    )
    model = _model(found, agreement, encoded, prepared, len(rows), n_jobs)
    if len(noisy):
        with warnings.catch_warnings():
            # The rows have no influence: values that the model does not know are no concern.
            warnings.simplefilter("ignore", UserWarning)
            leaves = model.apply(rows.take(noisy) if table is not None else rows[noisy])
        model = replace(model, agreement=agreement.with_noise(model.tree_, leaves))
    if verbose:
        print(*(() if prepared is None else prepared.notes), agreement.summary(), sep="\n")
        print(*agreement.notes(), sep="\n")
    return model


def given_labels(
    labels: ArrayLike | str, table: Any, n_rows: int, noise: str = "ignore"
) -> tuple[Labels, str | None]:
    """Read the labels; return them with the name of their column."""
    name = getattr(labels, "name", None)
    column = name if isinstance(name, str) and name else None
    if isinstance(labels, str):
        names = [] if table is None else table.column_names
        if labels not in names:
            columns = f"{suggestion(labels, names)} Columns: {quoted(names)}." if names else ""
            raise ValueError(
                f"labels={labels!r} is no column of X.{columns or ' X has no named columns.'}"
            )
        if names.count(labels) > 1:
            raise BadTable(f"labels={labels!r}: there are two columns of that name.")
        column = labels
        labels = plain(table.column(labels)).to_numpy(zero_copy_only=False)
    values = np.asarray(labels)
    if values.dtype.kind in "fO":
        n_missing = sum(map(is_missing, values.ravel().tolist()))
        if n_missing:
            raise ValueError(
                f"labels has {count(n_missing, 'missing value')} in {n_rows:,} rows: leave these "
                "rows out, or fill in a label of their own, such as 'none'."
            )
    if values.dtype.kind == "O" and values.ndim == 1:
        same = len({type(value) for value in values}) == 1
        values = np.array(values.tolist()) if same else values.astype(str)
    codes = check_labels(values, "labels", n_rows)
    last = np.empty(codes.max() + 1, dtype=np.intp)
    last[codes] = np.arange(n_rows)
    is_integer = values.dtype.kind in "iu" or values.dtype.kind == "f"
    distinct = values.ravel()[last]
    names = list(map(str, (distinct.astype(np.int64) if is_integer else distinct).tolist()))
    if len(names) > min(MAX_LABELS, max(FEW_LABELS, n_rows / 2)):
        raise ValueError(
            f"labels has {len(names):,} different values in {n_rows:,} rows, which are rather "
            "identifiers or measurements: give the column of the labels."
        )
    if noise == "ignore" and NOISE in names:
        place = names.index(NOISE)
        codes = np.where(codes == place, -1, codes - (codes > place))
        names.remove(NOISE)
    return Labels(codes, names, is_integer), column


def renumbered(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The codes numbered from 0 without gaps, and those that there are."""
    present = np.flatnonzero(np.bincount(codes))
    number = np.zeros(len(codes) and int(codes.max()) + 1, dtype=np.intp)
    number[present] = np.arange(len(present))
    return number[codes], present


def _check_several(given: Labels, counted: np.ndarray) -> None:
    """Raise unless there are two labels to tell apart."""
    _, present = renumbered(given.codes[counted])
    if len(present) > 1:
        return
    what = f"one label only, {given.names[present[0]]!r}" if len(present) else "no label"
    advice = ". noise='label' makes a label of -1" if (given.codes < 0).any() else ""
    raise ValueError(f"labels has {what}, and at least two are required{advice}.")


def _seed(random_state: int | np.random.RandomState | None) -> int:
    """A seed, so that all fits of a call have the same random numbers."""
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))


def _model(
    found: LabelTree,
    agreement: Agreement,
    rows: EncodedRows,
    prepared: PreparedTable | None,
    n_rows: int,
    n_jobs: int | None,
) -> FittedModel:
    """The model of raw rows."""
    names = [each.label for each in agreement.labels[: found.tree.n_clusters]]
    proof = ("lower_bound", "gap", "is_optimal")
    metrics = {name: found.attributes.get(f"{name}_") for name in proof}
    tree, raw_thresholds = short_thresholds(
        found.tree, np.asarray(rows), None if prepared is None else rows.units
    )
    model = FittedModel(
        tree,
        cluster_names=names,
        takes_missing=True,
        method="explain",
        spec=NO_SPEC,
        fit_metrics=FitMetrics(**metrics, n_samples=int(found.tree.n_node_samples[0])),
        agreement=agreement,
        n_jobs=n_jobs,
    )
    if prepared is None:
        return model
    known = replace(prepared, n_read=n_rows, target_name=agreement.column)
    provenance = known.provenance(list(agreement.notes()))
    if agreement.n_noise:
        provenance = replace(provenance, rows_why="rows of noise have weight 0")
    model = replace(model, provenance=provenance)
    model.raw_thresholds_ = raw_thresholds
    steps = [("tableencoder", prepared.encoder), ("explain", model)]
    return fitted_model(Pipeline(steps), cluster_names=names)
