"""Build backend: meson-python, with editable installs that need no build tools once installed.

meson-python's editable installs run ninja at every import. In an isolated build that is the ninja
of a temporary environment, which pip deletes. Here ``pip install -e .`` copies the compiled modules
next to their sources and puts the source folder on the path: edits of Python files count at once,
and the same command compiles what has changed in Cython and C files.
"""

import base64
import hashlib
import os
import sys
import tempfile
import zipfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import mesonpy
from mesonpy import (  # noqa: F401
    build_sdist,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
)

SOURCE = Path(__file__).resolve().parents[1] / "src"


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Compile in a build folder that stays, and write a wheel that points to the sources."""
    settings = {"build-dir": f"build/editable-{sys.implementation.cache_tag}"}
    with tempfile.TemporaryDirectory() as folder:
        name = mesonpy.build_wheel(folder, settings | (config_settings or {}))
        with zipfile.ZipFile(Path(folder, name)) as wheel:
            files = {"agathis-editable.pth": os.fsencode(f"{SOURCE}\n")}
            for path in wheel.namelist():
                if path.endswith(tuple(EXTENSION_SUFFIXES)):
                    # A new file: a running process keeps the one that it has loaded.
                    (SOURCE / path).unlink(missing_ok=True)
                    wheel.extract(path, SOURCE)
                elif ".dist-info/" in path and not path.endswith("/RECORD"):
                    files[path] = wheel.read(path)
    write_wheel(Path(wheel_directory, name), files)
    return name


def write_wheel(wheel, files):
    """Write a wheel with these files and their hashes; the last one is in its dist-info folder."""
    lines = []
    with zipfile.ZipFile(wheel, "w") as written:
        for path, content in files.items():
            written.writestr(path, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
            lines.append(f"{path},sha256={digest.decode()},{len(content)}\n")
        record = f"{list(files)[-1].split('/')[0]}/RECORD"
        written.writestr(record, "".join(lines) + f"{record},,\n")
