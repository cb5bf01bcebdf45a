"""A described model without the way through text: the same as what is read from its JSON."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from helpers.examples import examples
from helpers.exports import BASELINES, SCALERS, names_for, same_arrays, trees
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from agathis import Kauri, fit_table
from agathis._model.conversion import fitted_model
from agathis._model.encoding import Encoding, Unavailable
from agathis.export import FittedModel, from_json, to_json


def check_same(result: FittedModel, read: FittedModel, rows: object) -> None:
    """All that a loaded tree knows, and what it predicts."""
    same_arrays(result.tree_, read.tree_)
    ours, theirs = result.get_params(deep=False), read.get_params(deep=False)
    for name in ("tree", "fitted_tree", "roles", "preparation"):
        mine, other = ours.pop(name), theirs.pop(name)
        if name != "preparation":
            assert (mine is None) == (other is None)
    if result.fitted_tree is not None:
        same_arrays(result.fitted_tree, read.fitted_tree)
    assert ours == theirs
    assert {name: type(value) for name, value in ours.items()} == {
        name: type(value) for name, value in theirs.items()
    }
    if isinstance(result.preparation, Encoding) and not result.preparation.why_not_written:
        numbers = np.random.default_rng(0).normal(size=(9, result.n_features_in_))
        np.testing.assert_array_equal(result.encoded(numbers), read.encoded(numbers))
    assert vars(result).keys() == vars(read).keys()
    for name in ("feature_names_in_", "cluster_names_", "one_hot_", "value_names_", "objective_"):
        assert list(np.ravel(getattr(result, name, None))) == list(
            np.ravel(getattr(read, name, None))
        )
    np.testing.assert_array_equal(result.predict(rows), read.predict(rows))
    assert to_json(result) == to_json(read)


@examples(40)
@given(made=trees(), scaler=st.sampled_from([None, *SCALERS]))
def test_as_from_json(made, scaler):
    model, X, more = made
    if scaler is not None:
        assume(not np.isnan(X).all(axis=0).any())  # scikit-learn's scalers warn of such columns
        scaler = SCALERS[scaler]().fit(X)
        model = Kauri(**model.get_params()).fit(scaler.transform(X))
        more = X
    rows = np.vstack([X, more]) if model.engine_ == "binned" else X
    words = {
        "scaler": scaler,
        "feature_names": names_for(X.shape[1]),
        "cluster_names": [f"group {k}" for k in range(model.n_clusters_)],
    }
    for options in (words, {"scaler": scaler}):
        result, read = fitted_model(model, **options), from_json(to_json(model, **options))
        check_same(result, read, rows)
        # Once more is the same again.
        check_same(fitted_model(result), read, rows)


@pytest.mark.parametrize("name", BASELINES)
def test_baselines_and_trees(name, iris):
    model = BASELINES[name](3).fit(iris)
    check_same(fitted_model(model), from_json(to_json(model)), iris)
    check_same(fitted_model(model.tree_), from_json(to_json(model.tree_)), iris)


def test_pipelines_and_columns():
    random = np.random.default_rng(3)
    color, codes = random.integers(0, 3, 80), random.choice([-1.0, 0, 1], 80)
    table = pd.DataFrame({f"color_{i}": (color == i).astype(float) for i in range(3)})
    table["vote"] = codes
    model = make_pipeline(MinMaxScaler(), Kauri(9, max_leaf_nodes=12)).fit(table)
    columns = {
        "one_hot": {"color": {"color_0": "red", "color_1": np.int64(7), "color_2": np.nan}},
        "value_names": {"vote": {-1: "no", 0: "unknown", 1: "yes"}},
    }
    result = fitted_model(model, **columns)
    raw = pd.DataFrame({"color": np.array(["red", 7, None], dtype=object)[color], "vote": codes})
    check_same(result, from_json(to_json(model, **columns)), raw)
    np.testing.assert_array_equal(result.predict(table.to_numpy()), model.predict(table))
    assert result.method == "Kauri"
    assert result.one_hot_["color"] == {"color_0": "red", "color_1": 7, "color_2": None}


def test_names_of_another_number():
    with pytest.raises(ValueError, match="cluster_names has 1 names; the tree has 2 clusters"):
        fitted_model(
            Kauri(2, max_leaf_nodes=None).fit([[0.0], [1.0], [9.0]]), cluster_names=["one"]
        )


def test_missing_values_are_accepted_on_request():
    text = to_json(Kauri(2, max_leaf_nodes=None).fit([[0.0], [1.0], [9.0]]))
    with pytest.raises(ValueError, match="contains NaN"):
        from_json(text).predict([[np.nan]])
    model = from_json(text, takes_missing=True)
    assert model.takes_missing
    assert model.predict([[np.nan]]) == model.predict([[0.0]])


@pytest.mark.parametrize("names", [None, ["size", "price"]])
def test_the_column_that_misses_a_value_is_named(names):
    rows = np.array([[0.0, 0.0], [1.0, 1.0], [9.0, 9.0]])
    model = from_json(to_json(Kauri(2).fit(rows), feature_names=names))
    rows[0, 1] = np.nan
    column = 1 if names is None else "'price'"
    with pytest.raises(ValueError, match=f"NaN, for example in column {column},"):
        model.predict(rows)


def raw_table() -> pd.DataFrame:
    """A column of every type, some with missing values."""
    random = np.random.default_rng(0)
    n = 120
    group = random.integers(0, 3, n)
    hours = pd.to_timedelta(random.integers(0, 23, n), unit="h")
    frame = pd.DataFrame(
        {
            "float": random.normal(size=n) + 5 * group,
            "int": random.integers(0, 9, n) + 20 * group,
            "nullable": pd.array([None if i % 9 == 0 else i % 50 for i in range(n)], "Int64"),
            "string": np.array(["red", "green", "blue"])[group],
            "category": pd.Categorical(np.array(["a", "b", "c"])[random.integers(0, 3, n)]),
            "bool": random.random(n) < 0.5,
            "boolean": pd.array([None if i % 7 == 0 else i % 2 == 0 for i in range(n)], "boolean"),
            "numbers": [f"{i % 40},5" for i in range(n)],
            "datetime": pd.date_range("2019-01-01", periods=n, freq="5D") + hours,
            "day": [f"{i % 28 + 1:02d}.{i % 12 + 1:02d}.20{10 + i % 9}" for i in range(n)],
            "month": np.array(["January", "May", "July"])[random.integers(0, 3, n)],
        }
    )
    frame.loc[::17, "float"] = np.nan
    frame.loc[::13, "string"] = None
    frame.loc[::19, "datetime"] = pd.NaT
    frame["zone"] = frame["datetime"].dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")
    frame["date"] = frame["datetime"].dt.date
    return frame


def arrow_tables(frame: pd.DataFrame) -> dict[str, object]:
    """The frame as Arrow has it, in each of the forms that columns may take."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    strings = [f.name for f in table.schema if f.type in (pa.string(), pa.large_string())]
    coded = table
    for name in strings:
        place = table.column_names.index(name)
        coded = coded.set_column(place, name, table.column(name).dictionary_encode())
    kinds = {name: pa.large_string() for name in strings}
    large = table.cast(pa.schema([(f.name, kinds.get(f.name, f.type)) for f in table.schema]))
    (batch,) = table.combine_chunks().to_batches()
    chunked = pa.concat_tables([table.slice(0, 50), table.slice(50)])
    return {
        "table": table, "batch": batch, "dictionaries": coded, "large": large, "chunks": chunked,
    }  # fmt: skip


