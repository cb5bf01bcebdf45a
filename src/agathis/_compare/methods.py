"""The methods that a comparison is asked for: names or estimators, checked."""

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
    """The methods to run: an estimator of the user's, or None for one of ours by its name."""
    linear = kernel == "linear"
    if methods is None:
        # ExKMC with a leaf a cluster is IMM. A search with other kernels takes a factor of the
        # matrix for each tree, too long to be run unasked.
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
        known = {word.lower(): m.name for m in ALL for word in (m.name, m.typed)}
        known |= {m.estimator.lower(): m.name for m in ALL if m.search is None}
        unknown = [name for name in names if str(name).lower() not in known]
        if unknown:
            raise ValueError(
                f"methods has {unknown[0]!r}; it may have {', '.join(METHODS)}, be 'all', or "
                "give names of your own with estimators, {'mine': Kauri(3)}."
            )
        chosen = {known[name.lower()]: None for name in names}
    wrong = [
        name
        for name, model in chosen.items()
        if model is None and not linear and name not in WITH_KERNELS
    ]
    if wrong:
        raise ValueError(
            f"methods has {wrong[0]!r}, which knows no kernel but the linear one; with "
            f"kernel={kernel!r} there are {' and '.join(WITH_KERNELS)}."
        )
    if not chosen:
        raise ValueError("methods is empty; it must have at least one.")
    return chosen


def _check_model(name: str, model: object) -> None:
    """Raise where it cannot be an estimator with a tree, or a name of ours."""
    if model is None and name in METHODS:
        return
    if hasattr(model, "named_steps"):
        raise TypeError(
            f"methods[{name!r}] is a Pipeline, which has no tree: give the estimator of its last "
            "step, and X as the steps before it make it."
        )
    if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, "get_params")):
        raise TypeError(
            f"methods[{name!r}] must be an estimator with a tree, such as Kauri(3), or None for "
            f"one of {', '.join(METHODS)}; it is {model!r}."
        )
