"""Metrics of labels: costs and distances in a kernel's feature space, agreement with classes.

The labels may come from any method. Where phi maps rows to the feature space, sigma(A x B) is the
sum of kernel values over pairs from A and B, and C_1, ..., C_K are the clusters of n rows (or of
total weight n), all metrics relate to Kauri's objective L = sum_k sigma(C_k^2) / |C_k|:

    cost               = sum_i kappa(x_i, x_i) - L
    squared GEMINI OvA = L / n - sigma(D^2) / n^2,  D being all rows
    squared GEMINI OvO = 2 * squared GEMINI OvA
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from agathis._checks import data as checks
from agathis._checks.metrics import CheckedRows, check_labels, check_rows
from agathis._checks.parameters import METRIC_CONSTRAINTS
from agathis._objective.cost import ROUNDING, kernel_cost
from agathis._objective.objective import between_kernel_sums, kernel_blocks, membership
from agathis._trees.model import tree_of
from agathis._trees.tree import Tree


def kernel_kmeans_score(
    X: ArrayLike,
    labels: ArrayLike,
    kernel: str | Callable[..., float] = "linear",
    *,
    sample_weight: ArrayLike | None = None,
    **params: Any,
) -> float:
    """Kernel KMeans cost of a clustering; lower is better.

    It is the sum of squared distances of the rows to the mean of their cluster in the kernel's
    feature space. Equivalently it is the sum over clusters of all squared distances between two
    of their rows, over twice their size; or the trace of the kernel less Kauri's objective.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        The rows or, with ``kernel="precomputed"``, their kernel matrix.
    labels : array-like of shape (n_samples,)
        The cluster of each row, integers or strings.
    kernel : str or callable, default="linear"
        As in :class:`agathis.Kauri`. With the linear kernel the cost is the inertia of KMeans.
    sample_weight : array-like of shape (n_samples,), optional
        A weight of 2 equals having the row twice.
    **params : dict
        ``gamma``, ``degree`` and ``coef0`` of the kernel, or arguments of a callable one.

    Returns
    -------
    cost : float
        Not negative, unless the kernel is not positive.

    Examples
    --------
    >>> from agathis.metrics import kernel_kmeans_score
    >>> X = [[0.0], [2.0], [10.0], [10.0]]
    >>> kernel_kmeans_score(X, ["low", "low", "high", "high"])
    2.0
    >>> round(kernel_kmeans_score(X, [0, 0, 1, 1], kernel="rbf", gamma=0.5), 4)
    0.8647
    """
    rows = check_rows(X, kernel, params, "kernel_kmeans_score")
    codes = check_labels(labels, n=len(rows.X))
    return _cost(rows, codes, checks.check_sample_weight(sample_weight, len(rows.X)))


def relative_kmeans_score(
    X: ArrayLike,
    labels: ArrayLike | BaseEstimator | Tree,
    kernel: str | Callable[..., float] = "linear",
    *,
    n_clusters: int | None = None,
    reference: str | float = "same",
    n_init: int = 10,
    sample_weight: ArrayLike | None = None,
    random_state: int | np.random.RandomState | None = None,
    **params: Any,
) -> float:
    """Kernel KMeans cost of a clustering over that of kernel KMeans; lower is better.

    Clusters as good as those of kernel KMeans have 1. As KMeans is a heuristic, better clusters
    can have less.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        The rows or, with ``kernel="precomputed"``, their kernel matrix.
    labels : array-like of shape (n_samples,), estimator or Tree
        The cluster of each row, integers or strings; or a model that predicts them from X, which
        a kernel matrix does not allow. Costs are those of rows as the estimator takes them: with a
        pipeline X is the raw table, and costs are those of its transformed rows.
    kernel : str or callable, default="linear"
        The kernel of both costs, as in :class:`agathis.Kauri`. It is not taken from an estimator,
        so that models are compared with the same kernel.
    n_clusters : int, optional
        The number of clusters of kernel KMeans. By default as many as X has by ``labels``.
    reference : "same" or float, default="same"
        The cost to divide by: ``"same"`` is that of :class:`agathis.KernelKMeans` on the same
        rows; a number is a known cost, such as the minimum of many runs.
    n_init : int, default=10
        The number of initialisations of kernel KMeans, of which the best is used.
    random_state : int, RandomState instance or None, default=None
        For kernel KMeans.
    sample_weight, **params
        As for :func:`kernel_kmeans_score`.

    Returns
    -------
    ratio : float
        If the reference cost is 0, it is 1 for a cost of 0 and infinite for any other. A cost
        within the rounding error of its terms counts as 0.

    Examples
    --------
    >>> from agathis import Kauri
    >>> from agathis.metrics import relative_kmeans_score
    >>> X = [[0.0], [2.0], [10.0], [12.0]]
    >>> relative_kmeans_score(X, [0, 0, 0, 1], reference=4.0)
    14.0
    >>> relative_kmeans_score(X, Kauri(n_clusters=2).fit(X), reference=4.0)
    1.0
    """
    name = "relative_kmeans_score"
    checks.check_arguments(
        name,
        METRIC_CONSTRAINTS,
        n_clusters=n_clusters,
        reference=reference,
        n_init=n_init,
        random_state=random_state,
    )
    if isinstance(labels, Pipeline) and kernel != "precomputed" and len(labels.steps) > 1:
        # Distances are those of the rows that the model was fitted on.
        X, labels = labels[:-1].transform(X), labels[-1]
    rows = check_rows(X, kernel, params, name)
    codes = check_labels(_predicted(X, labels, kernel), n=len(rows.X))
    weight = checks.check_sample_weight(sample_weight, len(rows.X))
    cost = _cost(rows, codes, weight)
    rounding = rounding_of(rows, weight)
    if reference == "same":
        if n_clusters is None:
            n_clusters = len(np.unique(codes if weight is None else codes[weight > 0]))
        given = {"kernel_params": params} if callable(kernel) else params
        reference = _reference(
            rows,
            weight,
            n_clusters,
            kernel=kernel,
            n_init=n_init,
            random_state=random_state,
            **given,
        )
    return relative(cost, float(reference), rounding)


def relative(cost: float, reference: float, rounding: float) -> float:
    """Divide costs; a cost within rounding error is 0, and 0 / 0 is 1."""
    cost, reference = (0.0 if abs(value) <= rounding else value for value in (cost, reference))
    if reference < 0:
        raise ValueError(
            f"the cost of kernel KMeans is {reference:.6g}: the kernel is not positive, and costs "
            "have no ratio."
        )
    if reference == 0:
        return 1.0 if cost == 0 else float("inf")
    return cost / reference


def unsupervised_accuracy(
    y_true: ArrayLike, labels: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Fraction of rows whose cluster is matched with their class; higher is better.

    Each cluster is matched with at most one class and each class with at most one cluster, so that
    the number of matched rows is maximal (the Hungarian method). Their numbers may differ.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The class of each row, integers or strings.
    labels : array-like of shape (n_samples,)
        The cluster of each row, integers or strings.
    sample_weight : array-like of shape (n_samples,), optional

    Returns
    -------
    accuracy : float
        Above 0, at most 1.

    Examples
    --------
    >>> from agathis.metrics import unsupervised_accuracy
    >>> unsupervised_accuracy(["a", "a", "b", "b"], [1, 1, 0, 1])
    0.75
    """
    from scipy.optimize import linear_sum_assignment

    classes = check_labels(y_true, "y_true")
    clusters = check_labels(labels, n=len(classes), of="y_true")
    weight = checks.check_sample_weight(sample_weight, len(classes))
    shape = classes.max() + 1, clusters.max() + 1
    both = np.ravel_multi_index((classes, clusters), shape)
    table = np.bincount(both, weight, minlength=shape[0] * shape[1]).reshape(shape)
    matched = table[linear_sum_assignment(table, maximize=True)].sum()
    return float(min(1.0, matched / table.sum()))


