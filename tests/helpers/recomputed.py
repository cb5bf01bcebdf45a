"""The numbers of a report from the text of a model file and a table, written from the definitions.

Nothing of the package computes them but the estimators that are fitted again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

from agathis import Kauri

ARITHMETIC = {
    "subtract": lambda x, by: x - by,
    "add": lambda x, by: x + by,
    "multiply": lambda x, by: x * by,
    "divide": lambda x, by: x / by,
    "at_least": np.fmax,
    "at_most": np.fmin,
}
#: Kernels with negative eigenvalues for some parameters: distances have no bound.
NOT_POSITIVE = ("polynomial", "sigmoid")
#: Of the fits for stability; a page grows trees with this search effort at most.
N_HALVES, EFFORT = 8, 1


def raw_rows(data: dict[str, Any], table: pd.DataFrame) -> np.ndarray:
    """Features in the order of the file: numbers, and 0 or 1 for each category."""
    home = {f: source for source, made in (data["one_hot"] or {}).items() for f in made}
    out = []
    for name in data["feature_names"]:
        if name not in home:
            out.append(table[name].to_numpy(dtype=float))
            continue
        column, made = table[home[name]], data["one_hot"][home[name]]
        missing = column.isna().to_numpy()
        category = made[name]
        if category is None:
            out.append(missing.astype(float))
            continue
        values = (column == category).to_numpy().astype(float)
        out.append(values if None in made.values() else np.where(missing, np.nan, values))
    return np.column_stack(out)


def encoded_rows(data: dict[str, Any], X: np.ndarray) -> np.ndarray:
    """Rows in the space of the fit."""
    out = []
    for column in data["preparation"]["columns"]:
        if "categories" in column:
            unknown, missing = (
                np.nan if column[key] is None else column[key] for key in ("unknown", "missing")
            )
            values = np.full(len(X), float(unknown))
            for feature, value in column["categories"]:
                values[X[:, feature] == 1] = value
            values[np.isnan(X[:, column["categories"][0][0]])] = missing
        else:
            values = X[:, column["feature"]]
            for operation, *rest in column["operations"]:
                gap = np.isnan(values)
                if operation == "log":
                    values = np.sign(values) * np.log1p(np.abs(values))
                elif operation == "rank":
                    values = np.interp(values, *rest)
                else:
                    values = ARITHMETIC[operation](values, rest[0])
                values = np.where(gap, np.nan, values)
        out.append(values)
    return np.column_stack(out)


def leaf_of(nodes: dict[str, Any], row: np.ndarray) -> list[int]:
    """The nodes on the way of a row, from the root to its leaf."""
    path = [0]
    while nodes["left"][path[-1]] is not None:
        node = path[-1]
        terms = (nodes["terms"] or {node: None})[node]
        if terms:
            value = sum(weight * row[f] for f, weight, *steps in terms)
        else:
            value = row[nodes["feature"][node]]
        left, right = nodes["left"][node], nodes["right"][node]
        if np.isnan(value):
            way = nodes["missing"][node]
            if way == "unseen":
                way = "left" if nodes["samples"][left] >= nodes["samples"][right] else "right"
            goes_left = way == "left"
        else:
            goes_left = value <= float(nodes["threshold"][node])
        path.append(left if goes_left else right)
    return path


def kernel_matrix(kernel: dict[str, Any], Z: np.ndarray) -> np.ndarray:
    """Kernel values by the formulas of scikit-learn's user guide."""
    name, dot, width = kernel["kernel"], Z @ Z.T, Z.shape[1]
    gamma = kernel["gamma"]
    if name == "linear":
        return dot
    if name == "cosine":
        length = np.sqrt(np.diag(dot))
        length[length == 0] = 1
        return dot / np.outer(length, length)
    if name == "rbf":
        return np.exp(-(1 / width if gamma is None else gamma) * cdist(Z, Z, "sqeuclidean"))
    if name == "laplacian":
        return np.exp(-(1 / width if gamma is None else gamma) * cdist(Z, Z, "cityblock"))
    if name == "polynomial":
        gamma = 1 / width if gamma is None else gamma
        return (gamma * dot + kernel["coef0"]) ** kernel["degree"]
    if name == "sigmoid":
        gamma = 1 / width if gamma is None else gamma
        return np.tanh(gamma * dot + kernel["coef0"])
    assert name == "chi2"
    apart, whole = Z[:, None] - Z[None], Z[:, None] + Z[None]
    parts = np.divide(apart**2, whole, out=np.zeros_like(apart), where=whole != 0)
    return np.exp(-(1.0 if gamma is None else gamma) * parts.sum(axis=2))


