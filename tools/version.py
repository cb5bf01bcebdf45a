#!/usr/bin/env python3
"""Print the version of agathis, which is written once: in ``src/agathis/__init__.py``.

``--tag v1.2.3`` ends with an error where a tag names another version, or one that CHANGELOG.md does
not tell of.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def version():
    text = (ROOT / "src" / "agathis" / "__init__.py").read_text(encoding="utf-8")
    return re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE).group(1)


def check(tag):
    """Say what is wrong with a tag; nothing if it can be published."""
    if tag != f"v{version()}":
        return f"The tag is {tag}, the version v{version()}"
    if f"\n## [{version()}]" not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        return f"CHANGELOG.md has no section [{version()}]"
    return None


if __name__ == "__main__":
    if sys.argv[1:2] == ["--tag"]:
        sys.exit(check(sys.argv[2]))
    print(version())
