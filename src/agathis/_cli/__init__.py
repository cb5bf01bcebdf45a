"""The command line: ``agathis fit data.csv -k 4 --report report.html``.

:mod:`~agathis._cli.app` puts the commands together. It needs typer and rich, which the extra
``cli`` brings; without them the command says so in a line.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

from agathis._support.lazy import lazy

_HOME = "agathis._cli.app"
__getattr__, __dir__ = lazy(
    __name__, dict.fromkeys(("COMMANDS", "SETTINGS", "help_of", "make_app"), _HOME)
)


def main() -> None:
    """Run the command of this process's arguments; the exit code is 0, 1 or 2."""
    lacking = [package for package in ("typer", "rich") if find_spec(package) is None]
    if lacking:
        # No stream may be there to say it to, and print then says nothing.
        needs = f'the command line needs {" and ".join(lacking)}: pip install "agathis[cli]"'
        print(f"Error: {needs}", file=sys.stderr)
        raise SystemExit(1)
    from agathis._cli.app import run

    run()
