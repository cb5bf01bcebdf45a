"""Print requirements that pyproject.toml lists, one a line: ``build``, ``run``, or an extra's name.

``--oldest`` before the names pins each to its lower bound, the oldest that is promised to do.

The Makefile installs them with pip's ``-r``. So every list is written once, in pyproject.toml, and
a linter can be installed without compiling the package first.
"""

import re
import sys
from pathlib import Path

try:
    import tomllib
except (
    ModuleNotFoundError
):  # Python 3.10; every virtual environment has pip, and pip carries a reader
    from pip._vendor import tomli as tomllib

PYPROJECT = Path(__file__).parent.parent / "pyproject.toml"


def read():
    """pyproject.toml as a dictionary."""
    return tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))


def requirements(pyproject, group):
    """The requirements of one group; extras of this package that it names are spelled out."""
    project = pyproject["project"]
    if group == "build":
        return pyproject["build-system"]["requires"]
    if group == "run":
        return project["dependencies"]
    extras = project["optional-dependencies"]
    if group not in extras:
        raise SystemExit(
            f"pyproject.toml has no extra [{group}]; it has: {', '.join(sorted(extras))}"
        )
    own = re.compile(re.escape(project["name"]) + r"\[([^]]+)\]$")
    found = []
    for requirement in extras[group]:
        match = own.match(requirement.replace(" ", ""))
        if match:
            for extra in match[1].split(","):
                found += requirements(pyproject, extra)
        else:
            found.append(requirement)
    return found


def oldest(requirement):
    """A requirement that only its lower bound meets; one without a bound would promise anything.

    >>> oldest("ruff>=0.9,<1")
    'ruff==0.9'
    """
    pattern = r"([\w.-]+(?:\[[\w,]+\])?)>=([\w.]+)(?:,.*)?"
    match = re.fullmatch(pattern, requirement.replace(" ", ""))
    if match is None:
        raise SystemExit(f"{requirement!r} in pyproject.toml has no lower bound")
    return f"{match[1]}=={match[2]}"


def main(arguments):
    pyproject = read()
    pinned = arguments[:1] == ["--oldest"]
    for group in arguments[pinned:]:
        for requirement in requirements(pyproject, group):
            print(oldest(requirement) if pinned else requirement)


if __name__ == "__main__":
    main(sys.argv[1:])
