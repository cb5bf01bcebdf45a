"""Generators of data sets like the Fundamental Clustering Problems Suite.

Each has the dimension, the class proportions and about the range of the original, for any number of
rows. They are written from descriptions of the shapes.
"""

from __future__ import annotations

import numpy as np
from numpy.random import RandomState

from agathis.datasets._samplers import (
    Seed,
    ball,
    box,
    gaussian,
    make,
    round_gaussian,
    stacked,
    transformed,
)


def make_atom(n_samples: int = 800, random_state: Seed = None) -> tuple[np.ndarray, np.ndarray]:
    """Make a shell around a dense core, as in Atom.

    No hyperplane separates the two classes: both are centred at the origin.

    Parameters
    ----------
    n_samples : int, default=800
        The number of rows. Each class has at least one.
    random_state : int, RandomState or None, default=None
        Seed; an int gives the same rows in every call.

    Returns
    -------
    X : ndarray of shape (n_samples, 3)
        The rows, in random order.
    y : ndarray of shape (n_samples,)
        The class of each row: 0 for the shell, 1 for the core.

    Examples
    --------
    >>> from agathis.datasets import make_atom
    >>> X, y = make_atom(random_state=0)
    >>> X.shape, bool(abs(X[y == 1]).max() < 20)
    ((800, 3), True)
    """
    core = round_gaussian([0.0, 0.0, 0.0], 9.0)
    return make("make_atom", n_samples, random_state, [(400, _shell), (400, core)])


def _shell(random: RandomState, n: int) -> np.ndarray:
    # Latitudes are uniform, as in the original: the poles are denser.
    latitude = random.uniform(-np.pi / 2, np.pi / 2, n)
    longitude = random.uniform(-np.pi, np.pi, n)
    direction = [
        np.cos(latitude) * np.cos(longitude),
        np.cos(latitude) * np.sin(longitude),
        np.sin(latitude),
    ]
    return (random.normal(50.0, 0.55, n) * direction).T


def make_chainlink(
    n_samples: int = 1000, random_state: Seed = None
) -> tuple[np.ndarray, np.ndarray]:
    """Make two rings that pass through each other, as in Chainlink.

    Parameters
    ----------
    n_samples, random_state : optional
        As for :func:`make_atom`; 1000 rows by default.

    Returns
    -------
    X, y : arrays of shape (n_samples, 3) and (n_samples,)
        The class is the ring.

    Examples
    --------
    >>> from agathis.datasets import make_chainlink
    >>> X, y = make_chainlink(200, random_state=0)
    >>> X.shape
    (200, 3)
    """
    # The second stands upright, in the planes of the second and third feature.
    upright = transformed(_ring, [[0, 0, 1], [0, 1, 0], [1, 0, 0]], [0.0, 1.0, 0.0])
    parts = [(500, _ring), (500, upright)]
    return make("make_chainlink", n_samples, random_state, parts)


def _ring(random: RandomState, n: int) -> np.ndarray:
    """A tube around the unit circle, denser at its middle."""
    along, around = random.uniform(-np.pi, np.pi, (2, n))
    off = random.uniform(0.0, 0.1, n)
    radius = 1 + off * np.cos(around)
    return np.column_stack([radius * np.cos(along), radius * np.sin(along), off * np.sin(around)])


def make_engytime(
    n_samples: int = 4096, random_state: Seed = None
) -> tuple[np.ndarray, np.ndarray]:
    """Make two Gaussians that overlap, one oblong and one round, as in EngyTime.

    Parameters
    ----------
    n_samples, random_state : optional
        As for :func:`make_atom`; 4096 rows by default.

    Returns
    -------
    X, y : arrays of shape (n_samples, 2) and (n_samples,)
        Class 1 is the round one.

    Examples
    --------
    >>> from agathis.datasets import make_engytime
    >>> X, y = make_engytime(500, random_state=0)
    >>> X.shape
    (500, 2)
    """
    parts = [
        (2048, gaussian([2.0, 3.0], [[2.0, -1.6], [-1.6, 2.0]])),
        (2048, round_gaussian([0.5, 0.5], 1.0)),
    ]
    return make("make_engytime", n_samples, random_state, parts)


def make_hepta(n_samples: int = 212, random_state: Seed = None) -> tuple[np.ndarray, np.ndarray]:
    """Make seven balls far apart, one of them dense, as in Hepta.

    Parameters
    ----------
    n_samples, random_state : optional
        As for :func:`make_atom`; 212 rows by default.

    Returns
    -------
    X, y : arrays of shape (n_samples, 3) and (n_samples,)
        Class 0 is the dense ball at the origin.

    Examples
    --------
    >>> import numpy as np
    >>> from agathis.datasets import make_hepta
    >>> X, y = make_hepta(random_state=0)
    >>> np.bincount(y).tolist()
    [32, 30, 30, 30, 30, 30, 30]
    """
    axes = 3 * np.eye(3)
    parts = [(32, ball([0.0, 0.0, 0.0], 0.1))]
    parts += [(30, ball(sign * axis, 1.0)) for axis in axes for sign in (1, -1)]
    return make("make_hepta", n_samples, random_state, parts)