def mmd_gemini(
    X: ArrayLike,
    labels: ArrayLike,
    kernel: str | Callable[..., float] = "linear",
    mode: str = "ova",
    *,
    squared: bool = True,
    sample_weight: ArrayLike | None = None,
    **params: Any,
) -> float:
    """MMD-GEMINI of a hard clustering, a distance between clusters; higher is better.

    The maximum mean discrepancy (MMD) of two groups of rows is the distance between their means
    in the kernel's feature space. ``"ova"`` (one versus all) is its expected value between a
    cluster and all rows, ``"ovo"`` (one versus one) between two clusters; clusters are sampled
    with probabilities proportional to their sizes, in ``"ovo"`` independently, so that both may be
    the same.

    Squared, OvO is twice OvA, and OvA is ``L / n - sigma(D^2) / n^2``, L being Kauri's objective,
    n the weight of all rows and sigma(D^2) the sum of the kernel matrix: to maximise any of them
    is to minimise :func:`kernel_kmeans_score`, whose value over n is that with one cluster less
    OvA. None of this holds without squares.

    Parameters
    ----------
    X, labels, kernel, sample_weight, **params
        As for :func:`kernel_kmeans_score`.
    mode : {"ova", "ovo"}, default="ova"
    squared : bool, default=True
        Whether the expected value is of the squared MMD, as in the Kauri paper, or of the MMD,
        which GEMINI was first defined with. A kernel that is not positive may make a squared MMD
        negative; its MMD counts as 0.

    Returns
    -------
    gemini : float

    References
    ----------
    Louis Ohl, Pierre-Alexandre Mattei, Charles Bouveyron, Warith Harchaoui, Mickaël Leclercq,
    Arnaud Droit, Frédéric Precioso. "Generalised mutual information for discriminative
    clustering", 2022.

    Examples
    --------
    >>> from agathis.metrics import mmd_gemini
    >>> X = [[0.0], [2.0], [10.0], [12.0]]
    >>> mmd_gemini(X, [0, 0, 1, 1]), mmd_gemini(X, [0, 0, 1, 1], mode="ovo")
    (25.0, 50.0)
    >>> mmd_gemini(X, [0, 0, 1, 1], squared=False)
    5.0
    """
    checks.check_arguments("mmd_gemini", METRIC_CONSTRAINTS, mode=mode, squared=squared)
    rows = check_rows(X, kernel, params, "mmd_gemini")
    codes = check_labels(labels, n=len(rows.X))
    weight = checks.check_sample_weight(sample_weight, len(rows.X))
    size = np.bincount(codes, weight)
    share = size / size.sum()
    counted = np.ones(len(codes)) if weight is None else weight
    # One column for the distribution of each cluster, and a last one for that of all rows.
    member = membership(codes, len(size), counted)[:, size > 0]
    member = np.column_stack([member, counted])
    apart = _squared_distances(rows, member / member.sum(axis=0))
    share = share[size > 0]
    if rows.kernel.is_positive or not squared:
        apart = np.maximum(apart, 0.0)
    if not squared:
        apart = np.sqrt(apart)
    return float(share @ apart[:-1, -1] if mode == "ova" else share @ apart[:-1, :-1] @ share)


