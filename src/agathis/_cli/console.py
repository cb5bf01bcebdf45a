"""Output to people: messages on stderr, results on stdout, in colour on a terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import StringIO
from typing import TYPE_CHECKING, Any, TextIO

from agathis._columns.errors import Note, as_options, message_of
from agathis._columns.wording import count, listed

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Messages", "SafeStream", "count", "harmless", "listed", "one_line", "results"]

# Control characters except tabs and newlines, and lone surrogates.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


class SafeStream:
    """A stream for messages that ignores errors.

    A closed or full stderr, or a pipe whose reader has left, must not stop a command.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Messages:
    """Messages on stderr; with ``quiet`` only warnings."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet

    def say(self, text: str) -> None:
        if not self.quiet:
            print(harmless(text), file=sys.stderr)

    def warn(self, text: str) -> None:
        print(harmless(f"Note: {text}"), file=sys.stderr)

    def tell(self, notes: Iterable[Note]) -> None:
        """Print notes of the library; doubtful ones are warnings."""
        for note in notes:
            (self.warn if note.doubtful else self.say)(message_of(note.parts, as_options))


@contextmanager
def results() -> Iterator[Console]:
    """Return a console that writes to stdout at the end, and wraps lines on a terminal only."""
    from rich.console import Console

    from agathis._cli.output import STDOUT, write

    terminal = sys.stdout.isatty()
    # Not stdout itself, since rich handles closed pipes in its own way.
    text = StringIO()
    yield Console(
        file=text,
        force_terminal=terminal,
        width=None if terminal else 9999,
        highlight=False,
        markup=False,
        emoji=False,
    )
    lines = text.getvalue().splitlines()
    # As bytes, so that colours are not escaped.
    write(STDOUT, "".join(f"{line.rstrip()}\n" for line in lines).encode())


def one_line(text: object) -> str:
    """Return a name on one line, for messages."""
    return harmless(" ".join(str(text).splitlines()))


def harmless(text: str) -> str:
    """Escape the control characters of a text.

    >>> harmless("red: \\x1b[31m")
    'red: \\\\x1b[31m'
    """
    return CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)
