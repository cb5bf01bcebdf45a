"""Columns that are only shown: they make no rule and do not count, and people want to see them.

Nothing about them is in doubt, for whoever asks for one means it: an identifier's or a text's most
frequent values are shown, a date's parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from agathis._tables.column_verdicts import judge_shown
from agathis._tables.date_parts import DatePart
from agathis._tables.feature_rows import feature_rows
from agathis._tables.frames import as_arrow
from agathis._tables.table_features import features_of


@dataclass(frozen=True, eq=False)
class ShownColumns:
    """Columns as numbers, and as 0 and 1 of categories.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
    names : list of str
        Of the features.
    one_hot : dict
        For each source its features with their categories.
    date_parts : dict
        For each part of a date what it is made of.
    """

    X: np.ndarray
    names: list[str]
    one_hot: dict[str, dict[str, object]]
    date_parts: dict[str, DatePart]


def shown_columns(table: Any) -> ShownColumns:
    """All columns of a table, of which those that hold nothing are left out.

    Parameters
    ----------
    table : DataFrame of pandas or polars, or pyarrow.Table
    """
    table = as_arrow(table)
    names = table.column_names
    verdicts = [judge_shown(name, table.column(i)) for i, name in enumerate(names)]
    some = [verdict for verdict in verdicts if verdict.kind != "out"]
    features = [feature for feature in features_of(some, names) if feature.circle is None]
    one_hot: dict[str, dict[str, object]] = {}
    for feature in features:
        if feature.kind == "category":
            one_hot.setdefault(feature.source, {})[feature.name] = feature.category
    date_parts = {f.name: f.when for f in features if f.when and f.when.is_made}
    found = feature_rows(
        table,
        [feature.name for feature in features],
        one_hot,
        title="show",
        gaps={verdict.name: verdict.gaps for verdict in some if verdict.gaps},
        notations={v.name: v.notation for v in some if v.notation is not None},
        date_parts=date_parts,
    )
    return ShownColumns(found.X, [feature.name for feature in features], one_hot, date_parts)
