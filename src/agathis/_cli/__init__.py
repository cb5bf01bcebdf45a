"""The command line: ``agathis fit data.csv -k 4 --report report.html``.

:mod:`~agathis._cli.app` assembles the commands. It needs typer and rich, which the extra ``cli``
installs; ``agathis.__main__`` prints a message if they are missing.
"""

from __future__ import annotations

import gc

from agathis._utils.lazy import lazy

_HOME = "agathis._cli.app"
__getattr__, __dir__ = lazy(
    __name__, dict.fromkeys(("COMMANDS", "SETTINGS", "help_of", "make_app"), _HOME)
)


def main() -> None:
    """Run the command line; exit codes are listed in ``errors``."""
    # Imported objects live until the end: searching them for garbage takes a tenth of the time of a
    # short command.
    gc.set_threshold(100_000, 20, 20)
    from agathis._cli.app import run

    run()
