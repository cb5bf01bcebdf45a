"""The registry of clustering methods: names, classes and capabilities.

Fits, comparisons, model files, experiments and commands use this table. Classes are imported on
demand.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


class Method(NamedTuple):
    """A clustering method of the package.

    Attributes
    ----------
    name : str
        The name in papers.
    key : str
        The name in experiments and, with hyphens, on the command line.
    home, estimator : str
        The module and the name of its class.
    kernels : bool
        Whether it supports kernels other than the linear one.
    leaves : bool
        Whether it has ``max_leaf_nodes``; the others have one leaf per cluster.
    slow : bool
        Whether it takes minutes where others take seconds, and runs on request only.
    search : str or None
        The ``search`` parameter, if it is not the default of the estimator.
    """

    name: str
    key: str
    home: str
    estimator: str
    kernels: bool = False
    leaves: bool = False
    slow: bool = False
    search: str | None = None

    @property
    def is_baseline(self) -> bool:
        """Whether its class builds the tree, instead of the grower and the searches of Kauri."""
        return self.home == "agathis.baselines"

    @property
    def typed(self) -> str:
        """The name on a command line."""
        return self.key.replace("_", "-")

    @property
    def estimator_class(self) -> type[BaseEstimator]:
        """The class, which is imported here."""
        cls: type[BaseEstimator] = getattr(import_module(self.home), self.estimator)
        return cls


ALL = (
    Method("Kauri", "kauri", "agathis", "Kauri", kernels=True, leaves=True),
    # Kauri of the paper is greedy; this is the default of the command line and ``fit_table``.
    Method(
        "Kauri local", "kauri_local", "agathis", "Kauri", kernels=True, leaves=True, search="local"
    ),
    Method("KMeans+DT", "kmeans_dt", "agathis.baselines", "KMeansTree", kernels=True, leaves=True),
    Method("IMM", "imm", "agathis.baselines", "IMM"),
    Method("ExKMC", "exkmc", "agathis.baselines", "ExKMC", leaves=True),
    Method("ExShallow", "exshallow", "agathis.baselines", "ExShallow"),
    Method("RDM", "rdm", "agathis.baselines", "RDM"),
    Method("ICOT", "icot", "agathis.baselines", "ICOT", slow=True),
)
#: All methods by the name that papers use.
METHODS = {method.name: method for method in ALL}
#: The method of each ``FitSpec.method``; searches are parameters of the same method.
BY_KEY = {method.key: method for method in ALL if method.search is None}
WITH_KERNELS = tuple(method.name for method in ALL if method.kernels)


def method_of(estimator: BaseEstimator) -> Method:
    """The method of an estimator of the package or of a subclass."""
    plain = {method.estimator: method for method in BY_KEY.values()}
    for base in type(estimator).__mro__:
        if base.__module__.split(".")[0] == "agathis" and base.__name__ in plain:
            return plain[base.__name__]
    raise ValueError(
        f"{type(estimator).__name__} is not a clustering method of agathis; methods are "
        f"{', '.join(plain)}."
    )
