"""Format names and numbers for messages."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

# More names make a message unreadable.
SHOWN = 8


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text.

    >>> sorted(word_set("id uuid"))
    ['id', 'uuid']
    """
    return frozenset(text.split())


def some(words: Iterable[object], maximum: int = SHOWN) -> str:
    """List the first strings, and the number of others.

    >>> some("abc"), some("abc", 2), some("")
    ('a, b, c', 'a, b and 1 more', 'none')
    """
    strings = [str(item) for item in words]
    more = len(strings) - maximum
    return (", ".join(strings[:maximum]) or "none") + (f" and {more} more" if more > 0 else "")


def quoted(values: Iterable[object]) -> str:
    """List some names or values in Python syntax.

    >>> quoted(["a", 1])
    "'a', 1"
    """
    return some(map(repr, values))


def listed(names: Iterable[object]) -> str:
    """Join names as in a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    words = [str(name) for name in names]
    if len(words) > SHOWN:
        return some(words)
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def suggestion(name: object, names: Iterable[object]) -> str:
    """Suggest the most similar name, if any is similar.

    >>> suggestion("size", ["Size", "color"]), suggestion("size", ["color"])
    (" Did you mean 'Size'?", '')
    """
    known = [str(one) for one in names]
    same = [one for one in known if one.strip().lower() == str(name).strip().lower()]
    close = same or get_close_matches(str(name), known, 1)
    return f" Did you mean {close[0]!r}?" if close else ""


def shortened(text: str, width: int = 60) -> str:
    """Cut a long text for a message, on one line.

    >>> shortened("colour of the house", 12)
    'colour of...'
    """
    text = " ".join(text.splitlines())
    return text if len(text) <= width else f"{text[: width - 3]}..."


def count(n: int, what: str) -> str:
    """Format a number of items.

    >>> count(1, "row"), count(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{n:,} {what}{'s'[: n != 1]}"


def title_of(name: str) -> str:
    """Format a column name for a message, on one line, with a placeholder for an empty name.

    >>> title_of("a\\nb"), title_of("")
    ('a b', '(no name)')
    """
    return " ".join(str(name).splitlines()) or "(no name)"