def make_lsun(n_samples: int = 404, random_state: Seed = None) -> tuple[np.ndarray, np.ndarray]:
    """Make two bars, a ball and a few outliers in three dimensions, as in Lsun.

    Parameters
    ----------
    n_samples, random_state : optional
        As for :func:`make_atom`; 404 rows by default.

    Returns
    -------
    X, y : arrays of shape (n_samples, 3) and (n_samples,)
        Class 3 is the outliers, one row in a hundred.

    Examples
    --------
    >>> import numpy as np
    >>> from agathis.datasets import make_lsun
    >>> X, y = make_lsun(random_state=0)
    >>> np.bincount(y).tolist()
    [200, 100, 100, 4]
    """
    parts = [
        (200, stacked(box([0.0, 0.0], [4.0, 1.0]), round_gaussian([0.47], 0.07))),
        (100, stacked(box([0.5, 1.5], [1.5, 5.5]), round_gaussian([1.0], 0.09))),
        (100, round_gaussian([2.95, 2.55, 2.55], 0.14)),
        (4, box([3.9, 4.9, 0.5], [4.1, 5.1, 1.0])),
    ]
    return make("make_lsun", n_samples, random_state, parts)


def make_target(n_samples: int = 770, random_state: Seed = None) -> tuple[np.ndarray, np.ndarray]:
    """Make a disc, a ring around it and four far groups of outliers, as in Target.

    Parameters
    ----------
    n_samples, random_state : optional
        As for :func:`make_atom`; 770 rows by default.

    Returns
    -------
    X, y : arrays of shape (n_samples, 2) and (n_samples,)
        Class 0 is the disc, 1 the ring; each of the others has three rows of 770.

    Examples
    --------
    >>> import numpy as np
    >>> from agathis.datasets import make_target
    >>> X, y = make_target(random_state=0)
    >>> np.bincount(y).tolist()
    [395, 363, 3, 3, 3, 3]
    """
    corners = np.array([[3.0, 3.0], [-3.0, 3.0], [-3.0, -3.0], [3.0, -3.0]])
    parts = [(395, ball([0.0, 0.0], 0.5)), (363, ball([0.0, 0.0], 2.0, hole=1.5))]
    parts += [(3, box(corner - 0.05, corner + 0.05)) for corner in corners]
    return make("make_target", n_samples, random_state, parts)


def make_tetra(n_samples: int = 400, random_state: Seed = None) -> tuple[np.ndarray, np.ndarray]:
    """Make four balls that almost touch, as in Tetra.

    Parameters
    ----------
    n_samples, random_state : optional
        As for :func:`make_atom`; 400 rows by default.

    Returns
    -------
    X, y : arrays of shape (n_samples, 3) and (n_samples,)
        The class is the ball.

    Examples
    --------
    >>> from agathis.datasets import make_tetra
    >>> X, y = make_tetra(random_state=0)
    >>> X.shape
    (400, 3)
    """
    # A tetrahedron whose edges are 2.2 long, a tenth more than balls that touch would need.
    base, height = 2.2 / np.sqrt(3), 2.2 * np.sqrt(2 / 3)
    angles = np.array([0, 2, 4]) * np.pi / 3
    corners = [[base * np.cos(angle), base * np.sin(angle), -height / 4] for angle in angles]
    parts = [(100, ball(corner, 1.0)) for corner in [*corners, [0.0, 0.0, height * 3 / 4]]]
    return make("make_tetra", n_samples, random_state, parts)


def make_two_diamonds(
    n_samples: int = 800, random_state: Seed = None
) -> tuple[np.ndarray, np.ndarray]:
    """Make two squares on their corners that almost touch, as in TwoDiamonds.

    Parameters
    ----------
    n_samples, random_state : optional
        As for :func:`make_atom`.

    Returns
    -------
    X, y : arrays of shape (n_samples, 2) and (n_samples,)
        Class 0 is the diamond on the left.

    Examples
    --------
    >>> from agathis import Kauri
    >>> from agathis.datasets import make_two_diamonds
    >>> X, y = make_two_diamonds(random_state=0)
    >>> Kauri(n_clusters=2, max_leaf_nodes=2).fit(X).n_leaves_
    2
    """
    square = box([-1.0, -1.0], [1.0, 1.0])
    half_turned = [[0.5, 0.5], [0.5, -0.5]]
    parts = [(400, transformed(square, half_turned, [x, 0.0])) for x in (1.0, 3.09)]
    return make("make_two_diamonds", n_samples, random_state, parts)


def make_wing_nut(
    n_samples: int = 1016, random_state: Seed = None
) -> tuple[np.ndarray, np.ndarray]:
    """Make two rectangles that grow denser towards opposite corners, as in WingNut.

    Parameters
    ----------
    n_samples, random_state : optional
        As for :func:`make_atom`; 1016 rows by default.

    Returns
    -------
    X, y : arrays of shape (n_samples, 2) and (n_samples,)
        Class 0 is on the right, denser at its foot; class 1 is that turned by half a circle.

    Examples
    --------
    >>> from agathis.datasets import make_wing_nut
    >>> X, y = make_wing_nut(random_state=0)
    >>> bool(X[y == 0, 1].mean() < X[y == 1, 1].mean())
    True
    """
    parts = [(508, _wing), (508, transformed(_wing, [[-1, 0], [0, -1]], [0.0, 3.0]))]
    return make("make_wing_nut", n_samples, random_state, parts)


def _wing(random: RandomState, n: int) -> np.ndarray:
    even = random.uniform(size=(n, 2))
    # Density falls evenly from one side to the other, in both directions.
    falling = random.beta(1.0, 2.0, (n, 2))
    share = np.where(random.uniform(size=(n, 1)) < 0.23, even, falling)
    return share * [2.0, 3.0] + [0.15, 0.0]
