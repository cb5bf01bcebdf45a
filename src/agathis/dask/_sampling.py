"""Random samples of the rows of a collection, independent of its partitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from agathis._encoding.row_sample import drawn
from agathis._utils.extras import needed
from agathis.dask._partitions import blocks_of, kind_of, partitions_of
from agathis.dask._timeouts import computed


def sample_rows(X: Any, max_rows: int = 50_000, random_state: int = 0) -> Any:
    """Sample rows of a collection at random, in their original order.

    Parameters
    ----------
    X : dask.array.Array, dask.dataframe.DataFrame or list of Delayed
    max_rows : int, default=50_000
        The maximum number of rows.
    random_state : int, default=0

    Returns
    -------
    rows : ndarray or pandas.DataFrame
        The sampled rows, with their index.

    Examples
    --------
    >>> import dask.array as da
    >>> from agathis.dask import sample_rows
    >>> sample_rows(da.arange(12, chunks=5).reshape(12, 1), 4).shape
    (4, 1)
    """
    import dask

    needed("dask.dataframe", "dask", "agathis.dask")
    blocks = partitions_of(X).blocks
    sizes = sizes_of(counted_blocks(X, blocks))
    positions = drawn(sum(sizes), max_rows, random_state)
    tasks = [
        dask.delayed(_taken)(block, some)
        for block, some in zip(blocks, by_block(positions, sizes), strict=True)
        if len(some)
    ]
    parts = computed(tasks)
    if not parts:
        raise ValueError("X has no rows; at least one is needed.")
    if hasattr(parts[0], "iloc"):
        import pandas as pd

        return pd.concat(parts)
    return np.concatenate(parts)


def _taken(block: Any, positions: np.ndarray) -> Any:
    return block.iloc[positions] if hasattr(block, "iloc") else np.asarray(block)[positions]


def counted_blocks(X: Any, blocks: Sequence[Any]) -> Sequence[Any]:
    """Blocks with the same lengths that are cheaper to read, if possible."""
    return blocks_of(X.index) if kind_of(X) == "frame" else blocks


def sizes_of(blocks: Sequence[Any]) -> list[int]:
    """The number of rows of each block."""
    import dask

    return computed([dask.delayed(len)(block) for block in blocks])


def by_block(positions: np.ndarray, sizes: Sequence[int]) -> list[np.ndarray]:
    """Divide sorted row positions among blocks of these sizes, relative to the start of each."""
    ends = np.cumsum(sizes)
    parts = np.split(positions, np.searchsorted(positions, ends[:-1]))
    return [part - begin for part, begin in zip(parts, ends - sizes, strict=True)]
