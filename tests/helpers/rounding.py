"""Models whose thresholds have as few digits as some rows allow."""

from agathis._model.conversion import fitted_model
from agathis._model.fitted_model import FittedModel
from agathis._rules.columns import Indicator
from agathis._rules.described_tree import describe
from agathis._rules.rounding import rounded
from agathis._rules.rows_in_units import table_of


def rounded_model(model, X, **names) -> FittedModel:
    """The model with the shortest thresholds that send every row of X the same way."""
    described = describe(model, **names)
    binary = [f for f, column in enumerate(described.columns) if isinstance(column, Indicator)]
    tree = rounded(described.tree, table_of(described, X, missing=True), but=binary)
    params = fitted_model(model, **names).get_params(deep=False)
    return FittedModel(**{**params, "tree": tree, "rounded": True})
