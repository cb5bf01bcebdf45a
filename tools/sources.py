"""List the files of the package for the build: ``python tools/sources.py install`` and ``c``.

What lies below ``src/agathis`` is found, not written down, so that a new file cannot be forgotten.

``install``  files that are installed as they are, a line each
``cython``   Cython modules, a line each
``c``        C files of the inner loops, a line each
"""

import sys
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src" / "agathis"
#: Endings of what each kind is.
KINDS = {
    "install": (".py", ".typed", ".j2", ".js", ".css", ".md", ".txt"),
    "cython": (".pyx",),
    "c": (".c",),
}


def sources(kind):
    """The files of a kind, below the package, in order."""
    return sorted(
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*")
        if path.suffix in KINDS[kind] and path.is_file() and "__pycache__" not in path.parts
    )


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in KINDS:
        sys.exit(f"usage: python tools/sources.py {{{','.join(KINDS)}}}")
    print("\n".join(sources(sys.argv[1])))
