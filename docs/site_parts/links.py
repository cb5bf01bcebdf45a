"""Links of pages that lead out of docs/: in the site they lead to the page that has the same."""

import re
from pathlib import Path

#: Files as pages name them, most of them outside docs/, and the page of the site that shows each.
PAGES = {
    "benchmarks/RESULTS.md": "benchmarks.md",
    "results/tables.md": "paper-tables.md",
    "results": "paper-tables.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "developers/contributing.md",
    "README.md": "index.md",
    # Sphinx keeps the name "search" for the page that searches.
    "search.md": "better-trees.md",
}
#: Pages that have a place in the tree as soon as they are there.
PERHAPS = ("install", "versions", "security")
#: Pages as files outside docs/ name them.
_FROM_OUTSIDE = re.compile(r"\]\((?:\.\./)*docs/((?:[\w-]+/)*[\w-]+\.md)")
#: Other files of the repository that pages name: shown by name, for the site has no copy of them.
_NAMED = re.compile(r"(?<!!)\[([^\]]+)\]\((?:\.\./)*((?:\w+/)*(?:\w+\.(?:py|cff)|[A-Z_]+\.md))\)")


def with_places(app, env, added, changed, removed):
    """Pages that are read in every build: their trees have places for pages that may be new."""
    return ["start", "guide/index"]


def inside(app, page, source):
    """Mend the links of a page, which Sphinx hands over as a list of one text."""
    text = mended(source[0])
    for name in PERHAPS:
        if not (Path(app.srcdir) / f"{name}.md").exists():
            text = re.sub(rf"^(\.\./)?{name}\n", "", text, flags=re.MULTILINE)
    source[0] = text


def inside_included(app, path, page, source):
    """The same of a file that a page includes."""
    source[0] = mended(source[0])


def mended(text):
    """A page's text with links inside the site, from its top.

    >>> mended("[RESULTS.md](../benchmarks/RESULTS.md#bins), [a script](pictures.py)")
    '[RESULTS.md](/benchmarks.md#bins), `pictures.py`'
    >>> mended("[names](docs/reference.md), [policy](../SECURITY.md), ![a](../results/a.png)")
    '[names](/reference.md), `SECURITY.md`, ![a](../results/a.png)'
    """
    for path, page in PAGES.items():
        found = rf"\]\((?:\.\./)*{re.escape(path)}/?(#[\w-]+)?\)"
        text = re.sub(found, rf"](/{page}\1)", text)
    text = _FROM_OUTSIDE.sub(r"](/\1", text)
    return _NAMED.sub(r"`\2`", text)
