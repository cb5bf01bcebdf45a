"""Tables in partitions of any kind."""

from __future__ import annotations

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd

from agathis.dask._actors import Cluster


def split(X: np.ndarray, sizes: list[int]) -> list[np.ndarray]:
    """Rows in blocks of these sizes."""
    ends = np.cumsum(sizes)
    assert ends[-1] == len(X)
    return [X[end - size : end] for end, size in zip(ends, sizes, strict=True)]


def as_array(X, sizes, known=True):
    blocks = split(X, sizes)
    shapes = [(len(block) if known else np.nan, *X.shape[1:]) for block in blocks]
    parts = [
        da.from_delayed(dask.delayed(block), shape, X.dtype)
        for block, shape in zip(blocks, shapes, strict=True)
    ]
    return da.concatenate(parts, allow_unknown_chunksizes=True)


def as_frame(X, sizes):
    names = [f"c{column}" for column in range(X.shape[1])]
    frames = [pd.DataFrame(block, columns=names) for block in split(X, sizes)]
    return dd.from_delayed([dask.delayed(frame) for frame in frames], meta=frames[0].iloc[:0])


def as_list(X, sizes):
    return [dask.delayed(block) for block in split(X, sizes)]


KINDS = {
    "array": as_array,
    "unknown": lambda X, sizes: as_array(X, sizes, known=False),
    "frame": as_frame,
    "list": as_list,
}


def computed(collection) -> np.ndarray:
    """A result in one piece."""
    if isinstance(collection, list):
        return np.concatenate(dask.compute(*collection))
    return np.asarray(collection.compute())


def at_query(monkeypatch, number: int, act) -> list[str]:
    """Have something happen just before the question of that number; the questions so far."""
    asked: list[str] = []
    ask = Cluster.ask

    def disturbed(cluster, method, *args, **kwargs):
        asked.append(method)
        if len(asked) == number:
            act()
        return ask(cluster, method, *args, **kwargs)

    monkeypatch.setattr(Cluster, "ask", disturbed)
    return asked
