"""Errors of scikit-learn and NumPy, told with the argument or the columns that they are about."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array


@contextmanager
def naming(argument: str) -> Iterator[None]:
    """Let errors of scikit-learn and NumPy say which argument they are about."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if re.search(rf"\b{argument}\b", str(error)):
            raise
        no_number = re.search(r"convert|float\(\)|sequence|complex|datetime", str(error), re.I)
        found = f"{argument} must hold numbers" if no_number else argument
        raise type(error)(f"{found}: {error}") from error


@contextmanager
def naming_columns(X: Any, estimator: BaseEstimator | None = None) -> Iterator[None]:
    """Where a data frame has columns of other things than numbers, say which and what to do.

    Dates are looked for by their type, since NumPy takes some for numbers; others once the table
    has failed.
    """
    dates = _dates(X) if hasattr(X, "columns") and hasattr(X, "dtypes") else {}
    if dates:
        raise ValueError(_needs_encoder(dates | _words(X, dates), estimator))
    try:
        yield
    except (TypeError, ValueError) as error:
        if isinstance(X, np.ndarray) and X.dtype.kind in "OUS" and isinstance(error, ValueError):
            said = str(error).removeprefix("X must hold numbers: ").removesuffix(".")
            line = _encoder_line(estimator, "X")
            raise ValueError(f"X must hold numbers: {said}. {line}") from error
        words = _words(X, {}) if hasattr(X, "columns") else {}
        if not words:
            raise
        raise ValueError(_needs_encoder(words, estimator)) from error


def _needs_encoder(columns: Mapping[Any, str], estimator: BaseEstimator | None) -> str:
    shown = [f"{name!r} ({what})" for name, what in columns.items()]
    more = f" and {len(shown) - 8} more" if shown[8:] else ""
    return (
        f"X must hold numbers; it has columns of something else: {', '.join(shown[:8])}{more}. "
        f"{_encoder_line(estimator, 'df')}"
    )


def _encoder_line(estimator: BaseEstimator | None, table: str) -> str:
    """What makes numbers of a table, with the line to paste."""
    line = f"agathis.TableEncoder().fit_transform({table})"
    if estimator is not None:
        model = " ".join(repr(estimator).split())
        line = f"make_pipeline(agathis.TableEncoder(), {model}).fit({table})"
    return f"TableEncoder makes numbers of text, categories and dates: {line}"


def _dates(X: Any) -> dict[Any, str]:
    """The columns of a data frame that are points or spans of time."""
    kinds = ("date", "time", "period", "duration")
    found = zip(X.columns, X.dtypes, strict=True)
    return {name: "dates" for name, kind in found if str(kind).lower().startswith(kinds)}


def _words(X: Any, known: Collection[Any]) -> dict[Any, str]:
    """The columns of a table that do not become numbers, without those that are known."""
    out = {}
    for name, column in _columns(X):
        if name not in known:
            try:
                check_array(column, ensure_2d=False, dtype=np.float64, ensure_all_finite=False)
            except (TypeError, ValueError):
                kind = str(getattr(column, "dtype", getattr(column, "type", ""))).lower()
                categories = kind.startswith(("categor", "enum", "dictionary"))
                out[name] = "categories" if categories else "text"
    return out


def _columns(X: Any) -> Iterator[tuple[Any, Any]]:
    """Names and columns of a data frame or a table of Arrow."""
    if hasattr(X, "column_names"):
        yield from zip(X.column_names, X.columns, strict=True)
    else:
        yield from ((name, X[name]) for name in X.columns)
