"""The settings of a fit as one object, which model files store.

A :class:`FitSpec` is made from an estimator, from JSON or by hand, and creates estimators. The
parameters of a method and their valid values are those of its class (``_parameter_constraints``);
the fields of the groups define the group of each parameter.

Threads, verbosity and time limits do not determine the tree and are not part of it; neither are the
roles of columns, which belong to the data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from agathis._checks.data import check_arguments
from agathis._columns.wording import shortened
from agathis._growth.approximation import Approximation
from agathis._growth.limits import Constraints, Counted, Limits, leaf_limit
from agathis._kernels.spec import KernelSpec
from agathis._methods import BY_KEY, METHODS, method_of
from agathis._search.spec import SearchSpec

#: Parameters of estimators that are not part of a spec.
LEFT_OUT = frozenset(
    {
        *("n_jobs", "verbose", "time_limit", "timeout", "keep_training_data"),
        *("one_hot", "split_features", "kernel_features"),
    }
)
#: The groups, and the parameter that a method must have for the group to apply: the ``n_init`` of
#: a baseline is not that of a search.
GROUPS: dict[str, tuple[type, str | None]] = {
    "kernel": (KernelSpec, "kernel"),
    "constraints": (Constraints, None),
    "search": (SearchSpec, "search"),
    "approximation": (Approximation, "n_components"),
}
#: The fields that hold one parameter of that name.
SINGLE = ("n_clusters", "engine", "max_features", "random_state")
#: The key that marks a value that JSON cannot store.
MARK = "not_restorable"


@dataclass(frozen=True)
class NotRestorable:
    """A value that JSON cannot store, such as a function; ``name`` describes it."""

    name: str


class Parameters(NamedTuple):
    """The parameters of a method.

    Attributes
    ----------
    group : dict
        The group of each parameter; ``None`` for a single field, ``"options"`` for parameters that
        only this method has.
    allowed : dict
        The valid values of each parameter, as scikit-learn's ``_parameter_constraints``.
    """

    group: dict[str, str | None]
    allowed: dict[str, Any]


@cache
def parameters_of(key: str) -> Parameters:
    """The parameters of the method with that key."""
    if key not in BY_KEY:
        raise ValueError(f"method={key!r} must be one of {', '.join(map(repr, BY_KEY))}.")
    constraints = BY_KEY[key].estimator_class._parameter_constraints
    allowed = {name: value for name, value in constraints.items() if name not in LEFT_OUT}
    group: dict[str, str | None] = dict.fromkeys(allowed, "options")
    group.update(dict.fromkeys(SINGLE & allowed.keys()))
    for name, (kind, key_parameter) in GROUPS.items():
        if key_parameter is None or key_parameter in allowed:
            group.update({one.name: name for one in fields(kind) if one.name in allowed})
    return Parameters(group, allowed)


@dataclass(frozen=True)
class FitSpec:
    """All settings of a fit that determine the tree.

    Attributes
    ----------
    method : str
        The ``key`` of the method in the registry (:mod:`agathis._methods`).
    n_clusters : int or None
    kernel : KernelSpec
        The linear kernel for methods without a ``kernel`` parameter.
    constraints : Constraints
    search : SearchSpec
    approximation : Approximation
    engine : str
    max_features : int, float, str or None
    random_state : int, RandomState, NotRestorable or None
    options : mapping
        Parameters that only this method has, such as ``depth_factor``.

    Examples
    --------
    >>> from agathis import Kauri
    >>> spec = FitSpec.of(Kauri(3, kernel="rbf", max_leaf_nodes=6))
    >>> spec.kernel.kernel, spec.constraints.max_leaf_nodes
    ('rbf', 6)
    >>> FitSpec.from_dict(spec.to_dict()) == spec
    True
    >>> spec.to_estimator(max_leaf_nodes=9)
    Kauri(kernel='rbf', max_leaf_nodes=9, n_clusters=3)
    """

    method: str
    n_clusters: int | None = None
    kernel: KernelSpec = field(default_factory=KernelSpec)
    constraints: Constraints = field(default_factory=Constraints)
    search: SearchSpec = field(default_factory=SearchSpec)
    approximation: Approximation = field(default_factory=Approximation)
    engine: str = "auto"
    max_features: int | float | str | None = None
    random_state: int | np.random.RandomState | NotRestorable | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, estimator: BaseEstimator) -> FitSpec:
        """The spec of an estimator of the package, fitted or not."""
        key = method_of(estimator).key
        names = parameters_of(key).group
        return cls.from_parameters(key, {name: getattr(estimator, name) for name in names})

    @classmethod
    def of_method(cls, name: str, **values: Any) -> FitSpec:
        """The spec of a name in ``METHODS``, with the defaults of its estimator.

        Values of parameters that the method does not have are ignored.
        """
        estimator, search = METHODS[name].estimator_class(), METHODS[name].search
        defaults = estimator.get_params(deep=False)
        if search is not None:
            defaults["search"] = search
        return cls.from_parameters(method_of(estimator).key, {**defaults, **values})

    @classmethod
    def from_parameters(cls, method: str, values: Mapping[str, Any]) -> FitSpec:
        """The spec of a method with these parameters; others are ignored."""
        single: dict[str, Any] = {}
        grouped: dict[str, dict[str, Any]] = {"options": {}}
        for name, group in parameters_of(method).group.items():
            if name in values:
                target = single if group is None else grouped.setdefault(group, {})
                target[name] = values[name]
        options = grouped.pop("options")
        groups = {name: GROUPS[name][0](**some) for name, some in grouped.items()}
        return cls(method=method, **single, **groups, options=options)

    @property
    def seed(self) -> int | np.random.RandomState | None:
        """The random state of a fit."""
        if isinstance(self.random_state, NotRestorable):
            raise _missing_value("random_state", self.random_state)
        return self.random_state

    @property
    def max_leaves(self) -> int | None:
        """The maximum number of leaves; ``None`` is unlimited."""
        if self.search.search == "optimal":
            return self.n_clusters
        return leaf_limit(self.constraints.max_leaf_nodes, self.n_clusters or 1)

    def limits(self, dataset: Counted) -> Limits:
        """Resolve the constraints for a dataset."""
        constraints = replace(self.constraints, max_leaf_nodes=self.max_leaves)
        return constraints.resolve(dataset, self.n_clusters or 1)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the method's estimator by name."""
        out = {}
        for name, group in parameters_of(self.method).group.items():
            if group == "options":
                out.update({name: self.options[name]} if name in self.options else {})
            else:
                out[name] = getattr(self if group is None else getattr(self, group), name)
        return out

    @property
    def not_restorable(self) -> tuple[str, ...]:
        """The names of parameters whose values a file could not store."""
        return tuple(
            name for name, value in self.parameters.items() if isinstance(value, NotRestorable)
        )

    def to_estimator(self, **overrides: Any) -> BaseEstimator:
        """Create an unfitted estimator with these settings.

        Parameters
        ----------
        **overrides
            Parameters that replace those of the spec or are not part of it.
        """
        values = {**self.parameters, **overrides}
        for name, value in values.items():
            if isinstance(value, NotRestorable):
                raise _missing_value(name, value)
        return BY_KEY[self.method].estimator_class(**values)

    def to_dict(self) -> dict[str, Any]:
        """Convert the spec to plain data for JSON.

        Functions, fitted estimators without centres and instances of RandomState become
        ``{"not_restorable": name}``.
        """
        out: dict[str, Any] = {"method": self.method}
        groups = parameters_of(self.method).group
        for name, value in self.parameters.items():
            group = groups[name]
            target = out if group is None else out.setdefault(group, {})
            target[name] = _plain(value)
        return out

    @classmethod
    def from_dict(cls, data: object) -> FitSpec:
        """Read the result of :meth:`to_dict`; raises ValueError if it is invalid."""
        if not isinstance(data, Mapping):
            raise ValueError(f"a spec must be an object; it is {shortened(repr(data))}.")
        method = data.get("method")
        if not isinstance(method, str):
            raise ValueError(f"method must be a string; it is {shortened(repr(method))}.")
        group, allowed = parameters_of(method)
        given = {}
        for key, value in data.items():
            if key == "method":
                continue
            if key in ("options", *GROUPS):
                if not isinstance(value, Mapping):
                    raise ValueError(f"{key} must be an object; it is {shortened(repr(value))}.")
                given.update({(key, name): part for name, part in value.items()})
            else:
                given[None, key] = value
        values = {}
        for (group_name, name), value in given.items():
            if not isinstance(name, str) or name not in group or group[name] != group_name:
                where = "" if group_name is None else f"{group_name}."
                raise ValueError(f"{where}{name} is not a setting of method={method!r}.")
            values[name] = _restored(name, value, allowed[name])
        missing = group.keys() - values.keys()
        if missing:
            raise ValueError(f"a spec of method={method!r} must have {min(missing)}.")
        return cls.from_parameters(method, values)


