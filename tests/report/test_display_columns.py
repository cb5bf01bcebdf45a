"""Columns that are only shown: the page has them, the tree does not know them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from helpers.cli_runs import here

from agathis import Kauri, TableEncoder, fit_table
from agathis.export import to_json
from agathis.report import summarise
from agathis.report._page import render


def birds(n: int = 80) -> pd.DataFrame:
    """Two groups, and what one would like to see of them."""
    random = np.random.default_rng(0)
    group = np.arange(n) % 2
    return pd.DataFrame(
        {
            "wing": 180 + 30 * group + random.normal(0, 4, n),
            "mass": 3700 + 1200 * group + random.normal(0, 90, n),
            "species": np.where(group == 1, "Gentoo", "Adelie"),
            "zip": random.integers(10_000, 10_004, n),
            "seen": pd.Timestamp("2019-01-01") + pd.to_timedelta(random.integers(900, size=n), "D"),
            "name": [f"bird {i}" for i in range(n)],
            "nothing": [None] * n,
        }
    )


SHOWN = ["species", "zip", "seen", "nothing"]


def of_page(summary) -> dict:
    return {one["name"]: one for one in summary["profile"] if one["shown"]}


def test_a_shown_column_changes_no_tree():
    frame = birds()
    frame.loc[3, "species"] = None
    model = fit_table(frame, 2, random_state=0, show=SHOWN)
    without = fit_table(frame, 2, random_state=0, drop=SHOWN)
    files = [json.loads(to_json(each)) for each in (model, without)]
    assert files[0].pop("provenance")["show"] == SHOWN
    assert files[1].pop("provenance")["show"] == []
    assert files[0] == files[1]
    became = dict(zip(model[0].columns_["column"], model[0].columns_["became"], strict=True))
    assert became["species"] == became["zip"] == became["seen"] == "only shown"
    assert became["nothing"] == "left out"
    notes = [str(note) for note in model[0].notes()]
    assert "Display only: species, zip and seen." in notes
    # Rows to predict need not have them.
    np.testing.assert_array_equal(model.predict(frame[["wing", "mass"]]), model.predict(frame))


@pytest.mark.slow
def test_a_page_shows_them_after_the_others():
    frame = birds()
    model = fit_table(frame, 2, show=SHOWN)
    summary = summarise(model, frame)
    own = [one["name"] for one in summary["profile"] if not one["shown"]]
    assert set(own) == {"wing", "mass"}
    found = of_page(summary)
    # A date is shown by its parts.
    assert set(found) == {"species", "zip", "seen: year", "seen: month", "seen: weekday"}
    species = found["species"]
    assert species["labels"] == ["Adelie", "Gentoo"]
    labels = model.predict(frame)
    for k, cluster in enumerate(species["clusters"]):
        words = frame["species"][labels == k].value_counts()
        assert cluster["counts"] == [words.get(name, 0) for name in species["labels"]]
    assert sum(found["zip"]["counts"]) == len(frame)
    text = render(summary)
    assert text.count("<small>only shown</small>") == 5
    assert "followed by the columns that are only shown" in text
    assert "only shown" not in render(summarise(fit_table(frame, 2, drop=SHOWN), frame))


def test_any_model_shows_what_it_is_given():
    frame = birds()
    numbers = frame[["wing", "mass"]]
    model = Kauri(2, max_leaf_nodes=2).fit(numbers)
    assert set(of_page(summarise(model, numbers, show=frame[["species"]]))) == {"species"}
    assert of_page(summarise(model, numbers, show=frame[["nothing"]])) == {}
    with pytest.raises(ValueError, match="show has 3 rows; X has 80"):
        summarise(model, numbers, show=frame[["species"]].head(3))
    with pytest.raises(TypeError, match="show must be a data frame"):
        summarise(model, numbers, show=["species"])


def test_few_rows_are_not_told():
    frame = birds(9)
    model = Kauri(2, max_leaf_nodes=2).fit(frame[["wing", "mass"]])
    species = of_page(summarise(model, frame[["wing", "mass"]], show=frame[["species"]]))["species"]
    assert None in species["clusters"]


def test_what_is_shown_is_not_used_too():
    with pytest.raises(ValueError, match="no_split and show both name 'mass'"):
        TableEncoder(no_split=["mass"], show=["mass"]).fit(birds())
    with pytest.raises(ValueError, match=r"show names 'speces'.*Did you mean 'species'"):
        TableEncoder(show=["speces"]).fit(birds())


def test_the_command_line_shows_them(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    birds().to_csv("birds.csv", index=False)
    fit = ["fit", "birds.csv", "-k", 2, "--show", "species,zip", "-o", "m.json"]
    done = here(capsys, *fit, "--report", "fit.html")
    assert done.code == 0
    assert "Display only: species and zip." in done.err
    assert json.loads(Path("m.json").read_text())["provenance"]["show"] == ["species", "zip"]
    again = ["report", "m.json", "birds.csv", "-o", "again.html", "--show", "species"]
    assert here(capsys, *again).code == 0
    for page, names in (("fit.html", {"species", "zip"}), ("again.html", {"species"})):
        text = Path(page).read_text(encoding="utf-8")
        data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])
        assert set(of_page(data)) == names
    text = Path("fit.html").read_text(encoding="utf-8")
    assert "2 only shown" in text
    wrong = here(capsys, *fit, "--show", "speces")
    assert wrong.code == 2
    assert "Did you mean species" in wrong.err
