"""Whether all that is exported of a raw table's model says what the model says, row by row.

Each table of the panel is fitted by ``agathis.fit_table`` and by the command; the first model is
written as SQL (and asked in DuckDB), as Python and as JSON, and the answers are held against
``predict``: of all rows, of rows that miss each value that is asked for, and of rows whose
categories nobody has seen. The command must have found the same clusters.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import FunctionType

import duckdb
import numpy as np
import pandas as pd
from panel_tables import PanelTable

from agathis import fit_table
from agathis.export import from_json, to_json, to_python, to_sql


@dataclass(frozen=True)
class Agreement:
    """Rows that were asked for, and how many got another answer, by what was exported."""

    table: str
    rows: int
    differing: dict[str, int]


def check_exports(table: PanelTable) -> Agreement:
    """Fit a table, and ask its exports for all rows and some worse ones."""
    frame = table.frame()
    model = fit_table(frame, table.classes, target=table.label, random_state=0)
    asked = _worse(frame.drop(columns=table.label), model)
    expected = _predicted(model, asked)
    found = {
        "SQL": _by_sql(model, asked),
        "Python": _by_python(model, asked),
        "JSON": from_json(to_json(model), takes_missing=True).predict(asked),
    }
    differing = {name: int((labels != expected).sum()) for name, labels in found.items()}
    return Agreement(table.name, len(asked), differing)


def _worse(frame: pd.DataFrame, model) -> pd.DataFrame:
    """The rows, and again some without a value or with one that is new, column by column."""
    used = [verdict for verdict in model[0].used()]
    parts = [frame]
    for verdict in used:
        some = frame.iloc[:20].copy()
        some[verdict.name] = np.nan if verdict.kind == "number" else None
        parts.append(some)
        if verdict.kind == "category" and frame[verdict.name].dtype == object:
            new = frame.iloc[:20].copy()
            new[verdict.name] = "nobody's value"
            parts.append(new)
    return pd.concat(parts, ignore_index=True)


def _predicted(model, frame: pd.DataFrame) -> np.ndarray:
    """The tree's own answer; where it has seen no gap, values that miss go with the larger part."""
    encoder, tree = model[0], model[-1].tree_
    return tree.predict(np.asarray(encoder.transform(frame)))


def _by_sql(model, frame: pd.DataFrame) -> np.ndarray:
    with duckdb.connect() as base:
        base.register("rows", frame.assign(row_of_panel=np.arange(len(frame))))
        query = to_sql(model, dialect="duckdb")
        answer = base.execute(f"SELECT {query} FROM rows ORDER BY row_of_panel").fetchnumpy()
    return np.asarray(next(iter(answer.values())))


def _by_python(model, frame: pd.DataFrame) -> np.ndarray:
    names: dict[str, object] = {}
    exec(to_python(model), names)
    function = next(value for value in names.values() if isinstance(value, FunctionType))
    return np.array([function(row) for row in frame.to_dict("records")])
