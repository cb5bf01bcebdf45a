"""What a command says, and with which code it ends, whatever stopped it."""

from __future__ import annotations

import io
import signal
import sys
from pathlib import Path

import pandas as pd
import pytest
from helpers.cli_runs import here, iris_csv

from agathis import __version__
from agathis._cli import errors, inputs
from agathis._cli.commands.compare import ROWS_OF_ICOT, _methods
from agathis._cli.console import Messages
from agathis._columns.errors import BadTable, UnknownEncoding
from agathis._io.table_reading import ReadOptions

typer = pytest.importorskip("typer")

STOPPED = {
    "data": (errors.BadData("no rows"), 1, "Error: no rows"),
    "use": (errors.WrongUse("-k what"), 2, "Error: -k what"),
    "table": (BadTable("no column"), 1, "Error: no column"),
    "encoding": (UnknownEncoding("utf-9"), 2, "Error: utf-9"),
    "keyboard": (KeyboardInterrupt(), 130, "Stopped."),
    "signal": (errors.Ended(15), 143, "Stopped."),
    "memory": (MemoryError(), 1, "Error: there is not enough memory."),
    "much memory": (
        MemoryError("8 EiB were asked for"),
        1,
        "Error: there is not enough memory, 8 EiB were asked for.",
    ),
    "file": (FileNotFoundError(2, "No such file", "t.csv"), 1, "Error: t.csv: No such file."),
}


def stopped(error: BaseException) -> int:
    """The exit code of a command that raises it."""

    @errors.as_messages
    def command():
        raise error

    with pytest.raises(typer.Exit) as ended:
        command()
    return ended.value.exit_code


@pytest.mark.parametrize(("error", "code", "said"), STOPPED.values(), ids=STOPPED)
def test_what_stops_a_command_is_told(error, code, said, capsys):
    assert stopped(error) == code
    assert capsys.readouterr().err == f"{said}\n"


def test_a_mistake_of_ours_shows_its_traceback():
    @errors.as_messages
    def command():
        raise OSError("no number and no file")

    with pytest.raises(OSError, match="no number"):
        command()


class Output(io.StringIO):
    """stdout whose number is that of a file."""

    def __init__(self, file):
        super().__init__()
        self.file = file

    def fileno(self):
        return self.file.fileno()


def test_nothing_more_is_written_to_a_full_disk(tmp_path, monkeypatch, capsys):
    with (tmp_path / "out").open("w") as file:
        monkeypatch.setattr(sys, "stdout", Output(file))
        assert stopped(OSError(28, "No space left on device")) == 1
        file.write("more")
    assert capsys.readouterr().err == "Error: No space left on device.\n"
    assert (tmp_path / "out").read_text() == ""


def test_who_has_read_enough_is_told_nothing(tmp_path, monkeypatch, capsys):
    @errors.as_messages
    def command():
        raise BrokenPipeError

    with (tmp_path / "out").open("w") as file:
        monkeypatch.setattr(sys, "stdout", Output(file))
        command()
        file.write("more")
    assert capsys.readouterr().err == ""
    assert (tmp_path / "out").read_text() == ""


def test_signals_that_ask_to_end_are_errors():
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        errors.end_in_order()
        with pytest.raises(errors.Ended) as ended:
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert ended.value.args == (signal.SIGTERM,)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_is_no_table(monkeypatch):
    monkeypatch.setattr(sys, "stdin", Terminal())
    with pytest.raises(errors.BadData, match="nothing is sent to it"):
        inputs.read_input("-", ReadOptions())
    with pytest.raises(errors.BadData, match="nothing is sent to it"):
        inputs.load_model("-")


def test_methods_that_suit(capsys):
    messages = Messages(quiet=False)
    few = _methods(ROWS_OF_ICOT, 3, 6, "linear", messages)
    assert {"ICOT", "ExKMC", "IMM"} <= {*few}
    assert capsys.readouterr().err == ""
    assert "ExKMC" not in _methods(ROWS_OF_ICOT, 3, 3, "linear", messages)
    assert _methods(ROWS_OF_ICOT + 1, 3, 6, "linear", messages) == few[:-1]
    assert "ICOT is left out" in capsys.readouterr().err
    assert "ICOT" not in _methods(10, 3, 6, "rbf", messages)


def sent(monkeypatch, content: bytes) -> None:
    """Bytes that come from another process."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))


def test_tables_and_models_from_another_process(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table = iris_csv(tmp_path)
    fit = ["-k", 3, "--target", "species", "--search", "greedy", "-o"]
    sent(monkeypatch, table.read_bytes())
    done = here(capsys, "fit", "-", *fit, "m.json")
    assert done.code == 0, done.err
    assert here(capsys, "fit", table, *fit, "other.json").out == done.out
    shown = here(capsys, "show", "m.json").out
    sent(monkeypatch, Path("m.json").read_bytes())
    assert here(capsys, "show", "-").out == shown


def test_the_version_is_told(capsys):
    assert here(capsys, "--version").out == f"agathis {__version__}\n"


def test_clusters_of_machines_read_parquet_and_must_be_there(tmp_path, monkeypatch, capsys):
    pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    done = here(capsys, "fit", iris_csv(tmp_path), "-k", 2, "--dask", "local")
    assert done.code == 1
    assert "--dask reads Parquet, one file or many" in done.err
    pd.DataFrame({"a": [1.0, 2, 9], "b": [3.0, 1, 7]}).to_parquet("t.parquet")
    done = here(capsys, "fit", "t.parquet", "-k", 2, "--dask", "nowhere://a:1")
    assert done.code == 1
    assert "--dask nowhere://a:1: no scheduler answers there" in done.err


def test_kernels_that_take_no_number_below_0(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    kauri = ["--method", "kauri", "--runs", 1, "--rows", 30, "--csv"]
    done = here(capsys, "compare", iris_csv(tmp_path), "-k", 2, "--kernel", "chi2", *kauri)
    assert done.code == 0, done.err
    assert done.out.splitlines()[1].startswith("Kauri,")
