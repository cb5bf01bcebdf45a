"""The steps that can be undone, and what each does with the columns that come to it.

Each takes lines and gives lines: scalers and their like one for one, imputers some more or less,
encoders several for each. What mixes columns, or does not keep the order of numbers, is an error
that names the step.
"""

from __future__ import annotations

from collections import UserList
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline
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
from agathis._rules.preparation.links import Line, Link, Times

#: Each maps every column by itself and never turns a larger number into a smaller one.
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

#: Functions that keep the order of all numbers that they are defined for, and those that turn it
#: round; where a domain has an end, it is the lower one.
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
    "MissingIndicator, OneHotEncoder, OrdinalEncoder, FunctionTransformer of "
    + ", ".join(f"np.{f.__name__}" for f in FUNCTIONS if f)
    + ", ColumnTransformer, FeatureUnion, Pipeline, 'passthrough' and 'drop'"
)


@runtime_checkable
class RawEncoder(Protocol):
    """A first step that makes features of a raw table and can tell of them in raw units.

    Any transformer with these attributes is undone as scikit-learn's are, without being known here.
    It may have ``scaler_`` too: a fitted transformer with ``transform`` that maps the raw features
    to what ``transform`` of the step gives, each by itself and without turning its order round; and
    ``date_parts_``, which maps features that are parts of dates to what they are made of.

    Attributes
    ----------
    feature_names_ : list of str
        Of the features, in the order of the columns that ``transform`` gives.
    one_hot_ : mapping
        For each source of categories its features with their categories; None is the category of
        missing values. All other features are numbers.
    """

    feature_names_: list[str]
    one_hot_: Mapping[str, Mapping[str, object]]

    def encode(self, table: Any) -> Any:
        """Something with ``X``, the features in raw units: numbers, and 0 and 1 of categories."""


def follow(step: Any, lines: Sequence[Line], name: str) -> list[Line]:
    """The lines after a step; ``name`` is what it is called in errors."""
    if isinstance(step, str) and step == "drop":
        return []
    if step is None or (isinstance(step, str) and step == "passthrough"):
        return list(lines)
    if isinstance(step, FrozenEstimator):
        return follow(step.estimator, lines, name)
    if isinstance(step, Pipeline):
        for inner, each in step.steps:
            lines = follow(each, lines, f"{name}[{inner!r}]")
        return list(lines)
    for kind, rule in _RULES.items():
        # A class of one's own may do something else in its transform.
        if isinstance(step, kind) and type(step).transform is kind.transform:
            _check_fitted(step, name, len(lines))
            return rule(step, lines, name)
    raise TypeError(refusal(step, name, "it is not known to map each column by itself"))


def refusal(step: object, name: str, why: str) -> str:
    """Why a step cannot be undone, what can, and what to do."""
    return (
        f"{name} must be a fitted step that can be undone; it is {step!r}: {why}. These can be: "
        f"{ACCEPTED}. To speak of the columns that the tree was grown from instead, give its own "
        "step alone, such as model[-1]."
    )


def _check_fitted(step: Any, name: str, width: int) -> None:
    try:
        check_is_fitted(step)
    except NotFittedError:
        raise NotFittedError(
            f"{name} must be fitted to the rows from before it; {step!r} is not fitted."
        ) from None
    found = getattr(step, "n_features_in_", width)
    if found != width:
        raise ValueError(f"{name} was fitted with {found} features; here it gets {width}.")


def _scaler(step: Any, lines: Sequence[Line], name: str) -> list[Line]:
    if isinstance(step, KBinsDiscretizer) and step.encode != "ordinal":
        raise TypeError(refusal(step, name, f"encode={step.encode!r} makes several columns of one"))
    return _one_for_one(step, lines, 1)


def _function(step: FunctionTransformer, lines: Sequence[Line], name: str) -> list[Line]:
    # Functions are compared by what they are: a lambda is none of the known ones.
    sign = next((sign for known, sign in FUNCTIONS.items() if known is step.func), None)
    if sign is None or step.kw_args:
        func = getattr(step.func, "__name__", step.func)
        raise TypeError(refusal(step, name, f"{func} is not known to keep the order of numbers"))
    return list(lines) if step.func is None else _one_for_one(step, lines, sign)


def _imputer(step: SimpleImputer, lines: Sequence[Line], name: str) -> list[Line]:
    if not is_missing(step.missing_values) and str(step.missing_values) != "<NA>":
        why = f"missing_values={step.missing_values!r} is a value, which does not keep its place"
        raise TypeError(refusal(step, name, why))
    # A column without any known value is dropped.
    empty = [is_missing(fill) for fill in step.statistics_]
    kept = [i for i in range(len(lines)) if step.keep_empty_features or not empty[i]]
    out = [lines[i].then(Link(step, len(lines), i, place)) for place, i in enumerate(kept)]
    if step.add_indicator:
        features = step.indicator_.features_
        for place, i in enumerate(features, start=len(kept)):
            out.append(lines[i].then(Link(step, len(lines), int(i), place, asks=True)))
    return out


