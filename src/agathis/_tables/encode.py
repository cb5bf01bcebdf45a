"""A table as numbers: what its columns are is learnt once, and applied to these rows and others.

    table -> verdicts on columns -> numbers and columns of 0 and 1 -> rows without gaps

:class:`TableEncoder` has scikit-learn's two steps. ``fit`` judges the columns and keeps their
categories; ``transform`` makes numbers of a table with these columns, the same or another.
:func:`usable_rows` then says which rows can be used, as a choice about missing values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from agathis._tables.column_verdicts import Verdict, judge_all, notes_on
from agathis._tables.errors import Advice, BadTable, Note, Ways
from agathis._tables.feature_rows import FeatureRows, feature_rows
from agathis._tables.wording import count, listed, title_of

if TYPE_CHECKING:
    import pyarrow as pa

#: The squares of larger numbers are no numbers of float64.
LARGEST = 1e150


class TableEncoder(TransformerMixin, BaseEstimator):
    """Columns of a table made into features.

    Parameters
    ----------
    drop : sequence of str
        Columns to leave out.
    keep : sequence of str
        Columns to use though they look like identifiers, or are constant.
    categorical : sequence of str
        Columns whose values are categories, whatever they look like.
    title : str
        Of the table, in messages.

    Attributes
    ----------
    columns_ : list of Verdict
        What each column is and why, in the order of the table, without those to drop.
    feature_names_ : list of str
        Of the features; all are different.
    one_hot_ : dict
        For each source its columns with their categories, as exporters take it.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"size": [1.5, 2.5, 9.0], "colour": ["red", "blue", "red"]})
    >>> encoder = TableEncoder().fit(table)
    >>> [(column.name, column.kind) for column in encoder.columns_]
    [('size', 'number'), ('colour', 'category')]
    >>> encoder.feature_names_
    ['size', 'colour_blue', 'colour_red']
    >>> encoder.transform(table)
    array([[1.5, 0. , 1. ],
           [2.5, 1. , 0. ],
           [9. , 0. , 1. ]])
    """

    def __init__(
        self,
        *,
        drop: Sequence[str] = (),
        keep: Sequence[str] = (),
        categorical: Sequence[str] = (),
        title: str = "the table",
    ) -> None:
        self.drop = drop
        self.keep = keep
        self.categorical = categorical
        self.title = title

    def fit(self, table: pa.Table, y: object = None) -> TableEncoder:
        """Learn what the columns are; an error tells of all that cannot be decided."""
        self.columns_ = judge_all(
            table,
            drop=self.drop,
            keep=self.keep,
            categorical=self.categorical,
            name=self.title,
        )
        used = self.used()
        if not used:
            reasons = "".join(f" {title_of(v.name)}: {v.why}." for v in self.columns_)
            keep = (" ", Advice("keep"), " uses a column all the same.")
            raise BadTable(
                f"{self.title} has no column left to cluster by.{reasons}",
                *(keep if any(v.can_be_kept for v in self.columns_) else ()),
            )
        self.feature_names_, self.one_hot_ = _features(used)
        return self

    def transform(self, table: Any) -> np.ndarray:
        """Rows of numbers, NaN where a value is missing; columns are found by their names."""
        return self.encode(table).X

    def get_feature_names_out(self, input_features: object = None) -> np.ndarray:
        """The names of the features."""
        return np.array(self.feature_names_, dtype=object)

    def encode(self, table: Any) -> FeatureRows:
        """As ``transform``, with the words that are no known categories."""
        rows = feature_rows(table, self.feature_names_, self.one_hot_, title=self.title)
        for f, name in enumerate(self.feature_names_):
            if np.nanmax(np.abs(rows.X[:, f]), initial=0.0) > LARGEST:
                raise BadTable(
                    f"{title_of(name)} has numbers beyond {LARGEST:g}: ",
                    Advice("drop", (name,)),
                    " leaves it out.",
                )
        return rows

    def used(self) -> list[Verdict]:
        """The verdicts on columns that features are made of."""
        return [verdict for verdict in self.columns_ if verdict.kind != "out"]

    def notes(self) -> list[Note]:
        """What to say about the columns."""
        return notes_on(self.columns_)

    def places(self) -> dict[str, np.ndarray]:
        """For each column that is used the places of its features."""
        place = {name: f for f, name in enumerate(self.feature_names_)}
        return {
            verdict.name: np.array(
                [place[n] for n in self.one_hot_.get(verdict.name, [verdict.name])]
            )
            for verdict in self.used()
        }


@dataclass(frozen=True)
class Prepared:
    """Rows of numbers for a fit.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        NaN where a value is missing, if that was asked for.
    names : list of str
        Of the features; all are different.
    one_hot : dict
        For each source its columns with their categories, as exporters take it.
    target : ndarray of str, or None
    rows : ndarray of int
        Which rows of the table these are.
    """

    X: np.ndarray
    names: list[str]
    one_hot: dict[str, dict[str, object]]
    target: np.ndarray | None
    rows: np.ndarray

    def sources(self) -> list[np.ndarray]:
        """The places of the features that were made of each source of categories."""
        place = {name: i for i, name in enumerate(self.names)}
        return [np.array([place[name] for name in made]) for made in self.one_hot.values()]


def usable_rows(
    encoder: TableEncoder, X: np.ndarray, missing: str
) -> tuple[np.ndarray, list[Note]]:
    """Which rows can be used, and what to say about the others.

    Parameters
    ----------
    encoder : TableEncoder
        Fitted.
    X : ndarray
        What it made.
    missing : {"error", "drop", "tree"}
        What to do with rows that miss values: refuse them, leave them out, or keep them, for a
        tree learns where they go.
    """
    gaps = {name: int(np.isnan(X[:, places[0]]).sum()) for name, places in encoder.places().items()}
    lacking = [f"{title_of(name)} ({n:,})" for name, n in gaps.items() if n]
    every = np.arange(len(X))
    if not lacking:
        return every, []
    complete = np.flatnonzero(~np.isnan(X).any(axis=1))
    dropped = len(X) - len(complete)
    if missing == "error":
        ways = (
            (Advice("missing", "drop"), "leaves these rows out"),
            (Advice("missing", "tree"), "keeps them: each split learns where they go"),
            (Advice("drop", (max(gaps, key=gaps.__getitem__),)), "leaves a column out"),
        )
        raise BadTable(
            f"{encoder.title} has missing values in {listed(lacking)}; {dropped:,} of {len(X):,} "
            "rows miss one.",
            Ways(ways),
        )
    if missing == "tree":
        text = f"Missing values in {listed(lacking)}: each split learns where they go."
        return every, [Note((text,))]
    if not len(complete):
        way = Advice("missing", "drop")
        raise BadTable(way, f" leaves no row of {encoder.title}: each misses a value.")
    text = (
        f"Left out: {count(dropped, 'row')} with missing values, in {listed(lacking)}. "
        f"That leaves {count(len(complete), 'row')}."
    )
    return complete, [Note((text,))]


def classes_of(table: pa.Table, name: str) -> np.ndarray:
    """The values of a column as texts, such as known classes to judge clusters by."""
    from agathis._tables.arrow_values import as_words, plain

    if table.column_names.count(name) > 1:
        raise BadTable(Advice("target", name), ": there are two columns of that name.")
    words = as_words(plain(table.column(name)))
    return np.array(["(missing)" if word is None else word for word in words])


def _features(used: Sequence[Verdict]) -> tuple[list[str], dict[str, dict[str, object]]]:
    """The names of the features, and the sources of those that come from categories."""
    names: list[str] = []
    one_hot: dict[str, dict[str, object]] = {}
    taken = {verdict.name for verdict in used}
    for verdict in used:
        if verdict.kind == "category":
            made: dict[str, object] = {}
            for category in verdict.categories:
                name = f"{verdict.name}_{category}"
                # Another column may have that very name.
                while name in taken:
                    name += "_"
                taken.add(name)
                made[name] = category
            one_hot[verdict.name] = made
            names += made
            continue
        names.append(verdict.name)
        if verdict.kind == "boolean":
            one_hot[verdict.name] = {verdict.name: True}
    return names, one_hot
