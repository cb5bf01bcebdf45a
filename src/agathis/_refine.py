"""A better tree than the one that is there, whoever grew it."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from agathis._kauri import Kauri
from agathis._model.encoder import ModelEncoder
from agathis._model.fitted_model import FittedModel
from agathis._model.spec import FitSpec
from agathis._trees.model import tree_of
from agathis._trees.tree import Tree


def refine(
    model: BaseEstimator | Tree,
    X: Any,
    *,
    search_effort: float = 1,
    gram: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> Kauri:
    """Search a better tree, beginning with that of a fitted model.

    Parameters
    ----------
    model : fitted estimator of the package, FittedModel, Tree, or Pipeline that ends with one
        Kauri, one of :mod:`agathis.rivals`, or what :func:`agathis.export.from_json` gave, which
        is searched by the settings and in the space of its fit. It stays as it is. A tree alone
        is judged by the linear kernel.
    X : array-like of shape (n_samples, n_features)
        The rows that it was fitted with; of a pipeline, its raw table.
    search_effort : float, default=1
        How long to search: see :class:`agathis.Kauri`.
    gram : array-like of shape (n_samples, n_samples), optional
        The kernel matrix, where the model's kernel is precomputed.
    sample_weight : array-like of shape (n_samples,), optional
    n_jobs : int, optional
        Threads; by default as many as cores.
    random_state : int, RandomState instance or None, default=None
        Draws what the search tries. Pass an int for the same tree in every call; ``None`` draws
        from NumPy's global random state.

    Returns
    -------
    better : Kauri, or Pipeline with the same steps before it, or the encoding of a FittedModel
        Fitted, with no more clusters and leaves than the model, and no higher cost.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> from agathis import refine
    >>> from agathis.rivals import IMM
    >>> X = minmax_scale(load_wine().data)
    >>> model = IMM(3, random_state=0).fit(X)
    >>> better = refine(model, X, random_state=0)
    >>> bool(better.inertia_ < model.inertia_), better.n_leaves_ <= model.n_leaves_
    (True, True)
    """
    if isinstance(model, Pipeline):
        options: dict[str, Any] = {
            "search_effort": search_effort,
            "gram": gram,
            "sample_weight": sample_weight,
        }
        options |= {"n_jobs": n_jobs, "random_state": random_state}
        *before, (_, last) = model.steps
        better = refine(last, model[:-1].transform(X) if before else X, **options)
        return cast(Kauri, Pipeline([*before, ("kauri", better)]))
    encoder = None
    if isinstance(model, FittedModel):
        encoder = ModelEncoder(model)
        X, tree = encoder.transform(X), model.fitted_tree or model.tree_
        model = model.settings().to_estimator()
    else:
        tree = tree_of(model)
    better = Kauri()
    if isinstance(model, Kauri):
        better.set_params(**model.get_params(deep=False))
    elif not isinstance(model, Tree):
        better.set_params(**vars(FitSpec.of(model).kernel))
    better.set_params(
        n_clusters=tree.n_clusters,
        max_leaf_nodes=max(2, tree.n_leaves),
        search="local",
        search_effort=search_effort,
        n_jobs=n_jobs,
        random_state=random_state,
    )
    better.fit(X, gram=gram, sample_weight=sample_weight, start=tree)
    if encoder is None:
        return better
    return cast(Kauri, Pipeline([("encoder", encoder), ("kauri", better)]))