def space_of(kernel: dict[str, Any], points: np.ndarray) -> np.ndarray:
    """Coordinates with the distances of a kernel; the positive part of an indefinite one."""
    if kernel["kernel"] == "linear":
        return points - points.mean(axis=0)
    centring = np.eye(len(points)) - 1 / len(points)
    values, vectors = np.linalg.eigh(centring @ kernel_matrix(kernel, points) @ centring)
    positive = values > values.max() * 1e-10
    return vectors[:, positive] * np.sqrt(values[positive])


def cost(squared: np.ndarray, labels: np.ndarray) -> float:
    """Half the squared distances of all pairs in a cluster, over its size."""
    found = 0.0
    for k in np.unique(labels):
        own = np.flatnonzero(labels == k)
        found += squared[np.ix_(own, own)].sum() / (2 * len(own))
    return found


def silhouette(squared: np.ndarray, labels: np.ndarray) -> float:
    """The mean of (b - a) / max(a, b), 0 in clusters of one row."""
    distance, found = np.sqrt(squared), []
    for i, k in enumerate(labels):
        own = np.flatnonzero(labels == k)
        if len(own) == 1:
            found.append(0.0)
            continue
        a = distance[i, own].sum() / (len(own) - 1)
        b = min(distance[i, labels == other].mean() for other in np.unique(labels) if other != k)
        found.append((b - a) / max(a, b) if max(a, b) > 0 else 0.0)
    return float(np.mean(found))


def agreement(first: np.ndarray, second: np.ndarray) -> float:
    """The adjusted Rand index, pair by pair."""
    both = one = other = total = 0
    for i, j in combinations(range(len(first)), 2):
        a, b = first[i] == first[j], second[i] == second[j]
        both, one, other, total = both + (a and b), one + a, other + b, total + 1
    expected = one * other / total
    most = (one + other) / 2
    return 1.0 if most == expected else (both - expected) / (most - expected)


def estimator_of(data: dict[str, Any], **changes: Any) -> Kauri:
    """Kauri with the settings and the roles of the file, as a page grows it."""
    spec = data["spec"]
    params = {name: spec[name] for name in ("n_clusters", "engine", "max_features", "random_state")}
    for group in ("kernel", "constraints", "search", "approximation", "options"):
        params |= spec.get(group, {})
    # A page is the same every time: it has a seed where the model has none.
    if params["random_state"] is None:
        params["random_state"] = 0
    params["search_effort"] = min(params["search_effort"], EFFORT)
    if params["search"] == "optimal":
        params["search"] = "local"
    roles = data["roles"]
    if roles is not None:
        params["one_hot"] = roles["one_hot"]
        for mask in ("split", "kernel"):
            params[f"{mask}_features"] = np.flatnonzero(roles[mask]).tolist()
    return Kauri(**{**params, **changes}, n_jobs=1)


def costs_of_kmeans(space: np.ndarray, squared: np.ndarray, n_clusters: int) -> Iterator[float]:
    """Costs of scikit-learn's KMeans, summed over pairs of rows: of five starts, then of others.

    Where rows are at equal distances rounding decides which optimum a start leads to.
    """
    for n_init, seed in [(5, 0), *((1, seed) for seed in range(1, 200))]:
        model = KMeans(n_clusters, n_init=n_init, random_state=seed).fit(space)
        yield cost(squared, model.labels_)


def bound_of_partitions(space: np.ndarray, n_clusters: int) -> float:
    """A lower bound of the cost of any partition: the scatter off the first K - 1 components."""
    spectrum = np.linalg.svd(space - space.mean(axis=0), compute_uv=False) ** 2
    return float(spectrum[n_clusters - 1 :].sum())


