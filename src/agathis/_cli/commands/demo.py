"""``agathis demo``: run the commands on a small table."""

from __future__ import annotations

import os
import shlex
import tempfile
from importlib.util import find_spec
from typing import Annotated

import typer

from agathis._cli.console import Messages
from agathis._cli.errors import BadData
from agathis._cli.output import write

N = 300
SEED = 7


def demo(
    folder: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Where to keep the files.")
    ] = None,
) -> None:
    """Make a small table of customers, cluster it, and show each command.

    Without --folder the files are removed at the end.

    Example: agathis demo --folder agathis-demo
    """
    messages = Messages()
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="agathis-demo-") as place:
            _run(place, messages)
            messages.say("\nThe files are removed; --folder FOLDER keeps them.")
        return
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise BadData(f"{folder} is a file, not a folder.")
    os.makedirs(folder, exist_ok=True)
    _run(folder, messages)
    messages.say(f"\nThe files are in {folder}.")


def _run(folder: str, messages: Messages) -> None:
    from agathis._cli.commands.export import export
    from agathis._cli.commands.fit import fit
    from agathis._cli.commands.predict import predict
    from agathis._cli.commands.show import show

    data, model, labels, page = (
        os.path.join(folder, name)
        for name in ("customers.csv", "model.json", "labels.csv", "report.html")
    )
    write(data, customers())
    messages.say(f"{N} simulated customers of a shop are in {data}.")
    _announce(messages, "fit", data, "-k", "3", "-o", model)
    fit(data=data, clusters=3, output=model)
    _announce(messages, "show", model)
    show(model=model)
    _announce(messages, "predict", model, data, "-o", labels)
    predict(model=model, data=data, output=labels)
    _announce(messages, "export", model, "--to", "sql", "--dialect", "duckdb")
    export(model=model, to="sql", dialect="duckdb")
    if find_spec("jinja2"):
        from agathis._cli.commands.report import report

        _announce(messages, "report", model, data, "-o", page)
        report(model=model, data=data, output=page)


def _announce(messages: Messages, *words: str) -> None:
    messages.say(f"\n$ agathis {shlex.join(words)}")


def customers() -> str:
    """Return a reproducible table of three kinds of customers, as CSV."""
    import numpy as np

    from agathis._utils.result_table import csv_text

    random = np.random.RandomState(SEED)
    kinds = {
        # age, visits a year, euros a visit, and where they buy
        "young": ((27, 5), (40, 8), (14, 4), ("app", "app", "app", "web")),
        "family": ((42, 6), (22, 5), (85, 15), ("shop", "shop", "web", "shop")),
        "rare": ((63, 7), (5, 2), (35, 10), ("phone", "shop", "phone", "phone")),
    }
    rows = []
    for i in range(N):
        age, visits, euros, places = list(kinds.values())[random.randint(len(kinds))]
        rows.append(
            (
                f"C{i + 1:04d}",
                int(np.clip(random.normal(*age), 18, 95)),
                max(1, round(random.normal(*visits))),
                round(max(1.0, random.normal(*euros)), 2),
                places[random.randint(len(places))],
            )
        )
    head = ("customer", "age", "visits_a_year", "euros_a_visit", "buys_by")
    return csv_text(head, rows)
