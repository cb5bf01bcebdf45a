"""Tables in the shape of the paper's data sets, drawn: for tests that have no data."""

from __future__ import annotations

from itertools import product

import numpy as np

from agathis import datasets
from paper.datasets.entry import Entry
from paper.datasets.registry import REGISTRY
from paper.datasets.set_files import RawTable, make_table, table_bytes
from paper.experiments.plan import LOST_SETS, QUICK_SETS

MAKERS = {
    "atom": datasets.make_atom,
    "chainlink": datasets.make_chainlink,
    "engytime": datasets.make_engytime,
    "hepta": datasets.make_hepta,
    "lsun": datasets.make_lsun,
    "target": datasets.make_target,
    "tetra": datasets.make_tetra,
    "twodiamonds": datasets.make_two_diamonds,
    "wingnut": datasets.make_wing_nut,
}
_CARS = [
    ("vhigh", "high", "med", "low"),
    ("vhigh", "high", "med", "low"),
    ("2", "3", "4", "5more"),
    ("2", "4", "more"),
    ("small", "med", "big"),
    ("low", "med", "high"),
]


def lookalike(name: str) -> RawTable:
    """A table with the rows, columns and classes that the set has."""
    entry = REGISTRY[name]
    if name in MAKERS:
        X, y = MAKERS[name](random_state=0)
        return make_table(entry, X, [list(entry.classes)[code] for code in y])
    random = np.random.default_rng(0)
    labels = np.repeat(list(entry.classes), list(entry.classes.values()))
    random.shuffle(labels)
    if entry.categorical:
        return make_table(entry, list(product(*_CARS)), labels)
    if entry.value_names:
        return make_table(entry, _votes(random, labels, len(entry.features)), labels)
    return make_table(entry, _grades(random, entry, labels), labels)


def _votes(random: np.random.Generator, labels: np.ndarray, d: int) -> np.ndarray:
    """Nine of ten vote as their party does, but for a few whose vote is not known."""
    line = random.choice([-1, 1], d)
    party = np.where(labels == labels[0], 1, -1)[:, None]
    votes = line * party * np.where(random.random((len(labels), d)) < 0.9, 1, -1)
    return np.where(random.random(votes.shape) < 0.05, 0, votes)


def _grades(random: np.random.Generator, entry: Entry, labels: np.ndarray) -> np.ndarray:
    """Numbers from 1 to 10 with two decimals, about a middle of each class."""
    middle = {label: random.uniform(3, 8, len(entry.features)) for label in entry.classes}
    noise = random.uniform(-2, 2, (len(labels), len(entry.features)))
    return np.round(np.array([middle[label] for label in labels]) + noise, 2)


def write_lookalike(name: str, folder) -> None:
    (folder / f"{name}.csv.gz").write_bytes(table_bytes(REGISTRY[name], lookalike(name)))


def write_quick_sets(folder) -> None:
    """Tables that look like those of a quick run of the experiments."""
    for name in {*QUICK_SETS, *LOST_SETS}:
        write_lookalike(name, folder)