def cost_of_best_tree(space: np.ndarray, values: np.ndarray, n_leaves: int) -> float:
    """The minimum cost of all trees with one leaf per cluster, by trying every split."""

    def cuts(rows: frozenset[int]) -> list[tuple[frozenset[int], frozenset[int]]]:
        own, out = sorted(rows), []
        for column in values.T:
            for threshold in np.unique(column[own])[:-1]:
                left = frozenset(i for i in own if column[i] <= threshold)
                out.append((left, rows - left))
        return out

    @cache
    def best(rows: frozenset[int], leaves: int) -> float:
        points = space[sorted(rows)]
        whole = float(((points - points.mean(axis=0)) ** 2).sum())
        if leaves == 1:
            return whole
        splits = [
            best(left, k) + best(right, leaves - k)
            for left, right in cuts(rows)
            for k in range(1, leaves)
        ]
        return min([whole, *splits])

    return best(frozenset(range(len(space))), n_leaves)


def more_leaves(
    data: dict[str, Any],
    encoded: np.ndarray,
    tree: Any,
    allowed: list[int],
    share: Callable[[np.ndarray], float],
) -> list[dict[str, Any]]:
    """Trees with these maximum numbers of leaves; a search starts from the tree before."""
    out, searched = [], data["spec"]["search"]["search"] != "greedy"
    for n in allowed:
        least = min(data["spec"]["constraints"]["min_samples_leaf"], 1 / (4 * n))
        grower = estimator_of(data, max_leaf_nodes=n, min_samples_leaf=least)
        start = {"start": tree} if searched and tree.n_leaves <= n else {}
        tree = grower.fit(encoded, **start).tree_
        out.append(
            {
                "allowed": n,
                "n_leaves": tree.n_leaves,
                "explained": share(tree.predict(encoded, 1)),
            }
        )
    return out


def quality(data: dict[str, Any], table: pd.DataFrame) -> dict[str, Any]:
    """How good the clusters are, with what is needed to recompute more."""
    X = raw_rows(data, table)
    Z = encoded_rows(data, X)
    paths = [leaf_of(data["nodes"], row) for row in X]
    labels = np.array([data["nodes"]["cluster"][path[-1]] for path in paths])
    roles = data["roles"] or dict.fromkeys(("split", "kernel"), np.ones(Z.shape[1], bool))
    points = np.where(np.isnan(Z), np.nanmean(Z, axis=0), Z)[:, np.array(roles["kernel"])]
    space = space_of(data["spec"]["kernel"], points)
    squared = cdist(space, space, "sqeuclidean")
    own, whole = cost(squared, labels), cost(squared, np.zeros(len(Z), int))

    def share(labels: np.ndarray) -> float:
        return 1 - cost(squared, labels) / whole

    found: dict[str, Any] = dict.fromkeys(("silhouette", "gap"))
    n_present = len(set(labels.tolist()))
    if n_present > 1:
        found["silhouette"] = silhouette(squared, labels)
        if data["spec"]["kernel"]["kernel"] not in NOT_POSITIVE and own > 1e-9 * whole:
            bound = bound_of_partitions(space, data["n_clusters"])
            n_leaves = data["nodes"]["left"].count(None)
            # Only splits at thresholds of known values are tried.
            if not data["one_hot"] and not np.isnan(Z).any() and n_leaves <= 4:
                values = Z[:, np.array(roles["split"])]
                bound = max(bound, cost_of_best_tree(space, values, n_leaves))
            found["gap"] = max(0.0, 1 - bound / own)
    random, agreements = np.random.default_rng(0), []
    for _ in range(N_HALVES):
        some = np.sort(random.choice(len(Z), len(Z) // 2, replace=False))
        tree = estimator_of(data).fit(Z[some]).tree_
        agreements.append(agreement(labels, tree.predict(Z, 1)))
    centred = np.linalg.svd(points - points.mean(axis=0), compute_uv=False) ** 2
    return {
        **found,
        "explained": share(labels),
        "cost": own,
        "total": whole,
        "kmeans_costs": costs_of_kmeans(space, squared, n_present) if n_present > 1 else (),
        "stability": (float(np.mean(agreements)), float(np.min(agreements))),
        "components": (centred / centred.sum())[:2],
        "labels": labels,
        "paths": paths,
        "raw": X,
        "share": share,
        "encoded": Z,
    }
