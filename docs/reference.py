"""Write docs/reference.md, every public name by its module: ``python docs/reference.py``.

What stands there is public, all else is not.
"""

import importlib
import inspect
from pathlib import Path

PAGE = Path(__file__).with_name("reference.md")
#: The modules that users import from.
PUBLIC = [
    "agathis",
    "agathis.dask",
    "agathis.datasets",
    "agathis.export",
    "agathis.metrics",
    "agathis.plot",
    "agathis.report",
    "agathis.baselines",
]
HEAD = """# API reference

The public names. Everything else begins with an underscore, or lies in a package that does, and may
change without notice. Each name has a page with its parameters, examples and the gallery examples
that use it; `help(agathis.Kauri)` shows the same.
"""


def sentence(thing: object) -> str:
    """The first sentence of a docstring."""
    return inspect.getdoc(thing).split("\n\n")[0].replace("\n", " ").rstrip(".") + "."


def page() -> str:
    """The page as text: for each module its names, which Sphinx makes into pages."""
    parts = [HEAD]
    for name in PUBLIC:
        module = importlib.import_module(name)
        names = [own for own in module.__all__ if own != "__version__"]
        lines = [f"   {own}" for own in sorted(names, key=str.lower)]
        # A sentence after the module's name is where links to the module lead.
        home = [f".. module:: {name}", "", sentence(module), ""]
        listed = ["```{eval-rst}", *home, ".. autosummary::", "   :toctree: api", "", *lines, "```"]
        parts.append(f"\n## `{name}`\n\n" + "\n".join(listed) + "\n")
    parts.append("\n`agathis.__version__` is the version as a string.\n")
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
