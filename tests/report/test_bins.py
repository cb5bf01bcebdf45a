"""Values as counts in bins, of one feature and of the plane."""

import numpy as np
import pytest

from agathis.report._bins import plane_bins, scale_of
from agathis.report._groups import histogram
from agathis.report._tuning import SPLIT_BINS


def test_scatter_and_bins():
    random = np.random.default_rng(0)
    points, cluster = random.normal(size=(3000, 2)), random.integers(0, 3, 3000)
    found = plane_bins(points, cluster, by_cluster=False)
    assert sum(cell[2] for cell in found["cells"]) == 3000
    (x0, dx, _), (y0, dy, _) = found["x"], found["y"]
    i, j, count, main, share = max(found["cells"], key=lambda cell: cell[2])
    inside = (np.abs(points - [x0 + (i + 0.5) * dx, y0 + (j + 0.5) * dy]) <= [dx / 2, dy / 2]).all(
        1
    )
    counts = np.bincount(cluster[inside], minlength=3)
    assert (count, main, share) == (inside.sum(), counts.argmax(), round(counts.max() / count, 3))


@pytest.mark.parametrize(
    "values",
    [
        np.zeros(9),
        np.arange(40.0),
        np.array([1e300, -1e300, 0.0]),
        1e6 + np.arange(9) * 2.0**-32,
        np.array([5e-324, 0.0]),
        np.random.default_rng(0).normal(size=500),
        np.random.default_rng(0).lognormal(3, 2, size=500),
    ],
    ids=["same", "whole", "far", "close", "tiny", "normal", "skewed"],
)
def test_bins_hold_all_values(values):
    scale = scale_of(values, SPLIT_BINS)
    assert (np.diff(scale.edges) > 0).all()
    assert scale.count <= 3 * SPLIT_BINS
    place = scale.bin_of(values)
    edges = scale.edges
    inner = (values > edges[0]) & (values <= edges[-1])
    assert (edges[place[inner]] < values[inner]).all()
    assert (values[inner] <= edges[place[inner] + 1]).all()


def test_bins_do_not_tell_the_extremes():
    values = np.concatenate([np.random.default_rng(0).normal(size=999), [12345.678]])
    assert scale_of(values, SPLIT_BINS).edges[-1] < 100
    assert histogram(values[:0] * np.nan, values[:1] * np.nan, None, 0.0) is None
