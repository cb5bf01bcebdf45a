"""The words that tables, figures and the page have for methods, kernels, metrics and data sets."""

from __future__ import annotations

from typing import NamedTuple

from agathis._methods import METHODS
from paper.datasets.registry import REGISTRY

MINUS = "\N{MINUS SIGN}"


class Metric(NamedTuple):
    """What a metric is called, which way is better, and what has to be known to read it."""

    word: str
    larger: bool
    note: str


METHOD_LABELS = {
    **{method.key: name for name, method in METHODS.items() if method.search is None},
    "kmeans_dt_strong": "KMeans+DT (strong)",
    "kernel_kmeans": "kernel KMeans",
}
KERNEL_LABELS = {
    "linear": "linear",
    "additive_chi2": "additive χ²",
    "chi2": "χ²",
    "laplacian": "Laplacian",
    "rbf": "RBF",
    "polynomial": "polynomial",
}
EXPERIMENT_LABELS = {
    "small": "one leaf per cluster",
    "large": "four leaves per cluster",
    "kernels": "four leaves per cluster, other kernels",
    "angle": "WAES against the angle",
    "samples": "WAES against the number of samples",
    "lost": "clusters that kernel KMeans keeps",
}
METRICS = {
    "ari": Metric("ARI", True, "Adjusted Rand index with the classes."),
    "wad": Metric("WAD", False, "Weighted average depth; the root counts as 1."),
    "waes": Metric(
        "WAES",
        False,
        "Weighted average explanation size plus 1, as the paper prints it.",
    ),
    "relative_kmeans": Metric(
        "relative KMeans cost",
        False,
        "The cost divided by one reference per set and kernel: the least cost of (kernel) KMeans "
        "over all runs. The paper does not say how its reference was made.",
    ),
    "relative_same": Metric(
        "relative KMeans cost, same rows",
        False,
        "The cost divided by that of the paper's (kernel) KMeans on the same rows. Not in the "
        "paper.",
    ),
    "relative_strong": Metric(
        "relative KMeans cost, strong reference",
        False,
        "The cost divided by that of a kernel KMeans from many starts that keeps all clusters, on "
        "the same rows. Not in the paper.",
    ),
}


def set_label(name: str) -> str:
    """The title of a data set.

    >>> set_label("breast_cancer")
    'Breast cancer'
    """
    return REGISTRY[name].title if name in REGISTRY else name


def counted(n: int, word: str) -> str:
    """A number with its word.

    >>> counted(1, "run"), counted(1200, "run")
    ('1 run', '1,200 runs')
    """
    return f"{n:,} {word}{'s'[: n != 1]}"


def decimals(value: float) -> str:
    """A number with two decimals; what rounds to nothing has no sign.

    >>> decimals(0.794), decimals(-0.001), decimals(-0.5) == MINUS + "0.50"
    ('0.79', '0.00', True)
    """
    return signed(value).removeprefix("+")


def signed(value: float) -> str:
    """A difference with two decimals and its sign; what rounds to nothing has none.

    >>> signed(0.034), signed(-0.001), signed(-0.5) == MINUS + "0.50"
    ('+0.03', '0.00', True)
    """
    text = f"{abs(value):.2f}"
    if text == "0.00":
        return text
    return ("+" if value > 0 else MINUS) + text
