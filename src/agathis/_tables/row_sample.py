"""Some rows of a table, drawn at random by their places: the same wherever the rows are."""

from __future__ import annotations

import numpy as np
from sklearn.utils.random import sample_without_replacement


def drawn(n: int, most: int, random_state: int = 0) -> np.ndarray:
    """The places of the rows of a sample, rising.

    Parameters
    ----------
    n : int
        Rows of the table.
    most : int
        The most rows of the sample; all, if there are no more.
    random_state : int, default=0

    Examples
    --------
    >>> drawn(3, 5), len(drawn(50, 5))
    (array([0, 1, 2]), 5)
    """
    if n <= most:
        return np.arange(n)
    return np.sort(sample_without_replacement(n, most, random_state=random_state))
