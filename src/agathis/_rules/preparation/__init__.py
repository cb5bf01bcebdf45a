"""Express the splits of a tree in raw columns, through the steps before it.

    steps -> lines (known_steps), one per feature of the tree -> sources and raw features
    (raw_columns) -> raw thresholds (raw_splits) -> a tree over raw features

A *line* is the sequence of steps from a raw column to a feature, and a *link* one step of it
(links); all of them are a :class:`~agathis._rules.preparation.preparation.Preparation`. If a
line is monotonic, the raw threshold is found by bisection, with the operations of the steps
(arithmetic). A feature computed from categories has a value for each of them, so that a split
separates the categories. A split on a sum of columns keeps the operations of the steps.
"""
