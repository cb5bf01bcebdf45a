"""A fitted model as one object, the same after a fit and after it was read from a file.

    estimator, pipeline, tree -> ``fitted_model`` (conversion) -> FittedModel (fitted_model)

It holds the tree over raw columns, the settings of the fit (spec), the computation of the fitted
columns from raw ones (encoding), and the facts about the table and the fit (facts). Exports, plots
and reports take a ``FittedModel``.
"""
