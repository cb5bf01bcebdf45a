"""Columns for display only: reports show them, but they are in no rule and no distance.

They need no inference of roles: identifiers and text show their most frequent values, dates their
parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from agathis._columns.frames import as_arrow
from agathis._encoding.column_types import infer_display_type
from agathis._encoding.date_parts import DatePart
from agathis._encoding.table_features import date_parts_of, features_of, one_hot_of, raw_rows


@dataclass(frozen=True, eq=False)
class DisplayColumns:
    """Numbers, and one-hot encoded categories, for display.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
    names : list of str
        Feature names.
    one_hot : dict
        For each categorical feature its columns with their categories.
    date_parts : dict
        The definition of each date part.
    """

    X: np.ndarray
    names: list[str]
    one_hot: dict[str, dict[str, object]]
    date_parts: dict[str, DatePart]


def display_columns(table: Any) -> DisplayColumns:
    """Encode all columns of a table for display, leaving out empty ones.

    Parameters
    ----------
    table : DataFrame of pandas or polars, or pyarrow.Table
    """
    table = as_arrow(table)
    names = table.column_names
    column_types = [infer_display_type(name, table.column(i)) for i, name in enumerate(names)]
    some = [column_type for column_type in column_types if column_type.kind != "out"]
    features = [feature for feature in features_of(some, names) if feature.circle is None]
    X = raw_rows(table, features, some, "show").X
    return DisplayColumns(
        X, [f.name for f in features], one_hot_of(features), date_parts_of(features)
    )
