"""Scores of a fit, for comparisons and the paper's experiments."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from sklearn.metrics import adjusted_rand_score

from agathis._checks.metrics import check_labels
from agathis._kernels.kernel import Kernel
from agathis._objective.cost import kernel_cost
from agathis.metrics import weighted_average_depth, weighted_average_explanation_size

Model = TypeVar("Model")


def timed(fit: Callable[[], Model]) -> tuple[Model, float]:
    """The fitted model and the seconds of its fit."""
    started = time.perf_counter()
    model = fit()
    return model, time.perf_counter() - started


def measure_fit(
    fit: Callable[[], Any],
    X: np.ndarray,
    y: np.ndarray | None,
    kernel: Kernel,
    gram: np.ndarray | None = None,
) -> dict[str, Any]:
    """Fit and evaluate a model.

    Parameters
    ----------
    fit : callable
        Returns a model fitted to ``X``, with ``labels_`` and ``tree_``.
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,) or None
        The true classes, if known.
    kernel : Kernel
        The kernel of the cost.
    gram : ndarray of shape (n_samples, n_samples), optional
        The kernel matrix, if precomputed.

    Returns
    -------
    scores : dict
        ``ari`` (None without classes), ``wad``, ``waes``, ``leaves``, ``clusters``, the kernel
        KMeans ``cost``, and the ``seconds`` of the fit.
    """
    model, seconds = timed(fit)
    if getattr(model, "search_interrupted_", False):
        # The search stopped early with its best tree, which must not enter a comparison.
        raise KeyboardInterrupt
    labels = check_labels(model.labels_, "labels_", len(X))
    return {
        "ari": None if y is None else adjusted_rand_score(y, labels),
        "wad": weighted_average_depth(model, X),
        "waes": weighted_average_explanation_size(model, X),
        "leaves": model.tree_.n_leaves,
        "clusters": len(np.unique(labels)),
        "cost": kernel_cost(kernel, X, labels, None, 1, gram),
        "seconds": seconds,
    }
