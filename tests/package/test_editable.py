"""``pip install -e .`` as contributors type it: it imports, shows edits, and compiles again."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tools"))

import requirements  # noqa: E402

#: Kept of the package, so that it is compiled in seconds: the build finds whatever there is.
KEPT = (
    "meson.build",
    "__init__.py",
    "_utils/__init__.py",
    "_utils/lazy.py",
    "_core/__init__.py",
    "_core/shared/__init__.py",
    "_core/shared/sort_loops.c",
    "_core/shared/sort_loops.h",
    "_core/shared/threads.h",
    "_core/shared/threads.pyx",
)


@pytest.fixture
def project(tmp_path):
    """The project with a part of its package, and the Python of a new environment."""
    project = tmp_path / "project"
    project.mkdir()
    for name in ("pyproject.toml", "meson.build", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, project)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "tools", project / "tools", ignore=ignored)
    for name in KEPT:
        target = project / "src" / "agathis" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "src" / "agathis" / name, target)
    venv.create(tmp_path / "venv", with_pip=True, symlinks=os.name != "nt")
    scripts = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    return project, scripts


def run(scripts, *command, path=None, check=True):
    """What a command of the environment's Python prints; outside of the project's folder."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if path is not None:
        environment["PATH"] = f"{path}{os.pathsep}{environment['PATH']}"
    done = subprocess.run(
        [scripts / "python", *command],
        capture_output=True,
        text=True,
        check=False,
        cwd=scripts,
        env=environment,
    )
    assert done.returncode == 0 or not check, done.stdout + done.stderr
    return done


LOOK = """
import agathis
from agathis._core.shared import threads
print(agathis.__file__)
print(agathis.__version__, hasattr(agathis, "edited"), hasattr(threads, "edited"))
"""


@pytest.mark.slow
def test_install_edit_and_compile_again(project):
    project, scripts = project
    install = ("-m", "pip", "install", "-q")
    tools = requirements.requirements(requirements.read(), "build")
    if run(scripts, *install, *tools, check=False).returncode:
        pytest.skip("the build tools cannot be fetched: there is no package index")
    editable = (*install, "--no-deps", "-e", str(project))
    package = project / "src" / "agathis"

    run(scripts, *editable)
    file, found = run(scripts, "-c", LOOK).stdout.splitlines()
    assert Path(file) == package / "__init__.py"
    assert found.split()[1:] == ["False", "False"]

    for name in ("__init__.py", "_core/shared/threads.pyx"):
        with (package / name).open("a", encoding="utf-8") as source:
            source.write("\n\ndef edited():\n    return True\n")
    # Python at once, compiled code when it is compiled again.
    assert run(scripts, "-c", LOOK).stdout.split()[-2:] == ["True", "False"]
    run(scripts, *editable, "--no-build-isolation", path=scripts)
    assert run(scripts, "-c", LOOK).stdout.split()[-2:] == ["True", "True"]

    run(scripts, "-m", "pip", "uninstall", "-q", "-y", "agathis")
    assert "No module named 'agathis'" in run(scripts, "-c", LOOK, check=False).stderr
