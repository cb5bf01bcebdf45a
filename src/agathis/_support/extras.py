"""Packages that not everybody needs: each comes with an extra, which errors name.

``pip install agathis`` brings what a fit needs. What draws, reads files or serves the command line
is imported where it is used, by :func:`needed`.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def needed(module: str, extra: str, what: str, otherwise: str = "") -> ModuleType:
    """Import a module of an extra, or say how to get it.

    Parameters
    ----------
    module : str
        Its name; that before the first dot is the package's.
    extra : str
        The extra of agathis that brings the package.
    what : str
        Who needs it: the beginning of the message.
    otherwise : str
        What else can be done, as a sentence.

    Examples
    --------
    >>> from agathis._support.extras import needed
    >>> needed("json", "io", "reading").loads("[1]")
    [1]
    >>> needed("no_such_package", "plot", "drawing")
    Traceback (most recent call last):
    ImportError: drawing needs no_such_package: pip install "agathis[plot]"
    """
    package = module.partition(".")[0]
    try:
        import_module(package)
        return import_module(module)
    except ImportError as error:
        message = f'{what} needs {package}: pip install "agathis[{extra}]"'
        raise ImportError(f"{message}. {otherwise}" if otherwise else message) from error
