"""The engines that a tree can be grown by, and what each of them takes.

This table is read wherever a name of an engine is checked, chosen or advised, so that what is said
of an engine in one place holds in all. Beside the names there is ``"auto"``, which means one of
them; :mod:`agathis._growing.engines.choice` says which.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

AUTO = "auto"


class Engine(NamedTuple):
    """What an engine takes, and how it looks for thresholds.

    Attributes
    ----------
    takes_missing : bool
        Whether values of X may be missing.
    takes_matrix : bool
        Whether it can read a kernel matrix that the user gives.
    needs_points : bool
        Whether rows must be points of the kernel's space, their own or those of a feature map;
        others read values of the kernel.
    exact : bool
        Whether every threshold between two rows is looked at, with all rows in memory.
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
    """The names of the engines that have all these traits."""
    return tuple(
        name
        for name, engine in ENGINES.items()
        if all(getattr(engine, trait) == value for trait, value in traits.items())
    )


# What "auto" means where values are missing, and what reads rows from a file as it goes.
(BINNED,) = engines(takes_missing=True, exact=False)


def one_of(names: Iterable[str]) -> str:
    """The names in quotes, as a choice: ``'a', 'b' or 'c'``."""
    *first, last = map(repr, names)
    return f"{', '.join(first)} or {last}" if first else last
