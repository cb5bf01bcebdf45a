"""The registry of clustering trees: names, classes and what each method takes.

Comparisons, model files, experiments and commands read this one table. It is light to import: a
class is looked up when it is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
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

    @property
    def estimator_class(self) -> type[BaseEstimator]:
        """The class, which is imported here."""
        found: type[BaseEstimator] = getattr(import_module(self.home), self.estimator)
        return found


ALL = (
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
METHODS = {method.name: method for method in ALL}
WITH_KERNELS = tuple(method.name for method in ALL if method.kernels)
WITH_LEAVES = tuple(method.name for method in ALL if method.leaves)


def make_method(
    name: str,
    n_clusters: int,
    *,
    max_leaf_nodes: int | str | None = "auto",
    kernel: Mapping[str, Any] | None = None,
    centers: Any = None,
    random_state: int | np.random.RandomState | None = None,
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
    return method.estimator_class(n_clusters, **params)


def method_of(estimator: BaseEstimator) -> Method:
    """The method that an estimator of the package (or of a subclass) fits by."""
    plain = {method.estimator: method for method in ALL if method.search is None}
    for base in type(estimator).__mro__:
        if base.__module__.split(".")[0] == "agathis" and base.__name__ in plain:
            return plain[base.__name__]
    raise ValueError(
        f"{type(estimator).__name__} is no clustering tree of agathis; there are "
        f"{', '.join(plain)}."
    )
