"""The house: what each room is for, what is public, and the maps of it that people read."""

import re
import sys
from pathlib import Path

import pytest

import agathis

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "agathis"
FOLDERS = sorted(path.parent for path in PACKAGE.rglob("__init__.py"))
#: Files of other projects, of the system and of users.
ELSEWHERE: set[str] = set()
ROOMS = [folder for folder in FOLDERS if folder.parent == PACKAGE]
sys.path.append(str(ROOT / "tools"))
sys.path.append(str(ROOT / "docs"))

import reference  # noqa: E402
import sources  # noqa: E402


def head(folder):
    return re.match(r'"""(.+?)(?:\n\n|""")', (folder / "__init__.py").read_text(), re.DOTALL)[1]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_room_says_in_a_sentence_what_it_is_for(folder):
    assert re.fullmatch(r"[A-Z].+[.:]\S*", head(folder).replace("\n", " ").strip())


def test_what_the_reference_documents_is_public_and_all_else_is_not():
    open_folders = {
        "agathis" if folder == PACKAGE else f"agathis.{folder.relative_to(PACKAGE)}"
        for folder in FOLDERS
        if not any(part.startswith("_") for part in folder.relative_to(PACKAGE).parts)
    }
    assert open_folders == set(reference.PUBLIC)
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        private = [part.startswith("_") and not part.startswith("__") for part in parts]
        if parts[-1] in ("__init__", "__main__"):
            continue
        # One underscore is enough: in a private folder no module has another.
        assert sum(private) == 1, path


def test_the_reference_is_up_to_date():
    assert reference.PAGE.read_text(encoding="utf-8") == reference.page()


def map_lines():
    """The rows of the map in CONTRIBUTING.md: a path each."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split("## Code structure")[1].split("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \|", section, re.M)


@pytest.mark.parametrize("line", map_lines())
def test_every_line_of_the_map_is_there(line):
    assert (PACKAGE / line).exists()


def test_every_room_is_on_the_map():
    named = {line.rstrip("/") for line in map_lines()}
    assert {room.relative_to(PACKAGE).as_posix() for room in ROOMS} <= named
    modules = {path.name for path in PACKAGE.glob("*.py")} - {"__init__.py", "__main__.py"}
    assert modules <= named


def test_the_map_has_the_order_of_the_contract():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    layers = re.search(r"^layers = \[(.*?)^\]", text, re.M | re.DOTALL)[1]
    rank = {
        room.strip(): level
        for level, layer in enumerate(re.findall(r'"([^"]+)"', layers))
        for room in layer.split("|")
    }
    rooms = [line.rstrip("/").removesuffix(".py") for line in map_lines()]
    ranks = [rank[room] for room in rooms if "/" not in room]
    assert ranks == sorted(ranks)
    assert len(ranks) == len(rank)


def test_files_that_are_spoken_of_are_there():
    written = [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").glob("*.md"),
        ROOT / "benchmarks" / "RESULTS.md",
    ]
    sources = [path for end in ("py", "pyx", "pxd", "c", "h") for path in PACKAGE.rglob(f"*.{end}")]
    parts = ("src", "tests", "paper", "docs", "benchmarks", "tools", "examples")
    known = {path.name for part in parts for path in (ROOT / part).rglob("*")}
    known |= {path.name for path in ROOT.glob("*.py")}
    lost = []
    for path in [*written, *sources]:
        homes = (ROOT, PACKAGE, PACKAGE / "_core", PACKAGE / "_growth", path.parent)
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"(?<![\w/.{<-])((?:\w+/)*\w+\.(?:pyx|pxd|py|c|h))\b(?!\()", text):
            there = name in known if "/" not in name else any((h / name).exists() for h in homes)
            if not there and name not in ELSEWHERE:
                lost.append((path.relative_to(ROOT).as_posix(), name))
    assert lost == []


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_tests_mirror_the_rooms(room):
    assert any((ROOT / "tests" / room.name.lstrip("_")).glob("test_*.py"))


def test_no_source_is_forgotten():
    installed = Path(agathis.__file__).parent
    for name in sources.sources("install"):
        assert (installed / name).is_file(), name
    for name in sources.sources("cython"):
        assert list((installed / name).parent.glob(f"{Path(name).stem}.*.so")), name
    known = {".pyx", ".pxd", ".c", ".h", ".so", ".pyc", ".build"}.union(*sources.KINDS.values())
    assert {path.suffix for path in PACKAGE.rglob("*") if path.is_file()} <= known
