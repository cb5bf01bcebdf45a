"""Convert exceptions to error messages and exit codes.

A command raises ``BadData`` (exit code 1) or ``WrongUse`` (2); a table that the library cannot use
is a ``BadTable``, whose advice is printed as options; an OSError is an error of the data. Any other
exception is a bug, and shows its traceback.

Exit codes, besides 0 for success:

    1    the data or a file cannot be used, or standard output cannot be written
    2    wrong arguments
    3    interrupted (SIGINT), and the best result so far was written
    4    the results were written, but no groups could be shown in the table
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
from agathis._columns.errors import BadTable, UnknownEncoding, as_options, message_of

BAD_DATA, WRONG_USE, PARTIAL_RESULT, NOT_SHOWN, INTERRUPTED = 1, 2, 3, 4, 130


class Ended(BaseException):
    """The process was terminated by a signal of this number."""


class BadData(Exception):
    """The data or a file cannot be used."""


class WrongUse(Exception):
    """The arguments are wrong or contradict each other."""


class PartialResult(Exception):
    """The command was interrupted, and its best result so far was written."""


class NotShown(Exception):
    """The results were written, but no groups could be shown in the table."""


def as_messages(command: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command to print errors as messages, and to flush its output."""

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
            # The reader has closed the pipe, as in `agathis show model.json | head -1`.
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
        except NotShown as doubt:
            _stop(f"Note: {doubt}", NOT_SHOWN)
        except KeyboardInterrupt:
            _stop("Stopped.", INTERRUPTED)
        except Ended as ended:
            _stop("Stopped.", 128 + ended.args[0])
        except MemoryError as error:
            what = f", {error}" if str(error) else ""
            _stop(f"Error: there is not enough memory{what}.", BAD_DATA)
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
    """Turn termination signals into exceptions, so that temporary files are removed."""

    def ended(number: int, frame: object) -> NoReturn:
        raise Ended(number)

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # nohup and similar programs ignore it on purpose.
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, ended)


@contextmanager
def bad_data(*kinds: type[Exception]) -> Iterator[None]:
    """Convert ValueError, and exceptions of these kinds, to ``BadData``; a ``BadTable`` passes."""
    converted: tuple[type[Exception], ...] = (ValueError, *kinds)
    try:
        yield
    except BadTable:
        raise
    except converted as error:
        raise BadData(f"{error}") from error


def in_options(error: BadTable) -> str:
    """Return the message of an error, with its advice as options."""
    return message_of(error.parts, as_options)


def needs(package: str, extra: str, what: str) -> None:
    """Raise if an optional package is not installed."""
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
    """Discard further output to stdout, also the interpreter's flush at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _stop(message: str, code: int) -> NoReturn:
    print(harmless(message), file=sys.stderr)
    raise typer.Exit(code)
