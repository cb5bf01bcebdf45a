"""Cells as people type them: the table is the same as if they were typed alike."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from agathis import TableEncoder, fit_table
from agathis._columns.number_notation import Notation, notation_of
from agathis._columns.spellings import merged, spellings_of
from agathis.export import from_json, to_json, to_python

#: Cells of a column, and the numbers that they are; None is no column of numbers.
NUMBERS = {
    "accountants": (["($7.20)", "$1,234.00", "$3"], [-7.2, 1234, 3]),
    "brackets": (["(7.20)", "5"], [-7.2, 5]),
    "minus at the end": (["12.50-", "3.00"], [-12.5, 3]),
    "German minus": (["12,50-", "1.003,00"], [-12.5, 1003]),
    "square brackets": (["[98]", "97"], [98, 97]),
    "footnotes": (["4.5*", "4.6\N{DAGGER}", "4.7"], [4.5, 4.6, 4.7]),
    "cm": (["120 cm", "90cm"], [120, 90]),
    "watts": (["1500 W", "1,200 W"], [1500, 1200]),
    "kg": (["3,5 kg", "12,25 kg"], [3.5, 12.25]),
    "thousands": (["1.2k", "900", "1.1k"], [1200, 900, 1100]),
    "millions": (["5,5 Mio. €", "3 Mio. €"], [5.5e6, 3e6]),
    "durations": (["3h 20m", "45m", "2h"], [200, 45, 120]),
    "percent": (["12%", "3.5 %"], [12, 3.5]),
    "two units": (["3 kg", "500 g"], None),
    "a unit or none": (["5", "5 €"], None),
    "names": (["t10", "t11"], None),
    "bands": (["18-25", "26-35"], None),
    "one number": (["-", "n/a", "3"], None),
}


@pytest.mark.parametrize("case", NUMBERS)
def test_numbers(case):
    cells, expected = NUMBERS[case]
    notation, _ = notation_of(cells)
    if expected is None:
        assert notation is None
    else:
        assert notation.misfits(cells) == []
        assert notation.values(cells) == expected


@pytest.mark.parametrize(
    "mark", ["k.A.", "n/a", "-", "?", "keine Angabe", "#DIV/0!", "#REF!", "Unknown", " - "]
)
def test_marks_of_missing_numbers(mark):
    """They are missing in the fit, in predict, in a file of the model and in Python."""
    cells = [f"{100 * (i % 2) + i}" for i in range(40)]
    numbers = pd.DataFrame({"x": [float(one) for one in cells], "y": np.arange(40) % 2 * 9.0})
    typed = numbers.assign(x=cells)
    typed.loc[[3, 8], "x"], numbers.loc[[3, 8], "x"] = mark, np.nan
    found, expected = (fit_table(one, 2, random_state=0) for one in (typed, numbers))
    assert [note.doubtful for note in found[0].notes()] == [False] * len(found[0].notes())
    assert any("treated as missing" in str(note) for note in found[0].notes())
    assert np.array_equal(found[0].transform(typed), expected[0].transform(numbers), equal_nan=True)
    labels = expected.predict(numbers)
    assert np.array_equal(found.predict(typed), labels)
    assert np.array_equal(from_json(to_json(found)).predict(typed), labels)
    names = {}
    exec(to_python(found), names)
    assert [names["cluster_of"](row) for row in typed.to_dict("records")] == labels.tolist()


def test_losses_of_accountants_are_read_in_fit_and_predict(tmp_path):
    margins = np.r_[np.linspace(-90, -60, 30), np.linspace(60, 90, 30)].round(2)
    cells = [f"(${-m:,.2f})" if m < 0 else f"${m:,.2f}" for m in margins]
    table = pd.DataFrame({"margin": cells, "size": np.r_[np.zeros(30), np.ones(30)]})
    model = fit_table(table, 2, random_state=0)
    assert model[0].encode(table).X[:, 0].tolist() == margins.tolist()
    # A later table may have losses only.
    assert len(set(model.predict(table[:30]))) == 1


def test_what_is_merged():
    assert merged({"Gram": 9, "gram ": 2, "GRAM": 1, "pos": 3}) == {"gram ": "Gram", "GRAM": "Gram"}
    # Genotypes, sizes and mixed case may differ on purpose.
    assert merged({"AA": 3, "Aa": 4, "aa": 3, "iPhone": 3, "IPHONE": 1}) == {}
    yes = {"Yes": 5, "Y": 1, "yes": 2, "No": 6, "N": 1, "no": 1}
    assert merged(yes) == {"Y": "Yes", "yes": "Yes", "N": "No", "no": "No"}
    # One spelling stays as it is; a cell of blanks is missing.
    assert merged({"a\tb": 2, " c": 1, "  ": 1}) == {"  ": ""}
    assert spellings_of(["a\tb", " c"]).items() >= {("a b", "a\tb"), ("c", " c")}
    # With another answer, Y may be an initial.
    assert merged({"Y": 3, "Yes": 2, "No": 2, "Q": 1}) == {}
    # A spelling of two categories is neither.
    assert spellings_of(["Retail", "retail"]) == {}


@given(st.data())
def test_spellings_do_not_change_the_encoding(data):
    """encode(table) is encode(table with messy spellings)."""
    names = data.draw(
        st.lists(
            st.sampled_from(["Retail", "public", "ONLINE", "New York", "Öl", "x1"]),
            min_size=2,
            max_size=5,
            unique=True,
        )
    )
    rows = data.draw(st.lists(st.sampled_from(names), min_size=12, max_size=30))
    rows = [*names, *names, *rows]

    def typed(word: str) -> str:
        case = st.sampled_from([str, str.lower, str.upper] if len(word) > 2 else [str])
        blanks = st.sampled_from(["{}", " {}", "{}  "])
        return data.draw(blanks).format(data.draw(case)(word))

    # Each name is written plainly more often than otherwise.
    messy = [*rows, *rows, *map(typed, rows)]
    clean = [*rows, *rows, *rows]
    y = np.arange(len(clean)) % 7
    encoder = TableEncoder(categorical=["c"]).fit(pd.DataFrame({"c": messy, "y": y}))
    plain = TableEncoder(categorical=["c"]).fit(pd.DataFrame({"c": clean, "y": y}))
    assert encoder.one_hot_ == plain.one_hot_
    X = plain.transform(pd.DataFrame({"c": clean, "y": y}))
    for fitted in (encoder, plain):
        assert np.array_equal(fitted.transform(pd.DataFrame({"c": messy, "y": y})), X)


def test_spellings_are_merged_in_fit_and_predict_and_noted():
    random = np.random.default_rng(0)
    group = np.arange(120) % 2
    forms = (["Gram", "Gram", "gram ", "GRAM"], ["none", "none", " None", "NONE"])
    table = pd.DataFrame(
        {"stain": [random.choice(forms[one]) for one in group], "x": group * 9 + random.random(120)}
    )
    model = fit_table(table, 2, random_state=0)
    assert list(model[0].one_hot_["stain"].values()) == ["Gram", "none"]
    note = next(str(one) for one in model[0].notes() if "spellings" in str(one))
    assert "stain: spellings of one value are merged: 'Gram' (" in note
    assert adjusted_rand_score(group, model.predict(table)) == 1
    # Also spellings that the fit has not seen.
    new = pd.DataFrame({"stain": ["gRAM", " gram", "NONE  ", "other"], "x": [0.5, 0.5, 9.5, 9.5]})
    with pytest.warns(UserWarning, match="'gRAM', 'other', in 2 of 4 rows"):
        rows = model[0].transform(new)
    assert rows.shape == (4, 3)
    names = {}
    exec(to_python(model), names)
    found = [names["cluster_of"](row) for row in table.to_dict("records")]
    assert found == model.predict(table).tolist()


def test_notation_keeps_its_unit():
    assert Notation(".", "cm").misfits(["3 cm", "3 m", "3"]) == ["3 m", "3"]
