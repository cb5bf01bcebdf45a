"""scikit-learn's checks of estimators, some of which are known to fail and must."""

from collections.abc import Callable, Mapping

import pytest
from sklearn.base import BaseEstimator

#: Checks by name, with the words of their failure and why it has to be.
NEGATIVE = {
    "check_clustering": (
        "needs non-negative X",
        "the check clusters negative data, whatever the tag positive_only says",
    )
}
REPEATS = {
    "check_sample_weight_equivalence_on_dense_data": (
        "`sample_weight` is not equivalent to fitting with removed or repeated data",
        "the starts are drawn row by row, and others are where rows repeat",
    )
}


def run_check(
    estimator: BaseEstimator, check: Callable, failing: Mapping[str, tuple[str, str]]
) -> None:
    """Run a check; one of the failing has to fail, with its words, and is an expected failure."""
    known = failing.get(check.func.__name__)
    if known is None:
        check(estimator)
        return
    message, reason = known
    with pytest.raises((AssertionError, ValueError), match=message):
        check(estimator)
    pytest.xfail(reason)
