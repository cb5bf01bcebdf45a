"""Tables that lie in a mapped file are as good as those in memory."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.invariants import valid_tree
from helpers.models import binned, same_bits, same_model
from helpers.strategies import weights

import agathis._dataset.row_stores
import agathis._growth.engines.choice
from agathis import Kauri


@pytest.fixture
def mapped(tmp_path):
    """The rows as a mapped file."""

    def write(X: np.ndarray, order: str = "C") -> np.memmap:
        file = np.memmap(
            tmp_path / f"{order}{X.dtype}", dtype=X.dtype, shape=X.shape, mode="w+", order=order
        )
        file[:] = X
        file.flush()
        return np.memmap(file.filename, dtype=X.dtype, shape=X.shape, mode="r", order=order)

    return write


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", [None, "with zeros"])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_a_mapped_file_is_as_good_as_memory(mapped, monkeypatch, dtype, order, kind, missing):
    """Read some rows at a time, fewer than there are."""
    monkeypatch.setattr(agathis._dataset.row_stores, "STREAM_ROWS", 37)
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 3)).astype(dtype)
    X[random.random(X.shape) < missing] = np.nan
    weight = weights(random, 400, kind)
    file = mapped(X, order)
    memory, streamed = (binned(5).fit(rows, sample_weight=weight) for rows in (X, file))
    assert streamed.engine_ == "binned"
    same_model(streamed, memory, 1e-12 * abs(memory.objective_))
    np.testing.assert_array_equal(streamed.labels_, memory.labels_)
    np.testing.assert_array_equal(streamed.predict(file), memory.labels_)
    np.testing.assert_array_equal(streamed.apply(file), memory.apply(X))
    np.testing.assert_array_equal(streamed.transform(file), streamed.transform(X))
    assert streamed.score(file, sample_weight=weight) == pytest.approx(streamed.objective_, 1e-5)
    np.testing.assert_array_equal(file, X)


@pytest.mark.parametrize("parameters", [{"kernel": "cosine"}, {"kernel": "rbf", "gamma": 0.2}])
def test_a_mapped_file_and_other_kernels(mapped, monkeypatch, parameters):
    monkeypatch.setattr(agathis._dataset.row_stores, "STREAM_ROWS", 41)
    X = np.random.default_rng(0).normal(size=(400, 3))
    X[::11, 0] = np.nan
    if parameters["kernel"] == "rbf":
        parameters = {**parameters, "n_components": 60, "random_state": 0}
    memory, streamed = (
        binned(5, max_leaf_nodes=20, **parameters).fit(rows) for rows in (X, mapped(X))
    )
    same_model(streamed, memory, 1e-9 * abs(memory.objective_))
    np.testing.assert_array_equal(streamed.labels_, memory.labels_)


@pytest.mark.parametrize("missing", [False, True])
def test_neighbouring_values_of_a_mapped_file_are_separated(mapped, missing):
    """A midpoint of two neighbours in float32 is none of float32: it must not be rounded."""
    value, values = np.float32(1.0), []
    for _ in range(8):
        values += 3 * [value]
        value = np.nextafter(value, np.float32(2.0))
    X = np.array(values, dtype=np.float32)[:, None]
    if missing:
        X[::5] = np.nan
    memory, streamed = binned(4).fit(X), binned(4).fit(mapped(X))
    valid_tree(streamed.tree_, X, streamed.labels_, None, 4)
    same_bits(streamed.tree_, memory.tree_)


def test_a_mapped_file_is_binned_where_it_is_large(mapped, monkeypatch):
    """A small one is read like any other table: joblib maps tables that it gives to workers."""
    X = np.random.default_rng(0).normal(size=(200, 2))
    assert Kauri(3, max_leaf_nodes=None).fit(X).engine_ == "features"
    same_bits(
        Kauri(3, max_leaf_nodes=None).fit(mapped(X)).tree_,
        Kauri(3, max_leaf_nodes=None).fit(X).tree_,
    )
    with monkeypatch.context() as patch:
        patch.setattr(agathis._growth.engines.choice, "EXACT_ROWS", 100)
        assert Kauri(3, max_leaf_nodes=None).fit(mapped(X)).engine_ == "binned"
    assert Kauri(3, kernel="rbf", max_leaf_nodes=None).fit(mapped(X)).engine_ == "gram"
    exact = Kauri(3, engine="features", max_leaf_nodes=None).fit(mapped(X))
    same_bits(exact.tree_, Kauri(3, max_leaf_nodes=None).fit(X).tree_)


def test_a_mapped_file_of_whole_numbers(tmp_path):
    file = np.memmap(tmp_path / "whole", dtype=np.int32, shape=(60, 2), mode="w+")
    file[:] = np.random.default_rng(0).integers(0, 9, (60, 2))
    same_bits(binned(4).fit(file).tree_, binned(4).fit(np.array(file, dtype=float)).tree_)
