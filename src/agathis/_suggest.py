"""How many clusters and leaves a table deserves: the figures, and what they speak for.

For each number of clusters a Kauri tree is grown with ample leaves; as many of these are kept as
make 99 % of its gains. Two figures are taken of the result: the share of the spread of the rows
that the clusters explain, which always grows, and the mean silhouette, which is highest where
clusters are tight and far from each other. The highest silhouette is what is suggested, or a larger
number of clusters that comes within ``AS_GOOD``: silhouettes err towards few clusters, as two
groups that are near each other are one to them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from html import escape

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import silhouette_score
from sklearn.utils import check_random_state

from agathis._checks import data as checks
from agathis._checks.parameters import KAURI_CONSTRAINTS, at_least
from agathis._kauri import Kauri
from agathis._support.progress import Show, progress_bar
from agathis._support.result_table import Table
from agathis._trees.tree import Tree

SHARE_OF_GAINS = 0.99
# Leaves a cluster of the trees of which the first leaves are kept.
AMPLE = 4
#: The least share of the rows in a leaf: a rule for fewer is of little use to people.
SMALLEST_LEAF = 0.02
ROWS_FOR_SILHOUETTE = 2000
#: Silhouettes that are nearer than that are as good.
AS_GOOD = 0.02
#: Below it clusters are hardly apart.
WEAK = 0.25

_CONSTRAINTS = {
    "max_clusters": at_least(2),
    **{name: KAURI_CONSTRAINTS[name] for name in ("engine", "n_jobs", "verbose", "random_state")},
}


@dataclass(frozen=True)
class Candidate:
    """A number of clusters, and what a tree makes of it.

    Attributes
    ----------
    clusters : int
    leaves : int
        The fewest that make 99 % of what a tree can gain.
    explained : float
        The share of the spread of the rows that the clusters account for.
    silhouette : float
        Up to 1: how tight the clusters are, and how far apart.
    """

    clusters: int
    leaves: int
    explained: float
    silhouette: float


@dataclass(frozen=True, repr=False)
class Suggestion:
    """What :func:`suggest` found; its text is the table of candidates, and the reasons.

    Attributes
    ----------
    candidates : tuple of Candidate
        One for each number of clusters from 2 on that trees reach.
    """

    candidates: tuple[Candidate, ...]

    @property
    def best(self) -> Candidate:
        """The most clusters whose silhouette is as good as the highest."""
        enough = max(one.silhouette for one in self.candidates) - AS_GOOD
        return next(one for one in reversed(self.candidates) if one.silhouette >= enough)

    @property
    def next_best(self) -> Candidate | None:
        """The highest silhouette among the others, if there are any."""
        others = [one for one in self.candidates if one is not self.best]
        return max(others, key=lambda one: one.silhouette, default=None)

    @property
    def n_clusters(self) -> int:
        """The number of clusters that is proposed."""
        return self.best.clusters

    @property
    def max_leaf_nodes(self) -> int:
        """The number of leaves that is proposed."""
        return self.best.leaves

    @property
    def reasons(self) -> str:
        """Why they are proposed, in a few sentences."""
        return self.in_words("max_clusters")

    @property
    def table(self) -> Table:
        """The candidates, a row each."""
        return Table([asdict(one) for one in self.candidates])

    def in_words(self, limit: str) -> str:
        """The reasons, with a name for the argument that limits the number of clusters."""
        best, second = self.best, self.next_best
        top = max(self.candidates, key=lambda one: one.silhouette)
        height = "the highest" if best is top else f"as good as {top.silhouette:.2f}, the highest"
        out = (
            f"{best.clusters} clusters: their mean silhouette, {best.silhouette:.2f}, is {height}; "
            f"they explain {100 * best.explained:.0f} % of the spread"
        )
        after = next((one for one in self.candidates if one.clusters == best.clusters + 1), None)
        if after is not None:
            out += f", and one more adds {100 * (after.explained - best.explained):.0f} %"
        if second is not None:
            out += (
                f". Next are {second.clusters} clusters, with a silhouette of "
                f"{second.silhouette:.2f}"
            )
        out += f". {best.leaves} leaves make 99 % of what a tree can gain."
        if best.silhouette < WEAK:
            out += (
                " But no number of clusters stands out: groups in these rows run into each other."
            )
        elif best is self.candidates[-1] and second is not None:
            out += f" It is the last that was tried: {limit} may show a better one."
        return out

    def __repr__(self) -> str:
        return f"{self.table}\n\n{self.reasons}"

    def _repr_html_(self) -> str:
        return f"{self.table._repr_html_()}<p>{escape(self.reasons)}</p>"


def suggest(
    X: ArrayLike,
    *,
    max_clusters: int = 10,
    engine: str = "auto",
    random_state: int | np.random.RandomState | None = 0,
    n_jobs: int | None = None,
    verbose: bool | int = False,
) -> Suggestion:
    """Suggest how many clusters and leaves suit a table, and say why.

    A Kauri tree is grown for each number of clusters, with leaves of at least 2 % of the rows
    (``min_samples_leaf=0.02``; less where there are more than twelve leaves).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        As it is: a column in large units weighs more, so scale it first where that is not meant.
        With ``engine="auto"`` or ``"binned"`` values may be missing (NaN).
    max_clusters : int, default=10
        The most clusters to try; never more than rows less one.
    engine : str, default="auto"
        As of :class:`~agathis.Kauri`.
    random_state : int, RandomState instance or None, default=0
        Draws the 2,000 rows of which silhouettes are computed, where there are more.
    n_jobs : int, default=None
        Threads; ``None`` and -1 are all cores.
    verbose : bool or int, default=False
        Show on standard error how many numbers of clusters were tried: a bar on a terminal,
        otherwise a line for each.

    Returns
    -------
    suggestion : Suggestion
        ``n_clusters`` and ``max_leaf_nodes`` are what is proposed, with the ``reasons`` in words;
        ``candidates``, or as a table ``table``, has a row for each number that was tried, and
        ``next_best`` is the one to look at next.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> import agathis
    >>> X, _ = make_blobs(120, centers=[[0, 0], [0, 9], [9, 0]], random_state=0)
    >>> found = agathis.suggest(X, max_clusters=5)
    >>> found.n_clusters, found.max_leaf_nodes, found.next_best.clusters
    (3, 3, 4)
    >>> found.table["clusters"]
    [2, 3, 4, 5]
    >>> model = agathis.Kauri(found.n_clusters, max_leaf_nodes=found.max_leaf_nodes).fit(X)
    """
    checks.check_arguments(
        "suggest",
        _CONSTRAINTS,
        max_clusters=max_clusters,
        engine=engine,
        n_jobs=n_jobs,
        verbose=verbose,
        random_state=random_state,
    )
    table = checks.check_table(X, missing=engine in ("auto", "binned"))
    n = len(table)
    few = np.sort(check_random_state(random_state).permutation(n)[:ROWS_FOR_SILHOUETTE])
    with progress_bar("suggest", verbose, every=0.0) as show:
        found = _candidates(table, min(max_clusters, n - 1), few, engine, n_jobs, show)
    if not found:
        why = "all of them are alike" if n > 2 else "these are too few"
        raise ValueError(f"there are no two clusters in {n:,} row{'s'[: n != 1]}: {why}.")
    return Suggestion(tuple(found))


def default_min_leaf(leaves: int) -> float:
    """A share of the rows; smaller where many leaves have to find room."""
    return min(SMALLEST_LEAF, 1 / (4 * leaves))


def _candidates(
    X: np.ndarray, most: int, few: np.ndarray, engine: str, n_jobs: int | None, show: Show
) -> list[Candidate]:
    """A candidate for each number of clusters from 2 on that trees of these rows reach."""
    filled = np.where(np.isnan(X), checks.column_means(X, None), X)
    total = float(((filled - filled.mean(axis=0)) ** 2).sum())
    out: list[Candidate] = []
    for k in range(2, most + 1):
        show("numbers of clusters", k - 2, most - 1)
        ample = _grown(X, k, AMPLE * k, engine, n_jobs)
        leaves = max(k, _leaves_enough(ample.tree_))
        model = ample if leaves == ample.n_leaves_ else _grown(X, k, leaves, engine, n_jobs)
        if model.n_clusters_ < k:
            break
        explained = 1 - _cost(filled, model.labels_) / total if total else 0.0
        silhouette = _silhouette(filled[few], model.labels_[few])
        out.append(Candidate(k, leaves, explained, silhouette))
    return out


def _grown(X: np.ndarray, k: int, leaves: int, engine: str, n_jobs: int | None) -> Kauri:
    return Kauri(
        k,
        max_leaf_nodes=leaves,
        min_samples_leaf=default_min_leaf(leaves),
        engine=engine,
        n_jobs=n_jobs,
    ).fit(X)


def _leaves_enough(tree: Tree) -> int:
    """The fewest leaves that make 99 % of the gains, and all the clusters of the tree."""
    splits = np.flatnonzero(~tree.is_leaf)
    # Children are numbered in the order of the splits.
    splits = splits[np.argsort(tree.children_left[splits])]
    gains = np.cumsum(np.concatenate([[0.0], tree.gain[splits]]))
    for_gains = 1 + int(np.argmax(gains >= SHARE_OF_GAINS * gains[-1]))
    held = np.zeros(tree.n_clusters, dtype=np.int64)
    held[tree.cluster[0]] = for_clusters = 1
    for node in splits:
        if held.all():
            break
        held[tree.cluster[node]] -= 1
        held[tree.cluster[tree.children_left[node]]] += 1
        held[tree.cluster[tree.children_right[node]]] += 1
        for_clusters += 1
    return max(for_gains, for_clusters)


def _cost(X: np.ndarray, labels: np.ndarray) -> float:
    return sum(
        float(((X[labels == k] - X[labels == k].mean(axis=0)) ** 2).sum())
        for k in np.unique(labels)
    )


def _silhouette(X: np.ndarray, labels: np.ndarray) -> float:
    n_labels = len(np.unique(labels))
    return float(silhouette_score(X, labels)) if 1 < n_labels < len(X) else 0.0
