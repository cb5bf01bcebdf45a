"""Points in the kernel's feature space for a search.

Kernels without explicit features are factored: exactly by a pivoted Cholesky factorisation of the
centred matrix if there are few rows, else by a feature map. Results are evaluated with the kernel
itself (:mod:`agathis._search.tree_search`).
"""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from agathis._dataset.memory import InMemory
from agathis._kernels.feature_map import mapped
from agathis._kernels.kernel_approximation import fit_map
from agathis._kernels.space import Space
from agathis._kmeans.factor import centre, is_factor, triangle
from agathis._kmeans.tuning import FACTOR_ROWS
from agathis._objective.objective import settled_rows
from agathis._search.tuning import MAP_COMPONENTS

# The residual of a factorisation, relative to the largest squared norm: rounding, or approximate.
EXACT_TOLERANCE, LOOSE_TOLERANCE = 1e-11, 1e-4


def search_points(
    data: InMemory,
    rows: np.ndarray,
    weight: np.ndarray,
    space: Space | None,
    exact: bool = False,
) -> np.ndarray:
    """The points of some rows of the data, (n_rows, n_components).

    ``space`` maps rows to points, for engines that use points. With ``exact`` an indefinite kernel
    is an error.
    """
    if space is None and data.kernel.has_features:
        space = Space(data.kernel)
    if space is not None:
        points = np.asarray(space.points(rows, data.threads), dtype=np.float64)
        # For few rows in many dimensions, as many components as rows preserve all distances.
        if not _is_wide(points):
            return points
        # A QR factor has the same inner products. Products of uncentred points, or of points of
        # very different norms, would lose digits of short distances.
        settled = points - np.average(points, axis=0, weights=weight)
        return np.ascontiguousarray(np.asarray(np.linalg.qr(settled.T, mode="r")).T)
    if data.matrix is not None:
        matrix = data.matrix if data.ids is None else data.matrix[np.ix_(data.ids, data.ids)]
        unit = float(np.finfo(matrix.dtype).eps) if exact else None
        return factor_points(np.asarray(matrix, dtype=np.float64), weight, unit)
    if len(rows) <= FACTOR_ROWS:
        settled = settled_rows(data.kernel, rows)
        # Kernels known to be positive are not checked, as rounding could fail the check.
        checked = exact and not data.kernel.is_positive
        unit = float(np.finfo(np.float64).eps) if checked else None
        return factor_points(data.kernel.matrix(settled, data.threads), weight, unit)
    feature_map = fit_map(
        data.kernel,
        data.kernel.seen(rows),
        MAP_COMPONENTS,
        tol=1e-4,
        random_state=check_random_state(0),
    )
    return mapped(feature_map, data.kernel.seen(rows), data.threads)


def factor_points(matrix: np.ndarray, weight: np.ndarray, unit: float | None = None) -> np.ndarray:
    """Points whose inner products are the positive part of a centred kernel matrix.

    With ``unit``, the machine epsilon of its values, an indefinite matrix is an error.
    """
    centred = centre(matrix, weight)
    exact = len(matrix) <= FACTOR_ROWS
    tolerance = EXACT_TOLERANCE if exact else LOOSE_TOLERANCE
    largest = float(np.diagonal(centred).max(initial=0.0))
    points = triangle(centred, tolerance * largest)
    if unit is not None:
        rounding = unit * (largest + np.abs(matrix).max(initial=0.0))
        if not is_factor(points, centred, rounding):
            raise ValueError(
                "The kernel matrix is indefinite (it has negative eigenvalues), and optimality is "
                "proven for positive semi-definite kernels only: search='optimal' cannot be used, "
                "search='local' can."
            )
    return points


def _is_wide(points: np.ndarray) -> bool:
    return points.shape[1] > len(points) and len(points) <= FACTOR_ROWS
