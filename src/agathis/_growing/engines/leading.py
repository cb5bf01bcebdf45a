"""Directions in which points of a leaf differ most, and how much they differ in others at most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf

from agathis._core.pairs.walks import N_LEADING
from agathis._growing.engines.tuning import EIGENVALUE_STEPS, FIRST_STEPS, MARGIN, STEPS

# Share of the trace that rounding may make of an eigenvalue.
ROUNDING = 1e-12
# Of a step that is shorter than this share of itself, after those before it were taken off, few
# digits are left.
LOST = 1e-8
# Share of a number that is rounded off in single precision, at most.
SINGLE_ROUNDING = 2.0**-24


@dataclass(frozen=True)
class Leading:
    """Points about their mean, by their components in some directions.

    Attributes
    ----------
    directions : ndarray of shape (n_features, n_directions)
        Orthonormal.
    components : ndarray of shape (n_samples, n_directions)
        In single precision.
    half : ndarray of shape (n_samples,)
        Half of the squared length of each point about the mean.
    tail : ndarray of shape (n_samples,)
        Its squared length in all other directions.
    all_tails : float
        The weighted sum of these.
    largest : float
        The scatter of the points in any other direction is not larger.
    rounded : float
        What rounding took off the components adds to the squared length of the sum of those of a
        side no more than a direction of that scatter would.
    """

    directions: np.ndarray
    components: np.ndarray
    half: np.ndarray
    tail: np.ndarray
    all_tails: float
    largest: float
    rounded: float


def leading(points: np.ndarray, weight: np.ndarray, start: np.ndarray | None) -> Leading:
    """Look at points in directions in which they differ most, as far as a few steps find them.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        Overwritten.
    weight : ndarray of shape (n_samples,)
    start : ndarray of shape (n_features, n_directions), optional
        Directions to begin with.
    """
    about = points
    about -= weight @ points / weight.sum()
    about *= np.sqrt(weight)[:, None]
    directions, steps = start, STEPS
    if directions is None:
        n_directions = min(N_LEADING, points.shape[1])
        directions = np.random.RandomState(0).standard_normal((points.shape[1], n_directions))
        steps = FIRST_STEPS
    for _ in range(steps):
        directions, _ = np.linalg.qr(about.T @ (about @ directions))
    components = about @ directions
    kept = np.einsum("ij,ij->i", components, components) / weight
    about -= components @ directions.T
    tail = np.einsum("ij,ij->i", about, about) / weight
    scatter = about.T @ about if len(about) > about.shape[1] else about @ about.T
    # With s the sum of the components of a side, of weight w of W, and r that of what is taken off
    # them: |s|^2 <= E w (W - w) / W and |r|^2 <= share^2 E w, E the sum over all samples.
    share = SINGLE_ROUNDING * float(np.sqrt(weight.sum() / weight.min()))
    rounded = (2 * share + share**2) * float(weight @ kept)
    components /= np.sqrt(weight)[:, None]
    return Leading(
        directions,
        components.astype(np.float32),
        (kept + tail) / 2,
        tail,
        float(weight @ tail),
        eigenvalue_bound(scatter),
        rounded,
    )


def eigenvalue_bound(matrix: np.ndarray) -> float:
    """Not less than the largest eigenvalue of a symmetric matrix that has no negative one."""
    trace = float(np.trace(matrix))
    bound = MARGIN * _eigenvalue(matrix)
    while bound < trace:
        # A factor of bound - matrix is there only if no eigenvalue is larger than the bound.
        below = -matrix
        below.flat[:: len(matrix) + 1] += bound
        if dpotrf(below, overwrite_a=True, clean=False)[1] == 0:
            break
        bound = MARGIN * max(bound, ROUNDING * trace)
    return min(bound, trace) + ROUNDING * trace


def _eigenvalue(matrix: np.ndarray) -> float:
    """About the largest eigenvalue, by some steps of Lanczos' method.

    Where a matrix has no more directions what is left of a step is rounding, and at no right angle
    to the steps before it.
    """
    n_steps = min(EIGENVALUE_STEPS, len(matrix))
    basis = np.zeros((n_steps, len(matrix)))
    vector = np.random.RandomState(0).standard_normal(len(matrix))
    for step in range(n_steps):
        whole = np.linalg.norm(vector)
        for _ in range(2):  # once leaves rounding in the directions that are taken off
            vector = vector - basis.T @ (basis @ vector)
        length = np.linalg.norm(vector)
        if length <= LOST * whole:
            break
        basis[step] = vector / length
        vector = matrix @ basis[step]
    return float(np.linalg.eigvalsh(basis @ matrix @ basis.T)[-1])
