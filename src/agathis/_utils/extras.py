"""Optional dependencies: each belongs to an extra, which errors name.

``pip install agathis`` installs what a fit needs. Dependencies of plots, file readers and the
command line are imported on use, by :func:`needed`.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def needed(module: str, extra: str, what: str, otherwise: str = "") -> ModuleType:
    """Import a module of an extra, or raise an error that says how to install it.

    Parameters
    ----------
    module : str
        Its name, which begins with that of the package.
    extra : str
        The extra of agathis with the package.
    what : str
        What needs it: the beginning of the message.
    otherwise : str
        An alternative, as a sentence.

    Examples
    --------
    >>> from agathis._utils.extras import needed
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
