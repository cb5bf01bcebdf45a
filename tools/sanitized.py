"""Tests with a build that watches itself: ``python tools/sanitized.py address`` or ``thread``.

``address`` is gcc's AddressSanitizer with UndefinedBehaviorSanitizer, for the tests of all compiled
code and for random problems (``fuzz/problems.py``: every engine and search, with categories,
missing values and weights); any report ends the run. ``thread`` is clang's ThreadSanitizer with
LLVM's OpenMP, whose tool Archer tells it where threads wait for one another (gcc's libgomp does
not, and every loop would be reported as a race); for the tests with threads. Python itself is not
watched, and neither are NumPy and the rest. No report is suppressed.

The build lies in ``build/sanitized-NAME`` and nothing of it is installed. Debian's packages for
``thread``: clang with what it recommends (libclang-rt), libomp-dev.
"""

import argparse
import glob
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: What is run: every compiled loop for ``address``, loops with threads for ``thread``.
TESTS = {
    "address": [
        "tests/core", "tests/growth", "tests/kmeans", "tests/search", "tests/baselines",
        "tests/package/test_minimal.py", "tests/metrics", "-m", "not slow",
    ],
    "thread": ["tests/package/test_threads.py"],
}  # fmt: skip
#: Random problems that are solved after the tests.
PROBLEMS = "2000"


def main() -> None:
    """Build, and run the tests."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=TESTS)
    parser.add_argument(
        "pytest", nargs="*", help="arguments for pytest; with paths, these tests and no problems"
    )
    args = parser.parse_args()
    found = address() if args.kind == "address" else thread()
    site = build(args.kind, found.pop("CC"), found.pop("sanitize"))
    environment = {**os.environ, **found, "PYTHONPATH": str(site), "OMP_NUM_THREADS": "4"}
    # Memory of Python's own pools would hide what lies beside it.
    environment["PYTHONMALLOC"] = "malloc"
    # What is reported goes past Python: pytest must not catch it, as it would be lost.
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider"]
    # The same examples each time: what is reported is then there again in the next run.
    command += ["-x", "--capture=sys", "--hypothesis-profile=watched", "--hypothesis-seed=0"]
    chosen = any((ROOT / arg.partition("::")[0]).exists() for arg in args.pytest)
    command += [*([] if chosen else TESTS[args.kind]), *args.pytest]
    commands = [command]
    if args.kind == "address" and not args.pytest:
        commands.append([sys.executable, "fuzz/problems.py", "--any-time", "--cases", PROBLEMS])
    for command in commands:
        code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
        if code:
            raise SystemExit(code)


def address() -> dict[str, str]:
    """The environment of gcc's sanitizers, which have to be there before Python is."""
    names = ("libasan.so", "libubsan.so", "libstdc++.so")
    libraries = [
        subprocess.check_output(["gcc", f"-print-file-name={name}"], text=True).strip()
        for name in names
    ]
    return {
        "CC": "gcc",
        "sanitize": "address,undefined",
        "LD_PRELOAD": " ".join(libraries),
        # What Python never gives back is no leak of ours.
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    }


def thread() -> dict[str, str]:
    """The environment of clang's code, with LLVM's OpenMP, which tells what it waits for.

    The runtime is gcc's: it is the same project's, and clang 14's own ends Python before its
    first line where it is loaded first.
    """
    archer = glob.glob("/usr/lib/llvm-*/lib/libarcher.so")
    if not shutil.which("clang") or not archer:
        raise SystemExit(
            "There is no clang here with its OpenMP. Debian, Ubuntu: apt install clang libomp-dev"
        )
    runtime = subprocess.check_output(["gcc", "-print-file-name=libtsan.so"], text=True).strip()
    return {
        "CC": "clang",
        "sanitize": "thread",
        "LD_PRELOAD": os.path.realpath(runtime),
        "OMP_TOOL_LIBRARIES": archer[-1],
        # NumPy, OpenBLAS and Python are not built to be watched: what they do is not judged.
        "TSAN_OPTIONS": (
            "ignore_noninstrumented_modules=1:halt_on_error=1:exitcode=66:report_signal_unsafe=0"
        ),
    }


def build(kind: str, compiler: str, sanitize: str) -> Path:
    """The folder from which the package is imported."""
    place = ROOT / "build" / f"sanitized-{kind}"
    wheels, site = place / "wheel", place / "site"
    shutil.rmtree(wheels, ignore_errors=True)
    shutil.rmtree(site, ignore_errors=True)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    settings = {
        "build-dir": str(place / "objects"),
        "setup-args": f"-Db_sanitize={sanitize}",
    }
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    command += [f"--config-settings={name}={value}" for name, value in settings.items()]
    command += ["--config-settings=setup-args=-Db_lundef=false"]
    # With -O2 gcc takes 1.7 times as long, and looks at no more.
    for setting in ("buildtype=debug", "optimization=1"):
        command += [f"--config-settings=setup-args=-D{setting}"]
    command += ["--wheel-dir", str(wheels), str(ROOT)]
    environment = {**os.environ, "CC": compiler, "PATH": path}
    subprocess.run(command, check=True, env=environment)
    with zipfile.ZipFile(next(wheels.glob("*.whl"))) as wheel:
        wheel.extractall(site)
    return site


if __name__ == "__main__":
    main()
