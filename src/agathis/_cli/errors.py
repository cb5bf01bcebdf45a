"""Mistakes of users become messages and exit codes, in this one place.

A command raises ``BadData`` (exit code 1) or ``WrongUse`` (2); a table that the library cannot use
is a ``BadTable``, whose advice is told as options; trouble with files is an OSError and counts as
bad data. Anything else is a mistake of ours, and shows its traceback.

Exit codes, besides 0 for success:

    1    the data or a file cannot be used, or standard output cannot be written
    2    the command cannot be understood
    3    interrupted (SIGINT), and the best result so far was written
    130  interrupted (SIGINT) before the results were written
    128 + N  ended by signal N (SIGTERM: 143, SIGHUP: 129)
"""

from __future__ import annotations

import errno
import functools
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TextIO

import typer

from agathis._cli.console import harmless
from agathis._columns.errors import BadTable, UnknownEncoding, message_of

BAD_DATA, WRONG_USE, PARTIAL_RESULT, INTERRUPTED = 1, 2, 3, 130


class Ended(BaseException):
    """Somebody asked the process to end, by a signal of this number."""


class BadData(Exception):
    """The data, or a file, cannot be used."""


class WrongUse(Exception):
    """The command cannot be understood."""


class PartialResult(Exception):
    """The command was interrupted after it had found a result, which was written."""


def as_messages(command: Callable[..., None]) -> Callable[..., None]:
    """The command with errors as messages; what it writes has left the process at its end."""

    @functools.wraps(command)
    def run(**params: Any) -> None:
        with _messages():
            command(**params)
            sys.stdout.flush()

    return run


@contextmanager
def _messages() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            yield
        except BrokenPipeError:
            # Who reads has had enough, as in `agathis show model.json | head -1`.
            _forget_output()
        except BadData as error:
            _stop(f"Error: {error}", BAD_DATA)
        except BadTable as error:
            wrong = isinstance(error, UnknownEncoding)
            _stop(f"Error: {in_options(error)}", WRONG_USE if wrong else BAD_DATA)
        except WrongUse as error:
            _stop(f"Error: {error}", WRONG_USE)
        except PartialResult as error:
            _stop(f"Interrupted: {error}", PARTIAL_RESULT)
        except KeyboardInterrupt:
            _stop("Stopped.", INTERRUPTED)
        except Ended as ended:
            _stop("Stopped.", 128 + ended.args[0])
        except MemoryError as error:
            what = f", {error}" if str(error) else ""
            _stop(f"Error: there is not enough memory for it{what}.", BAD_DATA)
        except OSError as error:
            if error.strerror is None:
                raise
            if error.filename is not None:
                _stop(f"Error: {os.fsdecode(error.filename)}: {error.strerror}.", BAD_DATA)
            _stop(output_failed(error), BAD_DATA)


def output_failed(error: OSError) -> str:
    """Give up standard output after a failed write, and return the message."""
    _forget_output()
    if error.errno == errno.EBADF:
        return "Error: standard output is closed (EBADF); the results could not be written to it."
    return f"Error: {error.strerror}."


def end_in_order() -> None:
    """Let signals that ask to end take the way of errors, on which temporary files are removed."""

    def ended(number: int, frame: object) -> NoReturn:
        raise Ended(number)

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # nohup and its like have decided otherwise.
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, ended)


@contextmanager
def bad_data(*kinds: type[Exception]) -> Iterator[None]:
    """What the package says about the data, as a ValueError or of these kinds, as ``BadData``."""
    told_to_user: tuple[type[Exception], ...] = (ValueError, *kinds)
    try:
        yield
    except BadTable:
        raise
    except told_to_user as error:
        raise BadData(f"{error}") from error


def in_options(error: BadTable) -> str:
    """What is wrong with a table, with advice as it is typed."""
    from agathis._cli.names import as_options

    return message_of(error.parts, as_options)


def needs(package: str, extra: str, what: str) -> None:
    """Raise where an optional package is not installed."""
    from agathis._utils.extras import needed

    with bad_data(ImportError):
        needed(package, extra, what)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    print(harmless(f"Note: {message}"), file=sys.stderr)


def _forget_output() -> None:
    """Let nothing more be written to stdout, by the interpreter at its end least of all."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _stop(message: str, code: int) -> NoReturn:
    print(harmless(message), file=sys.stderr)
    raise typer.Exit(code)
