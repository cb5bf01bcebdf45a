"""How a mutant is run: a copy of the sources with one change, built if need be, and its detectors.

``Runner`` keeps a build of C and Cython in ``build/mutants``: a mutant of theirs builds only what
it touches. Each mutant has a fresh copy of the sources, and what is started for it ends with it.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / "build" / "mutants"
IGNORED = shutil.ignore_patterns(
    ".git", ".venv", "build", ".hypothesis", ".nox", ".*_cache", "_made", "results"
)
FUZZERS = ("problems", "tables", "files")
#: From the cheapest to the dearest.
DETECTORS = ("golden", "tests", *FUZZERS)
#: Seconds for any detector, beside five times what it takes without a mutant.
PATIENCE = 60.0


class Outcome(NamedTuple):
    """How a detector ended: ``passed``, ``failed`` or ``timeout``."""

    status: str
    seconds: float
    last: str


class Builder:
    """Builds C and Cython, the sources as they are or with one change."""

    def __init__(self) -> None:
        self.folder, self.kept = HOME / "sources", HOME / "objects"
        self.build = self.folder / "build"
        self.lock = threading.Lock()

    def start(self) -> list[Path]:
        """Build the sources as they are; the modules."""
        shutil.rmtree(self.folder, ignore_errors=True)
        for name in ("src", "tools"):
            shutil.copytree(ROOT / name, self.folder / name, ignore=IGNORED)
        for path in (*ROOT.glob("meson*"), ROOT / "pyproject.toml"):
            shutil.copy2(path, self.folder)
        again = ["--reconfigure"] if self.kept.exists() else []
        if again:
            shutil.copytree(self.kept, self.build)
        self.call("meson", "setup", *again, str(self.build), "--buildtype=release")
        if not self.call("ninja", "-C", str(self.build)):
            sys.exit("The sources as they are do not build.")
        shutil.rmtree(self.kept, ignore_errors=True)
        shutil.copytree(self.build, self.kept)
        return self.modules()

    def call(self, *command: str) -> bool:
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path}
        ended = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True)
        return ended.returncode == 0

    def modules(self) -> list[Path]:
        return sorted((self.build / "src" / "agathis").glob("*.so"))

    def changed(self, file: str, text: str, target: Path) -> bool:
        """Put the modules of sources with one change into a copy; whether they can be built."""
        with self.lock:
            path = self.folder / file
            before = {module: module.stat().st_mtime_ns for module in self.modules()}
            path.write_text(text, encoding="utf-8")
            built = self.call("ninja", "-C", str(self.build))
            if built:
                new = [m for m in self.modules() if m.stat().st_mtime_ns != before.get(m)]
                place_modules(new, target)
            # As it was, times of files included: nothing of this build is in the next one.
            shutil.copy2(ROOT / file, path)
            shutil.rmtree(self.build)
            shutil.copytree(self.kept, self.build)
            return built


def place_modules(modules: list[Path], target: Path) -> None:
    """Copy compiled modules beside their sources."""
    folders = {path.stem: path.parent for path in (target / "src" / "agathis").rglob("*.pyx")}
    core = target / "src" / "agathis" / "_core"
    for module in modules:
        shutil.copy2(module, folders.get(module.name.split(".")[0], core))


class Runner:
    """Runs detectors on mutants.

    Parameters
    ----------
    fuzzing : list of str
        Arguments of the fuzzers: how long they run, and their seed.
    fuzz_from : str, optional
        A revision, or the folder of another checkout, whose fuzzers are run instead.
    """

    def __init__(self, fuzzing: list[str], fuzz_from: str | None = None) -> None:
        self.fuzzing, self.fuzz_from = fuzzing, fuzz_from
        self.base, self.builder = HOME / "tree", Builder()
        self.usual: dict[tuple[str, str], float] = {}
        self.running: set[int] = set()
        self.lock = threading.Lock()
        self.stopped = False

    def prepare(self, compiled: bool) -> None:
        """Copy the sources and build them where need be."""
        shutil.rmtree(self.base, ignore_errors=True)
        shutil.copytree(ROOT, self.base, ignore=IGNORED)
        if compiled or not list((self.base / "src").rglob("*.so")):
            place_modules(self.builder.start(), self.base)
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(self.base / "src")])
        if self.fuzz_from is not None:
            # Beside the tests' helpers of then, which fuzzers use.
            self._take_fuzzers(self.base / "other")

    def _take_fuzzers(self, target: Path) -> None:
        names = ("fuzz", "tests/helpers")
        if Path(str(self.fuzz_from)).is_dir():
            for name in names:
                shutil.copytree(Path(str(self.fuzz_from)) / name, target / name)
            return
        packed = subprocess.run(
            ["git", "archive", str(self.fuzz_from), *names],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            check=True,
        )
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
            archive.extractall(target)

    def has(self, detector: str) -> bool:
        """Whether a detector is there."""
        if detector == "golden":
            return (self.base / "tests" / "golden").exists()
        return detector == "tests" or self._fuzzer(detector, self.base).exists()

    def _fuzzer(self, name: str, folder: Path) -> Path:
        return folder / ("other/fuzz" if self.fuzz_from else "fuzz") / f"{name}.py"

    def command(self, detector: str, tests: tuple[str, ...], file: str, folder: Path) -> list[str]:
        """What is called in a copy of the sources."""
        if detector in FUZZERS:
            fuzzer = str(self._fuzzer(detector, folder))
            return [sys.executable, fuzzer, "--no-save", "--jobs", "1", *self.fuzzing]
        # The same examples for every mutant: whether one is noticed is no matter of luck.
        paths = ["tests/golden"] if detector == "golden" else ordered(tests, file)
        return [
            sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow",
            "--hypothesis-seed=0", "--hypothesis-profile=quick", *paths,
        ]  # fmt: skip

    def detect(self, detector: str, area: str, tests: tuple[str, ...], file: str, folder: Path):
        """Run one detector; a time limit needs the baseline of its area."""
        command = self.command(detector, tests, file, folder)
        key = (detector, area if detector == "tests" else "")
        limit = PATIENCE + 5.0 * self.usual.get(key, 600.0)
        found = self.call(command, folder, limit, b"--only " if detector in FUZZERS else None)
        if not file:
            self.usual[key] = found.seconds
        return found

    def call(self, command: list[str], folder: Path, limit: float, failure: bytes | None = None):
        """Run a command until it ends, prints a failure or takes too long; nothing of it stays."""
        environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONHASHSEED": "0"}
        if failure is not None:
            environment["OMP_NUM_THREADS"] = "1"
        started, status = time.monotonic(), None
        with tempfile.TemporaryFile() as output:
            with self.lock:
                if self.stopped:
                    raise KeyboardInterrupt
                process = subprocess.Popen(
                    command,
                    cwd=folder,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
                self.running.add(process.pid)
            while status is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(0.5)
                printed = os.pread(output.fileno(), 1 << 20, 0)
                if process.returncode is not None:
                    status = "failed" if process.returncode else "passed"
                elif failure is not None and b"\n" + failure in printed:
                    status = "failed"
                elif time.monotonic() - started > limit:
                    status = "timeout"
            self._end(process)
            seconds = round(time.monotonic() - started, 1)
            return Outcome(status, seconds, _last_words(printed.decode(errors="replace")))

    def _end(self, process: subprocess.Popen) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self.running.discard(process.pid)

    def stop(self) -> None:
        """End what is running, and start nothing more."""
        with self.lock:
            self.stopped = True
            for group in list(self.running):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(group, signal.SIGKILL)

    @contextlib.contextmanager
    def copy(self):
        """A fresh copy of the sources."""
        with tempfile.TemporaryDirectory(prefix="mutant-", ignore_cleanup_errors=True) as folder:
            target = Path(folder) / "agathis"
            shutil.copytree(self.base, target)
            yield target


def ordered(tests: tuple[str, ...], file: str) -> list[str]:
    """Test files, first those whose names have most words of the mutant's file."""
    words = set(Path(file).stem.strip("_").split("_"))
    paths: list[Path] = []
    for name in tests:
        path = ROOT / name
        paths += sorted(path.rglob("test_*.py")) if path.is_dir() else [path]
    paths.sort(key=lambda path: -len(words & set(path.stem.split("_"))))
    return [str(path.relative_to(ROOT)) for path in paths]


def _last_words(printed: str) -> str:
    """The line that says what failed."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    told = [line for line in lines if line.startswith(("FAILED", "ERROR", "--only "))]
    return (told or lines or [""])[0 if told else -1][:200]
