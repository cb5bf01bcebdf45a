"""Ctrl-C stops a long fit soon, whatever it is at."""

import signal
import subprocess
import sys
import threading
import time

import pytest
from helpers.examples import mostly_slow

# The promise is one second; a loaded machine is given ten.
SOON = 10.0
# Seconds until the part of the work that is interrupted must have begun.
PATIENCE = 120.0

SCRIPT = """
import signal
# A child of a background job may have been told to ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np
from agathis import Kauri
from agathis._utils.progress import Progress
Progress.interval = 0  # every line of progress: they say how far the work is
rng = np.random.default_rng(0)
{data}
model = Kauri(10, max_leaf_nodes=None, verbose=1, {params})
print("ready", flush=True)
model.fit(X{gram})
print("finished", flush=True)
"""

ROWS = "X = rng.normal(size=({}, {}))".format
GRAM = "; gram = X @ X.T"

# name: data, parameters, the line that says that the part has begun, seconds to wait after it
CASES = {
    "gram, kernel": (ROWS(9_000, 50), "kernel='laplacian', engine='gram'", "ready", 0.5),
    "gram, root": (ROWS(6_000, 100), "kernel='rbf', engine='gram'", "root:", 0.05),
    "gram, growth": (ROWS(6_000, 30), "kernel='rbf', engine='gram'", "leaves", 0.1),
    "blocks, root": (ROWS(20_000, 10), "kernel='rbf', engine='blocks'", "root:", 0.05),
    "blocks, growth": (ROWS(15_000, 3), "kernel='rbf', engine='blocks'", "leaves", 0.1),
    "precomputed, root": (ROWS(6_000, 200) + GRAM, "kernel='precomputed'", "root:", 0.05),
    "precomputed, growth": (ROWS(6_000, 200) + GRAM, "kernel='precomputed'", "leaves", 0.1),
    "features, growth": (ROWS(30_000, 20), "engine='features'", "leaves", 0.1),
    "binned, root": (ROWS(600_000, 40), "engine='binned'", "rows of a leaf", 0.05),
    "binned, growth": (ROWS(200_000, 20), "engine='binned'", "leaves", 0.1),
    "a map": (ROWS(100_000, 20), "kernel='rbf', n_components=400", "ready", 0.5),
    "callable": (ROWS(4_000, 5), "kernel=lambda a, b: float(a @ b)", "ready", 0.5),
    "callable, blocks": (
        ROWS(4_000, 5),
        "kernel=lambda a, b: float(a @ b), engine='blocks'",
        "ready",
        0.5,
    ),
}


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for a child process")
@pytest.mark.parametrize("case", mostly_slow(CASES, "binned, root"))
def test_interrupt(case, record_property):
    data, params, begun, delay = CASES[case]
    script = SCRIPT.format(data=data, params=params, gram=", gram=gram" if "gram" in data else "")
    with subprocess.Popen(
        [sys.executable, "-u", "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        watchdog = threading.Timer(PATIENCE, process.kill)
        watchdog.start()
        try:
            began = any(begun in line for line in process.stdout)
            time.sleep(delay)
            sent = time.perf_counter()
            process.send_signal(signal.SIGINT)
            rest, errors = process.communicate(timeout=SOON)
            seconds = time.perf_counter() - sent
        finally:
            watchdog.cancel()
            process.kill()
    assert began, errors
    record_property("seconds", seconds)
    print(f"{case}: stopped after {seconds:.2f} s")
    assert "finished" not in rest
    assert "done:" not in rest
    assert errors.strip().endswith("KeyboardInterrupt")
    assert process.returncode == -signal.SIGINT


INSIDE = """
import signal, threading, os, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np
from agathis import Kauri
X = np.random.default_rng(0).normal(size=(5000, 40))
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
model = Kauri(10, max_leaf_nodes=None, kernel="rbf")
try:
    model.fit(X)
except KeyboardInterrupt:
    print("stopped")
print(hasattr(model, "tree_"))
print(Kauri(3, max_leaf_nodes=4, kernel="rbf").fit(X[:500]).n_leaves_)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for a child process")
def test_the_session_goes_on():
    # As in a notebook: the interrupted model is not fitted, and the next fit is none the worse.
    done = subprocess.run(
        [sys.executable, "-c", INSIDE], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert done.stdout.split() == ["stopped", "False", "4"]
