"""Short names of columns: without what several begin with, such as the stem of questions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from agathis._rules.columns import Column, Indicator
from agathis._rules.described_tree import Described

#: The minimum number of words and characters that are left out, and of letters that remain.
WORDS, LENGTH, LETTERS = 3, 20, 3


def short_names(names: Sequence[str]) -> dict[str, str]:
    """The short name of each column that begins as another one does, in several words.

    >>> asked = "How satisfied are you with the "
    >>> list(short_names([f"{asked}price?", f"{asked}app?", "Age"]).values())
    ['… price?', '… app?']
    """
    words = {name: re.findall(r"[^\s_.]*[\s_.]+|[^\s_.]+$", name) for name in dict.fromkeys(names)}
    begin = Counter("".join(each[:n]) for each in words.values() for n in range(1, len(each)))
    out = {}
    for name, each in words.items():
        for n in range(len(each) - 1, WORDS - 1, -1):
            head = "".join(each[:n])
            rest = sum(map(str.isalpha, name.removeprefix(head)))
            if begin[head] > 1 and len(head) >= LENGTH and rest >= LETTERS:
                out[name] = f"… {name.removeprefix(head)}"
                break
    seen = Counter(out.get(name, name) for name in words)
    return {name: short for name, short in out.items() if seen[short] == 1}


def with_short_names(described: Described) -> tuple[Described, Mapping[str, str]]:
    """The tree with short names, and the full name of each of them."""
    short = short_names([column.name for column in described.columns])
    if not short:
        return described, {}
    columns: list[Column] = [
        column
        if column.name not in short
        else replace(column, source=short[column.source])
        if isinstance(column, Indicator)
        else replace(column, name=short[column.name])
        for column in described.columns
    ]
    features = [short.get(name, name) for name in described.features]
    full = {one: name for name, one in short.items()}
    return replace(described, columns=columns, features=features), full
