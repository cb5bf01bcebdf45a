"""The steps before a tree undone: its cuts as cuts of the columns of the raw table.

    steps -> lines (known_steps), one a feature of the tree -> sources and raw features
    (raw_columns) -> cuts in raw values (raw_cuts) -> a tree over raw features

A *line* is the way of one raw column through the steps, and a *link* one step of it (links); all
of them together are a :class:`~agathis._describe.preparation.preparation.Preparation`. A feature of
the tree that is made of a number by steps that keep the order is cut where the raw number is cut:
bisection finds where, with the arithmetic of the steps themselves. One that is made of categories
has a value for each of them, so that a cut parts the categories. A cut of a sum of columns keeps
what the steps compute, operation by operation (arithmetic).
"""
