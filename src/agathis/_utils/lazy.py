"""Lazy imports of the names of a package.

Most users need few of them, so that ``import agathis`` costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module


def lazy(
    package: str, homes: Mapping[str, str], parts: Sequence[str] = ()
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Create the ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    homes : mapping of str to str
        The module of each name.
    parts : sequence of str
        Modules that are exported as names too.
    """

    def __getattr__(name: str) -> object:
        if name in homes:
            return getattr(import_module(homes[name]), name)
        if name in parts:
            return import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*homes, *parts})

    return __getattr__, __dir__
