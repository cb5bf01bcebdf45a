"""The steps that can be inverted, and the lines of their output columns.

Scalers return one column for each, imputers may add or drop columns, and encoders return several.
Other steps, which combine columns or are not monotonic, raise an error that names the step.
"""

from __future__ import annotations

from collections import UserList
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.utils.validation import check_is_fitted

from agathis._rules.columns import is_missing
from agathis._rules.preparation.column_transforms import Line, Link, Times

#: Transformers that map every column by itself, increasing or constant.
SCALERS = (
    MinMaxScaler,
    StandardScaler,
    MaxAbsScaler,
    RobustScaler,
    QuantileTransformer,
    PowerTransformer,
    Binarizer,
    KBinsDiscretizer,
)

#: Increasing (1) and decreasing (-1) functions, whose domains are bounded below at most.
FUNCTIONS: dict[Any, int] = {
    None: 1,
    **dict.fromkeys(
        (np.log, np.log1p, np.log2, np.log10, np.sqrt, np.cbrt, np.exp, np.exp2, np.expm1), 1
    ),
    **dict.fromkeys((np.arcsinh, np.sinh, np.tanh, np.arctan, np.positive), 1),
    np.negative: -1,
}

ACCEPTED = (
    "MinMaxScaler, StandardScaler, MaxAbsScaler, RobustScaler, QuantileTransformer, "
    "PowerTransformer, Binarizer, KBinsDiscretizer(encode='ordinal'), SimpleImputer, "
    "OneHotEncoder, OrdinalEncoder, FunctionTransformer of "
    + ", ".join(f"np.{f.__name__}" for f in FUNCTIONS if f)
    + ", ColumnTransformer, Pipeline, 'passthrough' and 'drop'"
)


@runtime_checkable
class RawEncoder(Protocol):
    """A first step that computes the raw features of a table, in raw units.

    Any transformer with these attributes can be inverted. It may also have ``scaler_``, a fitted
    transformer that maps each raw feature to the output of the step by an increasing function, and
    ``date_parts_``, a mapping from features to date parts.

    Attributes
    ----------
    feature_names_ : list of str
        The features, in the order of the output columns.
    one_hot_ : mapping
        From categorical columns to their features and categories; None is the category of missing
        values. All other features are numbers.
    """

    feature_names_: list[str]
    one_hot_: Mapping[str, Mapping[str, object]]

    def encode(self, table: Any) -> Any:
        """Return an object with ``X``, the features in raw units."""


def lines_after(step: Any, lines: Sequence[Line], name: str) -> list[Line]:
    """Return the lines after a step; ``name`` is its name in errors."""
    if isinstance(step, str) and step == "drop":
        return []
    if step is None or (isinstance(step, str) and step == "passthrough"):
        return list(lines)
    if isinstance(step, FrozenEstimator):
        return lines_after(step.estimator, lines, name)
    if isinstance(step, Pipeline):
        for inner, each in step.steps:
            lines = lines_after(each, lines, f"{name}[{inner!r}]")
        return list(lines)
    for kind, rule in _RULES.items():
        # Subclasses may override ``transform``.
        if isinstance(step, kind) and type(step).transform is kind.transform:
            _check_fitted(step, name, len(lines))
            return rule(step, lines, name)
    raise TypeError(refusal(step, name, "it is not known to map each column by itself"))


def refusal(step: object, name: str, why: str) -> str:
    """Return the message why a step cannot be inverted, and what to do."""
    return (
        f"{name} must be a fitted step that can be inverted; it is {step!r}: {why}. These can be: "
        f"{ACCEPTED}. To describe the tree in the columns that it was fitted to, give its step "
        "alone, such as model[-1]."
    )


def _check_fitted(step: Any, name: str, width: int) -> None:
    try:
        check_is_fitted(step)
    except NotFittedError:
        raise NotFittedError(
            f"{name} must be fitted to the rows before it; {step!r} is not fitted."
        ) from None
    n_features = getattr(step, "n_features_in_", width)
    if n_features != width:
        raise ValueError(f"{name} was fitted with {n_features} features; here it gets {width}.")


def _scaler(step: Any, lines: Sequence[Line], name: str) -> list[Line]:
    if isinstance(step, KBinsDiscretizer) and step.encode != "ordinal":
        raise TypeError(
            refusal(step, name, f"encode={step.encode!r} returns several columns for one")
        )
    return _one_for_one(step, lines, 1)


def _function(step: FunctionTransformer, lines: Sequence[Line], name: str) -> list[Line]:
    # By identity: an equivalent lambda is not known.
    sign = next((sign for known, sign in FUNCTIONS.items() if known is step.func), None)
    if sign is None or step.kw_args:
        func = getattr(step.func, "__name__", step.func)
        raise TypeError(refusal(step, name, f"{func} is not known to be monotonic"))
    return list(lines) if step.func is None else _one_for_one(step, lines, sign)


