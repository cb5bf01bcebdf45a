"""``agathis fit TABLE.csv -k K --target LABEL``, and nothing else: what a person gets at once.

The command itself is run, in this process, and ``agathis predict`` tells the clusters of the rows:
so what is measured is what is installed, however it works inside. Where the command refuses the
table, what its message advises is added, as a person would do, and the tries are counted.
"""

from __future__ import annotations

import csv
import re
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score
from typer.testing import CliRunner

from agathis._cli.app import make_app

MAX_TRIES = 8
_ADVICE = re.compile(r"--(missing|drop|categorical|keep) ('[^']*'|\S+)")


@dataclass(frozen=True)
class Fitted:
    """What the command did with a table.

    Attributes
    ----------
    ari : float
        Of the rows that have a cluster; NaN where no try came to an end.
    share : float
        Of the rows that have one.
    tries : int
        How often the command was run; 1 is as it should be.
    added : tuple of str
        What had to be added, and the last message where that did not help.
    seconds : float
        Of the last try.
    clusters : int
    """

    ari: float
    share: float
    tries: int
    added: tuple[str, ...]
    seconds: float
    clusters: int


def fit_command(frame: pd.DataFrame, label: str, k: int, options: tuple[str, ...] = ()) -> Fitted:
    """Write the frame as CSV, run the command on it, and compare its clusters with the label.

    Without options, unless it is these that are to be measured.
    """
    with TemporaryDirectory() as folder:
        table, model, out = (str(Path(folder) / n) for n in ("table.csv", "m.json", "labels.csv"))
        frame.to_csv(table, index=False)
        app, runner = make_app(), CliRunner()
        added: list[str] = []
        for tries in range(1, MAX_TRIES + 1):
            command = ["fit", table, "-k", str(k), "--target", label, "-o", model, *options, *added]
            started = time.perf_counter()
            done = runner.invoke(app, command, catch_exceptions=True)
            seconds = time.perf_counter() - started
            if done.exit_code == 0:
                break
            message = done.output if done.exception is None else f"{done.output}{done.exception!r}"
            advised = _advised(message, added)
            if not advised:
                return Fitted(float("nan"), 0.0, tries, (*added, message[-300:]), seconds, 0)
            added += advised
        else:
            return Fitted(float("nan"), 0.0, MAX_TRIES, tuple(added), seconds, 0)
        asked = runner.invoke(app, ["predict", model, table, "-o", out], catch_exceptions=False)
        if asked.exit_code != 0:
            return Fitted(float("nan"), 0.0, tries, (*added, asked.output[-300:]), seconds, 0)
        with open(out, newline="", encoding="utf-8") as file:
            found = np.array([row["cluster"] for row in csv.DictReader(file)])
    has = found != ""
    truth = frame[label].astype(str).to_numpy()
    ari = adjusted_rand_score(truth[has], found[has])
    return Fitted(ari, has.mean(), tries, tuple(added), seconds, len(np.unique(found[has])))


def _advised(message: str, added: list[str]) -> list[str]:
    """The first option that a message advises and that was not yet given; missing values first."""
    found = [(f"--{option}", value.strip("'.,:;")) for option, value in _ADVICE.findall(message)]
    found.sort(key=lambda pair: pair != ("--missing", "tree"))
    given = list(zip(added[::2], added[1::2], strict=True))
    once = {option for option in added[::2] if option == "--missing"}
    for option, value in found:
        if (option, value) not in given and option not in once:
            return [option, value]
    return []


def with_typing_errors(frame: pd.DataFrame, label: str, seed: int) -> pd.DataFrame | None:
    """Two cells of two columns of numbers a thousand times as large; None without such columns."""
    random = np.random.RandomState(seed)
    columns = [
        name
        for name in frame
        if name != label
        and pd.api.types.is_numeric_dtype(frame[name])
        and not pd.api.types.is_bool_dtype(frame[name])
        and (frame[name].fillna(0) != 0).any()
        and frame[name].nunique() > 2
    ]
    if not columns:
        return None
    out = frame.copy()
    for name in random.permutation(columns)[:2]:
        cells = np.flatnonzero(frame[name].fillna(0) != 0)
        cell = random.choice(cells)
        values = frame[name].to_numpy(dtype=np.float64, na_value=np.nan).copy()
        values[cell] *= 1000
        out[name] = values
    return out
