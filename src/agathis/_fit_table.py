"""From a raw table to a fitted pipeline: the one line, and the steps that the command line shares.

    table -> TableEncoder -> rows that can be used -> Kauri -> what is worth saying about it

What is said, such as which columns were left out, are notes; whoever fits in Python finds them in
``columns_`` of the encoder and, with ``verbose``, on the screen.
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
from agathis._describe.model_methods import ModelMethods
from agathis._growing.limits import leaf_limit
from agathis._kernels.names import traits
from agathis._methods import make_method
from agathis._model.facts import Provenance
from agathis._suggest import Suggestion, default_min_leaf, suggest
from agathis._tables.deciding import deciding, notes_on_deciding
from agathis._tables.encode import TableEncoder
from agathis._tables.errors import Advice, BadTable, Note
from agathis._tables.feature_rows import FeatureRows
from agathis._tables.frames import as_arrow, classes_of
from agathis._tables.missing_rows import usable_rows
from agathis._tables.wording import count, quoted, title_of

#: Components of a feature map, where rows that miss values have to be points.
MAP_COMPONENTS = 256
#: How long trees of few values are searched, and how many are few: of more it is less, down to 1.
MOST_EFFORT, FEW_VALUES = 24.0, 15_000
#: Of very few values there are fewer trees: half as long will do.
VERY_FEW = 1200


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """A table that is ready for a fit.

    Attributes
    ----------
    encoder : TableEncoder
        Fitted.
    X : EncodedRows of shape (n_samples, n_features)
        Scaled features of the rows that are used; NaN where a value is missing.
    raw : ndarray of shape (n_samples, n_features)
        The features in the units of the table.
    table : pyarrow.Table
        The rows that are used.
    rows : ndarray of int
        Which rows of the table these are.
    n_read : int
        Rows of the table.
    target : ndarray of str, or None
    notes : list of Note
    target_name : str or None
    missing : {"tree", "drop", "error"}
        What was done with rows that miss values.
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

    @property
    def encoded(self) -> FeatureRows:
        """The rows in the units of the table, for whoever would encode the table again."""
        return FeatureRows(self.raw, {}, int(np.isnan(self.raw).any(axis=1).sum()))

    @property
    def misses(self) -> bool:
        """Whether values are missing that a tree has to learn about."""
        return bool(np.isnan(self.X).any())

    @property
    def provenance(self) -> Provenance:
        """Where the rows come from, for the model that is fitted to them."""
        used = len(self.rows)
        return Provenance.of_encoder(
            self.encoder,
            rows_read=self.n_read,
            rows_used=used,
            rows_why="rows with missing values were dropped" if used < self.n_read else None,
            target=self.target_name,
            missing=self.missing,
            notes=tuple(map(str, self.notes)),
        )

    def notes_on(self, model: BaseEstimator) -> list[Note]:
        """What to say of a model of these rows."""
        kernel = self.encoder.roles_.kernel
        X, places = np.asarray(self.X), self.encoder.places()
        return notes_on_deciding(deciding(model.tree_, X, places, kernel), len(places))


