"""A tree in a reader's words and units, and the plain data of every picture and page.

:mod:`~agathis._describe.described_tree` is the door: ``describe`` gives a tree its names, and
brings its cuts back to raw columns (:mod:`~agathis._describe.preparation`).
:mod:`~agathis._describe.columns` knows what each feature is, a number, a code or a category;
:mod:`~agathis._describe.axes` what each split asks for, a number, a source of categories or a sum,
and the words for its answers (:mod:`~agathis._describe.allowed`).
:mod:`~agathis._describe.boxes` finds few boxes for the region of a cluster,
:mod:`~agathis._describe.rules` makes of them all rules that the package tells, and
:mod:`~agathis._describe.titles` a short name for each cluster.
:mod:`~agathis._describe.sums` says sums of columns in raw units,
:mod:`~agathis._describe.rounding` finds the shortest thresholds that rows allow, and
:mod:`~agathis._describe.sum_rounding` the shortest sums
(:mod:`~agathis._describe.short_thresholds` gives them to the tree of a fit),
:mod:`~agathis._describe.numerals` writes numbers, and
:mod:`~agathis._describe.rows_in_units` checks the rows that a described tree takes.

What is drawn, without drawing: :mod:`~agathis._describe.layout` is where nodes stand and what is
written on them, :mod:`~agathis._describe.points` rows in the plane, with leaves as rectangles
(:mod:`~agathis._describe.regions`), :mod:`~agathis._describe.profile` what is different about each
cluster, :mod:`~agathis._describe.gains` what each split was worth, and
:mod:`~agathis._describe.colours` the look of a cluster.

:mod:`~agathis._describe.notebook` is what a notebook shows of a fitted model.

``export`` writes this down in other languages, ``plot`` draws it, ``report`` makes pages of it, and
``metrics`` counts in it.
"""
