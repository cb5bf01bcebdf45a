"""Fit a pipeline to a raw table: :func:`fit_table`, and the steps shared with the command line.

    table -> TableEncoder -> usable rows -> Kauri -> notes on the result

Notes, such as which columns were left out, are in ``columns_`` of the encoder and are printed with
``verbose``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from agathis._checks.data import warn
from agathis._checks.roles import EncodedRows
from agathis._columns.errors import Advice, BadTable, Note
from agathis._columns.frames import as_arrow, classes_of
from agathis._columns.wording import count, quoted, title_of
from agathis._encoding.dominant_columns import dominant_columns, notes_on_dominant_columns
from agathis._encoding.missing_rows import usable_rows
from agathis._encoding.table_encoder import TableEncoder
from agathis._encoding.values_as_groups import notes_on_values
from agathis._evidence import Repeats
from agathis._growth.limits import default_min_leaf, leaf_limit
from agathis._kernels.names import traits
from agathis._methods import method_of
from agathis._model.evidence import Evidence
from agathis._model.facts import Provenance
from agathis._model.spec import FitSpec
from agathis._rules.estimator_methods import ModelMethods
from agathis._suggest import Suggestion, suggestion_of

#: Components of a feature map, where rows that miss values have to be points.
MAP_COMPONENTS = 256
#: The search effort of tables of at most ``FEW_VALUES`` values; it decreases to 1 for larger ones.
MAX_EFFORT, FEW_VALUES = 24.0, 15_000
#: Smaller tables have fewer candidate trees and need half the effort.
VERY_FEW = 1200


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """A table that was encoded for a fit.

    Attributes
    ----------
    encoder : TableEncoder
        Fitted.
    X : EncodedRows of shape (n_samples, n_features)
        Scaled features of the rows used; missing values are NaN.
    raw : ndarray of shape (n_samples, n_features)
        The features in the units of the table.
    table : pyarrow.Table
        The rows used.
    rows : ndarray of int
        Their positions in the table that was read.
    n_read : int
        The number of rows read.
    target : ndarray of str, or None
    notes : list of Note
    target_name : str or None
    missing : {"tree", "drop", "error"}
        The handling of rows with missing values.
    identifier : str or None
        The column by which readers of a page find rows.
    """

    encoder: TableEncoder
    X: EncodedRows
    raw: np.ndarray
    table: Any
    rows: np.ndarray
    n_read: int
    target: np.ndarray | None = None
    notes: list[Note] = field(default_factory=list)
    target_name: str | None = None
    missing: str = "tree"
    identifier: str | None = None

    @property
    def misses(self) -> bool:
        """Whether values are missing."""
        return bool(np.isnan(self.X).any())

    def provenance(self, notes: Sequence[Note] = ()) -> Provenance:
        """The provenance of a model fitted to these rows, with further notes on them."""
        used = len(self.rows)
        return Provenance.of_encoder(
            self.encoder,
            [*self.notes, *self.encoder.notes_on_weights(), *notes],
            rows_read=self.n_read,
            rows_used=used,
            rows_why="rows with missing values were dropped" if used < self.n_read else None,
            target=self.target_name,
            missing=self.missing,
            identifier=self.identifier,
        )

    def notes_on(self, model: BaseEstimator) -> list[Note]:
        """Notes on a model fitted to these rows."""
        kernel = self.encoder.roles_.kernel
        X, columns_of = np.asarray(self.X), self.encoder.places()
        tree, features = model.tree_, self.encoder.features_
        used = {features[f].source for f in tree.feature[~tree.is_leaf].tolist()}
        values = notes_on_values(tree.predict(X), self.raw, columns_of, sorted(used))
        return values or notes_on_dominant_columns(
            dominant_columns(tree, X, columns_of, kernel), len(columns_of)
        )


def prepare(
    table: Any, encoder: TableEncoder, *, missing: str = "tree", target: str | None = None
) -> PreparedTable:
    """Encode a table and select the usable rows.

    Parameters
    ----------
    table : DataFrame of pandas or polars, or pyarrow.Table
    encoder : TableEncoder
        It is fitted here.
    missing : {"tree", "drop", "error"}
        The handling of rows with missing values.
    target : str, optional
        A column of known classes, which is not used as a feature.
    """
    table = as_arrow(table)
    n_read = table.num_rows
    if target is not None and target not in table.column_names:
        names = quoted(table.column_names)
        raise ValueError(f"target={target!r} is no column; there are {names}.")
    if target is not None:
        encoder.set_params(drop=[*encoder.drop, target])
    raw = encoder._fit(table).X
    rows, more = usable_rows(encoder, raw, missing)
    if len(rows) < len(raw):
        # The remaining rows may have fewer categories or constant columns.
        table = table.take(rows)
        raw = encoder._fit(table).X
    X = encoder.scaled(raw)
    classes = None if target is None else classes_of(table, target)
    target_notes = (
        [] if target is None else [Note((f"Kept for judging only: {title_of(target)}.",))]
    )
    notes = [*encoder.notes(), *target_notes, *more]
    return PreparedTable(encoder, X, raw, table, rows, n_read, classes, notes, target, missing)


def new_model(
    prepared: PreparedTable,
    n_clusters: int,
    *,
    method: str = "Kauri",
    max_leaf_nodes: int | str | None = "auto",
    min_samples_leaf: float | None = None,
    kernel: str = "linear",
    gamma: float | None = None,
    search: str | None = None,
    search_effort: float | None = None,
    time_limit: float | None = None,
    split: str = "axis",
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> BaseEstimator:
    """Create an estimator; defaults depend on the number of rows and on missing values.

    Parameters
    ----------
    prepared : PreparedTable
    n_clusters : int
    method : str
        A name in ``METHODS``; parameters that it does not have are ignored.
    **others
        As for :func:`fit_table`.
    """
    leaves = leaf_limit(max_leaf_nodes, n_clusters) or n_clusters
    if search_effort is None:
        # With more leaves than clusters a longer search does not make the rules simpler.
        plain = kernel == "linear" and leaves <= max(2, n_clusters)
        search_effort = effort_for(*prepared.X.shape) if plain else 1.0
    values: dict[str, Any] = {
        "n_clusters": n_clusters,
        "max_leaf_nodes": max_leaf_nodes,
        "kernel": kernel,
        "gamma": gamma,
        "search": search or "local",
        "search_effort": search_effort,
        "split": split,
        "random_state": random_state,
    }
    if min_samples_leaf is not None or method != "ICOT":
        values["min_samples_leaf"] = leaf_size(min_samples_leaf, leaves)
    if prepared.misses and kernel not in ("linear", "cosine"):
        values["n_components"] = MAP_COMPONENTS
    model = FitSpec.of_method(method, **values).to_estimator(n_jobs=n_jobs)
    if not method_of(model).is_baseline:
        model.set_params(time_limit=time_limit, verbose=verbose)
    return model


def leaf_size(given: float | None, leaves: int) -> float:
    """``min_samples_leaf`` as given, rows or a fraction of them, or the default."""
    size = default_min_leaf(leaves) if given is None else given
    return int(size) if size >= 1 else size


def effort_for(n_rows: int, n_features: int) -> float:
    """The search effort for a table of this size.

    A suboptimal tree of few rows changes with every row; the optimal one seldom does.

    >>> effort_for(150, 4), effort_for(344, 8), round(effort_for(20_000, 12)), effort_for(64, 6831)
    (12.0, 24.0, 6, 1.0)
    """
    n_values = n_features * max(n_rows, n_features)
    if n_values < VERY_FEW:
        return MAX_EFFORT / 2
    return max(1.0, MAX_EFFORT * min(1.0, (FEW_VALUES / n_values) ** 0.5))


class TablePipeline(ModelMethods, Pipeline):
    """Pipeline of a table encoder and a model, whose methods are in terms of the raw table.

    Attributes
    ----------
    provenance_ : Provenance
        The table that it was fitted to.
    evidence_ : Evidence or None
        Whether the table has more than one group, and each split its evidence; None for kernels
        other than the linear one.
    """

    provenance_: Provenance
    evidence_: Evidence | None = None


def as_pipeline(
    prepared: PreparedTable, model: BaseEstimator, evidence: Evidence | None = None
) -> Pipeline:
    """Combine the fitted encoder and the fitted model in a pipeline for raw tables."""
    name = type(model).__name__.lower()
    pipeline = TablePipeline([("tableencoder", prepared.encoder), (name, model)])
    doubts = [] if evidence is None else evidence.doubts()
    pipeline.evidence_ = evidence
    pipeline.provenance_ = prepared.provenance([*doubts, *prepared.notes_on(model)])
    return pipeline


def fit_table(
    table: Any,
    n_clusters: int | None = None,
    *,
    max_leaf_nodes: int | str | None = "auto",
    min_samples_leaf: float | None = None,
    kernel: str = "linear",
    gamma: float | None = None,
    search: str = "local",
    search_effort: float | None = None,
    time_limit: float | None = None,
    split: str = "axis",
    missing: str = "tree",
    target: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    categorical: Sequence[str] = (),
    scale: str | Mapping[str, str] = "auto",
    weight: str | Mapping[str, float] = "learned",
    dates: str = "out",
    no_split: Sequence[str] = (),
    no_count: Sequence[str] = (),
    show: Sequence[str] = (),
    max_categories: int = 20,
    ordered: Mapping[str, Sequence[str]] | None = None,
    strict: bool = False,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Pipeline:
    """Cluster a DataFrame and return a fitted pipeline, as ``agathis fit`` does.

    Parameters
    ----------
    table : DataFrame of pandas or polars, or pyarrow.Table
    n_clusters : int, optional
        The number of clusters; by default that of :func:`agathis.suggest`, which is 1 if no groups
        could be shown.
    max_leaf_nodes : int, "auto" or None, default="auto"
        The maximum number of leaves. "auto" is one leaf per cluster (at least two), so that each
        cluster has one rule; ``None`` is unlimited.
    min_samples_leaf : float, optional
        The minimum number of samples in a leaf. If less than 1, a fraction of the rows. By default
        2 % of the rows, or less for many leaves.
    kernel : str, default="linear"
    gamma : float, optional
        The coefficient of the kernel.
    search : {"local", "greedy", "optimal"}, default="local"
    search_effort, time_limit : float, optional
    split : {"axis", "pair"}, default="axis"
        The search for a better tree and the type of its splits: see :class:`agathis.Kauri`. The
        default effort is 24 for tables of up to 15,000 values, 12 for fewer than 1,200, less for
        larger ones, and 1 from about nine million values on, for more leaves than clusters and for
        other kernels.
    missing : {"tree", "drop", "error"}, default="tree"
        The handling of rows with missing values: each split learns their direction, they are
        dropped, or they raise an error. A model fitted without missing values sends them to the
        child with more samples.
    target : str, optional
        A column of known classes, which is not used as a feature.
    drop, keep, categorical, scale, weight, dates, no_split, no_count, show, max_categories, \
    ordered, strict
        As for :class:`agathis.TableEncoder`.
    random_state : int, RandomState instance or None, default=None
        The random state of the search and of :func:`agathis.suggest`. Pass an int for
        reproducible results, as the command does; ``None`` uses NumPy's global state.
    n_jobs : int, optional
        The number of threads; by default all cores.
    verbose : int, default=0
        Whether to print how the columns were handled.

    Returns
    -------
    model : Pipeline
        A fitted :class:`agathis.TableEncoder` and a fitted :class:`agathis.Kauri`. The pipeline,
        its exports, plots and reports take raw tables. ``evidence_`` is that of
        :func:`agathis.evidence`, for the linear kernel.

    Examples
    --------
    >>> import pandas as pd
    >>> from agathis import fit_table
    >>> from agathis.export import to_rules
    >>> orders = pd.DataFrame({"items": [1, 2, 1, 9, 8, 9], "paid": list("yyynnn")})
    >>> model = fit_table(orders, 2, random_state=0)
    >>> model.predict(orders)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """
    if missing not in ("tree", "drop", "error"):
        raise ValueError(f"missing={missing!r} must be 'tree', 'drop' or 'error'.")
    is_integer = isinstance(n_clusters, Integral) and not isinstance(n_clusters, bool)
    if n_clusters is not None and (not is_integer or n_clusters < 1):
        raise ValueError(f"n_clusters={n_clusters!r} must be a whole number, at least 1, or None.")
    if scale == "auto" and traits(kernel).non_negative:
        scale = "minmax"
    encoder = TableEncoder(
        drop=drop,
        keep=keep,
        categorical=categorical,
        scale=scale,
        weight=weight,
        dates=dates,
        no_split=no_split,
        no_count=no_count,
        show=show,
        max_categories=max_categories,
        ordered=ordered,
        strict=strict,
    )
    prepared = prepare(table, encoder, missing=missing, target=target)
    for note in [*prepared.notes, *encoder.notes_on_weights()] if verbose else ():
        print(note)
    repeats = None
    if n_clusters is None:
        repeats = Repeats.of(prepared.X, random_state)
        n_clusters = suggested(prepared, repeats).n_clusters
        if verbose and n_clusters > 1:
            print(f"{count(n_clusters, 'cluster')} are suggested.")
    if len(prepared.X) < n_clusters:
        raise BadTable(f"n_clusters={n_clusters} is more than there are rows, {len(prepared.X)}.")
    model = new_model(
        prepared,
        n_clusters,
        max_leaf_nodes=max_leaf_nodes,
        min_samples_leaf=min_samples_leaf,
        kernel=kernel,
        gamma=gamma,
        search=search,
        search_effort=search_effort,
        time_limit=time_limit,
        split=split,
        random_state=random_state,
        n_jobs=n_jobs,
    ).fit(prepared.X)
    if repeats is None and kernel == "linear":
        repeats = Repeats.of(prepared.X, random_state)
    evidence = None if repeats is None else repeats.evidence(model.tree_)
    if model.n_clusters_ == 1 and n_clusters > 1:
        warn("All rows are in one cluster: no split improves the objective.", UserWarning)
    doubts = [] if evidence is None else evidence.doubts()
    for note in [*doubts, *prepared.notes_on(model)] if verbose else ():
        print(note)
    return as_pipeline(prepared, model, evidence)


def suggested(prepared: PreparedTable, repeats: Repeats) -> Suggestion:
    """Suggest a number of clusters for these rows."""
    if len(prepared.X) < 4:
        raise BadTable(
            f"{count(len(prepared.X), 'row')} are too few to suggest a number of clusters; ",
            Advice("n_clusters"),
            " sets it.",
        )
    return suggestion_of(prepared.X, repeats)
