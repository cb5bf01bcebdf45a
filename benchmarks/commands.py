"""Cases of what people wait for: the command line from a cold start, and the report page."""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from case import Result, SkipCase
from data import raw_blobs
from sklearn.datasets import load_iris
from timing import alternate, in_words, medians

from agathis import Kauri, report


def page(run):
    needs("jinja2")
    n = run.size(100_000, 5000)
    X = raw_blobs(n, 20)
    model = Kauri(8, max_leaf_nodes=16).fit(X)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        runs = {"agathis": lambda: report.write(model, X, path)}
        seconds, _ = alternate(runs, run.repeats, run.tell)
        size = path.stat().st_size / 1e6
    slowest = max(seconds["agathis"])
    return Result(
        work=f"report as a page, n = {n:,}, d = 20, K = 8, 16 leaves",
        figure=f"{in_words(slowest)} at most, {size:.2f} MB",
        bar="under 5 s, under 1 MB",
        met=slowest < 5 and size < 1,
        seconds=seconds,
        figures={"slowest_s": slowest, "size_mb": size},
    )


def show_help(run):
    """How long `agathis --help` takes, beside a Python that does nothing."""
    command = [sys.executable, "-m", "agathis", "--help"]
    runs = {
        "agathis": lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL),
        "python": lambda: subprocess.run([sys.executable, "-c", ""], check=True),
    }
    seconds, _ = alternate(runs, run.size(11, 3), run.tell)
    median = medians(seconds)["agathis"]
    return Result(
        work="agathis --help",
        figure=in_words(median),
        bar="under 0.3 s",
        met=median < 0.3,
        seconds=seconds,
        figures={"median_s": median},
    )


def fit_iris(run):
    """`agathis fit` from a CSV to a model and a page, in a new process."""
    needs("pyarrow", "jinja2")
    iris = load_iris()
    with TemporaryDirectory() as folder:
        table, model, page = (Path(folder) / name for name in ("iris.csv", "m.json", "r.html"))
        lines = [iris.feature_names, *iris.data.tolist()]
        table.write_text("\n".join(",".join(map(str, line)) for line in lines) + "\n")
        command = [sys.executable, "-m", "agathis", "fit", table, "-k", "3", "-q", "-o", model]
        runs = {
            "fit": lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL),
            "fit, report": lambda: subprocess.run(
                [*command, "--report", page], check=True, stdout=subprocess.DEVNULL
            ),
        }
        seconds, _ = alternate(runs, run.size(7, 2), run.tell)
    median = medians(seconds)["fit"]
    return Result(
        work="agathis fit iris.csv -k 3, a new process",
        figure=f"{in_words(median)}; with a report {in_words(medians(seconds)['fit, report'])}",
        bar="under 2.5 s",
        met=median < 2.5,
        seconds=seconds,
        figures={"median_s": median},
    )


def needs(*packages):
    from importlib.util import find_spec

    for package in packages:
        if find_spec(package) is None:
            raise SkipCase(f"{package} is not installed")


COMMANDS = {"page": page, "help": show_help, "fit-iris": fit_iris}
