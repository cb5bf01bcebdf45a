"""The 19 data sets of the paper: registry, download and preparation.

``registry`` lists them, ``places`` and ``sources`` find or download the table of one, and
``loading`` prepares it as the paper does.
"""

from paper.datasets.loading import DataSet, available, load

__all__ = ["DataSet", "available", "load"]
