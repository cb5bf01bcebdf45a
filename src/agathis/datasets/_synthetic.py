"""Synthetic data of the paper: Gaussians along a line, and the example of IMM."""

from __future__ import annotations

import numpy as np

from agathis.datasets._samplers import Seed, apportion, check_maker, round_gaussian, sample_all


def make_rotated_gaussians(
    n_samples: int = 300, angle: float = np.pi / 4, random_state: Seed = None
) -> tuple[np.ndarray, np.ndarray]:
    """Make three round Gaussians along a line at an angle, as in the paper's synthetic figure.

    Their means are sqrt(2) apart, the covariance of each is 0.2 times the identity. At angle 0 a
    split on one feature separates two of them; the closer the angle is to pi / 4, the more splits a
    tree needs for the boundary between them.

    Parameters
    ----------
    n_samples : int, default=300
        The number of rows, a third of them in each class.
    angle : float, default=pi / 4
        The angle between the line and the first feature, in radians.
    random_state : int, RandomState or None, default=None
        Seed; an int gives the same rows in every call.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        The rows, in random order.
    y : ndarray of shape (n_samples,)
        The class of each row, 0, 1 and 2 along the line.

    Examples
    --------
    >>> from agathis.datasets import make_rotated_gaussians
    >>> X, y = make_rotated_gaussians(3000, angle=0, random_state=0)
    >>> [round(abs(float(X[y == k, 0].mean())), 1) for k in range(3)]
    [1.4, 0.0, 1.4]
    """
    random = check_maker("make_rotated_gaussians", 3, n_samples, random_state, angle=angle)
    direction = np.sqrt(2) * np.array([np.cos(angle), np.sin(angle)])
    samplers = [round_gaussian(position * direction, 0.2) for position in (-1, 0, 1)]
    return sample_all(random, apportion(n_samples, [1, 1, 1]), samplers)


def make_imm(
    n_samples: int = 200,
    height: float = 1000.0,
    variance: float = 0.01,
    random_state: Seed = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Make two Gaussians and two far points above them, the example of IMM.

    The Gaussians are around (2, 0) and (-2, 0), the points are (-2, height) and (2, height).
    Three clusters need two splits, the first of them on the second feature. A tree that learns the
    labels of KMeans begins with the first feature, which separates more rows, and needs three.

    Parameters
    ----------
    n_samples : int, default=200
        The number of rows, two of which are the points.
    height : float, default=1000
        The distance of the points from the Gaussians.
    variance : float, default=0.01
        The variance of the Gaussians in both directions.
    random_state : int, RandomState or None, default=None
        Seed; an int gives the same rows in every call.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        The rows, in random order.
    y : ndarray of shape (n_samples,)
        The class of each row: 0 and 1 for the Gaussians, 2 for the two points.

    References
    ----------
    M. Moshkovitz, S. Dasgupta, C. Rashtchian and N. Frost, Explainable k-means and k-medians
    clustering, ICML 2020, figure 2b.

    Examples
    --------
    >>> from agathis import Kauri
    >>> from agathis.datasets import make_imm
    >>> X, y = make_imm(random_state=0)
    >>> model = Kauri(n_clusters=3, max_leaf_nodes=3).fit(X)
    >>> int(model.tree_.feature[0])
    1
    """
    random = check_maker("make_imm", 4, n_samples, random_state, height=height, variance=variance)
    samplers = [round_gaussian([x, 0.0], variance) for x in (2.0, -2.0)]
    points = np.array([[-2.0, height], [2.0, height]])
    sizes = [*apportion(n_samples - 2, [1, 1]), 2]
    return sample_all(random, sizes, [*samplers, lambda random, n: points])
