"""How a tree is grown: which leaf is cut next, and the sums from which gains are made.

A tree is grown from the parts of :mod:`~agathis._growing.inputs`, or from another tree
(:mod:`~agathis._growing.replay`). :mod:`~agathis._growing.protocol` says what a grower and an
estimator ask of stocks, and :mod:`~agathis._growing.build` which a fit uses. Those of :mod:`~agathis._growing.pairs` are summed
over pairs of samples, with kernel rows from :mod:`~agathis._growing.kernel_rows`. Where samples are
points of the kernel's space, those of :mod:`~agathis._growing.exact` look at every threshold and
those of :mod:`~agathis._growing.binned` at the edges of bins, of rows from a store
(:mod:`~agathis._growing.stores`).
"""

from agathis._growing.binned import BinnedStocks
from agathis._growing.exact import FeatureStocks
from agathis._growing.pairs import PairStocks
from agathis._growing.protocol import Split, Stocks

__all__ = ["BinnedStocks", "FeatureStocks", "PairStocks", "Split", "Stocks"]