@pytest.mark.parametrize("column", raw_table().columns)
def test_tables_of_arrow(column):
    frame = raw_table()
    others = [name for name in frame if name != column]
    model = fit_table(
        frame, 6, max_leaf_nodes=12, dates="parts", no_split=others, weight="equal",
        **({"keep": ["nullable"]} if column == "nullable" else {}),
    )  # fmt: skip
    read = from_json(to_json(model))
    used = {read.feature_names_in_[f] for f in read.tree_.feature if f >= 0}
    assert used
    assert all(name.startswith(column) for name in used)
    np.testing.assert_array_equal(read.predict(frame), model.predict(frame))
    for name, table in {**arrow_tables(frame), "polars": pl.from_pandas(frame)}.items():
        np.testing.assert_array_equal(read.predict(table), read.predict(frame), err_msg=name)
        np.testing.assert_array_equal(read.apply(table), read.apply(frame), err_msg=name)
        paths = read.decision_path(table), read.decision_path(frame)
        np.testing.assert_array_equal(*(path.toarray() for path in paths), err_msg=name)


def test_new_categories_in_tables_of_arrow():
    frame = raw_table()
    model = fit_table(frame, 3, no_split=[name for name in frame if name != "string"])
    read = from_json(to_json(model))
    other = frame.assign(string=frame["string"].where(frame.index % 3 > 0, "violet"))
    result = []
    for table in (other, pa.Table.from_pandas(other, preserve_index=False)):
        with pytest.warns(UserWarning, match="unknown categories in column 'string', 'violet'"):
            result.append(read.predict(table))
    np.testing.assert_array_equal(*result)
    with pytest.raises(ValueError, match="X lacks columns that the model needs: 'string'"):
        read.predict(pa.table({"float": [1.0]}))


