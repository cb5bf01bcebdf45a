"""Stocks: sums of kernel values over sets of samples, from which every gain is made.

:mod:`agathis.stocks.base` says what a grower asks of them; :mod:`agathis.stocks.pairs` sums
them over pairs of samples, with kernel rows from :mod:`agathis.stocks.rows`.
"""

from __future__ import annotations

import numpy as np
from sklearn import get_config

from agathis._kernels import Kernel
from agathis.stocks.base import Split, Stocks
from agathis.stocks.pairs import PairStocks
from agathis.stocks.rows import KernelRows, MatrixRows, Rows

__all__ = ["PairStocks", "Split", "Stocks", "choose_stocks", "rows_of_kernel"]


def choose_stocks(stocks: str, n_samples: int) -> str:
    """The stocks that ``"auto"`` means: a whole matrix where scikit-learn's
    ``working_memory`` (1 GiB unless configured) holds it, else blocks.
    """
    if stocks != "auto":
        return stocks
    fits = 8 * n_samples**2 <= get_config()["working_memory"] * 2**20
    return "gram" if fits else "blocks"


def rows_of_kernel(stocks: str, kernel: Kernel, X: np.ndarray, threads: int) -> Rows:
    """Kernel rows of X, from a matrix (``"gram"``) or computed when needed (``"blocks"``)."""
    settled = X - kernel.origin(X)
    # Data far from their mean were rounded when they were written, more than their spread tells.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        ratio = np.linalg.norm(X) / np.linalg.norm(settled)
    rounding = float(np.finfo(np.float64).eps * ratio) if np.isfinite(ratio) else 0.0
    if stocks == "gram":
        return MatrixRows(kernel.matrix(settled, threads), str(kernel), rounding)
    return KernelRows(kernel, settled, rounding, threads)
