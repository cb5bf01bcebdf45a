"""Model files of every release are read, and send every row where they sent it then."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import agathis
from agathis.export import from_json
from agathis.export._json import OLDEST_VERSION, VERSION
from agathis.report import summarise
from agathis.report._page import render

FOLDER = Path(__file__).parent / "models"
FILES = sorted(FOLDER.glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_is_read(path):
    kept = json.loads(path.read_text(encoding="utf-8"))
    model = from_json(json.dumps(kept["model"]))
    np.testing.assert_array_equal(model.predict(kept["rows"]), kept["clusters"])
    np.testing.assert_array_equal(model.apply(kept["rows"]), kept["leaves"])
    assert len(set(kept["clusters"])) > 1


def test_this_release_has_a_file_of_every_format():
    """After a new version: python tools/keep_models.py."""
    formats = {
        int(result[1])
        for path in FILES
        if (result := re.fullmatch(rf"agathis-{agathis.__version__}-format-(\d)", path.stem))
    }
    assert formats == set(range(OLDEST_VERSION, VERSION + 1))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_report_names_what_an_older_file_does_not_store(path):
    kept = json.loads(path.read_text(encoding="utf-8"))
    model = from_json(json.dumps(kept["model"]))
    summary = summarise(model, np.array(kept["rows"]))
    result, version = summary["quality"], kept["model"]["version"]
    assert 0 < result["explained"] <= 1
    if version == VERSION:
        assert result["stability"]["n_trees"] == 8
        assert summary["provenance"]["scaling_known"]
        return
    assert result["stability"] is result["gap"] is None
    why = f"the settings of the fit are unknown: model files of version {version} do not store it"
    assert result["leaves_why"] == why
    assert summary["provenance"]["scaling"] == "standardised"
    assert why in render(summary)
    with pytest.raises(
        ValueError, match=f"rows cannot be encoded: model files of version {version}"
    ):
        model.score(kept["rows"])