def test_a_table_of_arrow_and_a_tree_without_names():
    model = from_json(to_json(Kauri(2, max_leaf_nodes=None).fit([[0.0], [1.0], [9.0]])))
    with pytest.warns(UserWarning, match="fitted without feature names"):
        result = model.predict(pa.table({"a": [0.0, 9.0]}))
    np.testing.assert_array_equal(result, [0, 1])


def test_a_column_that_is_named_as_an_attribute_of_arrow():
    frame = pd.DataFrame({"column_names": [0.0, 1.0, 9.0], "to_arrow": [1.0, 0.0, 1.0]})
    model = fit_table(frame, 2)
    np.testing.assert_array_equal(from_json(to_json(model)).predict(frame), model.predict(frame))


@pytest.mark.parametrize("kernel", ["linear", "cosine", "rbf", "polynomial"])
@pytest.mark.parametrize("scaler", [None, *SCALERS])
def test_scores_and_distances_of_a_file(kernel, scaler, iris):
    model = Kauri(3, kernel=kernel, max_leaf_nodes=4)
    if scaler is not None:
        model = make_pipeline(SCALERS[scaler](), model)
    model.fit(iris)
    loaded = from_json(to_json(model))
    if isinstance(loaded.preparation, Unavailable):
        with pytest.raises(ValueError, match="rows cannot be encoded"):
            loaded.score(iris)
        return
    assert loaded.score(iris) == model.score(iris)
    if kernel in ("linear", "cosine"):
        np.testing.assert_array_equal(loaded.transform(iris), model.transform(iris))
    else:
        with pytest.raises(ValueError, match="require the training rows"):
            loaded.transform(iris)


def test_what_a_file_cannot_hold(iris):
    mapped = from_json(to_json(Kauri(3, kernel="rbf", n_components=20).fit(iris)))
    with pytest.raises(ValueError, match="approximated by a feature map"):
        mapped.score(iris)
    named = from_json(to_json(Kauri(3, kernel=dot).fit(iris)))
    with pytest.raises(ValueError, match="the kernel was"):
        named.score(iris)
    matrix = Kauri(3, kernel="precomputed").fit(iris, gram=iris @ iris.T)
    with pytest.raises(ValueError, match="kernel='precomputed'"):
        from_json(to_json(matrix)).score(iris)


def dot(x, y):
    return float(np.dot(x, y))


@pytest.mark.parametrize("scale", ["auto", "standard", "minmax", "robust", "rank", "log", "none"])
def test_rows_of_a_table_are_encoded_as_by_the_encoder(scale):
    random = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "size": random.normal(size=70) ** 3,
            "when": pd.date_range("2020-01-01", periods=70, freq="9D"),
            "color": random.choice(["red", "green", "blue"], 70),
            "sold": random.random(70) < 0.3,
        }
    )
    table.loc[::8, ["size", "color"]] = None
    model = fit_table(table, 3, scale=scale, dates="parts", no_count=["sold"])
    loaded = from_json(to_json(model))
    Z = loaded.encode(table)
    np.testing.assert_array_equal(np.asarray(Z), np.asarray(model[0].transform(table)))
    roles = model[0].roles_
    np.testing.assert_array_equal(Z.roles.kernel, roles.kernel)
    np.testing.assert_array_equal(Z.roles.split, roles.split)
    assert [group.tolist() for group in Z.roles.one_hot] == [g.tolist() for g in roles.one_hot]
    assert loaded.score(table) == pytest.approx(model[-1].score(model[0].transform(table)))
    np.testing.assert_array_equal(loaded.predict(table), model.predict(table))