def _missing_value(name: str, value: NotRestorable) -> ValueError:
    return ValueError(f"{name} was {value.name}, which a file cannot store: pass {name}=.")


def _plain(value: Any) -> Any:
    """Convert the value of a parameter to plain data."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, NotRestorable):
        return {MARK: value.name}
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value) if np.isfinite(float(value)) else {MARK: f"the number {value}"}
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if not isinstance(value, type):
        value = getattr(value, "cluster_centers_", value)
    if isinstance(value, (np.ndarray, list, tuple)):
        table = np.asarray(value)
        if table.dtype.kind in "iuf" and np.isfinite(table).all():
            return table.tolist()
    name = getattr(value, "__qualname__", None)
    what = f"an instance of {type(value).__name__}"
    return {MARK: what if name is None else f"{value.__module__}.{name}"}


def _restored(name: str, value: Any, allowed: Any) -> Any:
    """Convert plain data to the value of a parameter, validated as by the estimator."""
    if isinstance(value, Mapping) and set(value) == {MARK}:
        if not isinstance(value[MARK], str):
            raise ValueError(
                f"{name}: {MARK} must be a string; it is {shortened(repr(value[MARK]))}."
            )
        return NotRestorable(value[MARK])
    if allowed == "no_validation":
        return None if value is None else _table(name, value)
    if isinstance(value, bool) and "boolean" not in allowed:
        raise ValueError(f"{name} must not be {value}.")
    if isinstance(value, Mapping):
        value = dict(value)
    check_arguments("FitSpec", {name: allowed}, **{name: value})
    return value


def _table(name: str, value: Any) -> np.ndarray:
    """Rows of numbers, such as centres."""
    try:
        table = np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{name} must be rows of numbers; it is {shortened(repr(value))}."
        ) from error
    if table.ndim != 2 or not np.isfinite(table).all():
        raise ValueError(f"{name} must be rows of finite numbers; it is {shortened(repr(value))}.")
    return table
