"""Engines: the data structures from which gains are computed.

:mod:`~agathis._growth.engines.protocol` defines the interface, and
:mod:`~agathis._growth.engines.choice` selects the engine of a fit.
:mod:`~agathis._growth.engines.pairwise` sums over pairs of samples, with kernel rows from
:mod:`~agathis._growth.engines.kernel_rows`. If samples are points in the kernel's feature space,
:mod:`~agathis._growth.engines.exact` evaluates every threshold, and
:mod:`~agathis._growth.engines.binned` the edges of :mod:`~agathis._dataset.bins`, with exact sums
(:mod:`~agathis._dataset.fixed_point`) over partitions of the rows (:mod:`~agathis._dataset.parts`).
"""
