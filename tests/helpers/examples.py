"""How many examples of a property, and which cases of a test, a run looks at."""

from collections.abc import Iterable

import pytest
from hypothesis import settings

#: How many examples ``make test`` looks at of a property that says nothing.
QUICK = 15
#: ``make test-seeds`` looks at those of as many runs.
RUNS = 50


def count(n: int, of_hundred: int) -> int:
    """How many of ``n`` examples a run looks at that looks at so many of a hundred.

    Ten at least, or all; a run with more than all looks at those of some runs of ``make test``.
    """
    runs = 1
    if of_hundred > 100:
        runs, of_hundred = of_hundred // QUICK, QUICK
    return runs * max(n * of_hundred // 100, min(n, 10))


def examples(n: int) -> settings:
    """``n`` in a full run; of 100 as many as the profile has of a property that says nothing.

    A number in ``settings`` itself holds in every profile, in that of ``make test-seeds`` too.
    """
    return settings(max_examples=count(n, settings.default.max_examples))


def mostly_slow(cases: Iterable, *quick) -> list:
    """Parameters of a test: those that ``make test`` runs too, and those of ``make test-all``."""
    return [case if case in quick else pytest.param(case, marks=pytest.mark.slow) for case in cases]
