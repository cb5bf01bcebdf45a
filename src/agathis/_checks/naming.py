"""Add the name of the argument or the columns to errors of scikit-learn and NumPy."""

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
    """Add the name of the argument to errors of scikit-learn and NumPy."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if re.search(rf"\b{argument}\b", str(error)):
            raise
        no_number = re.search(r"convert|float\(\)|sequence|complex|datetime", str(error), re.I)
        message = f"{argument} must be numeric" if no_number else argument
        raise type(error)(f"{message}: {error}") from error


@contextmanager
def naming_columns(X: Any, estimator: BaseEstimator | None = None) -> Iterator[None]:
    """If a data frame has columns that are not numeric, raise an error with their names.

    Dates are detected by dtype, since NumPy converts some of them to numbers; others after the
    conversion failed.
    """
    dates = _dates(X) if hasattr(X, "columns") and hasattr(X, "dtypes") else {}
    if dates:
        raise ValueError(_not_numeric_message(dates | _words(X, dates), estimator))
    try:
        yield
    except (TypeError, ValueError) as error:
        if isinstance(X, np.ndarray) and X.dtype.kind in "OUS" and isinstance(error, ValueError):
            reason = str(error).removeprefix("X must be numeric: ").removesuffix(".")
            line = _encoder_line(estimator, "X")
            raise ValueError(f"X must be numeric: {reason}. {line}") from error
        not_numeric = _words(X, {}) if hasattr(X, "columns") else {}
        if not not_numeric:
            raise
        raise ValueError(_not_numeric_message(not_numeric, estimator)) from error


def _not_numeric_message(columns: Mapping[Any, str], estimator: BaseEstimator | None) -> str:
    shown = [f"{name!r} ({what})" for name, what in columns.items()]
    more = f" and {len(shown) - 8} more" if shown[8:] else ""
    return (
        f"X must be numeric; these columns are not: {', '.join(shown[:8])}{more}. "
        f"{_encoder_line(estimator, 'df')}"
    )


def _encoder_line(estimator: BaseEstimator | None, table: str) -> str:
    """How to encode a table, as a line of code."""
    line = f"agathis.TableEncoder().fit_transform({table})"
    if estimator is not None:
        model = " ".join(repr(estimator).split())
        line = f"make_pipeline(agathis.TableEncoder(), {model}).fit({table})"
    return f"Encode text, categories and dates with TableEncoder: {line}"


def _dates(X: Any) -> dict[Any, str]:
    """The columns of a data frame with dates or durations."""
    kinds = ("date", "time", "period", "duration")
    dtypes = zip(X.columns, X.dtypes, strict=True)
    return {name: "dates" for name, kind in dtypes if str(kind).lower().startswith(kinds)}


def _words(X: Any, known: Collection[Any]) -> dict[Any, str]:
    """The columns of a table that cannot be converted to numbers, except those in ``known``."""
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
    """Names and columns of a data frame or an Arrow table."""
    if hasattr(X, "column_names"):
        yield from zip(X.column_names, X.columns, strict=True)
    else:
        yield from ((name, X[name]) for name in X.columns)
