"""The function :func:`suggest`, which tries numbers of clusters one by one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from agathis._checks import data as checks
from agathis._checks.parameters import KAURI_CONSTRAINTS, at_least
from agathis._checks.roles import EncodedRows, roles_of
from agathis._objective.cost import scatter
from agathis._suggest import resampling
from agathis._suggest.figures import grown_with_enough, silhouette
from agathis._suggest.suggestion import Candidate, Suggestion
from agathis._suggest.tuning import MANY, ROWS, ROWS_FOR_SILHOUETTE
from agathis._utils.progress import Show, progress_bar

_CONSTRAINTS = {
    "max_clusters": at_least(2),
    **{name: KAURI_CONSTRAINTS[name] for name in ("engine", "n_jobs", "verbose", "random_state")},
}


def suggest(
    X: ArrayLike,
    *,
    max_clusters: int = 10,
    engine: str = "auto",
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Suggestion:
    """Suggest the number of clusters and leaves for a table, with reasons.

    A Kauri tree is fitted for each number of clusters, with leaves of at least 2 % of the rows
    (``min_samples_leaf=0.02``; less with more than twelve leaves). The suggestion is the minimum
    number of clusters whose silhouette is as far above chance as any, among the stable
    ones: trees of random halves of the rows must agree.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Not scaled: a column in large units has more weight.
        With ``engine="auto"`` or ``"binned"`` values may be missing (NaN).
    max_clusters : int, default=10
        The maximum number of clusters to try, at most ``n_samples - 1``.
    engine : str, default="auto"
        As of :class:`~agathis.Kauri`.
    random_state : int, RandomState instance or None, default=None
        For sampling the rows of large tables (10,000 for trees, 2,000 for silhouettes, 1,000 for
        stability and chance), their halves, and rows without clusters. Pass an int for
        reproducible results across calls; ``None`` uses NumPy's global state.
    n_jobs : int, default=None
        Threads; ``None`` and -1 are all cores.
    verbose : int, default=0
        1 shows progress on standard error: a bar on a terminal, otherwise a line for each number
        of clusters.

    Returns
    -------
    suggestion : Suggestion
        ``n_clusters`` and ``max_leaf_nodes`` are the suggested values, ``reasons`` a text;
        ``candidates``, or as a table ``table``, has one row per number of clusters, with its
        silhouette, the silhouette by chance, its stability and the decision; ``next_best`` is
        the runner-up.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> import agathis
    >>> X, _ = make_blobs(120, centers=[[0, 0], [0, 9], [9, 0]], random_state=0)
    >>> suggestion = agathis.suggest(X, max_clusters=5, random_state=0)
    >>> suggestion.n_clusters, suggestion.max_leaf_nodes
    (3, 3)
    >>> suggestion.table["clusters"]
    [2, 3, 4, 5]
    >>> leaves = suggestion.max_leaf_nodes
    >>> model = agathis.Kauri(suggestion.n_clusters, max_leaf_nodes=leaves).fit(X)
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
    roles = roles_of(X, n_features=table.shape[1])
    table = EncodedRows.of(table, roles)
    n = len(table)
    random = check_random_state(random_state)
    order = random.permutation(n)
    rows = table if n <= MANY else table[np.sort(order[:MANY])]
    with progress_bar("suggest", verbose, every=0.0) as show:
        candidates = _candidates(
            rows, roles.kernel, min(max_clusters, n - 1), random, engine, n_jobs, show
        )
    if not candidates:
        why = "all of them are alike" if n > 2 else "these are too few"
        raise ValueError(f"there are no two clusters in {n:,} row{'s'[: n != 1]}: {why}.")
    note = f"The figures are those of {MANY:,} of the {n:,} rows." if n > MANY else ""
    return Suggestion(tuple(candidates), note)


def _candidates(
    X: EncodedRows,
    kernel: np.ndarray,
    max_clusters: int,
    random: np.random.RandomState,
    engine: str,
    n_jobs: int | None,
    show: Show,
) -> list[Candidate]:
    """Return a candidate for each number of clusters from 2 on that the trees reach."""
    plain = np.asarray(X)
    filled = np.where(np.isnan(plain), checks.column_means(plain, None), plain)[:, kernel]
    total = scatter(filled, np.zeros(len(filled), dtype=np.intp))
    order = random.permutation(len(X))
    few, fewer = np.sort(order[:ROWS_FOR_SILHOUETTE]), np.sort(order[:ROWS])
    halves = resampling.halvings(len(fewer), random)
    clouds = resampling.clouds(filled[fewer], random)
    out: list[Candidate] = []
    for k in range(2, max_clusters + 1):
        show("numbers of clusters", k - 2, max_clusters - 1)
        model = grown_with_enough(X, k, engine, n_jobs)
        if model.n_clusters_ < k:
            break
        leaves = model.n_leaves_
        out.append(
            Candidate(
                k,
                leaves,
                explained=1 - scatter(filled, model.labels_) / total if total else 0.0,
                silhouette=silhouette(filled[few], model.labels_[few]),
                chance=resampling.silhouette_by_chance(clouds, k, leaves, engine),
                stability=resampling.stability(X[fewer], k, leaves, halves, engine),
            )
        )
    return out
