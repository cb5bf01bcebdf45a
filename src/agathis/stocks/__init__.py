"""Stocks: sums of kernel values over sets of samples, from which every gain is made.

:mod:`agathis.stocks.base` says what a grower asks of them, and :mod:`agathis.stocks.build` which
a fit uses. Those of :mod:`agathis.stocks.pairs` are summed over pairs of samples, with kernel
rows from :mod:`agathis.stocks.rows`. Where samples are points of the kernel's space, those of
:mod:`agathis.stocks.features` look at every threshold and those of :mod:`agathis.stocks.binned`
at the edges of bins, of rows from a :mod:`agathis.stocks.store`.
"""

from agathis.stocks.base import Split, Stocks
from agathis.stocks.binned import BinnedStocks
from agathis.stocks.features import FeatureStocks
from agathis.stocks.pairs import PairStocks

__all__ = ["BinnedStocks", "FeatureStocks", "PairStocks", "Split", "Stocks"]
