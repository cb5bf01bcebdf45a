"""The function :func:`evidence`: the same test for a fitted tree and its rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from agathis._checks import data as checks
from agathis._checks.roles import EncodedRows, FeatureRoles, roles_of
from agathis._encoding.table_encoder import TableEncoder
from agathis._evidence.repeats import RandomState, Repeats
from agathis._model.evidence import Evidence
from agathis._model.fitted_model import FittedModel
from agathis._trees.model import tree_of
from agathis._trees.tree import Tree


def evidence(
    model: BaseEstimator | Pipeline, X: Any, *, random_state: RandomState = None
) -> Evidence:
    """Test whether the rows are more than one group, and each split of a tree.

    The rows are halved at random, eleven times. One half is encoded and split by a greedy tree; the
    other half, which chose nothing, tests the rows at each split for more than one mode by
    Hartigan's dip test. A split of the model has the evidence of the splits of the halves that give
    the same groups.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted, with the linear kernel. After a :class:`TableEncoder` each half is encoded anew;
        other preprocessing is taken as it is.
    X : DataFrame or array-like of shape (n_samples, n_features)
        The rows that it was fitted to, as for its ``predict``. More than 10,000 are sampled.
    random_state : int, RandomState instance or None, default=None
        For the halves. Pass an int for reproducible results across calls.

    Returns
    -------
    evidence : Evidence
        ``pvalue`` of one group, and whether more are ``shown`` by it; ``splits`` with the p-value,
        the recurrence and the interval of the threshold of each split; ``distance`` and
        ``fraction``, how far apart or how large groups have to be to be seen.

    See Also
    --------
    suggest : The number of clusters that are shown.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from agathis import Kauri, evidence
    >>> X, _ = make_blobs(200, centers=[[0, 0], [9, 0]], random_state=0)
    >>> found = evidence(Kauri(2).fit(X), X, random_state=0)
    >>> found.shown, found.splits[0].recurrence
    (True, 1.0)
    """
    rows, tree = _rows_and_tree(model, X)
    return Repeats.of(rows, random_state).evidence(tree)


def _rows_and_tree(model: Any, X: Any) -> tuple[EncodedRows, Tree]:
    if isinstance(model, Pipeline):
        last = model[-1]
        if isinstance(model[0], TableEncoder) and len(model.steps) == 2:
            X = model[0].scaled(model[0].encode(X).X)
        else:
            X = model[:-1].transform(X)
        return _rows_and_tree(last, X)
    _check_kernel(model)
    if isinstance(model, FittedModel):
        return model.encode(X), model.tree_ if model.fitted_tree is None else model.fitted_tree
    tree = tree_of(model)
    if isinstance(X, EncodedRows):
        return X, tree
    table = checks.check_table(X, missing=True)
    roles = getattr(model, "roles_", None)
    if not isinstance(roles, FeatureRoles):
        roles = roles_of(X, n_features=table.shape[1])
    return EncodedRows.of(np.asarray(table), roles), tree


def _check_kernel(model: Any) -> None:
    spec = model.settings().kernel if isinstance(model, FittedModel) else model
    kernel = getattr(spec, "kernel", "linear")
    if kernel != "linear":
        raise ValueError(
            f"the model has kernel={kernel!r}; the evidence is of groups of kernel='linear'."
        )
