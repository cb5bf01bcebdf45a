"""The clustering trees by name, as comparisons and the command line ask for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sklearn.base import BaseEstimator

#: Every tree of the package, under the name that papers use.
METHODS = ("Kauri", "KMeans+DT", "IMM", "ExKMC", "ExShallow", "RDM", "ICOT")
#: Those that can be judged, and grown, by any kernel.
WITH_KERNELS = ("Kauri", "KMeans+DT")
#: Those that take a number of leaves; a leaf of the others is a cluster.
WITH_LEAVES = ("Kauri", "KMeans+DT", "ExKMC")
# Classes that are called otherwise.
_CLASSES = {"KMeans+DT": "KMeansTree"}


def make_method(
    name: str,
    n_clusters: int,
    *,
    max_leaf_nodes: int | None = None,
    kernel: dict[str, Any] | None = None,
    random_state: int | None = None,
    n_jobs: int | None = None,
) -> BaseEstimator:
    """The estimator of a name in ``METHODS``; ``kernel`` holds its kernel parameters."""
    import agathis
    from agathis import rivals

    home, known = (agathis, name) if name == "Kauri" else (rivals, _CLASSES.get(name, name))
    params: dict[str, Any] = {"random_state": random_state, "n_jobs": n_jobs}
    if name in WITH_LEAVES:
        params["max_leaf_nodes"] = max_leaf_nodes
    if name in WITH_KERNELS:
        params.update(kernel or {})
    return getattr(home, known)(n_clusters, **params)


def check_methods(
    methods: Sequence[str] | Mapping[str, BaseEstimator] | str | None,
    kernel: object,
    more_leaves: bool,
) -> dict[str, BaseEstimator | None]:
    """The methods to run: an estimator of the user's, or None for one of ours by its name."""
    linear = kernel == "linear"
    if methods is None:
        # ICOT takes minutes where the others take moments, so it waits to be asked for.
        # ExKMC with a leaf a cluster is IMM.
        names = [m for m in METHODS if m != "ICOT" and (m != "ExKMC" or more_leaves)]
        return {name: None for name in names if linear or name in WITH_KERNELS}
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
            names = [name for name in METHODS if linear or name in WITH_KERNELS]
        known = {name.lower(): name for name in METHODS} | {"kmeanstree": "KMeans+DT"}
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
