"""The fits of a piece of work, each a row of what was measured.

All methods of a piece see the same rows, and those that start from KMeans start from the same
centres or labels: what differs between their rows is the tree. A kernel matrix is made once for
all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics.pairwise import pairwise_kernels

from agathis._compare.measures import measure_fit, timed
from agathis._kauri import Kauri
from agathis._kernel_kmeans import KernelKMeans
from agathis._kernels.kernel import Kernel
from agathis._kernels.kernel_approximation import fit_map
from agathis._model.spec import FitSpec
from agathis._objective.cost import kernel_cost
from agathis.baselines import KMeansTree
from agathis.datasets import make_rotated_gaussians
from paper.datasets import load
from paper.experiments.labels import METHOD_LABELS
from paper.experiments.plan import ANGLE, EXACT_ROWS, LEAVES, SHARE, SIZE, Piece

#: The paper's column of RDM is that of one seed in all runs.
RDM_SEED = 0
#: Points that stand for a kernel where its matrix is too large for a factor.
COMPONENTS = 256
STARTS = 10


def fits(data_home: str | None, task: tuple[Piece, tuple[str, ...]]) -> Iterator[dict[str, Any]]:
    """Fit the methods of a task, one row each as they come."""
    piece, methods = task
    if piece.experiment == "lost":
        yield from _lost(data_home, piece, methods)
        return
    case = Case(piece, data_home)
    # What is shared is made before the first clock starts.
    references = case.references
    for method in methods:
        found = case.measured(method)
        seconds = round(found.pop("seconds"), 4)
        yield _named(piece, method) | found | references | {"seconds": seconds}


def _named(piece: Piece, method: str) -> dict[str, Any]:
    return {
        "experiment": piece.experiment,
        "dataset": piece.dataset,
        "kernel": piece.kernel,
        "run": piece.run,
        "at": piece.at,
        "method": method,
    }


class Case:
    """The rows of a piece, and what the methods share."""

    def __init__(self, piece: Piece, data_home: str | None) -> None:
        self.piece = piece
        self.X, self.y, self.k = rows_of(piece, data_home)
        times = LEAVES[piece.experiment]
        self.leaves = None if times is None else times * self.k

    @cached_property
    def reference_clustering(self) -> KMeans:
        return KMeans(self.k, n_init=STARTS, random_state=self.piece.seed).fit(self.X)

    @cached_property
    def gram(self) -> np.ndarray:
        return pairwise_kernels(self.X, metric=self.piece.kernel)

    @cached_property
    def plain(self) -> np.ndarray:
        """Labels of the kernel KMeans of the paper."""
        model = KernelKMeans(
            self.k,
            kernel="precomputed",
            algorithm="similarity",
            n_jobs=1,
            random_state=self.piece.seed,
        )
        return model.fit(self.X, gram=self.gram).labels_

    @cached_property
    def strong(self) -> np.ndarray:
        """Labels of a kernel KMeans from many starts that keeps all clusters."""
        seed = self.piece.seed
        if len(self.X) <= EXACT_ROWS:
            model = KernelKMeans(self.k, kernel="precomputed", n_jobs=1, random_state=seed)
            return model.fit(self.X, gram=self.gram).labels_
        random = np.random.RandomState(seed)
        kernel = Kernel(self.piece.kernel)
        found = fit_map(kernel, self.X, COMPONENTS, tol=0.0, random_state=random)
        model = KernelKMeans(self.k, n_jobs=1, random_state=seed)
        return model.fit(found(self.X).astype(np.float64)).labels_

    def fit(self, method: str) -> Any:
        """A fitted model of a method, by the paper's word for it."""
        seed = self.piece.seed
        if self.piece.kernel == "linear":
            return self._linear(method).fit(self.X)
        if method == "kauri":
            model = Kauri(
                self.k,
                kernel="precomputed",
                max_leaf_nodes=self.leaves,
                n_jobs=1,
                random_state=seed,
            )
            return model.fit(self.X, gram=self.gram)
        labels = self.strong if method == "kmeans_dt_strong" else self.plain
        tree = KMeansTree(max_leaf_nodes=self.leaves, n_jobs=1, random_state=seed)
        return tree.fit(self.X, labels=labels)

    def _linear(self, method: str) -> Any:
        spec = FitSpec.of_method(
            METHOD_LABELS[method],
            n_clusters=self.k,
            max_leaf_nodes=self.leaves,
            centers=self.reference_clustering,
            random_state=RDM_SEED if method == "rdm" else self.piece.seed,
        )
        return spec.to_estimator(n_jobs=1)

    def measured(self, method: str) -> dict[str, float]:
        """What is written down of a method; costs are divided by references later."""
        found = measure_fit(lambda: self.fit(method), self.X, self.y, *self._cost_kernel)
        return {name: float(value) for name, value in found.items()}

    @cached_property
    def references(self) -> dict[str, float]:
        """What KMeans costs on the same rows: with a kernel, that of the paper and a strong one."""
        if self.piece.kernel == "linear":
            return {"reference": self.reference_clustering.inertia_}
        return {"reference": self._cost(self.plain), "strong": self._cost(self.strong)}

    @property
    def _cost_kernel(self) -> tuple[Kernel, np.ndarray | None]:
        """The kernel by which costs are computed, and its matrix."""
        if self.piece.kernel == "linear":
            return Kernel("linear"), None
        return Kernel("precomputed"), self.gram

    def _cost(self, labels: np.ndarray) -> float:
        kernel, gram = self._cost_kernel
        return kernel_cost(kernel, self.X, labels, None, 1, gram)


def rows_of(piece: Piece, data_home: str | None) -> tuple[np.ndarray, np.ndarray, int]:
    """The rows of a piece, their classes, and how many clusters there are to find."""
    random = np.random.RandomState(piece.seed)
    if piece.dataset == "gaussians":
        n, angle = (int(piece.at), ANGLE) if piece.experiment == "samples" else (SIZE, piece.at)
        return *make_rotated_gaussians(n, angle, random), 3
    X, y, k = _scaled(piece.dataset, data_home)
    if piece.experiment == "lost":
        return X, y, k
    drawn = np.sort(random.permutation(len(X))[: round(SHARE * len(X))])
    return X[drawn], y[drawn], k


@lru_cache(maxsize=32)
def _scaled(name: str, data_home: str | None) -> tuple[np.ndarray, np.ndarray, int]:
    found = load(name, data_home=data_home, scaled=True)
    return found.data, found.target, found.n_clusters


def _lost(
    data_home: str | None, piece: Piece, methods: tuple[str, ...]
) -> Iterator[dict[str, Any]]:
    """How many clusters are left of those that were asked for, on all rows."""
    X, _, k = rows_of(piece, data_home)
    for method in methods:
        unfitted: Kauri | KernelKMeans
        if method == "kauri":
            unfitted = Kauri(
                k, kernel=piece.kernel, max_leaf_nodes=4 * k, n_jobs=1, random_state=piece.seed
            )
        else:
            unfitted = KernelKMeans(
                k, kernel=piece.kernel, algorithm="similarity", n_jobs=1, random_state=piece.seed
            )
        model, seconds = timed(partial(unfitted.fit, X))
        found = {"clusters": float(len(np.unique(model.labels_))), "seconds": round(seconds, 4)}
        yield _named(piece, method) | found
