"""The clustering trees by name: the one table that comparisons, experiments and commands read.

Light to import: an estimator's class is looked up when one is made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


class Method(NamedTuple):
    """A clustering tree of the package.

    Attributes
    ----------
    name : str
        As papers call it.
    key : str
        As experiments call it; with hyphens, as it is typed.
    home, estimator : str
        Where its class is, and what that is called.
    kernels : bool
        Whether it can be grown, and judged, by any kernel.
    leaves : bool
        Whether it takes a number of leaves; a leaf of the others is a cluster.
    centres : bool
        Whether it starts from the centres of KMeans, and takes them as ``centers``.
    slow : bool
        Whether it takes minutes where the others take moments, so that it waits to be asked for.
    search : str or None
        How its estimator looks for a better tree than its first, where that is not its default.
    """

    name: str
    key: str
    home: str
    estimator: str
    kernels: bool = False
    leaves: bool = False
    centres: bool = True
    slow: bool = False
    search: str | None = None

    @property
    def typed(self) -> str:
        """The name on a command line."""
        return self.key.replace("_", "-")


class KernelSettings(TypedDict, total=False):
    """The parameters of a kernel, as the estimators take them and with their defaults."""

    kernel: str | Callable[..., float]
    gamma: float | None
    degree: float
    coef0: float
    kernel_params: dict[str, Any] | None


_ALL = (
    Method("Kauri", "kauri", "agathis", "Kauri", kernels=True, leaves=True, centres=False),
    # The paper's is greedy; this is what the command line and ``fit_table`` grow.
    Method(
        "Kauri local",
        "kauri_local",
        "agathis",
        "Kauri",
        kernels=True,
        leaves=True,
        centres=False,
        search="local",
    ),
    Method("KMeans+DT", "kmeans_dt", "agathis.rivals", "KMeansTree", kernels=True, leaves=True),
    Method("IMM", "imm", "agathis.rivals", "IMM"),
    Method("ExKMC", "exkmc", "agathis.rivals", "ExKMC", leaves=True),
    Method("ExShallow", "exshallow", "agathis.rivals", "ExShallow"),
    Method("RDM", "rdm", "agathis.rivals", "RDM"),
    Method("ICOT", "icot", "agathis.rivals", "ICOT", centres=False, slow=True),
)
#: Every tree of the package, under the name that papers use.
METHODS = {method.name: method for method in _ALL}
WITH_KERNELS = tuple(method.name for method in _ALL if method.kernels)
WITH_LEAVES = tuple(method.name for method in _ALL if method.leaves)


def make_method(
    name: str,
    n_clusters: int,
    *,
    max_leaf_nodes: int | str | None = "auto",
    kernel: KernelSettings | None = None,
    centers: Any = None,
    random_state: int | None = None,
    n_jobs: int | None = None,
) -> BaseEstimator:
    """The estimator of a name in ``METHODS``, with those of the parameters that it takes.

    ``kernel`` holds its kernel parameters.
    """
    method = METHODS[name]
    params: dict[str, Any] = {"random_state": random_state, "n_jobs": n_jobs}
    if method.leaves:
        params["max_leaf_nodes"] = max_leaf_nodes
    if method.kernels:
        params |= kernel or {}
    if method.centres:
        params["centers"] = centers
    if method.search is not None:
        params["search"] = method.search
    return getattr(import_module(method.home), method.estimator)(n_clusters, **params)


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
        quick = [m for m in _ALL if not m.slow and (m.name != "ExKMC" or more_leaves)]
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
            names = [method.name for method in _ALL if linear or method.kernels]
        known = {word.lower(): m.name for m in _ALL for word in (m.name, m.typed)}
        known |= {m.estimator.lower(): m.name for m in _ALL if m.search is None}
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
