"""The provenance of the rows of a page: their source, how each column was handled, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from numbers import Integral
from typing import Any

import numpy as np

from agathis._model.facts import Provenance
from agathis._rules.columns import Indicator
from agathis._rules.described_tree import Described
from agathis.report._fit_rows import FitRows

#: The keys of a provenance, besides ``columns``, ``doubts`` and ``reading``.
STRINGS = ("source", "scaling", "rows_why")
COUNTS = ("rows_read", "rows_used")
#: The keys of a column; ``used`` is true, false, or None for one that is only shown.
OF_COLUMN = ("column", "kind", "became", "why", "used")


def check_provenance(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """The provenance of the caller, with None for missing keys."""
    out: dict[str, Any] = dict.fromkeys((*STRINGS, *COUNTS, "columns", "doubts", "reading"))
    if given is None:
        return out
    if not isinstance(given, Mapping):
        raise TypeError(f"provenance must be a mapping; it is {given!r}.")
    for key, value in given.items():
        if key not in out:
            raise ValueError(f"provenance has {key!r}; it may have {', '.join(out)}.")
        if value is None:
            continue
        if key == "columns":
            out[key] = _columns(value)
        elif key == "reading":
            out[key] = [(str(label), str(fact)) for label, fact in value]
        elif key == "doubts":
            if isinstance(value, str) or not all(isinstance(one, str) for one in value):
                raise TypeError(f"provenance['doubts'] must be a list of str; it is {value!r}.")
            out[key] = list(value)
        elif key in COUNTS:
            if isinstance(value, bool) or not isinstance(value, Integral) or value < 0:
                raise ValueError(f"provenance[{key!r}] must be a number of rows; it is {value!r}.")
            out[key] = int(value)
        else:
            out[key] = str(value)
    return out


def _columns(given: object) -> list[dict[str, Any]]:
    if isinstance(given, (str, Mapping)) or not isinstance(given, Sequence):
        raise TypeError(f"provenance['columns'] must be a list of mappings; it is {given!r}.")
    out = []
    for one in given:
        if not isinstance(one, Mapping) or "column" not in one or set(one) - set(OF_COLUMN):
            raise ValueError(
                f"provenance['columns'] must have mappings with 'column', and maybe "
                f"{', '.join(OF_COLUMN[1:])}; one is {one!r}."
            )
        used = one.get("used", True)
        if used not in (True, False, None):
            raise ValueError(f"provenance['columns']: used must be true, false or None: {one!r}.")
        strings = {key: str(one.get(key) or "") for key in OF_COLUMN if key != "used"}
        out.append({**strings, "used": None if used is None else bool(used)})
    return out


def provenance_of(
    given: Mapping[str, Any] | None,
    known: Provenance | None,
    described: Described,
    X: np.ndarray,
    rows: FitRows,
) -> dict[str, Any]:
    """The provenance of the caller, completed from that of the model and from the rows."""
    out = check_provenance(given)
    doubts = [*(() if known is None else known.doubts), *(out["doubts"] or ())]
    out["doubts"] = list(dict.fromkeys(doubts))
    if known is not None:
        out["scaling"] = out["scaling"] or known.scaling
        out["columns"] = out["columns"] or [asdict(column) for column in known.columns]
    if out["rows_used"] is None:
        out["rows_used"] = len(X)
    out["scaling_known"] = rows.why_unknown is None
    if out["scaling"] is None or rows.why_unknown is not None:
        out["scaling"] = rows.scaling
    out["n_missing"] = int(np.isnan(X).any(axis=1).sum())
    if not out["columns"]:
        kinds = dict.fromkeys(
            (column.source, "category")
            if isinstance(column, Indicator)
            else (column.name, "number")
            for column in described.columns
        )
        out["columns"] = _columns([{"column": name, "kind": kind} for name, kind in kinds])
    return out
