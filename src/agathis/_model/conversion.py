"""Convert an estimator, a pipeline, a tree or a renamed model to a ``FittedModel``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from agathis._checks.roles import FeatureRoles
from agathis._encoding.table_encoder import TableEncoder
from agathis._model.encoder import ModelEncoder
from agathis._model.encoding import Encoding, Unavailable, encoding_of
from agathis._model.facts import CentrePoints, FitMetrics, Provenance
from agathis._model.fitted_model import FittedModel
from agathis._model.spec import FitSpec
from agathis._rules.columns import date_parts_of, one_hot_of, value_names_of
from agathis._rules.described_tree import Described, describe
from agathis._trees.model import tree_of
from agathis._trees.tree import Tree

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from agathis._rules.described_tree import Names


def fitted_model(model: BaseEstimator | Pipeline | Tree, **names: Unpack[Names]) -> FittedModel:
    """Convert a fitted model to the object that model files store.

    Parameters
    ----------
    model : estimator, Pipeline or Tree
        As for :func:`agathis.export.to_text`.
    **names : optional
        As for :func:`agathis.export.to_text`. With a scaler, the tree takes unscaled rows.

    Returns
    -------
    model : FittedModel

    Examples
    --------
    >>> from agathis import Kauri
    >>> from agathis._model.conversion import fitted_model
    >>> fitted_model(Kauri(2).fit([[0.0], [1.25], [9.0]])).predict([[7.5]])
    array([1], dtype=int32)
    """
    return model_of(describe(model, **names), model, names.get("scaler"))


def model_of(described: Described, model: object, scaler: object) -> FittedModel:
    """Convert a model that is described already."""
    return FittedModel(
        described.tree,
        feature_names=described.features if described.named_features else None,
        cluster_names=described.clusters if described.named_clusters else None,
        one_hot=one_hot_of(described.features, described.columns) or None,
        value_names=value_names_of(described.columns) or None,
        date_parts=date_parts_of(described.features, described.columns) or None,
        takes_missing=described.takes_missing,
        rounded=described.shortened,
        **_of_fit(described, model, scaler),
    )


def _of_fit(described: Described, model: object, scaler: object) -> dict[str, Any]:
    """Collect the settings, preparation, scores and provenance of the fit."""
    fitted = described.model
    encoding = _encoding(described, model, scaler)
    tree = tree_of(fitted) if isinstance(encoding, Encoding) else None
    if isinstance(fitted, Tree):
        of_tree = {"preparation": encoding, "fitted_tree": tree, "provenance": _provenance(model)}
        return {**of_tree, "spec": Unavailable("a tree does not store them")}
    if isinstance(fitted, FittedModel):
        of_fit = {
            name: getattr(fitted, name)
            for name in (
                "method",
                "spec",
                "roles",
                "centres",
                "fit_metrics",
                "provenance",
                "evidence",
                "agreement",
            )
        }
        if described.preparation is None:
            tree = fitted.fitted_tree
        return {**of_fit, "preparation": encoding, "fitted_tree": tree}
    roles = getattr(fitted, "roles_", None)
    return {
        "method": type(fitted).__name__,
        "spec": _spec(fitted),
        "preparation": encoding,
        "fitted_tree": tree,
        "roles": None if not isinstance(roles, FeatureRoles) or roles.is_plain else roles,
        "centres": CentrePoints.of(fitted),
        "fit_metrics": FitMetrics.of(fitted),
        "provenance": _provenance(model),
        "evidence": getattr(model, "evidence_", None),
    }


def _spec(estimator: BaseEstimator) -> FitSpec | Unavailable:
    try:
        return FitSpec.of(estimator)
    except (TypeError, ValueError) as error:
        return Unavailable(str(error).rstrip("."))


def _encoding(described: Described, model: object, scaler: object) -> Encoding | Unavailable | None:
    fitted, prepared = described.model, described.preparation
    of_model = fitted.preparation if isinstance(fitted, FittedModel) else None
    if prepared is None:
        if isinstance(fitted, Tree):
            return Unavailable("a tree does not store how its rows were scaled")
        return of_model
    if of_model is not None:
        return Unavailable("both the model and the pipeline around it transform the rows")
    if isinstance(model, Pipeline) and len(model.steps) == 2:
        first = model.steps[0][1]
        if isinstance(first, ModelEncoder):
            return first.model.preparation
    before = model[:-1] if isinstance(model, Pipeline) else scaler
    steps = before.steps if isinstance(before, Pipeline) else [("", before)]
    return encoding_of(prepared, ", then ".join(type(step).__name__ for _, step in steps))


def _provenance(model: object) -> Provenance | None:
    """The provenance of the table that a pipeline was fitted to."""
    provenance = getattr(model, "provenance_", None)
    if isinstance(provenance, Provenance):
        return provenance
    first = model.steps[0][1] if isinstance(model, Pipeline) else None
    return Provenance.of_encoder(first) if isinstance(first, TableEncoder) else None
