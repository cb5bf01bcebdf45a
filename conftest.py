"""Threads that do not spin, profiles of hypothesis, and data and pages that many tests share."""

import os
import signal
import tempfile

# Said before NumPy and scikit-learn are imported. Tests run in a process a core: threads that spin
# while they wait for work, in each of these, take the cores from those that have some.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pytest
from helpers.examples import QUICK, RUNS
from hypothesis import HealthCheck, settings
from sklearn.datasets import load_iris, make_blobs

# Whoever starts tests in the background may have told them to ignore Ctrl-C, which some send.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Where CI is set hypothesis draws the same examples in every run, unless it is told otherwise: what
# a user's run may meet, every run may.
settings.register_profile(
    "drawn",
    settings.get_profile("default"),
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
drawn = settings.get_profile("drawn")
# For `make test`: fewer examples of each property; `make test-all` looks at all of them.
settings.register_profile("quick", drawn, max_examples=QUICK)
# For `make test-seeds`: as many examples as that many runs of `make test` look at.
settings.register_profile("seeds", drawn, max_examples=RUNS * QUICK)
# For tools/sanitized.py: code that is watched is several times slower, and any example shows it.
settings.register_profile("watched", drawn, max_examples=8)
settings.load_profile("drawn")


@pytest.fixture(autouse=True)
def seeded():
    """``random_state=None`` draws the same numbers in every run of a test."""
    np.random.seed(0)  # noqa: NPY002


@pytest.fixture(scope="session", autouse=True)
def temporary(tmp_path_factory):
    """What is left of temporary files lies in the run's own folder, which later runs remove.

    scikit-learn's checks leave some where a process of tests does not come to its end.
    """
    tempfile.tempdir = str(tmp_path_factory.mktemp("temporary"))
    yield
    tempfile.tempdir = None


@pytest.fixture(scope="session", autouse=True)
def learnt_weights():
    """Weights of columns are learnt once for each table: many tests fit the same few."""
    from agathis._encoding import copies

    known, learn = {}, copies.relevance

    def relevance(X, sources):
        key = X.shape, X.tobytes(), tuple(map(tuple, sources))
        if key not in known:
            known[key] = learn(X, sources)
        return known[key].copy()

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(copies, "relevance", relevance)
        yield


@pytest.fixture(scope="module")
def iris():
    return load_iris().data


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(120, 3, centers=3, cluster_std=0.5, random_state=0)


@pytest.fixture(scope="session")
def browser():
    """A real one; ``pages`` says what becomes of the test where there is none."""
    from helpers.pages import chromium

    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def wine_folder(tmp_path_factory):
    from helpers.pages import wine_page

    return wine_page(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="session")
def wine_opened(browser, wine_folder):
    from helpers.pages import Opened

    found = Opened(browser, wine_folder / "wine.html")
    yield found
    found.context.close()


@pytest.fixture
def wine(wine_opened):
    """The page about wines, opened; at its end nothing was asked for and nothing went wrong."""
    yield wine_opened.again()
    wine_opened.check()
