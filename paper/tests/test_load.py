"""Data sets as they are loaded: sizes, names, preparation, folders, and words for trees of them."""

import doctest
import gzip
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from data import paper_set, paper_sets
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from sklearn.utils import Bunch

from agathis import Kauri
from agathis.export import to_rules, to_text
from paper.datasets import available, load, loading
from paper.datasets.registry import REGISTRY
from paper.datasets.set_files import table_bytes
from paper.tests.helpers.paper_tables import lookalike, write_lookalike

DATA = os.environ.get("AGATHIS_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="AGATHIS_DATA names no folder")

# The paper's table: samples, features, classes.
PRINTED = {
    "atom": (800, 3, 2),
    "avila": (20867, 10, 12),
    "breast_cancer": (683, 9, 2),
    "car_evaluation": (1728, 21, 4),
    "chainlink": (1000, 3, 2),
    "congress": (435, 16, 2),
    "digits": (1797, 64, 10),
    "engytime": (4096, 2, 2),
    "haberman": (306, 3, 2),
    "hepta": (212, 3, 7),
    "iris": (150, 4, 3),
    "lsun": (404, 3, 3),
    "mice_protein": (552, 77, 8),
    "target": (770, 2, 6),
    "tetra": (400, 3, 4),
    "twodiamonds": (800, 2, 2),
    "vowel": (990, 10, 2),
    "wine": (178, 13, 3),
    "wingnut": (1016, 2, 2),
}


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    """No test reads or writes the cache of the user."""
    monkeypatch.setenv("AGATHIS_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.delenv("AGATHIS_DATA", raising=False)
    home = tmp_path / "home"
    home.mkdir()
    return home


def check_bunch(bunch, name):
    n, d, k = PRINTED[name]
    assert isinstance(bunch, Bunch)
    assert bunch.data.shape == (n, d)
    assert bunch.data.dtype == np.float64
    assert np.isfinite(bunch.data).all()
    assert bunch.n_clusters == k
    assert len(bunch.feature_names) == len(set(bunch.feature_names)) == d
    assert bunch.target.dtype == np.int64
    # Of all sets but this the classes are as many as clusters are sought.
    classes = 4 if name == "lsun" else k
    assert len(bunch.target_names) == classes
    assert np.unique(bunch.target).tolist() == list(range(classes))
    for word in ("Source: ", "Licence: ", "Cite: ", f"{n} samples, {d} features, {classes} cl"):
        assert word in bunch.DESCR.replace("\n", " ")
    assert f"paper's table: {n} samples, {d} features, {k} " in bunch.DESCR.replace("\n", " ")


def test_examples_of_the_docstrings():
    assert doctest.testmod(loading).failed == 0


def test_the_names_are_those_of_the_table():
    assert available() == sorted(PRINTED)


def test_the_table_of_the_page():
    page = (Path(__file__).parents[2] / "docs" / "paper.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \| (\d+) \|", page, re.M)
    assert {name: tuple(map(int, sizes)) for name, *sizes in rows} == PRINTED


@needs_data
@pytest.mark.parametrize("name", PRINTED)
def test_sets_have_the_printed_sizes(name):
    check_bunch(load(name), name)


@pytest.mark.slow
@pytest.mark.parametrize("name", PRINTED)
def test_lookalikes_are_loaded_from_a_folder(name, folder):
    write_lookalike(name, folder)
    bunch = load(name, data_home=folder)
    check_bunch(bunch, name)
    table = lookalike(name)
    assert bunch.filename == str(folder / f"{name}.csv.gz")
    if name != "car_evaluation":
        np.testing.assert_array_equal(bunch.data, table.values)
    held = pd.crosstab(bunch.target, table.labels).to_numpy()
    assert (held > 0).sum() == len(REGISTRY[name].classes)


@needs_data
@pytest.mark.parametrize("name", PRINTED)
def test_paper_set_is_as_ever(name):
    table = np.loadtxt(Path(DATA) / f"{name}.csv.gz", delimiter=",", skiprows=1, dtype=str)
    columns, target = table[:, :-1], table[:, -1]
    if name == "car_evaluation":
        columns = OneHotEncoder(sparse_output=False).fit_transform(columns)
    X, y, k = paper_set(name)
    np.testing.assert_array_equal(X, MinMaxScaler().fit_transform(columns.astype(np.float64)))
    if name == "vowel":
        target = target == "0"
    assert adjusted_rand_score(y, target) == 1
    assert k == {"lsun": 3}.get(name, len(set(target)))


@needs_data
def test_paper_sets_are_those_of_the_folder():
    present = sorted(path.name.split(".")[0] for path in Path(DATA).glob("*.csv.gz"))
    assert [name for name, _, _ in paper_sets()] == [n for n in present if n in PRINTED]


@needs_data
@pytest.mark.parametrize(
    ("kernel", "printed"), [("additive_chi2", 0.98), ("chi2", 0.98), ("rbf", 0.88)]
)
def test_outliers_of_lsun_are_a_class(kernel, printed):
    # With them in any of the three other classes one of the means is 0.01 or more away.
    lsun = load("lsun", scaled=True)
    found = []
    for run in range(30):
        rows = np.random.RandomState(run).permutation(404)[:323]
        model = Kauri(3, kernel=kernel, max_leaf_nodes=12).fit(lsun.data[rows])
        found.append(adjusted_rand_score(lsun.target[rows], model.labels_))
    assert abs(np.mean(found) - printed) < 0.0075


@pytest.mark.parametrize("load_own", [load_iris, load_wine, load_digits])
def test_sets_of_scikit_learn_need_nothing(load_own, folder):
    name = load_own.__name__.removeprefix("load_")
    bunch, own = load(name), load_own()
    check_bunch(bunch, name)
    np.testing.assert_array_equal(bunch.data, own.data)
    np.testing.assert_array_equal(bunch.target, own.target)
    assert bunch.filename == f"sklearn.datasets.load_{name}"
    assert not Path(os.environ["AGATHIS_CACHE"]).exists()


@needs_data
@pytest.mark.parametrize("name", ["iris", "wine", "digits"])
def test_folder_and_scikit_learn_agree(name, monkeypatch):
    there = load(name)
    monkeypatch.delenv("AGATHIS_DATA")
    here = load(name)
    assert there.filename != here.filename
    np.testing.assert_array_equal(there.data, here.data)
    np.testing.assert_array_equal(there.target, here.target)
    assert there.feature_names == here.feature_names


def test_scaled():
    raw, scaled = load("wine"), load("wine", scaled=True)
    assert raw.scaler is None
    assert raw.data.max() > 1000
    np.testing.assert_array_equal(scaled.data, MinMaxScaler().fit_transform(raw.data))
    np.testing.assert_allclose(scaled.scaler.inverse_transform(scaled.data), raw.data)


def test_frames():
    bunch, frames = load("iris"), load("iris", as_frame=True)
    assert bunch.frame is None
    assert list(frames.frame) == [*bunch.feature_names, "target"]
    pd.testing.assert_frame_equal(frames.data, frames.frame[bunch.feature_names])
    assert list(frames.data) == bunch.feature_names
    np.testing.assert_array_equal(frames.data, bunch.data)
    assert frames.target.name == "target"
    X, y = load("iris", return_X_y=True)
    np.testing.assert_array_equal(X, bunch.data)
    np.testing.assert_array_equal(y, bunch.target)
    X, y = load("iris", return_X_y=True, as_frame=True, scaled=True)
    assert isinstance(y, pd.Series)
    assert X.to_numpy().max() == 1


def test_columns_of_categories_are_read_as_categories(folder):
    write_lookalike("car_evaluation", folder)
    car = load("car_evaluation", data_home=folder)
    assert sorted(c for columns in car.one_hot.values() for c in columns) == sorted(
        car.feature_names
    )
    values = lookalike("car_evaluation").values
    for source, cell in zip(REGISTRY["car_evaluation"].features, values.T, strict=True):
        for column in car.one_hot[source]:
            held = car.data[:, car.feature_names.index(column)]
            np.testing.assert_array_equal(held == 1, cell == column.removeprefix(f"{source}_"))
    model = Kauri(4, max_leaf_nodes=None).fit(car.data)
    text = to_text(model, feature_names=car.feature_names, one_hot=car.one_hot)
    assert re.search(r"\b(buying|maint|doors|persons|lug_boot|safety) is (not )?\w+", text)
    assert "<=" not in text


def check_votes(bunch):
    assert set(np.unique(bunch.data)) == {-1, 0, 1}
    names = bunch.feature_names
    model = Kauri(2, max_leaf_nodes=None).fit(bunch.data)
    rules = to_rules(model, feature_names=names, value_names=bunch.value_names)
    for sentence in str(rules).splitlines():
        assert any(f"{vote} is " in sentence for vote in names)
        assert re.search(r" is (not )?(yes|no|unknown)\b", sentence)
        assert not re.search("[<>=]", sentence)
    return rules


def test_votes_are_words(folder):
    write_lookalike("congress", folder)
    check_votes(load("congress", data_home=folder))
    scaled = load("congress", data_home=folder, scaled=True)
    model = Kauri(2, max_leaf_nodes=None).fit(scaled.data)
    text = str(
        to_rules(
            model,
            feature_names=scaled.feature_names,
            value_names=scaled.value_names,
            scaler=scaled.scaler,
        )
    )
    assert "<" not in text
    assert re.search(" is (not )?(yes|no)", text)


@needs_data
def test_votes_of_the_congress_are_words():
    bunch = load("congress")
    check_votes(bunch)
    # As in the paper's figure, where these three votes are asked for.
    asked = set(Kauri(2, max_leaf_nodes=None).fit(bunch.data).tree_.feature) - {-1, -2}
    shown = {"el_salvador_aid", "aid_to_nicaraguan_contras", "mx_missile"}
    assert shown & {bunch.feature_names[f] for f in asked}


def test_argument_wins_over_variable(folder, tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir()
    write_lookalike("hepta", folder)
    write_lookalike("hepta", other)
    monkeypatch.setenv("AGATHIS_DATA", str(other))
    assert load("hepta").filename == str(other / "hepta.csv.gz")
    assert load("hepta", data_home=str(folder)).filename == str(folder / "hepta.csv.gz")
    # A folder that is named is the only one: iris is not in it.
    write_lookalike("iris", other)
    assert load("iris", data_home=folder).filename == "sklearn.datasets.load_iris"


def test_bad_arguments(folder, monkeypatch):
    with pytest.raises(ValueError, match=r"name must be one of \['atom', .*'wingnut'\]; it is 'x'"):
        load("x")
    with pytest.raises(ValueError, match=r"it is 'Two Diamonds'. Did you mean 'twodiamonds'"):
        load("Two Diamonds")
    with pytest.raises(ValueError, match="Did you mean 'breast_cancer'"):
        load("breast-cancer")
    with pytest.raises(TypeError, match=r"name must be a str, one of .* it is 3"):
        load(3)
    for flag in ("return_X_y", "as_frame", "scaled"):
        with pytest.raises(ValueError, match=f"'{flag}' parameter of load must be .*bool.*'yes'"):
            load("iris", **{flag: "yes"})
    with pytest.raises(ValueError, match=r"'data_home' parameter of load must be .* Got 3"):
        load("iris", data_home=3)
    with pytest.raises(
        ValueError, match=r"data_home must name a folder .* there is no folder '.*q"
    ):
        load("iris", data_home=folder / "q")
    monkeypatch.setenv("AGATHIS_DATA", str(folder / "q"))
    with pytest.raises(ValueError, match="AGATHIS_DATA must name a folder"):
        load("iris")


def lines_of(name):
    return gzip.decompress(table_bytes(REGISTRY[name], lookalike(name))).decode().splitlines()


def with_first(value, line):
    return ",".join([value, *line.split(",")[1:]])


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda lines: lines[:-1], r"it has \(211, 3\) values, not \(212, 3\)"),
        (
            lambda lines: ["a,b,c,target", *lines[1:]],
            r"its columns are \['a', 'b', 'c', 'target'\]",
        ),
        (lambda lines: [*lines[:-1], "1,2,1"], "it has a row of 3 values, not 4"),
        (lambda lines: [*lines[:-1], with_first("x", lines[-1])], "could not convert string"),
        (lambda lines: [*lines[:-1], with_first("nan", lines[-1])], "missing or infinite"),
        (lambda lines: [*lines[:-1], with_first("1e999", lines[-1])], "missing or infinite"),
        (lambda lines: [*lines[:-1], "1,2,3,8"], "its classes and their sizes are .*'8': 1"),
        (lambda lines: [], r"its columns are \[\]"),
        (lambda lines: [*lines[:-1], '1,2,3,"7'], "unexpected end of data"),
    ],
)
def test_a_file_that_is_not_the_table(spoil, reason, folder):
    path = folder / "hepta.csv.gz"
    path.write_bytes(gzip.compress("\n".join(spoil(lines_of("hepta"))).encode()))
    with pytest.raises(ValueError, match=f"hepta.csv.gz is not the table of 'hepta': .*({reason})"):
        load("hepta", data_home=folder)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x1,x2,x3,target\n",
        gzip.compress(b"x" * 1000, mtime=0)[:20],
        gzip.compress(b"\xff\xfe", mtime=0),
    ],
)
def test_a_file_that_is_no_text(data, folder):
    (folder / "hepta.csv.gz").write_bytes(data)
    with pytest.raises(ValueError, match=r"hepta.csv.gz is not the table of 'hepta'"):
        load("hepta", data_home=folder)
