"""What people see: messages on stderr, results on stdout, in colour where that is a terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import StringIO
from typing import TYPE_CHECKING, Any, TextIO

from agathis._columns.errors import Note, message_of
from agathis._columns.wording import count, listed

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Messages", "SafeStream", "count", "harmless", "listed", "one_line", "results"]

# What moves the cursor, changes colours or is half a character; tabs and ends of lines do not.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


class SafeStream:
    """A stream for messages: what cannot be written to it is dropped.

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
    """Messages on stderr, unless they are not wanted; what is wrong is said in any case."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet

    def say(self, text: str) -> None:
        if not self.quiet:
            print(harmless(text), file=sys.stderr)

    def warn(self, text: str) -> None:
        print(harmless(f"Note: {text}"), file=sys.stderr)

    def tell(self, notes: Iterable[Note]) -> None:
        """Say what the library noted; what is doubtful is said in any case."""
        from agathis._cli.names import as_options

        for note in notes:
            (self.warn if note.doubtful else self.say)(message_of(note.parts, as_options))


@contextmanager
def results() -> Iterator[Console]:
    """Stdout, to which all is written at the end; as wide as a terminal, or without an end."""
    from rich.console import Console

    from agathis._cli.output import STDOUT, write

    terminal = sys.stdout.isatty()
    # Not stdout itself: rich has its own idea of what to do when a pipe is closed.
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
    # As bytes: these colours are our own.
    write(STDOUT, "".join(f"{line.rstrip()}\n" for line in lines).encode())


def one_line(text: object) -> str:
    """A name as it stands in a message: without ends of lines."""
    return harmless(" ".join(str(text).splitlines()))


def harmless(text: str) -> str:
    """A text that does nothing to a terminal but to stand there.

    >>> harmless("red: \\x1b[31m")
    'red: \\\\x1b[31m'
    """
    return CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)
