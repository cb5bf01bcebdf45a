"""Improve a fitted tree by local search."""

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
    """Improve the tree of a fitted model by local search.

    Parameters
    ----------
    model : fitted estimator of the package, FittedModel, Tree, or Pipeline that ends with one
        Kauri, one of :mod:`agathis.baselines`, or a model loaded by
        :func:`agathis.export.from_json`, which keeps its settings and encoding. It is not changed.
        A ``Tree`` is improved for the linear kernel.
    X : array-like of shape (n_samples, n_features)
        The training rows; for a pipeline, the raw table.
    search_effort : float, default=1
        The effort of the search, see :class:`agathis.Kauri`.
    gram : array-like of shape (n_samples, n_samples), optional
        The kernel matrix, if the model's kernel is precomputed.
    sample_weight : array-like of shape (n_samples,), optional
    n_jobs : int, optional
        The number of threads; None uses all cores.
    random_state : int, RandomState instance or None, default=None
        Seed of the search. Pass an int for reproducible results.

    Returns
    -------
    better : Kauri, or Pipeline with the same steps before it, or the encoding of a FittedModel
        Fitted, with at most as many clusters and leaves as the model, and at most its cost.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> from agathis import refine
    >>> from agathis.baselines import IMM
    >>> X = minmax_scale(load_wine().data)
    >>> model = IMM(3, random_state=0).fit(X)
    >>> better = refine(model, X, random_state=0)
    >>> bool(better.inertia_ < model.inertia_), better.n_leaves_ <= model.n_leaves_
    (True, True)
    """
    if isinstance(model, Pipeline):
        *before, (_, last) = model.steps
        better = refine(
            last,
            model[:-1].transform(X) if before else X,
            search_effort=search_effort,
            gram=gram,
            sample_weight=sample_weight,
            n_jobs=n_jobs,
            random_state=random_state,
        )
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
    if encoder is not None:
        # The model may be a file from anywhere, which must not decide how long a search takes.
        better.set_params(n_init=None)
    better.fit(X, gram=gram, sample_weight=sample_weight, start=tree)
    if encoder is None:
        return better
    return cast(Kauri, Pipeline([("encoder", encoder), ("kauri", better)]))
