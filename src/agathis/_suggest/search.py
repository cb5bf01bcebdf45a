"""The function :func:`suggest`: the splits of one nested tree, each with its evidence."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from agathis._checks import data as checks
from agathis._checks.parameters import KAURI_CONSTRAINTS, at_least
from agathis._checks.roles import EncodedRows, roles_of
from agathis._evidence import Repeats
from agathis._evidence.halves import greedy_tree
from agathis._evidence.tuning import MAX_GROUPS
from agathis._objective.cost import scatter
from agathis._suggest.suggestion import Candidate, Suggestion
from agathis._utils.progress import progress_bar

_CONSTRAINTS = {
    "max_clusters": at_least(2),
    **{name: KAURI_CONSTRAINTS[name] for name in ("verbose", "random_state")},
}


def suggest(
    X: ArrayLike,
    *,
    max_clusters: int = MAX_GROUPS,
    random_state: int | np.random.RandomState | None = None,
    verbose: int = 0,
) -> Suggestion:
    """Suggest the number of clusters for a table, or say that none could be shown.

    The rows are halved at random, several times. One half is split by a greedy tree, and the other
    half tests whether the rows at each split have more than one mode (:func:`agathis.evidence`).
    Suggested are as many clusters as most of the halves show. That none are shown does not mean
    that there are none: ``evidence`` says how far apart groups have to be to be seen.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Not scaled: a column in large units has more weight. Values may be missing (NaN).
    max_clusters : int, default=8
        The maximum number of clusters to try. With more, each needs stronger evidence.
    random_state : int, RandomState instance or None, default=None
        For the halves, and for sampling the rows of tables of more than 10,000. Pass an int for
        reproducible results across calls; ``None`` uses NumPy's global state.
    verbose : int, default=0
        1 shows progress on standard error: a bar on a terminal, otherwise lines.

    Returns
    -------
    suggestion : Suggestion
        ``n_clusters`` is the suggested number, 1 if no groups could be shown, and ``reasons`` a
        text; ``candidates``, or as a table ``table``, has one row per
        number of clusters; ``tree(k)`` are nested trees, of which each refines the one before.

    See Also
    --------
    evidence : The same test for the splits of a fitted tree.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> import agathis
    >>> X, _ = make_blobs(120, centers=[[0, 0], [0, 9], [9, 0]], random_state=0)
    >>> suggestion = agathis.suggest(X, max_clusters=5, random_state=0)
    >>> suggestion.n_clusters
    3
    >>> suggestion.table["clusters"]
    [2, 3, 4, 5]
    >>> model = agathis.Kauri(suggestion.n_clusters).fit(X)
    """
    checks.check_arguments(
        "suggest",
        _CONSTRAINTS,
        max_clusters=max_clusters,
        verbose=verbose,
        random_state=random_state,
    )
    table = checks.check_table(X, missing=True)
    rows = X if isinstance(X, EncodedRows) else table
    if not isinstance(rows, EncodedRows):
        rows = EncodedRows.of(table, roles_of(X, n_features=table.shape[1]))
    with progress_bar("suggest", verbose, every=0.0) as show:
        return suggestion_of(rows, Repeats.of(rows, random_state, max_clusters, show))


def suggestion_of(X: EncodedRows, repeats: Repeats) -> Suggestion:
    """Return the suggestion from repeats on these rows."""
    X = X[repeats.rows]
    assert X.roles is not None
    tree = greedy_tree(X, X.roles, max(1, min(repeats.max_groups, len(X) - 1)))
    if tree.n_leaves < 2:
        n = len(X)
        why = "all of them are alike" if n > 2 else "these are too few"
        raise ValueError(f"there are no two clusters in {n:,} row{'s'[: n != 1]}: {why}.")
    points = np.asarray(X)
    filled = np.where(np.isnan(points), checks.column_means(points, None), points)
    total = scatter(filled[:, X.roles.kernel], np.zeros(len(X), dtype=np.intp))
    evidence = repeats.evidence(tree)
    explained = 0.0
    candidates: list[Candidate] = []
    for node in np.argsort(np.where(tree.is_leaf, len(X), tree.children_left), kind="stable"):
        if tree.is_leaf[node]:
            break
        explained += tree.gain[node] / total if total else 0.0
        split = evidence.of_node[int(node)]
        k = len(candidates) + 2
        candidates.append(Candidate(k, float(explained), split.pvalue, split.recurrence))
    n_clusters = min(repeats.n_groups, len(candidates) + 1)
    return Suggestion(tuple(candidates), n_clusters, evidence, tree, repeats.n_given)
