"""Access to matplotlib: axes to draw on, and names as plain text.

No global setting is changed, and pyplot is used only to create figures. Names come from user data:
they are never parsed as formulas, so that ``$``, ``_`` and ``^`` remain.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from agathis._utils.extras import needed
from agathis.plot._style import MAX_LINES, PLAIN

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend


def check_axes(ax: Axes | None) -> None:
    """Raise if matplotlib is missing, or if ``ax`` is not an Axes."""
    axes = needed("matplotlib.axes", "plot", "drawing")
    if ax is not None and not isinstance(ax, axes.Axes):
        raise TypeError(f"ax must be a matplotlib Axes; it is a {type(ax).__name__}.")


def canvas(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Return the given axes, or those of a new pyplot figure with the size in inches."""
    check_axes(ax)
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.figure(figsize=size, layout="constrained").add_subplot()


def clean(name: object) -> str:
    """Return a name on one line, without unprintable characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in str(name)).split())


def wrapped(name: object, width: int) -> list[str]:
    """Wrap a name to at most ``MAX_LINES`` lines of ``width`` characters; "..." if it is cut.

    >>> wrapped("mean of the worst perimeter", 12)
    ['mean of the', 'worst', 'perimeter']
    """
    lines = textwrap.wrap(clean(name), width, break_on_hyphens=False) or [""]
    if len(lines) > MAX_LINES:
        lines = lines[:MAX_LINES]
        lines[-1] = shortened(lines[-1] + " " * width, width)
    return lines


def shortened(name: object, width: int) -> str:
    """Shorten a name to at most ``width`` characters, with an ellipsis.

    >>> shortened("concentration", 8)
    'concent…'
    """
    line = " ".join(str(name).splitlines())
    return line if len(line) <= width else line[: width - 1].rstrip() + "…"


def sample_note(n_read: int | None) -> str:
    """Describe rows that are a sample of a collection; empty if they are all rows.

    >>> sample_note(1_000_000)
    ', a sample of 1,000,000, drawn at random'
    """
    return "" if n_read is None else f", a sample of {n_read:,}, drawn at random"


def text_widths(lines: Iterable[str], *, bold: bool = False) -> list[float]:
    """Return the width of each line in units of the font size."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    font = FontProperties(size=100, weight="bold" if bold else "normal")
    measure = TextToPath().get_text_width_height_descent
    return [measure(line, font, ismath=False)[0] / 100 if line else 0.0 for line in lines]


def beside(ax: Axes, handles: Sequence[Any], names: Sequence[str], **options: Any) -> Legend:
    """Draw a legend beside the axes if the figure can be resized, otherwise inside."""
    position: dict[str, Any] = {"loc": "best", "framealpha": 0.8}
    if ax.figure.get_layout_engine() is not None:
        position = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "frameon": False}
    # Labels with a leading _ would be left out: the names are set afterwards.
    legend = ax.legend(handles, ["x"] * len(names), **position, **options)
    for entry, name in zip(legend.get_texts(), names, strict=True):
        entry.set(text=name, **PLAIN)
    return legend
