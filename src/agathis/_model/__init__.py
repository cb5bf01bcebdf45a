"""A fitted model as one object, the same after a fit and after it was read from a file.

    estimator, pipeline, tree -> ``fitted_model`` (conversion) -> FittedModel (fitted_model)

It has the tree over raw columns, the spec it was fitted with (spec), how fitted columns come from
raw ones (encoding), and what is known of the table and of the fit (facts). Exports, plots and
reports describe a ``FittedModel``.
"""
