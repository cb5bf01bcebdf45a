"""Blocks as rows of numbers, and those that a table encoder made: their roles go with them.

In memory encoded rows are an array that knows its roles. In partitions they are frames, which keep
the index of the table, with the roles in their ``attrs``; these are lost, as they are there, by
whatever takes columns out or changes their places.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array

from agathis._checks.naming import naming
from agathis._checks.roles import EncodedRows, FeatureRoles


def as_rows(block: Any) -> Any:
    """Encoded rows of a frame that is one; anything else as it is."""
    roles = FeatureRoles.in_frame(block)
    return block if roles is None else EncodedRows.of(block.to_numpy(dtype=np.float64), roles)


def as_floats(rows: Any) -> np.ndarray:
    """The numbers of a block, whatever types its columns have, NaN where one is missing."""
    with naming("X"):
        X = check_array(
            rows,
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
            ensure_min_samples=0,
        )
    return np.ascontiguousarray(X)
