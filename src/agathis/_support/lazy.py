"""Names of a package that are imported when they are first asked for.

Most people need few of them, and each brings others with it: ``import agathis`` costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module


def lazy(
    package: str, homes: Mapping[str, str], parts: Sequence[str] = ()
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    homes : mapping of str to str
        Of each name the module that it is in.
    parts : sequence of str
        Modules of the package that are names of it too.
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
