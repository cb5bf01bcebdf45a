"""What the project says of itself in several files is the same everywhere."""

import ast
import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.examples import QUICK, RUNS, count
from hypothesis import settings

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tools"))

import installs  # noqa: E402
import requirements  # noqa: E402
import version  # noqa: E402

import agathis  # noqa: E402

PROJECT = requirements.read()["project"]
OWNER = re.fullmatch(r"https://github\.com/(\w[\w-]+/agathis)", PROJECT["urls"]["Homepage"])[1]


def texts():
    """Files that people and hosts read; not what is built, nor data."""
    listed = [".github/**/*.yml", "conda/*", "*.md", "*.cff", "*.toml", "*.py", "docs/**/*.md"]
    return [
        (path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
        for pattern in listed
        for path in sorted(ROOT.glob(pattern))
    ]


def test_one_address():
    """Changed in pyproject.toml, it is wrong wherever this test says."""
    address = r"https://(?:raw\.githubusercontent|github)\.com/([\w-]+/agathis)\b"
    found = {(name, owner) for name, text in texts() for owner in re.findall(address, text)}
    assert found
    assert {(name, owner) for name, owner in found if owner != OWNER} == set()


def test_one_version():
    assert version.version() == agathis.__version__
    assert version.check(f"v{agathis.__version__}") is None
    assert "The tag is v9, the version" in version.check("v9")
    recipe = (ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    assert f'\n  version: "{agathis.__version__}"\n' in recipe


def test_the_recipe_asks_for_what_the_package_asks_for():
    recipe = (ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    _, _, run = recipe.partition("\n  run:\n    - python\n")
    listed = re.findall(r"^    - (.+)$", run.partition("\n\n")[0], re.M)
    assert [line.replace(" ", "") for line in listed] == PROJECT["dependencies"]


def test_the_same_pythons_everywhere():
    noxfile = (ROOT / "noxfile.py").read_text(encoding="utf-8")
    pythons = ast.literal_eval(re.search(r"^PYTHONS = (.+)$", noxfile, re.M)[1])
    assert PROJECT["requires-python"] == f">={pythons[0]}"
    head = "Programming Language :: Python :: "
    named = [line.removeprefix(head) for line in PROJECT["classifiers"] if line.startswith(head)]
    assert [name for name in named if "." in name] == pythons
    wheels = requirements.read()["tool"]["cibuildwheel"]["build"].split()
    assert wheels[: len(pythons)] == [f"cp{python.replace('.', '')}-*" for python in pythons]
    untested = requirements.read()["tool"]["cibuildwheel"]["test-skip"].split()
    left = set(wheels) - {name.replace("musllinux_", "") for name in untested}
    assert len(left) == 1  # whose wheel for musl is tested
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    assert re.findall(r"- tests-([\d.]+)$", workflow, re.M) == pythons


@pytest.mark.parametrize("group", ["build", "run", "test"])
def test_every_requirement_has_a_bound_that_can_be_tried(group):
    lines = requirements.requirements(requirements.read(), group)
    pinned = [requirements.oldest(line) for line in lines if line != "ninja"]
    assert all(re.fullmatch(r"[\w.-]+(\[\w+\])?==[\d.]+", line) for line in pinned)


def test_a_requirement_without_a_bound_is_named():
    with pytest.raises(SystemExit, match="'ninja' in pyproject\\.toml has no lower bound"):
        requirements.oldest("ninja")
    assert requirements.oldest("ruff >= 0.9, <1") == "ruff==0.9"


def test_the_build_tells_how_it_failed(tmp_path):
    """A line of why, after all that pip and the compiler said."""
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "build.py", tmp_path / "build", tmp_path / "wheels"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,  # where there is nothing to build
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert "pyproject.toml" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("agathis could not be built (pip's exit status")


@pytest.fixture
def noted(tmp_path, monkeypatch):
    """What the tools have noted in the end; at first there are files of C, counted wrongly."""
    file = tmp_path / "installs.json"
    file.write_text('{"c_files": 1, "sessions": {"old": {}}}', encoding="utf-8")
    monkeypatch.setattr(installs, "FILE", file)
    return lambda: json.loads(file.read_text(encoding="utf-8"))


def test_a_session_is_noted(noted, tmp_path):
    report = tmp_path / "report.xml"
    report.write_text(
        '<testsuites><testsuite tests="9" skipped="2" failures="1" errors="1"/></testsuites>'
    )
    installs.main("tests-3.99", str(report), sys.executable)
    sessions = noted()["sessions"]
    assert [name.removesuffix(" (musl)") for name in sessions] == ["old", "tests-3.99"]
    (found,) = [one for name, one in sessions.items() if name != "old"]
    assert (found["passed"], found["skipped"], found["failed"]) == (5, 2, 2)
    assert found["python"].startswith(platform.python_version())
    assert {"numpy", "scipy", "scikit-learn"} <= set(found["releases"])


def test_what_a_build_costs_is_noted(noted, monkeypatch):
    """CPU seconds are those of the command and its children; the rest of the file stays."""
    pytest.importorskip("resource", reason="Windows counts them otherwise")
    import build_cost

    def build(*command):
        folder, size = command[-1], 2_840_000 if "auditwheel" in command else 2_560_000
        folder.mkdir()
        (folder / "agathis-0-any.whl").write_bytes(bytes(size))
        return 97.4

    busy = "import time\nwhile time.process_time() < 0.3: pass"
    assert build_cost.run(sys.executable, "-c", busy) >= 0.3
    monkeypatch.setattr(build_cost, "FILE", installs.FILE)
    monkeypatch.setattr(build_cost, "run", build)
    monkeypatch.setattr(build_cost.importlib.util, "find_spec", lambda name: name)
    build_cost.note()
    found = noted()
    assert found["sessions"] == {"old": {}}
    assert found["c_files"] > 1
    assert (found["build_cpu_seconds"], found["wheel_mb"], found["repaired_mb"]) == (97, 2.6, 2.8)


@pytest.mark.parametrize("profile", ["drawn", "quick", "seeds", "watched"])
def test_every_run_draws_its_own_examples(profile):
    """Where CI is set too, which hypothesis would take for a wish to see the same ones again."""
    assert not settings.get_profile(profile).derandomize


@pytest.mark.parametrize("n", [1, 4, 10, 20, 60, 66, 67, 100, 150, 800])
def test_seeds_are_those_of_many_runs(n):
    """Of properties that look at few examples in a run too."""
    assert count(n, RUNS * QUICK) == RUNS * count(n, QUICK)
    assert count(n, 100) == n


def test_a_module_is_translated_again_when_it_gets_declarations(tmp_path):
    """Else those that cimport it fail when they are imported."""
    import build

    source, translated = tmp_path / "src" / "rooms", tmp_path / "build" / "cuts.so.p"
    source.mkdir(parents=True)
    translated.mkdir(parents=True)
    for seconds, path in enumerate(
        [
            source / "old.pxd",
            translated / "old.pyx.c",
            translated / "splits.pyx.c",
            translated / "other.pyx.c",
            source / "splits.pxd",
        ]
    ):
        path.touch()
        os.utime(path, (seconds, seconds))
    build.forget(tmp_path / "build", tmp_path / "src")
    assert sorted(path.name for path in translated.iterdir()) == ["old.pyx.c", "other.pyx.c"]
    build.forget(tmp_path / "no build yet", tmp_path / "src")
