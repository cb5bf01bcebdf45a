"""Names and numbers of things, as messages about tables have them."""

from __future__ import annotations

from collections.abc import Iterable

# More names than that are not read in a message.
SHOWN = 8


def some(words: Iterable[object], most: int = SHOWN) -> str:
    """The first of several words, and how many there are more.

    >>> some("abc"), some("abc", 2), some("")
    ('a, b, c', 'a, b and 1 more', 'none')
    """
    found = [str(word) for word in words]
    more = len(found) - most
    return (", ".join(found[:most]) or "none") + (f" and {more} more" if more > 0 else "")


def quoted(values: Iterable[object]) -> str:
    """Some names or values, as Python writes them.

    >>> quoted(["a", 1])
    "'a', 1"
    """
    return some(map(repr, values))


def listed(names: Iterable[object]) -> str:
    """Names as people list them.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    words = [str(name) for name in names]
    if len(words) > SHOWN:
        return some(words)
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def count(n: int, what: str) -> str:
    """A number of things.

    >>> count(1, "row"), count(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{n:,} {what}{'s'[: n != 1]}"


def title_of(name: str) -> str:
    """The name of a column for a message: in one line, even of one without a name.

    >>> title_of("a\\nb"), title_of("")
    ('a b', '(no name)')
    """
    return " ".join(str(name).splitlines()) or "(no name)"
