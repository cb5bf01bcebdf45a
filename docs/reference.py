"""Write docs/reference.md, every public name with its first sentence: ``python docs/reference.py``.

What stands there is public, all else is not.
"""

import importlib
import inspect
from pathlib import Path

PAGE = Path(__file__).with_name("reference.md")
#: The modules that users import from.
PUBLIC = [
    "agathis",
    "agathis.datasets",
    "agathis.experiments",
    "agathis.export",
    "agathis.metrics",
    "agathis.plot",
    "agathis.report",
    "agathis.rivals",
]
HEAD = """# Reference

Every public name. What stands here keeps its meaning; everything else begins with an underscore,
or lies in a folder that does, and may change without notice. `help(agathis.Kauri)` shows the
parameters, and an example that runs.
"""


def sentence(thing: object) -> str:
    """The first sentence of a docstring."""
    return inspect.getdoc(thing).split("\n\n")[0].replace("\n", " ").rstrip(".") + "."


def signature(thing: object) -> str:
    """The parameters by name; a class's are those of its constructor."""
    parameters = inspect.signature(thing).parameters.values()
    names, starred = [], False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            names, starred = [*names, "*"], True
        mark = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        starred |= mark == "*"
        names.append(mark + parameter.name)
    return f"({', '.join(names)})"


def page() -> str:
    """The page as text."""
    parts = [HEAD]
    for name in PUBLIC:
        module = importlib.import_module(name)
        parts.append(f"\n## `{name}`\n\n{sentence(module)}\n")
        for own in sorted(module.__all__, key=str.lower):
            thing = getattr(module, own)
            if own == "__version__":
                parts.append("\n- **`__version__`** The version, as text.")
            else:
                parts.append(f"\n- **`{own}`**`{signature(thing)}` {sentence(thing)}")
        parts.append("\n")
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
