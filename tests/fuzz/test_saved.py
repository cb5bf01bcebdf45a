"""What fuzzers have found stays found: every saved case, tried again.

``fuzz/harness.py`` writes them: the fuzzer's name, then a hash of the case.
"""

import importlib
from pathlib import Path

import pytest
from sklearn import get_config

SAVED = sorted((Path(__file__).parent / "saved").glob("*.case"))


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_a_saved_case(path):
    fuzzer = importlib.import_module(path.stem.rpartition("-")[0])
    assert fuzzer.check(fuzzer.unpack(path.read_bytes())) is None
    # Tests of parameters run in this process too.
    assert not get_config()["skip_parameter_validation"]
