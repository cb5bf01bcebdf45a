"""Export a tree to ONNX, through a decision tree of scikit-learn."""

from __future__ import annotations

import json
import os
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.tree import DecisionTreeClassifier

from agathis._rules.described_tree import Described, describe
from agathis._trees.tree import Tree
from agathis._utils.extras import needed
from agathis._utils.files import write_atomic
from agathis.export._onnx_sums import SumColumns
from agathis.export._sklearn import classifier_of


@overload
def to_onnx(
    model: BaseEstimator | Tree,
    path: None = None,
    *,
    X: ArrayLike | None = None,
    scaler: object = None,
) -> bytes: ...
@overload
def to_onnx(
    model: BaseEstimator | Tree,
    path: str | os.PathLike[str],
    *,
    X: ArrayLike | None = None,
    scaler: object = None,
) -> None: ...
def to_onnx(
    model: BaseEstimator | Tree,
    path: str | os.PathLike[str] | None = None,
    *,
    X: ArrayLike | None = None,
    scaler: object = None,
) -> bytes | None:
    """Export a tree to an ONNX model, which runs without Python.

    Its input ``X`` is rows of float32; its outputs are ``label``, the clusters, and
    ``probabilities``. As in :func:`agathis.export.to_sklearn`, rows closer to a threshold than the
    precision of float32 may change sides. Sums of two columns are computed from these rows in
    float64, as in ``predict``. If the model has feature names, they are stored in the metadata as
    JSON, ``feature_names``. Requires skl2onnx: ``pip install "agathis[onnx]"``.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        As for :func:`agathis.export.to_text`.
    path : str or PathLike, optional
        The file to write. By default the bytes are returned.
    X : array-like of shape (n_samples, n_features), optional
        Rows whose clusters must be reproduced, as for :func:`agathis.export.to_sklearn`.
    scaler : fitted scaler or Pipeline of scalers, optional
        As for :func:`agathis.export.to_text`: the model then takes unscaled rows.

    Returns
    -------
    data : bytes or None

    Examples
    --------
    >>> from agathis import Kauri
    >>> from agathis.export import to_onnx
    >>> data = to_onnx(Kauri(2).fit([[0.0], [1.0], [9.0]]))  # doctest: +SKIP
    """
    convert = needed("skl2onnx", "onnx", "to_onnx").to_onnx
    types = needed("skl2onnx.common.data_types", "onnx", "to_onnx")
    described = describe(model, scaler=scaler)
    if described.sums:
        plan = SumColumns.of(described, X)
        classifier = classifier_of(plan.described, None if X is None else plan.rows(X))
    else:
        plan, classifier = None, classifier_of(described, X)
    classifier.classes_ = np.arange(len(classifier.classes_))
    model_proto = convert(
        classifier,
        initial_types=[("X", types.FloatTensorType([None, classifier.n_features_in_]))],
        options={"zipmap": False},
    )
    _route_missing(model_proto, classifier)
    _add_names(model_proto, described)
    if plan is not None:
        plan.put_before(model_proto)
    data: bytes = model_proto.SerializeToString()
    if path is None:
        return data
    write_atomic(path, data)
    return None


def _add_names(model_proto: Any, described: Described) -> None:
    """Store the names of the features, and the categories, in the metadata."""
    metadata = {
        "feature_names": described.features if described.named_features else None,
        "one_hot": getattr(described.model, "one_hot_", None),
    }
    for key, value in metadata.items():
        if value is not None:
            model_proto.metadata_props.add(key=key, value=json.dumps(value))


def _route_missing(model_proto: Any, classifier: DecisionTreeClassifier) -> None:
    """Set the direction of missing values at each node, which skl2onnx may omit."""
    from onnx import helper

    name = "nodes_missing_value_tracks_true"
    for node in model_proto.graph.node:
        if node.op_type != "TreeEnsembleClassifier":
            continue
        given = {attribute.name: attribute for attribute in node.attribute}
        # A node is "true" where a row goes left.
        left = classifier.tree_.missing_go_to_left
        values = [int(left[i]) for i in given["nodes_nodeids"].ints]
        if name in given:
            node.attribute.remove(given[name])
        node.attribute.append(helper.make_attribute(name, values))
