"""The style of each cluster: a colour, a marker and a hatch, never the colour alone.

The first eight colours are those of Okabe and Ito. Each of the other sixteen is the one of a grid,
neither very dark nor very light, that maximises the distance to those before it: the minimum over
normal, protan, deutan and tritan vision (CIELAB, colour blindness after Machado and others, 2009).
From the 25th cluster on colours are repeated with other markers and hatches.
"""

from __future__ import annotations

from dataclasses import dataclass

COLOURS = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#333333",
    "#9933FF", "#663300", "#AADD88", "#4422AA", "#551166", "#FF0055", "#9977FF", "#00EEBB",
    "#993377", "#DDCCEE", "#556633", "#88EE66", "#0011FF", "#CC00AA", "#77BB77", "#114455",
)  # fmt: skip
# Their number is coprime to that of the colours: pairs repeat after 24 * 11.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", "p", ">", "*")
HATCHES = ("", "///", "...", "\\\\\\", "xxx", "+++", "ooo")


@dataclass(frozen=True)
class ClusterStyle:
    """The style of a cluster.

    Attributes
    ----------
    colour, text_colour : str
        As ``#rrggbb``; the second is black or white, whichever contrasts more with the first.
    marker, hatch : str
        In matplotlib's terms.
    """

    colour: str
    text_colour: str
    marker: str
    hatch: str


def cluster_style(cluster: int) -> ClusterStyle:
    """Return the style of a cluster, the same in every picture.

    Parameters
    ----------
    cluster : int

    Returns
    -------
    style : ClusterStyle

    Examples
    --------
    >>> from agathis.plot import cluster_style
    >>> cluster_style(0)
    ClusterStyle(colour='#0072B2', text_colour='#ffffff', marker='o', hatch='')
    >>> cluster_style(9).marker, cluster_style(9).hatch
    ('>', '///')
    """
    colour = COLOURS[cluster % len(COLOURS)]
    return ClusterStyle(
        colour,
        text_on(colour),
        MARKERS[cluster % len(MARKERS)],
        HATCHES[cluster // 8 % len(HATCHES)],
    )


def text_on(colour: str) -> str:
    """Return black or white, whichever has more contrast on a colour.

    >>> text_on("#F0E442"), text_on("#333333")
    ('#000000', '#ffffff')
    """
    on_black, on_white = contrast(colour, "#000000"), contrast(colour, "#ffffff")
    return "#000000" if on_black >= on_white else "#ffffff"


def contrast(a: str, b: str) -> float:
    """Compute the contrast of two colours as in WCAG, from 1 to 21; text should have 4.5.

    >>> contrast("#000000", "#ffffff")
    21.0
    """
    low, high = sorted((_luminance(a), _luminance(b)))
    return round((high + 0.05) / (low + 0.05), 6)


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