def prepare(
    table: Any, encoder: TableEncoder, *, missing: str = "tree", target: str | None = None
) -> PreparedTable:
    """Encode a table, and choose the rows that can be used.

    Parameters
    ----------
    table : DataFrame of pandas or polars, or pyarrow.Table
    encoder : TableEncoder
        Gets fitted.
    missing : {"tree", "drop", "error"}
        What becomes of rows that miss values.
    target : str, optional
        A column of known classes, which is left out and kept beside.
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
        # What is left may have fewer values, or none that differ.
        table = table.take(rows)
        raw = encoder._fit(table).X
    X = encoder.scaled(raw)
    classes = None if target is None else classes_of(table, target)
    kept = [] if target is None else [Note((f"Kept for judging only: {title_of(target)}.",))]
    notes = [*encoder.notes(), *kept, *more]
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
    """An estimator for these rows; what is not given depends on their number and gaps.

    Parameters
    ----------
    prepared : PreparedTable
    n_clusters : int
    method : str
        A name in ``METHODS``; parameters that it has not are ignored.
    **others
        As for :func:`fit_table`.
    """
    model = make_method(
        method,
        n_clusters,
        max_leaf_nodes=max_leaf_nodes,
        kernel={"kernel": kernel, "gamma": gamma},
        random_state=random_state,
        n_jobs=n_jobs,
    )
    known = model.get_params(deep=False)
    leaves = leaf_limit(max_leaf_nodes, n_clusters) or n_clusters
    params: dict[str, Any] = {"time_limit": time_limit, "split": split, "verbose": verbose}
    if min_samples_leaf is not None or method != "ICOT":
        params["min_samples_leaf"] = leaf_size(min_samples_leaf, leaves)
    if "search" in known:
        params["search"] = search or "local"
    if search_effort is None:
        # More leaves than clusters are for closer fits, and a longer search makes them no plainer.
        plain = kernel == "linear" and leaves <= max(2, n_clusters)
        search_effort = effort_for(*prepared.X.shape) if plain else 1.0
    params["search_effort"] = search_effort
    if prepared.misses and kernel not in ("linear", "cosine"):
        params["n_components"] = MAP_COMPONENTS
    return model.set_params(**{name: params[name] for name in params if name in known})


def leaf_size(given: float | None, leaves: int) -> float:
    """``min_samples_leaf`` as it was given, rows or a fraction of them, or for so many leaves."""
    size = default_min_leaf(leaves) if given is None else given
    return int(size) if size >= 1 else size


def effort_for(n_rows: int, n_features: int) -> float:
    """How long to search a tree of so many rows; more features than rows count twice over.

    A tree of few rows that is not quite the best changes with every row; the best one seldom does.

    >>> effort_for(150, 4), effort_for(344, 8), round(effort_for(20_000, 12)), effort_for(64, 6831)
    (12.0, 24.0, 6, 1.0)
    """
    n_values = n_features * max(n_rows, n_features)
    if n_values < VERY_FEW:
        return MOST_EFFORT / 2
    return max(1.0, MOST_EFFORT * min(1.0, (FEW_VALUES / n_values) ** 0.5))


class TablePipeline(ModelMethods, Pipeline):
    """An encoder of raw tables and a model; notebooks show its tree in the words of the table.

    Attributes
    ----------
    provenance_ : Provenance
        The table that it was fitted to, where a function fitted it.
    """

    provenance_: Provenance


def as_pipeline(prepared: PreparedTable, model: BaseEstimator) -> Pipeline:
    """The fitted encoder and the fitted model, for raw tables."""
    name = type(model).__name__.lower()
    pipeline = TablePipeline([("tableencoder", prepared.encoder), (name, model)])
    pipeline.provenance_ = prepared.provenance
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
    strict: bool = False,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Pipeline:
    """Clusters of a raw table, as ``agathis fit`` finds them.

    Parameters
    ----------
    table : DataFrame of pandas or polars, or pyarrow.Table
    n_clusters : int, optional
        By default :func:`agathis.suggest` is asked.
    max_leaf_nodes : int, "auto" or None, default="auto"
        The maximum number of leaves. "auto" is one leaf per cluster (at least two), so that a
        cluster is one rule; ``None`` is unlimited, for the closest fit.
    min_samples_leaf : float, optional
        Fewest rows of a leaf, or their share; by default 2 % of the rows, or less for many leaves.
    kernel : str, default="linear"
    gamma : float, optional
        Of the kernel.
    search : {"local", "greedy", "optimal"}, default="local"
    search_effort, time_limit : float, optional
    split : {"axis", "pair"}, default="axis"
        How far to look for a better tree, and what its rules may ask: see :class:`agathis.Kauri`.
        By default the effort is 24 for tables of up to 15,000 values, 12 for those of fewer than
        1,200, less for larger ones, and 1 from some nine million on, for more leaves than clusters
        and for other kernels.
    missing : {"tree", "drop", "error"}, default="tree"
        Rows that miss values: each split learns where they go, they are left out, or they are an
        error. A model of rows without gaps sends later ones with the larger part at each split.
    target : str, optional
        A column of known classes: it is not used.
    drop, keep, categorical, scale, weight, dates, no_split, no_count, show, max_categories, strict
        As for :class:`agathis.TableEncoder`.
    random_state : int, RandomState instance or None, default=None
        Draws what the search tries, and the rows of :func:`agathis.suggest`. Pass an int for the
        same tree in every call, as the command does; ``None`` draws from NumPy's global state.
    n_jobs : int, optional
        Threads; by default as many as cores.
    verbose : int, default=0
        Whether to print what became of the columns.

    Returns
    -------
    model : Pipeline
        Of a fitted :class:`agathis.TableEncoder` and a fitted :class:`agathis.Kauri`; it takes raw
        tables, and so do exports, pictures and reports of it.

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
    whole = isinstance(n_clusters, Integral) and not isinstance(n_clusters, bool)
    if n_clusters is not None and (not whole or n_clusters < 1):
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
        strict=strict,
    )
    prepared = prepare(table, encoder, missing=missing, target=target)
    for note in [*prepared.notes, *encoder.notes_on_weights()] if verbose else ():
        print(note)
    if n_clusters is None:
        found = suggested(prepared, random_state=random_state, n_jobs=n_jobs)
        n_clusters = found.n_clusters
        if verbose:
            print(
                f"{count(n_clusters, 'cluster')} are suggested.",
                *found.doubts("a larger n_clusters"),
            )
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
    if model.n_clusters_ == 1:
        warn("All rows are in one cluster: no split of them gains anything.", UserWarning)
    for note in prepared.notes_on(model) if verbose else ():
        print(note)
    return as_pipeline(prepared, model)


def suggested(
    prepared: PreparedTable,
    *,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
) -> Suggestion:
    """How many clusters suit these rows."""
    if len(prepared.X) < 4:
        raise BadTable(
            f"{count(len(prepared.X), 'row')} suggest no number of clusters; ",
            Advice("n_clusters"),
            " gives one.",
        )
    return suggest(prepared.X, random_state=random_state, n_jobs=n_jobs)
