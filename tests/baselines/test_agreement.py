"""Our trees beside the means that the public packages give: see ``benchmarks/agreement.py``."""

import pytest
from agreement import METHODS, agreement, missing

SETS = ("iris", "wine", "hepta", "target", "lsun")


@pytest.mark.slow
@pytest.mark.skipif(bool(missing(SETS)), reason=missing(SETS))
@pytest.mark.parametrize("name", SETS)
def test_means_are_near_those_of_the_public_packages(name):
    rows = agreement(name)
    assert [row["method"] for row in rows] == list(METHODS)
    assert [row for row in rows if row["near"] != "yes"] == []
