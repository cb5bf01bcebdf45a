"""Thresholds in the units that the columns had before they were scaled."""

from __future__ import annotations

import numpy as np

from agathis._tree import Tree


def original_thresholds(tree: Tree, scaler: object | None) -> np.ndarray:
    """The tree's thresholds as they read before ``scaler``, which scales each column by itself.

    A threshold is put in its column of an otherwise constant table, and the table is scaled back.
    """
    if scaler is None:
        return tree.threshold
    if not hasattr(scaler, "inverse_transform"):
        raise TypeError(
            "scaler must be a fitted transformer with inverse_transform; it is a "
            f"{type(scaler).__name__}."
        )
    width = getattr(scaler, "n_features_in_", tree.n_features)
    if width != tree.n_features:
        raise ValueError(f"scaler has {width} features; the tree has {tree.n_features}.")
    out = tree.threshold.copy()
    # An infinite threshold parts known values from missing ones, in any units.
    finite = np.flatnonzero(~tree.is_leaf & np.isfinite(tree.threshold))
    if not len(finite):
        return out
    feature, value = tree.feature[finite], tree.threshold[finite]

    def back(others: float, shift: np.ndarray | float) -> np.ndarray:
        table = np.full((len(finite), tree.n_features), others)
        table[np.arange(len(finite)), feature] = value + shift
        table = np.asarray(scaler.inverse_transform(table), dtype=np.float64)
        return table[np.arange(len(finite)), feature]

    out[finite] = found = back(0.0, 0.0)
    step = 1e-3 * np.maximum(np.abs(value), 1.0)
    if not np.allclose(back(0.5, 0.0), found, rtol=1e-9) or (back(0.0, step) < found).any():
        raise ValueError(
            "scaler must scale each column by itself and keep the order of its values, as "
            f"StandardScaler does; {type(scaler).__name__} does not."
        )
    return out
