"""Engines: each keeps the sums from which gains are made in its own way.

:mod:`~agathis._growing.engines.protocol` says what a grower asks of an engine's stocks, and
:mod:`~agathis._growing.engines.choice` which engine a fit uses. Stocks of
:mod:`~agathis._growing.engines.pairs` are summed over pairs of samples, with rows of the kernel
from :mod:`~agathis._growing.engines.kernel_rows`. Where samples are points of the kernel's space,
those of :mod:`~agathis._growing.engines.exact` look at every threshold and those of
:mod:`~agathis._growing.engines.binned` at the edges of :mod:`~agathis._dataset.bins`, of
rows that are in parts (:mod:`~agathis._dataset.parts`), wherever these are; a part in this
process has a store (:mod:`~agathis._dataset.row_stores`). Their sums are exact
(:mod:`~agathis._dataset.grid`).
"""
