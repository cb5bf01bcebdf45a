"""Registry of the engines and their properties.

Checks, messages and the choice of ``"auto"`` (:mod:`agathis._growth.engines.choice`) use this
table.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

AUTO = "auto"


class Engine(NamedTuple):
    """Properties of an engine.

    Attributes
    ----------
    takes_missing : bool
        Whether X may have missing values.
    takes_matrix : bool
        Whether it accepts a precomputed kernel matrix.
    needs_points : bool
        Whether it uses points of the kernel's space (rows or a feature map) and not kernel values.
    exact : bool
        Whether it searches all thresholds, with all rows in memory.
    """

    takes_missing: bool
    takes_matrix: bool
    needs_points: bool
    exact: bool


ENGINES = {
    "gram": Engine(takes_missing=False, takes_matrix=True, needs_points=False, exact=True),
    "blocks": Engine(takes_missing=False, takes_matrix=False, needs_points=False, exact=True),
    "features": Engine(takes_missing=False, takes_matrix=False, needs_points=True, exact=True),
    "binned": Engine(takes_missing=True, takes_matrix=False, needs_points=True, exact=False),
}


def engines(**traits: bool) -> tuple[str, ...]:
    """The names of the engines with these properties."""
    return tuple(
        name
        for name, engine in ENGINES.items()
        if all(getattr(engine, trait) == value for trait, value in traits.items())
    )


# The engine of "auto" for missing values, and for rows that are read from files.
(BINNED,) = engines(takes_missing=True, exact=False)


def one_of(names: Iterable[str]) -> str:
    """The names in quotes, as a choice: ``'a', 'b' or 'c'``."""
    *first, last = map(repr, names)
    return f"{', '.join(first)} or {last}" if first else last
