"""``python tools/figures.py``: figures in pages that are read as they stand, from files again.

Pages inside folders of ``docs/`` are read on the site, which puts figures into them. README.md and
the pages directly in ``docs/`` are read in the repository too: there a figure stands between two
comments that nobody sees, ``<!-- =paper.all -->670 of 673<!-- = -->``, and a table likewise, on
lines of its own. This command writes them anew; with ``--check`` it only says which are not what
the files hold, and ends with 1 if there are any. Names are those of
``docs/site_parts/substitutions.py``.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs"))

from site_parts import substitutions  # noqa: E402

MARKED = re.compile(r"(<!-- =([\w.]+) -->\n*)(.*?)(\n*<!-- = -->)", re.S)


def pages():
    """README.md and the pages that stand directly in ``docs/``."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def filled(text, figures):
    """A page with its figures as they are, and those that were others: name, was, is.

    >>> filled("It took <!-- =bench.rbf -->2 s<!-- = -->.", {"bench": {"rbf": "3 s"}})
    ('It took <!-- =bench.rbf -->3 s<!-- = -->.', [('bench.rbf', '2 s', '3 s')])
    """
    changed = []

    def put(match):
        before, name, was, after = match.groups()
        found = figures
        for part in name.split("."):
            found = found[part]
        if str(found) != was:
            changed.append((name, was, str(found)))
        return f"{before}{found}{after}"

    return MARKED.sub(put, text), changed


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    figures, stale = substitutions.figures(ROOT), 0
    for page in pages():
        text, changed = filled(page.read_text(encoding="utf-8"), figures)
        for name, was, now in changed:
            print(f"{page.relative_to(ROOT)}: {name} is {now!r}, the page says {was!r}")
        if changed and not arguments:
            page.write_text(text, encoding="utf-8")
        stale += len(changed)
    if stale and arguments:
        sys.exit(f"{stale} figures are not those of the files: python tools/figures.py")


if __name__ == "__main__":
    main(sys.argv[1:])
