"""How many examples of a property a run looks at."""

from hypothesis import settings


def examples(n: int) -> settings:
    """``n`` in a full run; of 100 as many as the profile has of a property that says nothing.

    A number in ``settings`` itself holds in every profile, in that of ``make test`` too.
    """
    return settings(max_examples=max(n * settings.default.max_examples // 100, min(n, 10)))
