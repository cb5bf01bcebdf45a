"""The data of a fit: rows, features and weights.

:mod:`~agathis._dataset.fit_input` converts user input into a dataset,
:mod:`~agathis._dataset.protocol` defines the interface, and :mod:`~agathis._dataset.features` the
roles of columns.

The binned engine (:mod:`~agathis._dataset.bins`) sums the rows of partitions
(:mod:`~agathis._dataset.parts`), read from a store (:mod:`~agathis._dataset.row_stores`). Sums are
exact (:mod:`~agathis._dataset.fixed_point`).
"""
