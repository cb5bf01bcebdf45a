"""The rooms of the compiled core: each reads from ``shared`` and from itself, and in no circle.

import-linter sees Python alone; here the sources in Cython and C are read.
"""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "src" / "agathis" / "_core"
ROOMS = ("shared", "pairwise", "points", "centres", "separation", "search")
#: From this room all may take.
SHARED = "shared"

# What names another file of the core: in Cython, and in C.
NAMES = {
    "import": re.compile(
        r"^\s*(?:from|c?import)\s+agathis\._core\.(?P<room>\w+)\.(?P<name>\w+)", re.MULTILINE
    ),
    "room": re.compile(
        r"^\s*from\s+agathis\._core\.(?P<room>\w+)\s+c?import\s+(?P<name>\w+)", re.MULTILINE
    ),
    "extern": re.compile(
        r'^\s*cdef\s+extern\s+from\s+"(?P<room>\w+)/(?P<name>\w+)\.h"', re.MULTILINE
    ),
    "include": re.compile(r'^\s*#\s*include\s+"(?P<room>\w+)/(?P<name>\w+)\.\w+"', re.MULTILINE),
}
# What would hide where it leads: names within the folder, and the core as a whole.
HIDDEN = re.compile(
    r'^\s*(?:from\s+\.|from\s+agathis\._core\s+c?import|c?import\s+agathis\._core\s*$'
    r'|include\s+["\']|#\s*include\s+"[^/"]+"|cdef\s+extern\s+from\s+"[^/"]+")',
    re.MULTILINE,
)  # fmt: skip


def sources(core: Path) -> list[Path]:
    """Files of all rooms in Cython and C; two that differ in their ending alone are one thing."""
    return sorted(p for p in core.glob("*/*") if p.suffix in {".pyx", ".pxd", ".pxi", ".c", ".h"})


def reads(path: Path) -> set[tuple[str, str]]:
    """Room and name of whatever a file of the core names."""
    text = path.read_text(encoding="utf-8")
    return {(m["room"], m["name"]) for each in NAMES.values() for m in each.finditer(text)}


def strays(core: Path) -> list[str]:
    """What is read from a room that is neither shared nor the reader's own."""
    return [
        f"{path.relative_to(core).as_posix()} reads {room}/{name}"
        for path in sources(core)
        for room, name in sorted(reads(path))
        if room not in {SHARED, path.parent.name}
    ]


def circle(core: Path) -> list[tuple[str, str]]:
    """Modules that read from each other in a circle; none, an empty list."""
    graph: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for path in sources(core):
        module = path.parent.name, path.stem
        graph.setdefault(module, set()).update(reads(path) - {module})
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_the_rooms_are_known():
    assert {path.parent.name for path in sources(CORE)} == set(ROOMS)


def test_a_room_reads_from_shared_and_from_itself():
    assert strays(CORE) == []


def test_no_modules_read_from_each_other():
    assert circle(CORE) == []


def test_what_is_read_is_named_in_full():
    hidden = {
        path.relative_to(CORE).as_posix(): HIDDEN.findall(path.read_text(encoding="utf-8"))
        for path in sources(CORE)
    }
    assert {name: found for name, found in hidden.items() if found} == {}


def test_modules_have_names_of_their_own():
    """Targets of the build are called after their file alone."""
    names = [path.stem for path in sources(CORE) if path.suffix == ".pyx"]
    assert sorted(names) == sorted(set(names))


# That these tests can fail.


def write(core: Path, name: str, text: str) -> None:
    path = core / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("pairwise/a.pyx", "from agathis._core.points.b cimport c"),
        ("pairwise/a.pxd", "cimport agathis._core.points.b as b"),
        ("pairwise/a.pyx", "    from agathis._core.points.b import c"),
        ("pairwise/a.pyx", "from agathis._core.points import b"),
        ("pairwise/a.pxd", 'cdef extern from "points/b.h" nogil:'),
        ("pairwise/a.c", '#include "points/b.h"'),
        ("pairwise/a.h", '#  include "points/b.h"'),
        ("shared/a.h", '#include "points/b.h"'),
        ("shared/a.pyx", "from agathis._core.points.b cimport (\n    c,\n)"),
    ],
)
def test_a_stray_is_seen(tmp_path, name, line):
    write(tmp_path, name, f"# head\n{line}\n")
    assert strays(tmp_path) == [f"{name} reads points/b"]
    write(tmp_path, name, "# points/b.h says more\nfrom agathis._utils.numbers import x\n")
    assert strays(tmp_path) == []


def test_a_circle_is_seen(tmp_path):
    write(tmp_path, "pairwise/a.pyx", "from agathis._core.pairwise.b cimport x\n")
    write(tmp_path, "pairwise/a.pxd", "from agathis._core.pairwise.a cimport y\n")
    write(tmp_path, "pairwise/b.pxd", 'cdef extern from "shared/c.h":\n')
    assert circle(tmp_path) == []
    write(tmp_path, "pairwise/b.pyx", "from agathis._core.pairwise.a cimport y\n")
    assert {"a", "b"} <= {name for _, name in circle(tmp_path)}


@pytest.mark.parametrize(
    "line",
    [
        "from . import a",
        "from .a cimport b",
        "from agathis._core cimport pairs",
        'include "a.pxi"',
        '#include "a.h"',
        'cdef extern from "a.h":',
    ],
)
def test_a_hidden_name_is_seen(line):
    assert HIDDEN.search(f"# head\n{line}\n")
    assert not HIDDEN.search('#include "shared/a.h"\n#include <math.h>\n')
