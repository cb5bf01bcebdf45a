"""How many clusters and leaves a table deserves: the figures, and what they speak for.

For each number of clusters a Kauri tree is grown with ample leaves; as many of these are kept as
make 99 % of its gains. Two figures are taken of the result: the share of the spread of the rows
that the clusters explain, which always grows, and the mean silhouette, which is highest where
clusters are tight and far from each other. The highest silhouette is what is suggested, or a larger
number of clusters that comes within a hair's breadth: silhouettes err towards few clusters, as two
groups that are near each other are one to them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from agathis._cli.fitting import default_min_leaf

if TYPE_CHECKING:
    from agathis._kauri import Kauri

SHARE_OF_GAINS = 0.99
AMPLE = 4
ROWS_FOR_SILHOUETTE = 2000
#: Silhouettes that are nearer than that are as good.
HAIR = 0.02
#: Below it clusters are hardly apart.
WEAK = 0.25


@dataclass(frozen=True)
class Candidate:
    """A number of clusters, and what a tree makes of it."""

    clusters: int
    leaves: int
    explained: float
    silhouette: float


def candidates(
    X: np.ndarray,
    most: int,
    missing: bool,
    seed: int,
    jobs: int | None,
    tell: Callable[[str, int, int | None], None],
) -> list[Candidate]:
    """A candidate for each number of clusters from 2 on that trees of these rows reach."""
    random = np.random.RandomState(seed)
    few = np.sort(random.permutation(len(X))[:ROWS_FOR_SILHOUETTE])
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    total = float(((filled - filled.mean(axis=0)) ** 2).sum())
    out: list[Candidate] = []
    for k in range(2, most + 1):
        tell("numbers of clusters", k - 2, most - 1)
        ample = _grown(X, k, AMPLE * k, missing, jobs)
        leaves = _leaves(ample, k)
        model = ample if leaves == ample.n_leaves_ else _grown(X, k, leaves, missing, jobs)
        if model.n_clusters_ < k:
            break
        explained = 1 - _cost(filled, model.labels_) / total if total else 0.0
        silhouette = _silhouette(filled[few], model.labels_[few])
        out.append(Candidate(k, leaves, explained, silhouette))
    return out


def best_of(found: Sequence[Candidate]) -> Candidate:
    """The most clusters whose silhouette is as good as the highest."""
    highest = max(one.silhouette for one in found)
    return next(one for one in reversed(found) if one.silhouette >= highest - HAIR)


def reasons(found: Sequence[Candidate], best: Candidate) -> str:
    """Why it is the best, in a sentence or two."""
    top = max(found, key=lambda one: one.silhouette)
    height = "the highest" if best is top else f"as good as {top.silhouette:.2f}, the highest"
    out = (
        f"{best.clusters} clusters: their mean silhouette, {best.silhouette:.2f}, is {height}; "
        f"they explain {100 * best.explained:.0f} % of the spread"
    )
    after = next((one for one in found if one.clusters == best.clusters + 1), None)
    if after is not None:
        out += f", and one more adds {100 * (after.explained - best.explained):.0f} %"
    others = [one for one in found if one is not best]
    if others:
        second = max(others, key=lambda one: one.silhouette)
        out += (
            f". Next are {second.clusters} clusters, with a silhouette of {second.silhouette:.2f}"
        )
    out += f". {best.leaves} leaves make 99 % of what a tree can gain."
    if best.silhouette < WEAK:
        out += " But no number of clusters stands out: groups in these rows run into each other."
    elif best is found[-1] and len(found) > 1:
        out += " It is the last that was tried: --max-k may show a better one."
    return out


def _grown(X: np.ndarray, k: int, leaves: int, missing: bool, jobs: int | None) -> Kauri:
    from agathis import Kauri

    return Kauri(
        k,
        max_leaf_nodes=leaves,
        min_samples_leaf=default_min_leaf(leaves),
        engine="binned" if missing else "auto",
        n_jobs=jobs,
    ).fit(X)


def _leaves(model: Kauri, k: int) -> int:
    """The fewest that make 99 % of the gains, and all the clusters."""
    from agathis._describe.gains import gain_curve

    curve = gain_curve(model)
    enough = curve.n_leaves[curve.n_clusters >= min(k, model.n_clusters_)]
    return max(curve.leaves_for(SHARE_OF_GAINS), int(enough[0]), k)


def _cost(X: np.ndarray, labels: np.ndarray) -> float:
    return sum(
        float(((X[labels == k] - X[labels == k].mean(axis=0)) ** 2).sum())
        for k in np.unique(labels)
    )


def _silhouette(X: np.ndarray, labels: np.ndarray) -> float:
    from sklearn.metrics import silhouette_score

    n_labels = len(np.unique(labels))
    return float(silhouette_score(X, labels)) if 1 < n_labels < len(X) else 0.0
