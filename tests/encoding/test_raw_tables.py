"""A model that was read from a file takes the rows of a data frame as they were before encoding."""

from __future__ import annotations

import io
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers.cli_runs import NOT_SHOWN, here, mixed_rows

from agathis import Kauri
from agathis._utils.result_table import csv_text
from agathis.export import from_json, to_json

NAMES = ["size", "paid", "d2", "d4", "red", "blue"]
ONE_HOT = {
    "paid": {"paid": True},
    "doors": {"d2": 2, "d4": 4},
    "colour": {"red": "red", "blue": "blue"},
}


def made(seed: int, gaps: float = 0.1):
    """A fitted model, its encoded rows, the model as it is read again, and the rows before."""
    random = np.random.default_rng(seed)
    kind = random.integers(0, 2, 150)
    frame = pd.DataFrame(
        {
            "id": np.arange(150),
            "colour": np.array(["red", "blue"])[kind ^ (random.random(150) < 0.2)],
            "doors": np.array([2, 4])[random.integers(0, 2, 150)],
            "paid": random.random(150) < 0.5,
            "size": np.round(3 * kind + random.normal(size=150), 2),
        },
        dtype=object,
    )
    for name in frame.columns[1:]:
        frame.loc[random.random(150) < gaps, name] = None
    X = np.column_stack([
        frame["size"], frame["paid"], *(frame["doors"] == n for n in (2, 4)),
        *(frame["colour"] == c for c in ("red", "blue")),
    ]).astype(float)  # fmt: skip
    X[np.ix_(frame["doors"].isna(), [2, 3])] = np.nan
    X[np.ix_(frame["colour"].isna(), [4, 5])] = np.nan
    model = Kauri(6, max_leaf_nodes=14, engine="binned").fit(X)
    return model, X, from_json(to_json(model, feature_names=NAMES, one_hot=ONE_HOT)), frame


@pytest.mark.parametrize("seed", range(4))
def test_frames_of_pandas_and_polars(seed):
    model, X, loaded, frame = made(seed)
    text = frame.to_csv(index=False)
    frames = {
        "objects": frame,
        "read": pd.read_csv(io.StringIO(text)),
        "texts": pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False),
        "nullable": pd.read_csv(io.StringIO(text)).convert_dtypes(),
        "categories": pd.read_csv(io.StringIO(text)).astype({"colour": "category"}),
        "another order": frame[frame.columns[::-1]],
        "polars": pl.read_csv(io.StringIO(text)),
        "texts of polars": pl.read_csv(io.StringIO(text), infer_schema=False),
        "encoded": pd.DataFrame(X, columns=NAMES),
    }
    for name, rows in frames.items():
        np.testing.assert_array_equal(loaded.predict(rows), model.labels_, err_msg=name)
        np.testing.assert_array_equal(loaded.apply(rows), model.apply(X), err_msg=name)
        assert (loaded.decision_path(rows) != model.decision_path(X)).nnz == 0, name
    np.testing.assert_array_equal(loaded.predict(X), model.labels_)


def test_missing_values_are_a_category_of_their_own():
    colour = np.array([None, "red", "blue"], dtype=object)[np.arange(30) % 3]
    X = np.column_stack([colour == "red", colour == "blue", colour == None]).astype(float)  # noqa: E711
    one_hot = {"c": {"c_red": "red", "c_blue": "blue", "c_none": None}}
    model = Kauri(3, max_leaf_nodes=None).fit(X)
    loaded = from_json(to_json(model, feature_names=list(one_hot["c"]), one_hot=one_hot))
    assert not loaded.takes_missing
    np.testing.assert_array_equal(loaded.predict(pd.DataFrame({"c": colour})), model.labels_)


def test_categories_that_the_tree_has_not_seen():
    model, _, loaded, frame = made(0)
    new = frame.head(3).assign(colour=["green", "red", "green"])
    with pytest.warns(
        UserWarning, match="unknown categories in column 'colour', 'green', in 2 of 3"
    ) as caught:
        found = loaded.predict(new)
    assert caught[0].filename == __file__
    paid = new["paid"].astype(float).to_numpy()
    rows = np.column_stack([
        new["size"].astype(float), paid, new["doors"] == 2, new["doors"] == 4, [0, 1, 0], [0, 0, 0]
    ]).astype(float)  # fmt: skip
    rows[np.ix_(new["doors"].isna(), [2, 3])] = np.nan
    np.testing.assert_array_equal(found, model.predict(rows))


def test_columns_that_are_wrong():
    _, _, loaded, frame = made(0)
    with pytest.raises(ValueError, match=r"X lacks columns .*: 'size', 'colour'\. It has 'id', 'd"):
        loaded.predict(frame.drop(columns=["size", "colour"]))
    with pytest.raises(ValueError, match=r"numbers in column 'size', .*; in row 1 it has 'wide'"):
        loaded.predict(frame.head(2).assign(size=[1.0, "wide"]))
    twice = pd.concat([frame, frame[["size"]]], axis=1)
    with pytest.raises(ValueError, match="X has 2 columns of the name 'size'"):
        loaded.predict(twice)
    same = from_json(
        to_json(Kauri(2, max_leaf_nodes=None).fit([[0.0, 1], [3, 1]]), feature_names=["a", "a"])
    )
    with pytest.raises(ValueError, match="two features of the name 'a'"):
        same.predict(pd.DataFrame({"a": [1.0]}))
    for infinite, finite in ((np.inf, 1e100), (-np.inf, -1e100)):
        with pytest.warns(
            UserWarning, match=r"infinite values in column 'size', in \d+ of \d+ rows"
        ):
            found = loaded.predict(frame.assign(size=infinite))
        np.testing.assert_array_equal(found, loaded.predict(frame.assign(size=finite)))


def test_missing_values_that_the_tree_has_not_seen():
    model = Kauri(2, max_leaf_nodes=None).fit([[0.0], [1.0], [9.0]])
    loaded = from_json(to_json(model, feature_names=["age"]))
    for rows in ([[np.nan]], pd.DataFrame({"age": [np.nan]})):
        with pytest.raises(
            ValueError, match=r"contains NaN, .* 'age', but the tree was fitted"
        ) as caught:
            loaded.predict(rows)
        assert "engine" not in str(caught.value)
    loaded.set_params(takes_missing=True)
    assert loaded.predict(pd.DataFrame({"age": [None, "", 7]})).tolist() == [0, 0, 1]


@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_the_command_line_tells_the_same(gaps, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    head, rows = mixed_rows(np.random.default_rng(3), 80, gaps)
    (tmp_path / "t.csv").write_text(csv_text(head, rows))
    missing = ["--missing", "tree"] if gaps else []
    done = here(capsys, "fit", "t.csv", "-k", 4, "--leaves", 7, "-o", "m.json", *missing)
    # The exit code says whether groups were shown; the model is there either way.
    assert done.code == (0 if from_json("m.json").evidence_.shown else NOT_SHOWN), done.err
    told = here(capsys, "predict", "m.json", "t.csv").out.split()[1:]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert from_json("m.json").predict(pd.read_csv("t.csv")).astype(str).tolist() == told
