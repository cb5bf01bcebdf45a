"""Say in plain words what this machine lacks to build agathis; print nothing if all is there.

Run by the system's Python, whichever that is: hence only what every Python 3 understands.
"""

# f-strings would be a syntax error for some of the Pythons that this file is there to turn away.
# ruff: noqa: UP032

import importlib
import sys

try:
    import os
    import shlex
    import shutil
    import subprocess
    import sysconfig
    import tempfile
except ImportError:  # Debian's python3-minimal
    sys.exit("This Python lacks most of its standard library. Debian, Ubuntu:  apt install python3")

OLDEST = (3, 10)

PLAIN_PROGRAM = "#include <stdlib.h>\nint main(void) { return EXIT_SUCCESS; }\n"
OPENMP_PROGRAM = "#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n"


class Lack:
    """One missing thing: what it is, the Debian package that brings it, and the way elsewhere."""

    def __init__(self, what, debian, elsewhere):
        self.what = what
        self.debian = debian
        self.elsewhere = elsewhere


def python_version():
    if sys.version_info < OLDEST:
        return Lack(
            "Python {}.{} or newer: {} is {}.{}".format(
                *(OLDEST + (sys.executable,) + sys.version_info[:2])
            ),
            "python3 python3-venv python3-dev   (Debian 12, Ubuntu 22.04 or newer)",
            "any newer Python; name it with: make demo PYTHON=python3.12",
        )


def virtual_environments():
    try:
        importlib.import_module("venv")
        importlib.import_module("ensurepip")
    except ImportError:
        return Lack(
            "venv and ensurepip, parts of Python that some systems package apart",
            debian_python() + "-venv",
            "part of Python itself on Fedora, macOS and conda",
        )


def python_headers():
    include = sysconfig.get_paths()["include"]
    if not os.path.exists(os.path.join(include, "Python.h")):
        return Lack(
            "Python's C headers: no Python.h in {}".format(include),
            debian_python() + "-dev",
            "Fedora: python3-devel; macOS and conda bring it with Python",
        )


def c_compiler():
    compiler = shlex.split(os.environ.get("CC", ""))
    if not compiler:
        compiler = [name for name in ("cc", "gcc", "clang") if shutil.which(name)][:1]
    if not compiler:
        return Lack(
            "a C compiler: neither cc nor gcc nor clang is on the PATH",
            "build-essential",
            "Fedora: gcc; macOS: xcode-select --install",
        )
    complaint = failure(compiler, PLAIN_PROGRAM)
    if complaint:
        return Lack(
            "a C compiler that works: {} fails on a two-line program\n{}".format(
                " ".join(compiler), complaint
            ),
            "build-essential",
            "Fedora: gcc glibc-devel; macOS: xcode-select --install",
        )
    if (
        sys.platform == "darwin"
    ):  # Apple's clang has no -fopenmp; the build looks for Homebrew's libomp itself
        return None
    complaint = failure(compiler + ["-fopenmp"], OPENMP_PROGRAM)
    if complaint:
        return Lack(
            "OpenMP (omp.h and its library): {} -fopenmp fails\n{}".format(
                " ".join(compiler), complaint
            ),
            "build-essential (it comes with gcc), or libomp-dev for clang",
            "Fedora: libgomp for gcc, libomp-devel for clang",
        )


def failure(command, program):
    """The first lines of the compiler's complaint, indented; None if the program builds."""
    folder = tempfile.mkdtemp()
    try:
        source = os.path.join(folder, "check.c")
        with open(source, "w") as out:
            out.write(program)
        try:
            process = subprocess.Popen(
                command + [source, "-o", os.path.join(folder, "check")],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
        except OSError as error:
            return "      " + str(error)
        said = process.communicate()[0].decode("utf-8", "replace").strip()
        if process.returncode == 0:
            return None
        lines = said.replace(folder + os.sep, "").splitlines()[:3] or ["(it does not say why)"]
        return "\n".join("      " + line for line in lines)
    finally:
        shutil.rmtree(folder)


def debian_python():
    """Debian's own interpreter is served by python3-*, another one beside it by python3.N-*."""
    versioned = "python{}.{}".format(*sys.version_info[:2])
    default = os.path.basename(os.path.realpath("/usr/bin/python3"))
    return "python3" if default == versioned or not default.startswith("python3.") else versioned


def main():
    lacks = [python_version()]
    if lacks == [None]:  # what an old Python has besides is of no interest
        lacks = [check() for check in (virtual_environments, python_headers, c_compiler)]
    lacks = [lack for lack in lacks if lack is not None]
    if not lacks:
        return 0
    lines = ["agathis cannot be built here yet. What is missing:"]
    for lack in lacks:
        lines += [
            "",
            "  * " + lack.what,
            "    Debian, Ubuntu:  apt install " + lack.debian,
            "    elsewhere:       " + lack.elsewhere,
        ]
    sys.stderr.write("\n".join(lines) + "\n\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
