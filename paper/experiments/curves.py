"""The figures that are drawn from rows: WAES on rotated Gaussians, and clusters that are lost.

``waes_curves`` and ``cluster_bars`` say what is to be seen, beside what the paper prints; the
functions that draw them add nothing to it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from agathis._rules.colours import cluster_style
from agathis.plot._style import GREY
from paper.experiments.labels import KERNEL_LABELS, METHOD_LABELS, counted, set_label, signed
from paper.experiments.plan import METHODS
from paper.experiments.printed import printed_clusters, printed_curves
from paper.experiments.result_cells import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Blue and vermilion: apart for all eyes, and in grey.
_STYLES = {"kauri": cluster_style(0), "kmeans_dt": cluster_style(5)}
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Curve:
    """WAES plus 1 of a method, against the angle or the number of samples.

    Attributes
    ----------
    method : str
    x, mean, std : ndarray
        Over runs.
    paper_x, paper : ndarray
        The printed curve.
    runs : int
        The least of any point.
    """

    method: str
    x: np.ndarray
    mean: np.ndarray
    std: np.ndarray
    paper_x: np.ndarray
    paper: np.ndarray
    runs: int

    @property
    def differences(self) -> np.ndarray:
        """Ours less the printed curve, which is straight between its points."""
        return self.mean - np.interp(self.x, self.paper_x, self.paper)

    @property
    def near(self) -> int:
        """How many points are within two deviations of our runs of the printed curve."""
        return int(np.sum(np.abs(self.differences) <= 2 * self.std + _ROUNDING))


def waes_curves(rows: Iterable[Row], experiment: str) -> list[Curve]:
    """The curves of ``"angle"`` or ``"samples"``, those for which there are rows."""
    values: dict[str, dict[float, list[float]]] = defaultdict(lambda: defaultdict(list))
    # Sums depend on the order to the last bit, and rows come as they are done.
    for row in sorted(rows, key=lambda row: row["run"]):
        if row["experiment"] == experiment:
            values[row["method"]][row["at"]].append(row["waes"] + 1)
    curves = []
    for method in METHODS[experiment]:
        places = sorted(values[method])
        if places:
            found = [np.array(values[method][x]) for x in places]
            paper = np.array(printed_curves()[experiment, method])
            curves.append(
                Curve(
                    method,
                    x=np.array(places),
                    mean=np.array([v.mean() for v in found]),
                    std=np.array([v.std() for v in found]),
                    paper_x=paper[:, 0],
                    paper=paper[:, 1],
                    runs=min(map(len, found)),
                )
            )
    return curves


def curves_caption(curves: list[Curve]) -> list[str]:
    """In words how near each curve is to the printed one."""
    lines = []
    for curve in curves:
        worst = int(np.argmax(np.abs(curve.differences)))
        lines.append(
            f"{METHOD_LABELS[curve.method]}: the printed curve is within two standard deviations "
            f"of our runs at {curve.near} of {counted(len(curve.x), 'point')}. Ours less the "
            f"printed one is {signed(curve.differences.mean())} on average, and farthest off "
            f"where x is {curve.x[worst]:.3g}: {signed(curve.differences[worst])}."
        )
    return lines


def draw_curves(figure: Figure, panels: dict[str, list[Curve]]) -> None:
    """A panel for each experiment, with the printed curves dashed."""
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for ax, (experiment, curves) in zip(axes, panels.items(), strict=True):
        for curve in curves:
            _draw_curve(ax, curve)
        ax.set_ylabel("WAES + 1")
        ax.set_ylim(bottom=2)
        ax.grid(alpha=0.25)
        runs = counted(min(curve.runs for curve in curves), "run")
        if experiment == "samples":
            ax.set_xscale("log")
            ax.set(xlabel="number of samples", title=f"angle π/4, {runs}")
        else:
            ax.set(xlabel="angle in radians", title=f"300 samples, {runs}")
    axes[0].legend(frameon=False, fontsize="small")


def _draw_curve(ax: Axes, curve: Curve) -> None:
    style, word = _STYLES[curve.method], METHOD_LABELS[curve.method]
    ax.fill_between(
        curve.x,
        curve.mean - curve.std,
        curve.mean + curve.std,
        color=style.colour,
        alpha=0.18,
        linewidth=0,
    )
    ax.plot(
        curve.x,
        curve.mean,
        color=style.colour,
        marker=style.marker,
        markersize=3.5,
        linewidth=1.5,
        label=f"{word}, ours ± std",
    )
    ax.plot(
        curve.paper_x,
        curve.paper,
        color=style.colour,
        linestyle=(0, (4, 2)),
        linewidth=1.2,
        label=f"{word}, paper",
    )


@dataclass(frozen=True)
class Bars:
    """In which share of the runs how many clusters were left.

    Attributes
    ----------
    dataset, kernel : str
    ours, paper : dict
        From a number of clusters to a share of the runs.
    runs : int
    kauri : int or None
        The clusters of Kauri's tree.
    """

    dataset: str
    kernel: str
    ours: dict[int, float]
    paper: dict[int, float]
    runs: int
    kauri: int | None

    @property
    def differing_share(self) -> float:
        """The share of the runs that would have to be others for both to be the same."""
        numbers = {*self.ours, *self.paper}
        return sum(abs(self.ours.get(k, 0.0) - self.paper.get(k, 0.0)) for k in numbers) / 2


def cluster_bars(rows: Iterable[Row]) -> list[Bars]:
    """The panels for which there are rows, in the paper's order."""
    found: dict[tuple[str, str], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["experiment"] == "lost":
            found[row["dataset"], row["kernel"]][row["method"]].append(int(row["clusters"]))
    panels = []
    for place, printed in printed_clusters().items():
        left = found[place]["kernel_kmeans"]
        if left:
            panels.append(
                Bars(
                    *place,
                    ours={k: n / len(left) for k, n in sorted(Counter(left).items())},
                    paper={k: n / sum(printed.values()) for k, n in printed.items()},
                    runs=len(left),
                    kauri=max(found[place]["kauri"], default=None),
                )
            )
    return panels


def bars_caption(panels: list[Bars]) -> list[str]:
    """In words how many clusters are kept, ours and the paper's."""
    lines = []
    for bars in panels:
        mean, printed = (sum(k * p for k, p in side.items()) for side in (bars.ours, bars.paper))
        kauri = "" if bars.kauri is None else f"; Kauri finds {bars.kauri}"
        never = [f"{k} in {100 * p:.0f} %" for k, p in bars.ours.items() if k not in bars.paper]
        also = f" Left in ours and never in the paper: {', '.join(never)}." if never else ""
        lines.append(
            f"{set_label(bars.dataset)}, {KERNEL_LABELS[bars.kernel]}: {mean:.1f} clusters left on "
            f"average, in the paper {printed:.1f}{kauri}. The two differ in "
            f"{100 * bars.differing_share:.0f} % of the runs.{also}"
        )
    return lines


def draw_bars(figure: Figure, panels: list[Bars]) -> None:
    """Our bars beside the paper's, and Kauri's number as a line."""
    from matplotlib.ticker import PercentFormatter

    columns = min(2, len(panels))
    axes = figure.subplots(-(-len(panels) // columns), columns, squeeze=False).ravel()
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    most = max(max([*bars.ours, *bars.paper, bars.kauri or 0]) for bars in panels)
    for ax, bars in zip(axes, panels, strict=False):
        for side, shares, colour, hatch, word in (
            (-0.2, bars.ours, cluster_style(0).colour, "", "ours"),
            (0.2, bars.paper, "#cccccc", "///", "paper"),
        ):
            ax.bar(
                np.array(list(shares)) + side,
                list(shares.values()),
                width=0.4,
                color=colour,
                hatch=hatch,
                edgecolor=GREY,
                linewidth=0.5,
                label=word,
            )
        if bars.kauri is not None:
            ax.axvline(
                bars.kauri,
                color=cluster_style(5).colour,
                linestyle="--",
                linewidth=1.4,
                label="Kauri",
            )
        ax.set(xlim=(0.5, most + 0.7), xticks=range(1, most + 1), ylim=(0, 1))
        ax.yaxis.set_major_formatter(PercentFormatter(1.0))
        ax.set_title(
            f"{set_label(bars.dataset)}, {KERNEL_LABELS[bars.kernel]} "
            f"({counted(bars.runs, 'run')})",
            fontsize="medium",
        )
        ax.set_xlabel("non-empty clusters")
        ax.grid(axis="y", alpha=0.25)
    axes[0].legend(frameon=False, fontsize="small", loc="upper left")
