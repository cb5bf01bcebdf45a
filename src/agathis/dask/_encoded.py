"""Convert blocks to numeric rows, with the roles of columns for encoded rows.

In memory encoded rows are an array with roles. In partitions they are frames with the index of the
table and the roles in ``attrs``, which are lost when columns are selected or reordered.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array

from agathis._checks.naming import naming
from agathis._checks.roles import EncodedRows, FeatureRoles


def as_rows(block: Any) -> Any:
    """Convert frames of encoded rows to ``EncodedRows``; return other blocks unchanged."""
    roles = FeatureRoles.in_frame(block)
    return block if roles is None else EncodedRows.of(block.to_numpy(dtype=np.float64), roles)


def as_floats(rows: Any) -> np.ndarray:
    """Convert a block of any column types to floats, with NaN for missing values."""
    with naming("X"):
        X = check_array(
            rows,
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
            ensure_min_samples=0,
        )
    return np.ascontiguousarray(X)
