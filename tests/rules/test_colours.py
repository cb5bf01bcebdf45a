"""Colours of clusters: apart for every eye, and never the only sign."""

import numpy as np
import pytest

from agathis._rules.colours import COLOURS, contrast, text_on
from agathis.plot import cluster_style

# Machado, Oliveira and Fernandes (2009), full severity, on linear RGB.
EYES = {
    "normal": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
               [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
               [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
               [0.004733, 0.691367, 0.303900]],
}  # fmt: skip
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def lab(colour, eye):
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(np.array(EYES[eye]) @ linear, 0, 1) / [0.9505, 1, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize(("count", "least"), [(8, 16), (24, 14)])
def test_colours_are_apart(eye, count, least):
    points = np.array([lab(colour, eye) for colour in COLOURS[:count]])
    apart = np.linalg.norm(points[:, None] - points[None], axis=-1)
    assert apart[np.triu_indices(count, 1)].min() > least


def test_no_two_of_many_clusters_look_the_same():
    styles = [cluster_style(k) for k in range(200)]
    assert len({(s.colour, s.marker) for s in styles}) == 200
    assert len({s.colour for s in styles[:24]}) == 24
    # Without colour: a marker and a hatch.
    assert len({(s.marker, s.hatch) for s in styles[:16]}) == 16


def test_text_is_readable_on_every_colour():
    for colour in COLOURS:
        assert contrast(colour, text_on(colour)) >= 4.5
        assert cluster_style(COLOURS.index(colour)).text_colour == text_on(colour)
