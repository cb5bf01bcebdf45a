"""How many examples of a property, and which cases of a test, a run looks at."""

from collections.abc import Iterable

import pytest
from hypothesis import settings


def examples(n: int) -> settings:
    """``n`` in a full run; of 100 as many as the profile has of a property that says nothing.

    A number in ``settings`` itself holds in every profile, in that of ``make test`` too.
    """
    return settings(max_examples=max(n * settings.default.max_examples // 100, min(n, 10)))


def mostly_slow(cases: Iterable, *quick) -> list:
    """Parameters of a test: those that ``make test`` runs too, and those of ``make test-all``."""
    return [case if case in quick else pytest.param(case, marks=pytest.mark.slow) for case in cases]
