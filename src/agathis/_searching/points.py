"""Points of the kernel's space for a search: the rows, those of a feature map, or a factor.

A kernel that is not made of points is factored: its centred matrix by a pivoted Cholesky, exactly
where there are few rows, else by a feature map. What a search finds with these is judged by the
kernel itself (:mod:`agathis._searching.fitting`).
"""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from agathis._dataset.memory import InMemory
from agathis._kernels.feature_maps import mapped
from agathis._kernels.kernel import Kernel
from agathis._kernels.map_fitting import fit_map
from agathis._kernels.space import Space
from agathis._kmeans.factor import centre, triangle
from agathis._kmeans.tuning import FACTOR_ROWS
from agathis._searching.tuning import MAP_COMPONENTS

# Of the largest squared length, what is left out: rounding, or little.
EXACT_TOLERANCE, LOOSE_TOLERANCE = 1e-11, 1e-4
# Of the same, what a kernel matrix may differ by from that of points; and how many roundings there
# may be in each of its values.
INDEFINITE, ROUNDINGS = 1e-9, 64


def search_points(
    data: InMemory,
    rows: np.ndarray,
    weight: np.ndarray,
    space: Space | None,
    exact: bool = False,
) -> np.ndarray:
    """The points of some rows of the data, (n_rows, n_components).

    ``space`` says how rows become points where an engine has them. With ``exact`` a kernel that is
    not positive, so that its samples are points of no space, is an error.
    """
    if space is None and data.kernel.has_features:
        space = Space(data.kernel)
    if space is not None:
        points = np.asarray(space.points(rows, data.threads), dtype=np.float64)
        # Of few rows in a wide space as many components as rows tell all distances.
        if not _is_wide(points):
            return points
        # A triangle with the same inner products. Products of points that are not centred, or of
        # very different lengths, would lose the digits of short distances.
        settled = points - np.average(points, axis=0, weights=weight)
        return np.ascontiguousarray(np.asarray(np.linalg.qr(settled.T, mode="r")).T)
    if data.matrix is not None:
        matrix = data.matrix if data.ids is None else data.matrix[np.ix_(data.ids, data.ids)]
        unit = float(np.finfo(matrix.dtype).eps) if exact else None
        return factor_points(np.asarray(matrix, dtype=np.float64), weight, unit)
    if len(rows) <= FACTOR_ROWS:
        settled = _settled(data.kernel, rows)
        # A kernel that is positive on any rows needs no check, which rounding could fail.
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
    """Points whose inner products are a kernel matrix about its mean, as far as it is positive.

    With ``unit``, the rounding unit of its values, an indefinite matrix is an error.
    """
    centred = centre(matrix, weight)
    exact = len(matrix) <= FACTOR_ROWS
    tolerance = EXACT_TOLERANCE if exact else LOOSE_TOLERANCE
    largest = float(np.diagonal(centred).max(initial=0.0))
    points = triangle(centred, tolerance * largest)
    if unit is not None:
        # What a factor leaves of a positive matrix is nowhere larger than the last pivot.
        left = np.abs(centred - points @ points.T).max(initial=0.0)
        rounding = ROUNDINGS * unit * (largest + np.abs(matrix).max(initial=0.0))
        if left > INDEFINITE * largest + rounding:
            raise ValueError(
                "The kernel matrix is indefinite (it has negative eigenvalues), and optimality is "
                "proven for positive semi-definite kernels only: search='optimal' cannot be used, "
                "search='local' can."
            )
    return points


def _is_wide(points: np.ndarray) -> bool:
    return points.shape[1] > len(points) and len(points) <= FACTOR_ROWS


def _settled(kernel: Kernel, rows: np.ndarray) -> np.ndarray:
    seen = kernel.seen(rows)
    return seen - kernel.origin(seen)
