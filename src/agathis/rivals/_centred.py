"""Trees over the cells of centres: what they share before the first cut.

A teacher comes first: the centres of KMeans, or those that are given, and the nearest of them as
each row's own. A centre that no row is nearest to has no part in what follows. Then the tree is
grown (``_grow``), which knows of rows, centres and distances only; each leaf's cluster is one of
the centres.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from agathis._checks import data as checks
from agathis._core.centres.costs import distances
from agathis._kernels.kernel import at_most
from agathis._partitions.centres import ENLARGED, TINY
from agathis._partitions.objective import moderate_weights
from agathis._trees.builder import TreeBuilder
from agathis.rivals._base import Drawn, Rival

LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class Teacher:
    """Centres, and rows among them.

    Attributes
    ----------
    centres : ndarray of shape (n_centres, n_features)
    distance : ndarray of shape (n_samples, width)
        Squared distances in the first ``n_centres`` columns; of tiny values, in another unit.
    labels : ndarray of int32, shape (n_samples,)
        The nearest centre of each row, the first of equally near ones.
    """

    centres: np.ndarray
    distance: np.ndarray
    labels: np.ndarray

    @classmethod
    def of(cls, centres: np.ndarray, X: np.ndarray, threads: int) -> Teacher:
        if max(np.abs(X).max(), np.abs(centres).max()) < TINY:
            distance = distances(X * ENLARGED, centres * ENLARGED, threads)
        else:
            distance = distances(X, centres, threads)
        # Times the rows, because they are summed.
        if not distance[:, : len(centres)].max() <= LARGEST / len(X):
            raise ValueError(
                "centers or X are too large: sums of squared distances between them are not finite."
            )
        labels = np.argmin(distance[:, : len(centres)], axis=1).astype(np.int32)
        return cls(centres, distance, labels)


class CentreTree(Rival):
    """A tree over the cells of given or found centres; its parameters are those of all of them."""

    n_clusters: int

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        centers: object = None,
        n_init: int | str = 10,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.centers = centers
        self.n_init = n_init
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _draw(self, X: np.ndarray, weight: np.ndarray | None, threads: int) -> Drawn:
        _check_size(X, weight)
        random = check_random_state(self.random_state)
        teacher = self._teach(X, weight, random, threads)
        share = np.ones(len(X)) if weight is None else weight
        sketch = self._grow(X, share, teacher, random, threads)
        return sketch, {"cluster_centers_": teacher.centres, "teacher_labels_": teacher.labels}

    def _teach(
        self,
        X: np.ndarray,
        weight: np.ndarray | None,
        random: np.random.RandomState,
        threads: int,
    ) -> Teacher:
        """The centres that have rows, and their rows."""
        if self.centers is None:
            with at_most(threads):
                centres = self._found_centres(X, weight, random)
        else:
            centres = checks.check_centers(self, X.shape[1])
        teacher = Teacher.of(centres, X, threads)
        used = np.unique(teacher.labels)
        if len(used) == self.n_clusters:
            return teacher
        if self.centers is None:
            few = len(np.unique(X, axis=0)) < self.n_clusters
            why = "X has too few distinct rows for more" if few else "KMeans parts no more rows"
        else:
            same = len(centres) - len(np.unique(centres, axis=0))
            why = "no row is nearest to the others"
            why += f", {same} of which are equal to another" if same else ""
        checks.warn(
            f"{len(used)} of n_clusters={self.n_clusters} centres are used: {why}.", UserWarning
        )
        return teacher if len(used) == len(centres) else Teacher.of(centres[used], X, threads)

    def _found_centres(
        self, X: np.ndarray, weight: np.ndarray | None, random: np.random.RandomState
    ) -> np.ndarray:
        with warnings.catch_warnings():
            # Fewer distinct rows than clusters: said in this package's words instead.
            warnings.simplefilter("ignore", ConvergenceWarning)
            teacher = KMeans(self.n_clusters, n_init=self.n_init, random_state=random)
            tiny = np.abs(X).max() < TINY
            labels = teacher.fit(X * ENLARGED if tiny else X, sample_weight=weight).labels_
        # KMeans sums its centres thread by thread; means of its clusters in the order of the
        # rows have the same last digits with any number of threads.
        _, labels = np.unique(labels, return_inverse=True)
        size = np.bincount(labels, weight)
        return np.stack(
            [np.bincount(labels, x if weight is None else weight * x) / size for x in X.T], axis=1
        )

    @abstractmethod
    def _grow(
        self,
        X: np.ndarray,
        weight: np.ndarray,
        teacher: Teacher,
        random: np.random.RandomState,
        threads: int,
    ) -> TreeBuilder:
        """The tree; the cluster of a leaf is the number of a centre."""


def _check_size(X: np.ndarray, weight: np.ndarray | None) -> None:
    """Raise where sums of squared distances are no numbers."""
    share, _ = moderate_weights(weight)
    with np.errstate(over="ignore", invalid="ignore"):
        settled = X - X.mean(axis=0)
        own = np.einsum("ij,ij->i", settled, settled)
        # Sums of rows are squared, too: that is the sum of squares as often as there are rows.
        most = 4.0 * len(X) * (own.sum() if share is None else share @ own)
    if not np.isfinite(most):
        raise ValueError(
            "X is too large: sums of squared distances between its rows are not finite; the "
            f"largest value is {np.abs(X).max():.6g}."
        )


def first_least(values: np.ndarray, slack: float) -> int:
    """The first of the least values, up to rounding."""
    return int(np.argmax(values <= values.min() + slack))
