"""The table of methods is the one that estimators, commands and the docs have."""

import subprocess
import sys
from pathlib import Path

import pytest

from agathis import baselines
from agathis._methods import METHODS
from agathis._model.spec import FitSpec

DOCS = Path(__file__).parents[2] / "docs" / "comparing.md"


def test_every_baseline_is_registered():
    result = [m.estimator for m in METHODS.values() if m.home == "agathis.baselines"]
    assert sorted(result) == sorted(baselines.__all__)


@pytest.mark.parametrize("name", METHODS)
def test_capabilities_are_those_of_the_registry(name):
    method = METHODS[name]
    spec = FitSpec.of_method(name, n_clusters=3, max_leaf_nodes=5, kernel="rbf", centers="some")
    model = spec.to_estimator()
    params = model.get_params()
    assert type(model).__name__ == method.estimator
    for taken, key, value in (
        (method.leaves, "max_leaf_nodes", 5),
        (method.kernels, "kernel", "rbf"),
        (name not in ("Kauri", "Kauri local", "ICOT"), "centers", "some"),
    ):
        assert (key in params) == taken
        assert params.get(key) == (value if taken else None)
    assert params.get("search", "greedy") == (method.search or "greedy")
    home = method.home.removeprefix("agathis.")
    assert f"| `{home}.{method.estimator}`" in DOCS.read_text(encoding="utf-8")


def test_it_is_light():
    code = "import sys; import agathis._methods; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"numpy", "sklearn"}.isdisjoint(done.stdout.split())
