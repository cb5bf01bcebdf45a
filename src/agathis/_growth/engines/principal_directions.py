"""The leading principal directions of a leaf, with a bound of the variance in all others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf

from agathis._core.pairwise.prefix_scans import N_LEADING
from agathis._growth.engines.tuning import EIGENVALUE_STEPS, FIRST_STEPS, MARGIN, STEPS

# The rounding error of an eigenvalue, relative to the trace.
ROUNDING = 1e-12
# A Lanczos step whose norm decreases below this fraction in orthogonalisation is mostly rounding.
LOST = 1e-8
# The relative rounding error of single precision.
SINGLE_ROUNDING = 2.0**-24


@dataclass(frozen=True)
class PrincipalDirections:
    """Centred points, by their components in some directions.

    Attributes
    ----------
    directions : ndarray of shape (n_features, n_directions)
        Orthonormal.
    components : ndarray of shape (n_samples, n_directions)
        In single precision.
    half : ndarray of shape (n_samples,)
        Half of the squared norm of each centred point.
    tail : ndarray of shape (n_samples,)
        The squared norm of each point in all other directions.
    all_tails : float
        The weighted sum of these.
    largest : float
        An upper bound of the scatter in any other direction.
    rounded : float
        The same for the rounding error of the components in single precision.
    """

    directions: np.ndarray
    components: np.ndarray
    half: np.ndarray
    tail: np.ndarray
    all_tails: float
    largest: float
    rounded: float


def principal_directions(
    points: np.ndarray, weight: np.ndarray, start: np.ndarray | None
) -> PrincipalDirections:
    """Approximate the leading principal directions by a few steps of power iteration.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        Overwritten.
    weight : ndarray of shape (n_samples,)
    start : ndarray of shape (n_features, n_directions), optional
        Initial directions.
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
    # With s the sum of the components of a side, of weight w of W, and r that of their rounding
    # errors: |s|^2 <= E w (W - w) / W and |r|^2 <= share^2 E w, E the sum over all samples.
    share = SINGLE_ROUNDING * float(np.sqrt(weight.sum() / weight.min()))
    rounded = (2 * share + share**2) * float(weight @ kept)
    components /= np.sqrt(weight)[:, None]
    return PrincipalDirections(
        directions,
        components.astype(np.float32),
        (kept + tail) / 2,
        tail,
        float(weight @ tail),
        eigenvalue_bound(scatter),
        rounded,
    )


def eigenvalue_bound(matrix: np.ndarray) -> float:
    """An upper bound of the largest eigenvalue of a positive semi-definite matrix."""
    trace = float(np.trace(matrix))
    bound = MARGIN * _eigenvalue(matrix)
    while bound < trace:
        # bound - matrix has a Cholesky factor only if no eigenvalue exceeds the bound.
        below = -matrix
        below.flat[:: len(matrix) + 1] += bound
        if dpotrf(below, overwrite_a=True, clean=False)[1] == 0:
            break
        bound = MARGIN * max(bound, ROUNDING * trace)
    return min(bound, trace) + ROUNDING * trace


def _eigenvalue(matrix: np.ndarray) -> float:
    """Approximate the largest eigenvalue by some steps of the Lanczos method.

    It stops when the range of the matrix is exhausted, as further steps would be rounding only.
    """
    n_steps = min(EIGENVALUE_STEPS, len(matrix))
    basis = np.zeros((n_steps, len(matrix)))
    vector = np.random.RandomState(0).standard_normal(len(matrix))
    for step in range(n_steps):
        norm = np.linalg.norm(vector)
        for _ in range(2):  # orthogonalise twice, as once is not accurate enough
            vector = vector - basis.T @ (basis @ vector)
        length = np.linalg.norm(vector)
        if length <= LOST * norm:
            break
        basis[step] = vector / length
        vector = matrix @ basis[step]
    return float(np.linalg.eigvalsh(basis @ matrix @ basis.T)[-1])