def _imputer(step: SimpleImputer, lines: Sequence[Line], name: str) -> list[Line]:
    if not is_missing(step.missing_values) and str(step.missing_values) != "<NA>":
        why = f"missing_values={step.missing_values!r} is a value, so that it is not monotonic"
        raise TypeError(refusal(step, name, why))
    if step.add_indicator:
        raise TypeError(refusal(step, name, "add_indicator=True returns several columns"))
    # Columns without any known value are dropped.
    empty = [is_missing(fill) for fill in step.statistics_]
    columns = [i for i in range(len(lines)) if step.keep_empty_features or not empty[i]]
    return [lines[i].then(Link(step, len(lines), i, at)) for at, i in enumerate(columns)]


def _one_hot(step: OneHotEncoder, lines: Sequence[Line], name: str) -> list[Line]:
    _check_raw(step, lines, name)
    infrequent = getattr(step, "infrequent_categories_", [None] * len(lines))
    out: list[Line] = []
    for i, (line, categories) in enumerate(zip(lines, step.categories_, strict=True)):
        count = len(categories)
        if infrequent[i] is not None:
            count -= len(infrequent[i]) - 1
        if step.drop_idx_ is not None and step.drop_idx_[i] is not None:
            count -= 1
        out += [line.then(Link(step, len(lines), i, len(out) + at)) for at in range(count)]
    return out


def _ordinal(step: OrdinalEncoder, lines: Sequence[Line], name: str) -> list[Line]:
    _check_raw(step, lines, name)
    return _one_for_one(step, lines, 1)


def _check_raw(step: Any, lines: Sequence[Line], name: str) -> None:
    """Raise if an encoder gets transformed values, so that its categories are not raw."""
    for line in lines:
        for link in line.links:
            if not isinstance(link.step, SimpleImputer):
                before = type(link.step).__name__
                why = f"its categories are outputs of {before}, not those of the column"
                raise TypeError(refusal(step, name, why))


def _columns(step: ColumnTransformer, lines: Sequence[Line], name: str) -> list[Line]:
    weights = step.transformer_weights or {}
    if not all(weight > 0 for weight in weights.values()):
        raise ValueError(
            f"{name} has transformer_weights={weights!r}; they must be positive to be inverted."
        )
    names = getattr(step, "feature_names_in_", None)
    index = None if names is None else {label: i for i, label in enumerate(names)}
    out: list[Line] = []
    for inner, each, columns in step.transformers_:
        chosen = [lines[i] for i in _chosen(columns, index, len(lines))]
        if chosen:
            made = lines_after(each, chosen, f"{name}[{inner!r}]")
            out += _one_for_one(Times(weights[inner]), made, 1) if inner in weights else made
    return out


def _one_for_one(step: Any, lines: Sequence[Line], sign: int) -> list[Line]:
    return [line.then(Link(step, len(lines), i, i, sign)) for i, line in enumerate(lines)]


def _chosen(columns: Any, index: Mapping[Any, int] | None, width: int) -> Iterator[int]:
    """Yield the indices of the columns of one transformer of a ColumnTransformer."""
    if isinstance(columns, slice):
        # A slice of names includes its end, as in pandas.
        ends = [columns.start, columns.stop]
        if index is not None and any(isinstance(end, str) for end in ends):
            start = 0 if ends[0] is None else index[ends[0]]
            stop = width if ends[1] is None else index[ends[1]] + 1
            columns = slice(start, stop, columns.step)
        yield from range(width)[columns]
        return
    if isinstance(columns, UserList):  # some versions of scikit-learn, for the rest
        columns = columns.data
    keys: list[Any] = [columns] if np.isscalar(columns) else list(columns)
    if keys and all(isinstance(key, (bool, np.bool_)) for key in keys):
        yield from np.flatnonzero(keys).tolist()
        return
    for key in keys:
        yield index[key] if index is not None and isinstance(key, str) else range(width)[key]


Rule = Callable[[Any, Sequence[Line], str], list[Line]]
_RULES: dict[Any, Rule] = {
    **dict.fromkeys(SCALERS, _scaler),
    FunctionTransformer: _function,
    SimpleImputer: _imputer,
    OneHotEncoder: _one_hot,
    OrdinalEncoder: _ordinal,
    ColumnTransformer: _columns,
}


def encoding(line: Line) -> Link | None:
    """Return the link of a line that encodes raw categories as numbers."""
    for link in line.links:
        if isinstance(link.step, (OneHotEncoder, OrdinalEncoder)):
            return link
    return None


def takes_missing(line: Line) -> bool:
    """Return whether a line of categories accepts missing values."""
    link = encoding(line)
    if link is None or takes_unknown(line):
        return True
    categories = list(link.step.categories_[link.input_column])
    before = line.links[: line.links.index(link)]
    if before:
        # The imputed value may be no category, if no training row had a missing value.
        return before[0].step.statistics_[before[0].input_column] in categories
    return any(map(is_missing, categories))


def takes_unknown(line: Line) -> bool:
    """Return whether a line of categories accepts unknown ones."""
    link = encoding(line)
    return link is None or link.step.handle_unknown != "error"
