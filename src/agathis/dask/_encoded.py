"""Blocks as rows of numbers, and those that a table encoder made: their roles go with them.

In memory encoded rows are an array that knows its roles. In partitions they are frames, which keep
the index of the table. What the array knows is in the ``attrs`` of each frame; it is lost, as it is
there, by whatever changes columns or the places of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_array

from agathis._checks.data import naming
from agathis._checks.roles import EncodedRows, FeatureRoles

if TYPE_CHECKING:
    import pandas as pd

NAME = "agathis"


@dataclass(frozen=True, eq=False)
class Mark:
    """What a frame of encoded rows knows.

    Attributes
    ----------
    names : list of str
        Of its columns.
    roles : FeatureRoles
    n_rows : int
    cells : tuple of ndarray
        The rows and columns of the cells that do not count.
    values : ndarray
        What stands in these.
    """

    names: list[str]
    roles: FeatureRoles
    n_rows: int
    cells: tuple[np.ndarray, np.ndarray]
    values: np.ndarray


def framed(rows: EncodedRows, index: Any, names: Sequence[str]) -> pd.DataFrame:
    """A frame of encoded rows."""
    import pandas as pd

    assert rows.roles is not None
    X, cells = np.asarray(rows), (np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp))
    if rows.meant is not None:
        at, column = np.nonzero(~np.isnan(rows.meant))
        cells = at, column
    frame = pd.DataFrame(X, index=index, columns=list(names))
    frame.attrs[NAME] = Mark(list(names), rows.roles, len(X), cells, X[cells])
    return frame


def as_rows(block: Any) -> Any:
    """Encoded rows of a frame that is one; anything else as it is."""
    mark = getattr(block, "attrs", {}).get(NAME)
    if not isinstance(mark, Mark) or list(block.columns) != mark.names:
        return block
    X = block.to_numpy(dtype=np.float64)
    if len(X) != mark.n_rows or not np.array_equal(X[mark.cells], mark.values, equal_nan=True):
        return EncodedRows.of(X, mark.roles)
    meant = None
    if len(mark.values):
        meant = np.full(X.shape, np.nan)
        meant[mark.cells] = 0.0
    return EncodedRows.of(X, mark.roles, meant)


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
