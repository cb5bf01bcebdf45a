"""Validation of the methods of a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from agathis._methods import ALL, METHODS, WITH_KERNELS

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def check_methods(
    methods: Sequence[str] | Mapping[str, BaseEstimator] | str | None,
    kernel: object,
    more_leaves: bool,
) -> dict[str, BaseEstimator | None]:
    """The methods by name: an estimator of the user, or None for a registered method."""
    linear = kernel == "linear"
    if methods is None:
        # ExKMC with one leaf per cluster is IMM. Searches with other kernels factor the kernel
        # matrix for each tree, which is too slow for a default.
        quick = [m for m in ALL if not m.slow and (m.name != "ExKMC" or more_leaves)]
        quick = [m for m in quick if linear or m.search is None]
        return {method.name: None for method in quick if linear or method.kernels}
    if isinstance(methods, Mapping):
        for name, model in methods.items():
            _check_model(name, model)
        chosen: dict[str, BaseEstimator | None] = dict(methods)
    else:
        if not isinstance(methods, (str, Sequence)):
            raise TypeError(
                f"methods must be names, 'all' or a dict of estimators; it is {methods!r}."
            )
        names = [methods] if isinstance(methods, str) else list(methods)
        if names == ["all"]:
            names = [method.name for method in ALL if linear or method.kernels]
        known = {label.lower(): m.name for m in ALL for label in (m.name, m.typed)}
        known |= {m.estimator.lower(): m.name for m in ALL if m.search is None}
        unknown = [name for name in names if str(name).lower() not in known]
        if unknown:
            raise ValueError(
                f"methods has {unknown[0]!r}; names are {', '.join(METHODS)} or 'all'. For another "
                "estimator pass a dict, {'mine': Kauri(3)}."
            )
        chosen = {known[name.lower()]: None for name in names}
    wrong = [
        name
        for name, model in chosen.items()
        if model is None and not linear and name not in WITH_KERNELS
    ]
    if wrong:
        raise ValueError(
            f"methods has {wrong[0]!r}, which only supports the linear kernel; "
            f"kernel={kernel!r} is supported by {' and '.join(WITH_KERNELS)}."
        )
    if not chosen:
        raise ValueError("methods is empty; at least one method is required.")
    return chosen


def _check_model(name: str, model: object) -> None:
    """Raise if it is neither an estimator nor None with the name of a method."""
    if model is None and name in METHODS:
        return
    if hasattr(model, "named_steps"):
        raise TypeError(
            f"methods[{name!r}] is a Pipeline, which has no tree: pass the estimator of its last "
            "step, and X transformed by the previous steps."
        )
    if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, "get_params")):
        raise TypeError(
            f"methods[{name!r}] must be an estimator with a tree, such as Kauri(3), or None for "
            f"one of {', '.join(METHODS)}; it is {model!r}."
        )
