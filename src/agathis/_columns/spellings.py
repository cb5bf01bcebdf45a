"""Spellings of one category: blanks, case, and the many ways to say yes.

A cell that is no category, and is one up to blanks at its ends or case, is that category. Only
plain case counts ("gram", "GRAM", "Gram"), and only of three letters or more: "aa", "Aa" and "AA"
may be three genotypes. The rule needs the categories alone, so that a model applies it to new rows,
and the Python export writes it out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

#: Words for yes and no. A column is merged by them if it holds no other word.
YES = frozenset(("y", "yes", "j", "ja", "o", "oui", "s", "si", "s\u00ed"))
NO = frozenset(("n", "no", "nein", "non"))
#: Shorter words may differ by their case alone.
SHORTEST = 3


def squeezed(string: str) -> str:
    """Return a string without blanks at its ends and with single blanks inside."""
    return " ".join(string.split())


def _plain(string: str) -> str:
    """Return one form for all plain cases of a string."""
    plain = (string.lower(), string.upper(), string.capitalize(), string.title())
    return string.lower() if len(string) >= SHORTEST and string in plain else string


def _is_yes_or_no(strings: Iterable[str]) -> bool:
    words = {string.lower() for string in strings}
    return bool(words & YES) and bool(words & NO) and words <= YES | NO


def merged(counts: Mapping[str, int]) -> dict[str, str]:
    """Map each string whose spelling is not the most frequent one to that.

    Parameters
    ----------
    counts : mapping of str to int
        The rows of each string.

    Examples
    --------
    >>> merged({"Gram": 5, "gram ": 1, "GRAM": 1, "Aa": 3, "aa": 2})
    {'gram ': 'Gram', 'GRAM': 'Gram'}
    >>> merged({"Yes": 3, "Y": 2, "no": 2, "N": 1})
    {'Y': 'Yes', 'N': 'no'}
    """
    words = {string: squeezed(string) for string in counts}
    yes_or_no = _is_yes_or_no(words.values())
    groups: dict[str, Counter[str]] = {}
    key_of = {}
    for string, word in words.items():
        key = key_of[string] = (
            "yes" if yes_or_no and word.lower() in YES else "no" if yes_or_no else _plain(word)
        )
        groups.setdefault(key, Counter())[word] += counts[string]
    best = {key: min(words, key=lambda w: (-words[w], w)) for key, words in groups.items()}
    # What has one spelling stays as it is, but for blanks alone, which are no value.
    one = {key for key, n in Counter(key_of.values()).items() if n == 1 and best[key]}
    best |= {key: string for string, key in key_of.items() if key in one}
    return {string: best[key] for string, key in key_of.items() if best[key] != string}


def spellings_of(categories: Iterable[object]) -> dict[str, str]:
    """Map other spellings, without blanks at their ends, to the category that each stands for.

    >>> spellings_of(["Gram", "aa"])
    {'gram': 'Gram', 'GRAM': 'Gram'}
    >>> spellings_of(["Y", "N"])["yes"]
    'Y'
    """
    words = [category for category in categories if isinstance(category, str)]
    out: dict[str, str] = {}
    twice = set()
    yes_or_no = len(words) == 2 and _is_yes_or_no(words)
    for word in words:
        given, word = word, squeezed(word)
        forms = [word]
        if _plain(word) != word or (word == word.lower() and len(word) >= SHORTEST):
            forms = [word.lower(), word.upper(), word.capitalize(), word.title()]
        if yes_or_no:
            same = sorted(YES if word.lower() in YES else NO)
            forms += [form for one in same for form in (one, one.upper(), one.capitalize())]
        for form in dict.fromkeys(map(squeezed, forms)):
            if form in out and out[form] != given:
                twice.add(form)
            out[form] = given
    exact = set(words)
    return {form: word for form, word in out.items() if form not in exact and form not in twice}