def _indicator(step: MissingIndicator, lines: Sequence[Line], name: str) -> list[Line]:
    if not is_missing(step.missing_values) and str(step.missing_values) != "<NA>":
        why = f"missing_values={step.missing_values!r} is a value, which does not keep its place"
        raise TypeError(refusal(step, name, why))
    return [
        lines[i].then(Link(step, len(lines), int(i), place, asks=True))
        for place, i in enumerate(step.features_)
    ]


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
    """Raise where an encoder gets numbers that were changed: then its categories are not raw."""
    for line in lines:
        for link in line.links:
            if not isinstance(link.step, SimpleImputer):
                before = type(link.step).__name__
                why = f"its categories are what {before} made of the column, and not those of it"
                raise TypeError(refusal(step, name, why))


def _columns(step: ColumnTransformer, lines: Sequence[Line], name: str) -> list[Line]:
    names = getattr(step, "feature_names_in_", None)
    places = None if names is None else {label: i for i, label in enumerate(names)}
    out: list[Line] = []
    for inner, each, columns in step.transformers_:
        chosen = [lines[i] for i in _chosen(columns, places, len(lines))]
        if chosen:
            made = follow(each, chosen, f"{name}[{inner!r}]")
            out += _weighted(made, inner, step.transformer_weights, name)
    return out


def _union(step: FeatureUnion, lines: Sequence[Line], name: str) -> list[Line]:
    out: list[Line] = []
    for inner, each in step.transformer_list:
        made = follow(each, lines, f"{name}[{inner!r}]")
        out += _weighted(made, inner, step.transformer_weights, name)
    return out


def _weighted(
    lines: list[Line], inner: str, weights: Mapping[str, float] | None, name: str
) -> list[Line]:
    weight = (weights or {}).get(inner)
    if weight is None:
        return lines
    if not weight > 0:
        raise ValueError(
            f"{name} has transformer_weights={weights!r}; they must be positive to be undone."
        )
    return _one_for_one(Times(weight), lines, 1)


def _one_for_one(step: Any, lines: Sequence[Line], sign: int) -> list[Line]:
    return [line.then(Link(step, len(lines), i, i, sign)) for i, line in enumerate(lines)]


def _chosen(columns: Any, places: Mapping[Any, int] | None, width: int) -> Iterator[int]:
    """The places of the columns that a ColumnTransformer gives to one of its transformers."""
    if isinstance(columns, slice):
        # A slice of names has its end in it, as in pandas.
        ends = [columns.start, columns.stop]
        if places is not None and any(isinstance(end, str) for end in ends):
            start = 0 if ends[0] is None else places[ends[0]]
            stop = width if ends[1] is None else places[ends[1]] + 1
            columns = slice(start, stop, columns.step)
        yield from range(width)[columns]
        return
    if isinstance(columns, UserList):  # older scikit-learns warn of what others find in the rest
        columns = columns.data
    found: list[Any] = [columns] if np.isscalar(columns) else list(columns)
    if found and all(isinstance(each, (bool, np.bool_)) for each in found):
        yield from np.flatnonzero(found).tolist()
        return
    for each in found:
        yield places[each] if places is not None and isinstance(each, str) else range(width)[each]


Rule = Callable[[Any, Sequence[Line], str], list[Line]]
_RULES: dict[Any, Rule] = {
    **dict.fromkeys(SCALERS, _scaler),
    FunctionTransformer: _function,
    SimpleImputer: _imputer,
    MissingIndicator: _indicator,
    OneHotEncoder: _one_hot,
    OrdinalEncoder: _ordinal,
    ColumnTransformer: _columns,
    FeatureUnion: _union,
}


def encoding(line: Line) -> Link | None:
    """The link of a line at which raw categories become numbers."""
    for link in line.links:
        if link.asks:
            return None
        if isinstance(link.step, (OneHotEncoder, OrdinalEncoder)):
            return link
    return None


def takes_missing(line: Line) -> bool:
    """Whether a line of categories has an answer to a missing value."""
    link = encoding(line)
    if link is None or takes_unknown(line):
        return True
    own = list(link.step.categories_[link.enters])
    before = line.links[: line.links.index(link)]
    if before:
        # What stands in for it may be no category, where no training row missed its value.
        return before[0].step.statistics_[before[0].enters] in own
    return any(map(is_missing, own))


def takes_unknown(line: Line) -> bool:
    """Whether a line of categories has an answer to one that it does not know."""
    link = encoding(line)
    return link is None or link.step.handle_unknown != "error"
