"""Points of the kernel's space for a search: the rows, those of a feature map, or a factor.

A kernel that is not made of points is factored: its centred matrix by a pivoted Cholesky, exactly
where there are few rows, else by a feature map. What a search finds with these is judged by the
kernel itself (:mod:`agathis._searching.fitting`).
"""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from agathis._growing.inputs import TrainingData
from agathis._kernels.kernel import Kernel
from agathis._kernels.map_fitting import fit_map, mapped
from agathis._kernels.space import Space
from agathis._kmeans.factor import FACTOR_ROWS, centre, triangle

# Components of a feature map where a kernel is not factored exactly.
MAP_COMPONENTS = 256
# Of the largest squared length, what is left out: rounding, or little.
EXACT_TOLERANCE, LOOSE_TOLERANCE = 1e-11, 1e-4


def search_points(
    data: TrainingData, rows: np.ndarray, weight: np.ndarray, space: Space | None
) -> np.ndarray:
    """The points of some rows of the data, (n_rows, n_components).

    ``space`` says how rows become points where an engine has them.
    """
    if space is None and data.kernel.has_features:
        space = Space(data.kernel)
    if space is not None:
        points = np.asarray(space.points(rows, data.threads), dtype=np.float64)
        # Of few rows in a wide space as many components as rows tell all distances.
        return factor_points(points @ points.T, weight) if _is_wide(points) else points
    if data.matrix is not None:
        matrix = data.matrix if data.ids is None else data.matrix[np.ix_(data.ids, data.ids)]
        return factor_points(np.asarray(matrix, dtype=np.float64), weight)
    if len(rows) <= FACTOR_ROWS:
        settled = _settled(data.kernel, rows)
        return factor_points(data.kernel.matrix(settled, data.threads), weight)
    feature_map = fit_map(
        data.kernel,
        data.kernel.seen(rows),
        MAP_COMPONENTS,
        method="cholesky",
        landmarks="k-means++",
        tol=1e-4,
        random_state=check_random_state(0),
    )
    return mapped(feature_map, data.kernel.seen(rows), data.threads)


def factor_points(matrix: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Points whose inner products are a kernel matrix about its mean, as far as it is positive."""
    centred = centre(matrix, weight)
    exact = len(matrix) <= FACTOR_ROWS
    tolerance = EXACT_TOLERANCE if exact else LOOSE_TOLERANCE
    return triangle(centred, tolerance * float(np.diagonal(centred).max(initial=0.0)))


def _is_wide(points: np.ndarray) -> bool:
    return points.shape[1] > len(points) and len(points) <= FACTOR_ROWS


def _settled(kernel: Kernel, rows: np.ndarray) -> np.ndarray:
    seen = kernel.seen(rows)
    return seen - kernel.origin(seen)
