"""Rules of a page as text."""


def in_words(rule: list[list[list[str]]]) -> str:
    """A rule in a sentence, such as "age ≤ 3 and sex is male, or age > 60"."""
    if not rule:
        return "no row at all"
    return ", or ".join(" and ".join(map("".join, box)) or "all rows" for box in rule)
