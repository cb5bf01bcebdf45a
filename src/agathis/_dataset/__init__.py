"""The data of a fit: rows, features, weights, and who holds them.

:mod:`~agathis._dataset.given` makes a dataset of what a user gives.
:mod:`~agathis._dataset.protocol` says what a fit asks of one, and
:mod:`~agathis._dataset.features` what its columns are to a search.

Engines with :mod:`~agathis._dataset.bins` take their sums from rows in
:mod:`~agathis._dataset.parts`, wherever these are; a part in this process has a store
(:mod:`~agathis._dataset.row_stores`). Sums are exact (:mod:`~agathis._dataset.grid`).
"""
