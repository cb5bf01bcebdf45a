"""What is fitted for the paper's tables and figures, piece by piece.

A :class:`Piece` is what several fits share: an experiment, some rows, a kernel. It is small and
says nothing of how it is done; its seed is made from its name alone, so that a piece gives the same
rows whatever was done before it, in whatever order, in a quick run or in a whole one.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paper.datasets.registry import REGISTRY

#: Runs of each table, and of the histograms of lost clusters.
RUNS, LOST_RUNS = 30, 100
#: Of a quick run.
QUICK_RUNS, QUICK_LOST_RUNS = 5, 20
#: The share of the rows that a run sees.
SHARE = 0.8
KERNELS = ("additive_chi2", "chi2", "laplacian", "rbf")
#: The sets on which plain kernel KMeans loses clusters, and with which kernels.
LOST_SETS = ("mice_protein", "target")
LOST_KERNELS = ("additive_chi2", "polynomial")
#: The sets of a quick run.
QUICK_SETS = ("congress", "haberman", "hepta", "iris", "lsun", "tetra", "wine")

#: The methods of each experiment, by the words of the paper's tables. ``kmeans_dt_strong`` learns
#: from a kernel KMeans that keeps all clusters, ``kmeans_dt`` from that of the paper.
METHODS = {
    "small": ("kauri", "kmeans_dt", "icot", "imm", "exshallow", "rdm"),
    "large": ("kauri", "kmeans_dt", "exkmc"),
    "kernels": ("kauri", "kmeans_dt", "kmeans_dt_strong"),
    "angle": ("kauri", "kmeans_dt"),
    "samples": ("kauri", "kmeans_dt"),
    "lost": ("kernel_kmeans", "kauri"),
}
EXPERIMENTS = tuple(METHODS)
#: Leaves for each cluster; None is no limit.
LEAVES = {"small": 1, "large": 4, "kernels": 4, "angle": None, "samples": None}

#: The angles and numbers of samples of the synthetic figure, as in the paper.
ANGLES = tuple(np.linspace(0, np.pi / 2, 30).tolist())
SIZES = tuple(np.geomspace(10, 10_000, 30).astype(int).tolist())
ANGLE, SIZE = np.pi / 4, 300


#: With more rows the strong kernel KMeans works on points that stand for the kernel: the
#: eigenvectors of the whole matrix would take hours.
EXACT_ROWS = 5_000


#: Of a fit: experiment, set, kernel, run, place, method.
Key = tuple[str, str, str, int, float, str]


@dataclass(frozen=True)
class Piece:
    """Fits that share rows and a kernel.

    Attributes
    ----------
    experiment : str
        One of ``EXPERIMENTS``.
    dataset : str
        A set of ``paper.datasets``, or ``"gaussians"``.
    kernel : str
    run : int
    at : float
        The angle or the number of samples of the synthetic figure, else 0.
    """

    experiment: str
    dataset: str
    kernel: str
    run: int
    at: float = 0.0

    @property
    def seed(self) -> int:
        """The same for all experiments on the same rows."""
        return zlib.crc32(f"{self.dataset} {self.run} {self.at!r}".encode()) >> 1

    def key(self, method: str) -> Key:
        return (self.experiment, self.dataset, self.kernel, self.run, self.at, method)

    def effort(self) -> float:
        """Seconds, roughly, that it takes on one core: for the time left."""
        if self.dataset == "gaussians":
            return 0.03 + 5e-6 * (self.at if self.experiment == "samples" else SIZE)
        entry = REGISTRY[self.dataset]
        n, d = SHARE * entry.n_samples, entry.printed[1]
        if self.experiment == "small":
            return 0.2 + 1.5e-7 * d * min(n, 2000) ** 2
        if self.experiment == "large":
            return 0.1 + 5e-6 * n * d
        strong = 2e-10 * n**3 if n <= EXACT_ROWS else 0.0
        return 0.2 + 1.2e-7 * n**2 + (strong if self.experiment == "kernels" else 0.0)


def pieces(experiments: Sequence[str] = EXPERIMENTS, *, quick: bool = False) -> list[Piece]:
    """All pieces of some experiments, the shortest first: one that is stopped has most of them."""
    runs, lost_runs = (QUICK_RUNS, QUICK_LOST_RUNS) if quick else (RUNS, LOST_RUNS)
    sets = QUICK_SETS if quick else tuple(sorted(REGISTRY))
    found = []
    for name in experiments:
        if name in ("small", "large"):
            found += [Piece(name, s, "linear", run) for s in sets for run in range(runs)]
        elif name == "kernels":
            found += [Piece(name, s, k, run) for s in sets for k in KERNELS for run in range(runs)]
        elif name in ("angle", "samples"):
            every = ANGLES if name == "angle" else SIZES
            places = [x for x in every[:: 3 if quick else 1] if not quick or x <= 1000]
            found += [
                Piece(name, "gaussians", "linear", run, float(at))
                for at in places
                for run in range(runs)
            ]
        else:
            found += [
                Piece(name, s, k, run)
                for s in LOST_SETS
                for k in LOST_KERNELS
                for run in range(lost_runs)
            ]
    return sorted(found, key=Piece.effort)


def wanted(piece: Piece) -> tuple[str, ...]:
    """The methods to fit on a piece."""
    if piece.experiment == "lost" and piece.run > 0:
        # Nothing is drawn for Kauri, and it sees all rows: one run tells all.
        return ("kernel_kmeans",)
    return METHODS[piece.experiment]