def _predicted(
    X: ArrayLike, labels: ArrayLike | BaseEstimator | Tree, kernel: str | Callable[..., float]
) -> ArrayLike:
    """Return the labels, predicted if a model is given."""
    if not isinstance(labels, Tree) and not isinstance(labels, BaseEstimator):
        return labels
    if kernel == "precomputed":
        raise ValueError(
            "labels must be the labels themselves with kernel='precomputed': X is then a kernel "
            f"matrix, from which {type(labels).__name__} cannot predict."
        )
    if isinstance(labels, Tree):
        return labels.predict(checks.check_table(X), checks.n_threads(None))
    if hasattr(labels, "named_steps") or not hasattr(labels, "predict"):
        tree_of(labels)  # raises an informative error
    return labels.predict(X)


def _reference(
    rows: CheckedRows, weight: np.ndarray | None, n_clusters: int, **settings: Any
) -> float:
    """Compute the cost of kernel KMeans on the rows."""
    from agathis._kernel_kmeans import KernelKMeans

    # With a kernel matrix, the values of the rows are not used.
    X = rows.X if rows.matrix is None else np.zeros((len(rows.matrix), 1))
    gram = {} if rows.matrix is None else {"gram": rows.matrix}
    model = KernelKMeans(n_clusters, **settings).fit(X, **gram, sample_weight=weight)
    return float(model.inertia_)


def _cost(rows: CheckedRows, codes: np.ndarray, weight: np.ndarray | None) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        cost = kernel_cost(rows.kernel, rows.X, codes, weight, rows.threads, rows.matrix)
    _check_finite(cost, rows)
    return max(cost, 0.0) if rows.kernel.is_positive else cost


def _check_finite(values: float | np.ndarray, rows: CheckedRows) -> None:
    if not np.isfinite(values).all():
        raise ValueError(f"X is too large: sums of its values with {rows.kernel} are not finite.")


def rounding_of(rows: CheckedRows, weight: np.ndarray | None) -> float:
    """Return the cost below which it cannot be distinguished from 0."""
    X, kernel = rows.X, rows.kernel
    if rows.matrix is not None:
        diagonal = np.diagonal(rows.matrix).astype(np.float64)
    else:
        diagonal = kernel.diagonal(X - kernel.origin(X))
    trace = float(np.abs(diagonal).sum() if weight is None else weight @ np.abs(diagonal))
    # Distances of points are squares of differences, those of a kernel differences of squares.
    points = rows.matrix is None and kernel.has_features
    return trace * (len(X) * np.finfo(np.float64).eps ** 2 if points else ROUNDING)


def _squared_distances(rows: CheckedRows, share: np.ndarray) -> np.ndarray:
    """Compute squared distances between means of groups; columns of ``share`` sum to 1."""
    X, kernel = rows.X, rows.kernel
    with np.errstate(over="ignore", invalid="ignore"):
        if rows.matrix is None and kernel.has_features:
            points = kernel.features(X)
            means = share.T @ (points - kernel.origin(points))
            apart = cdist(means, means, "sqeuclidean")
        else:
            kernel_sum = between_kernel_sums(
                kernel_blocks(kernel, X, rows.threads, rows.matrix), share
            )
            norm = np.diagonal(kernel_sum)
            apart = norm[:, None] + norm[None, :] - 2.0 * kernel_sum
    _check_finite(apart, rows)
    np.fill_diagonal(apart, 0.0)
    return apart
