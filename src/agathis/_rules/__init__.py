"""A tree in a reader's words and units, and the plain data of every picture and page.

:mod:`~agathis._rules.described_tree` is the door: ``describe`` gives a tree its names, and
brings its cuts back to raw columns (:mod:`~agathis._rules.preparation`).
:mod:`~agathis._rules.columns` knows what each feature is, a number, a code or a category;
:mod:`~agathis._rules.split_axes` what each split asks for, a number, a source of categories or a
sum, and the words for its answers (:mod:`~agathis._rules.admissible_values`).
:mod:`~agathis._rules.boxes` finds few boxes for the region of a cluster,
:mod:`~agathis._rules.rules` makes of them all rules that the package tells, and
:mod:`~agathis._rules.titles` a short name for each cluster.
:mod:`~agathis._rules.linear_terms` says sums of columns in raw units,
:mod:`~agathis._rules.rounding` finds the shortest thresholds that rows allow, and
:mod:`~agathis._rules.sum_rounding` the shortest sums
(:mod:`~agathis._rules.short_thresholds` gives them to the tree of a fit),
:mod:`~agathis._rules.numerals` writes numbers, and
:mod:`~agathis._rules.rows_in_units` checks the rows that a described tree takes.

What is drawn, without drawing: :mod:`~agathis._rules.tree_layout` is where nodes stand and what is
written on them, :mod:`~agathis._rules.points` rows in the plane, with leaves as rectangles
(:mod:`~agathis._rules.regions`), :mod:`~agathis._rules.profile` what is different about each
cluster, :mod:`~agathis._rules.gain_curve` what each split was worth, and
:mod:`~agathis._rules.colours` the look of a cluster.

:mod:`~agathis._rules.notebook` is what a notebook shows of a fitted model.

``export`` writes this down in other languages, ``plot`` draws it, ``report`` makes pages of it, and
``metrics`` counts in it.
"""
