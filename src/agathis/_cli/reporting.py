"""The report of a model, written whole and opened if asked for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agathis._cli.console import Messages
from agathis._cli.errors import BadData, WrongUse, bad_data, needs
from agathis._cli.output import STDOUT, check_target

if TYPE_CHECKING:
    import numpy as np

    from agathis.export import LoadedTree


def check_report(path: str | None, option: str) -> None:
    """Raise now where a report could not be written later."""
    if path == STDOUT:
        raise WrongUse(f"{option} - : a report is a file, for a browser.")
    check_target(path, option)
    if path is not None:
        needs("jinja2", "report", "a report")


def write_report(
    path: str,
    model: LoadedTree,
    X: np.ndarray,
    target: np.ndarray | None,
    source: str,
    open_it: bool,
    messages: Messages,
    **told: Any,
) -> None:
    """Write the page about these rows; ``told`` are further arguments of ``report.write``."""
    from agathis import report
    from agathis._cli.inputs import title_of_input

    title = os.path.basename(title_of_input(source))
    with bad_data():
        try:
            report.write(model, X, path, y=target, title=title, **told)
        except OSError as error:
            raise BadData(f"{path} is not written: {error.strerror or error}.") from error
    messages.say(f"Wrote {path}.")
    if open_it:
        import webbrowser

        if not webbrowser.open(Path(path).resolve().as_uri()):
            messages.warn(f"no browser was found; open {path} in one.")
