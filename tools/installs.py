"""``python tools/installs.py SESSION REPORT PYTHON``: note what a session of nox has shown.

REPORT is what pytest wrote with ``--junitxml``, PYTHON the interpreter of the session. How many
tests passed, with which releases, goes to ``docs/installs.json`` under the session's name, and that
of musl where the Python is built for it; the page on installing makes its table of it
(``tools/figures.py``).
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

HERE = Path(__file__).resolve().parents[1]
FILE = HERE / "docs" / "installs.json"
#: The releases that are told, where they are installed.
SHOWN = ("numpy", "scipy", "scikit-learn", "pandas", "dask", "typer", "onnxruntime", "polars")
ASK = """
import json, platform, sysconfig
from importlib.metadata import PackageNotFoundError, version
def release(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return None
free = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
musl = " with musl" if str(sysconfig.get_config_var("HOST_GNU_TYPE")).endswith("-musl") else ""
print(json.dumps([platform.python_version() + free + musl, {name: release(name) for name in %r}]))
"""


def counts(report: Path) -> dict[str, int]:
    """Tests that passed, were skipped (or failed as expected) and failed."""
    (suite,) = ElementTree.parse(report).getroot().iter("testsuite")
    number = {name: int(suite.get(name, 0)) for name in ("tests", "skipped", "failures", "errors")}
    failed = number["failures"] + number["errors"]
    passed = number["tests"] - number["skipped"] - failed
    return {"passed": passed, "skipped": number["skipped"], "failed": failed}


def main(session: str, report: str, python: str) -> None:
    asked = subprocess.run(
        [python, "-c", ASK % (SHOWN,)], check=True, capture_output=True, text=True
    )
    version, releases = json.loads(asked.stdout)
    known = json.loads(FILE.read_text(encoding="utf-8"))
    session += " (musl)" if version.endswith("musl") else ""
    known.setdefault("sessions", {})[session] = {
        "python": version,
        "releases": {name: release for name, release in releases.items() if release},
        **counts(Path(report)),
    }
    FILE.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
