"""The paper's data sets, prepared as there: numbers only, no value missing, K known.

A table is found (``places``), its values become numbers, its labels codes, and all that is known
of the set goes into a Bunch.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from difflib import get_close_matches
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from sklearn.utils import Bunch

from agathis._checks import data as checks
from agathis._utils.extras import needed
from paper.datasets.entry import Entry
from paper.datasets.places import find_table
from paper.datasets.registry import REGISTRY
from paper.datasets.set_files import RawTable

if TYPE_CHECKING:
    import pandas as pd


class DataSet(Bunch):
    """What :func:`load` gives without ``return_X_y``: a Bunch whose types are known."""

    data: np.ndarray
    target: np.ndarray
    frame: pd.DataFrame | None
    feature_names: list[str]
    target_names: list[str]
    n_clusters: int
    one_hot: dict[str, list[str]] | None
    value_names: dict[str, Any] | None
    scaler: MinMaxScaler | None
    DESCR: str
    filename: str


def available() -> list[str]:
    """The names of the data sets that :func:`load` knows.

    Returns
    -------
    names : list of str

    Examples
    --------
    >>> from paper.datasets import available
    >>> available()[:4]
    ['atom', 'avila', 'breast_cancer', 'car_evaluation']
    >>> len(available())
    19
    """
    return sorted(REGISTRY)


@overload
def load(
    name: str,
    return_X_y: Literal[False] = False,
    as_frame: bool = False,
    data_home: str | os.PathLike[str] | None = None,
    scaled: bool = False,
) -> DataSet: ...
@overload
def load(
    name: str,
    return_X_y: Literal[True],
    as_frame: Literal[False] = False,
    data_home: str | os.PathLike[str] | None = None,
    scaled: bool = False,
) -> tuple[np.ndarray, np.ndarray]: ...
@overload
def load(
    name: str,
    return_X_y: Literal[True],
    as_frame: Literal[True],
    data_home: str | os.PathLike[str] | None = None,
    scaled: bool = False,
) -> tuple[pd.DataFrame, pd.Series]: ...
@overload
def load(
    name: str,
    return_X_y: bool,
    as_frame: bool = False,
    data_home: str | os.PathLike[str] | None = None,
    scaled: bool = False,
) -> DataSet | tuple[Any, Any]: ...
def load(
    name: str,
    return_X_y: bool = False,
    as_frame: bool = False,
    data_home: str | os.PathLike[str] | None = None,
    scaled: bool = False,
) -> DataSet | tuple[Any, Any]:
    """Load a data set of the paper's table, prepared as there.

    Categories are one-hot encoded, votes are 1, -1 and 0 (unknown), rows that miss a value are
    left out. The table is looked for in ``data_home``, or else in the folder that the environment
    variable ``AGATHIS_DATA`` names; then in scikit-learn, which has iris, wine and digits; then
    in the cache (``AGATHIS_CACHE``, by default the user's cache folder). What is nowhere is
    downloaded, checked and kept in the cache, which needs ``pip install "agathis[paper]"``.

    Parameters
    ----------
    name : str
        One of :func:`available`.
    return_X_y : bool, default=False
        Whether to return ``(data, target)`` only.
    as_frame : bool, default=False
        Whether data and target are a DataFrame and a Series of pandas.
    data_home : str or PathLike, optional
        A folder of files such as ``iris.csv.gz``: a line of names, the features, and in the last
        column the class. It is only read.
    scaled : bool, default=False
        Whether each feature is scaled to 0..1, as the paper does.

    Returns
    -------
    bunch : Bunch
        ``data``, an array of float64; ``target``, codes of the classes; ``feature_names``,
        ``target_names``, ``DESCR``; ``frame``, with ``as_frame`` data and target together, else
        None; ``n_clusters``, the paper's K; ``filename``, where the table was read from.
        For :mod:`agathis.export`: ``one_hot``, the columns of each encoded property,
        ``value_names``, the words for codes, and ``scaler``, the fitted MinMaxScaler; None where
        there is none. ``value_names`` are of the values from before scaling: with ``scaled``, give
        the scaler too.
    X, y : array or DataFrame, array or Series
        With ``return_X_y``.

    Examples
    --------
    >>> from paper.datasets import load
    >>> iris = load("iris")
    >>> iris.data.shape, iris.target_names, iris.n_clusters
    ((150, 4), ['setosa', 'versicolor', 'virginica'], 3)
    """
    entry = _entry(name)
    flag = ["boolean"]
    checks.check_arguments(
        "load",
        {
            "return_X_y": flag,
            "as_frame": flag,
            "scaled": flag,
            "data_home": [str, os.PathLike, None],
        },
        return_X_y=return_X_y,
        as_frame=as_frame,
        scaled=scaled,
        data_home=data_home,
    )
    pandas = _pandas() if as_frame else None
    table, filename = find_table(entry, data_home)
    data, names, one_hot = _numbers(entry, table)
    target = _codes(entry, table)
    scaler = MinMaxScaler().fit(data) if scaled else None
    if scaler is not None:
        data = scaler.transform(data)
    frame = None
    if pandas is not None:
        frame = pandas.DataFrame(data, columns=names)
        frame["target"] = target
        data, target = frame[names], frame["target"]
    if return_X_y:
        return data, target
    return DataSet(
        data=data,
        target=target,
        frame=frame,
        feature_names=names,
        target_names=entry.target_names,
        n_clusters=entry.n_clusters,
        one_hot=one_hot,
        value_names=None if entry.value_names is None else dict(entry.value_names),
        scaler=scaler,
        DESCR=describe(entry, len(names)),
        filename=filename,
    )


def describe(entry: Entry, n_features: int) -> str:
    """What ``DESCR`` says of a set."""
    sizes = (
        f"{entry.n_samples} samples, {n_features} features, {len(entry.target_names)} classes "
        f"({', '.join(f'{name}: {n}' for name, n in _sizes(entry).items())}). The paper's table: "
        "{} samples, {} features, {} classes.".format(*entry.printed)
    )
    parts = [
        f"{entry.title}\n{'=' * len(entry.title)}",
        fill(entry.about, 80),
        fill(sizes, 80),
        fill(entry.notes, 80),
        fill(f"Source: {entry.origin}.", 80),
        fill(f"Licence: {entry.licence}", 80),
        fill(f"Cite: {entry.citation}", 80),
    ]
    return "\n\n".join(part for part in parts if part)


def _sizes(entry: Entry) -> dict[str, int]:
    out = dict.fromkeys(entry.target_names, 0)
    for label, n in entry.classes.items():
        out[entry.class_of(label)] += n
    return out


def _entry(name: str) -> Entry:
    if not isinstance(name, str):
        raise TypeError(f"name must be a str, one of {available()}; it is {name!r}.")
    if name in REGISTRY:
        return REGISTRY[name]
    close = get_close_matches(name.lower().replace(" ", "_").replace("-", "_"), REGISTRY, 1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise ValueError(f"name must be one of {available()}; it is {name!r}.{hint}")


def _numbers(
    entry: Entry, table: RawTable
) -> tuple[np.ndarray, list[str], Mapping[str, list[str]] | None]:
    """The values as numbers, the name of each column, and the columns of each category."""
    if not entry.categorical:
        return table.values, list(entry.features), None
    encoder = OneHotEncoder(sparse_output=False).fit(table.values)
    one_hot = {
        feature: [f"{feature}_{category}" for category in categories]
        for feature, categories in zip(entry.features, encoder.categories_, strict=True)
    }
    return (
        encoder.transform(table.values),
        [c for names in one_hot.values() for c in names],
        one_hot,
    )


def _codes(entry: Entry, table: RawTable) -> np.ndarray:
    code = {name: i for i, name in enumerate(entry.target_names)}
    return np.array(
        [code[entry.class_of(label)] for label in table.labels.tolist()], dtype=np.int64
    )


def _pandas() -> Any:
    return needed("pandas", "paper", "as_frame=True")
