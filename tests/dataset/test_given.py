"""What a user gives becomes a dataset once, and a backend with the protocol's methods is enough."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest

from agathis import Kauri, TableEncoder
from agathis._dataset.features import Features
from agathis._dataset.fit_input import dataset_of
from agathis._dataset.memory import InMemory
from agathis._fit.fit import fit
from agathis._kernels.kernel import Kernel
from agathis._model.spec import FitSpec
from agathis.baselines import IMM


@pytest.fixture
def frame():
    random = np.random.RandomState(0)
    return pd.DataFrame({"size": random.rand(60).round(2), "kind": random.choice(list("abc"), 60)})


def test_rows_of_an_encoder_bring_roles_and_units(frame):
    encoder = TableEncoder().fit(frame)
    rows = encoder.transform(frame)
    data = dataset_of(Kauri(2), rows)
    assert type(data.X) is np.ndarray
    assert len(data.features.sources.columns) == 1
    assert data.features.n_candidates == 2
    assert data.units.encoder is encoder
    plain = dataset_of(Kauri(2), np.asarray(rows))
    assert plain.units is None
    assert plain.features.roles.is_plain
    # A baseline has no parameters for roles; it knows the units.
    other = dataset_of(IMM(2), rows)
    assert other.features.sources is None
    assert other.units.encoder is encoder


def test_weights_and_missing_values():
    X = np.array([[0.0], [1.0], [np.nan], [3.0]])
    weight = np.array([1.0, 2.0, 1.0, 0.0])
    data = dataset_of(Kauri(2), X, weight, missing=True)
    assert (data.n_counted, data.total_weight, data.weighted) == (3, 4.0, True)
    np.testing.assert_array_equal(data.counted_ids(), [0, 1, 2])
    assert data.fill == pytest.approx([2 / 3])
    with pytest.raises(ValueError, match="contains NaN"):
        dataset_of(Kauri(2), X, weight)
    with pytest.raises(ValueError, match="n_samples=3 should be >= n_clusters=4"):
        dataset_of(Kauri(4), np.nan_to_num(X), np.array([1.0, 1.0, 1.0, 0.0]), n_clusters=4)


def test_the_estimator_knows_the_columns(frame):
    model = Kauri(2)
    dataset_of(model, frame[["size"]])
    assert (model.n_features_in_, list(model.feature_names_in_)) == (1, ["size"])


@dataclass(frozen=True)
class Elsewhere:
    """A backend that has no more than the protocol's attributes and methods."""

    _rows: InMemory

    def __getattr__(self, name):
        assert name in {
            *("features", "kernel", "n_counted", "weighted", "total_weight", "fill", "threads"),
            *("sample", "holder", "labels"),
        }
        return getattr(self._rows, name)


@pytest.mark.parametrize("n_components", [None, 20])
def test_a_backend_needs_no_more_than_the_protocol(iris, n_components):
    kernel = "linear" if n_components is None else "rbf"
    model = Kauri(3, kernel=kernel, n_components=n_components, max_leaf_nodes=5)
    data = InMemory(iris, Features.plain(4), Kernel(kernel))
    spec = FitSpec.of(model)
    found = fit(Elsewhere(data), spec, shorten=lambda tree, _: (tree, {}))
    assert found.others["engine_"] == "binned"
    expected = model.set_params(engine="binned").fit(iris)
    np.testing.assert_array_equal(found.labels, expected.labels_)
    np.testing.assert_array_equal(found.tree.threshold, expected.tree_.threshold)


def test_what_a_backend_cannot_do_is_said(iris):
    rows = Elsewhere(InMemory(iris, Features.plain(4), Kernel("linear")))
    spec = FitSpec.of(Kauri(3))
    with pytest.raises(ValueError, match="engine='gram' needs all rows in one place"):
        fit(rows, replace(spec, engine="gram"))
    with pytest.raises(ValueError, match="a search needs all rows in one place"):
        fit(rows, replace(spec, search=replace(spec.search, search="local")))
