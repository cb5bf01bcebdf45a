"""A tree in original columns and units, and the plain data of every picture and page.

:mod:`~agathis._rules.described_tree` is the entry point: ``describe`` names the features of a tree,
and expresses its splits in raw columns (:mod:`~agathis._rules.preparation`).
:mod:`~agathis._rules.columns` has the meaning of each feature, a number, a code or a category;
:mod:`~agathis._rules.split_axes` the quantity that each split tests, and the text of its conditions
(:mod:`~agathis._rules.admissible_values`).
:mod:`~agathis._rules.boxes` covers the region of a cluster by few boxes,
:mod:`~agathis._rules.rules` converts them to the rules of all outputs, and
:mod:`~agathis._rules.titles` to short names of clusters.
:mod:`~agathis._rules.linear_terms` writes sums of columns in raw units,
:mod:`~agathis._rules.rounding` computes the shortest thresholds that rows allow,
:mod:`~agathis._rules.sum_rounding` the shortest sums
(:mod:`~agathis._rules.short_thresholds` applies them to a fitted tree),
:mod:`~agathis._rules.numerals` formats numbers, and
:mod:`~agathis._rules.rows_in_units` validates the rows of a described tree.

The data of pictures: :mod:`~agathis._rules.tree_layout` has the positions and labels of nodes,
:mod:`~agathis._rules.projection` rows in the plane, with leaves as rectangles
(:mod:`~agathis._rules.regions`), :mod:`~agathis._rules.profile` the means of each cluster,
:mod:`~agathis._rules.gain_curve` the gain of each split, and :mod:`~agathis._rules.colours` the
style of a cluster. :mod:`~agathis._rules.notebook` displays a fitted model in notebooks.
"""
