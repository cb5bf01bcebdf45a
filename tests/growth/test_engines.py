"""Which stocks a fit uses, feature maps under them, and fits that are cut short."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import reference
from helpers.invariants import same_tree
from helpers.models import binned, blobs_of, filled, same_bits
from sklearn import config_context
from sklearn.metrics.pairwise import rbf_kernel
from threadpoolctl import threadpool_info

import agathis._dataset.row_stores
import agathis._growth.engines.choice
from agathis import Kauri
from agathis._kernels.kernel import one_blas_thread
from agathis._utils.progress import Progress

# Feature maps.


@pytest.fixture
def whole_map(monkeypatch):
    """Maps leave nothing out."""
    monkeypatch.setattr("agathis._growth.engines.choice.MAP_TOL", 0.0)


@pytest.mark.usefixtures("whole_map")
@pytest.mark.parametrize("engine", ["features", "binned"])
def test_enough_components_are_the_kernel(engine):
    """With one for each row nothing is left out, and the tree is that of the kernel matrix."""
    X = np.random.default_rng(0).normal(size=(150, 3))
    gram = Kauri(
        5, kernel="rbf", gamma=0.5, engine="gram", keep_training_data=True, max_leaf_nodes=None
    ).fit(X)
    model = Kauri(
        5,
        kernel="rbf",
        gamma=0.5,
        engine=engine,
        n_components=150,
        max_leaf_nodes=None,
    ).fit(X)
    assert model.engine_ == engine
    assert model.n_components_ <= 150
    assert model.residual_trace_ == pytest.approx(0, abs=1e-8)
    same_tree(model.tree_, gram.tree_, gains=1e-6)
    assert model.objective_ == pytest.approx(gram.objective_, rel=1e-6)
    np.testing.assert_allclose(model.transform(X), gram.transform(X), atol=1e-4)


@pytest.mark.parametrize("engine", ["features", "binned"])
@pytest.mark.parametrize("weighted", [False, True])
def test_some_components_leave_out_some_of_the_kernel(engine, weighted):
    random = np.random.default_rng(0)
    X = random.normal(size=(500, 2))
    weight = random.choice([0.5, 1, 3], 500) if weighted else None
    model = Kauri(5, kernel="rbf", gamma=0.3, n_components=25, engine=engine, max_leaf_nodes=15)
    model.fit(X, sample_weight=weight)
    own = np.ones(500) if weight is None else weight
    assert model.n_components_ <= 25
    assert 0 < model.residual_trace_ < 0.1
    points = model._centres.space.points(X)
    gram = rbf_kernel(X, gamma=0.3)
    left_out = own @ (1 - np.sum(points**2, axis=1))
    kept = own @ np.sum((points - np.average(points, axis=0, weights=own)) ** 2, axis=1)
    assert model.residual_trace_ == pytest.approx(left_out / (left_out + kept), rel=1e-6)
    value = reference.objective(points @ points.T, model.labels_, own)
    assert model.objective_ == pytest.approx(value, rel=1e-9)
    assert model.score(X, sample_weight=weight) == pytest.approx(value, rel=1e-9)
    assert value == pytest.approx(reference.objective(gram, model.labels_, own), rel=0.05)
    # Distances without the training rows: those to the means of the points.
    member = own[:, None] * (model.labels_[:, None] == np.arange(model.n_clusters_))
    centres = (member / member.sum(axis=0)).T @ points
    expected = np.linalg.norm(points[:, None] - centres, axis=2)
    np.testing.assert_allclose(model.transform(X), expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("engine", ["features", "binned"])
def test_a_map_that_leaves_out_much_warns(engine):
    X = np.random.default_rng(0).normal(size=(300, 3))
    model = Kauri(3, kernel="rbf", gamma=0.3, n_components=8, engine=engine, max_leaf_nodes=6)
    message = r"8 components leave out (\d+)% of kernel='rbf', so clusters may be worse"
    with pytest.warns(UserWarning, match=message) as caught:
        model.fit(X)
    assert len(caught) == 1
    assert model.residual_trace_ > 0.1
    assert f"leave out {model.residual_trace_:.0%} of" in str(caught[0].message)
    assert model.n_components_ == 8


@pytest.mark.parametrize("engine", ["features", "binned"])
@pytest.mark.parametrize("kernel", ["linear", "cosine"])
def test_without_components_nothing_is_left_out(engine, kernel):
    model = Kauri(3, kernel=kernel, engine=engine, max_leaf_nodes=None).fit(blobs_of(50))
    assert model.n_components_ is None
    assert model.residual_trace_ is None


@pytest.mark.usefixtures("whole_map")
@pytest.mark.parametrize("engine", ["features", "binned"])
@pytest.mark.parametrize("kernel", ["linear", "cosine"])
def test_components_of_a_kernel_that_has_features(engine, kernel):
    """As many as it has are enough for the same clusters."""
    X = blobs_of(300)
    plain = Kauri(5, kernel=kernel, engine=engine, max_leaf_nodes=12).fit(X)
    model = Kauri(5, kernel=kernel, engine=engine, n_components=8, max_leaf_nodes=12)
    model.fit(X)
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    assert model.inertia_ == pytest.approx(plain.inertia_, rel=1e-6)


def test_maps_of_rows_that_miss_values():
    X = blobs_of(400, 3)
    X[::5, 1] = np.nan
    parameters = {"kernel": "rbf", "gamma": 0.02, "n_components": 80, "max_leaf_nodes": 12}
    model = binned(4, **parameters).fit(X)
    full = filled(X, None)
    points = model._centres.space.points(X)
    np.testing.assert_allclose(points @ points.T, rbf_kernel(full, gamma=0.02), atol=0.05)
    value = reference.objective(points @ points.T, model.labels_)
    assert model.objective_ == pytest.approx(value, rel=1e-9)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("engine", ["features", "binned"])
def test_maps_are_found_from_some_of_the_rows(engine):
    X = blobs_of(900, 3)
    parameters = {"kernel": "rbf", "gamma": 0.02, "n_components": 30, "max_leaf_nodes": 8}
    models = [
        Kauri(4, engine=engine, subsample=100, random_state=seed, **parameters).fit(X)
        for seed in (0, 0, 1)
    ]
    same_bits(models[0].tree_, models[1].tree_)
    assert models[0].objective_ == models[1].objective_ != models[2].objective_


# Which stocks.


def identity(x, y):
    return float(x @ y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"kernel": "precomputed", "engine": engine},
            f"engine='{engine}' computes the kernel from X.*use engine='gram' or 'auto'",
        )
        for engine in ("blocks", "features", "binned")
    ]
    + [
        (
            {"kernel": "precomputed", "engine": engine, "n_components": 5},
            "n_components=5 approximates a kernel.*use n_components=None",
        )
        for engine in ("auto", "gram")
    ]
    + [
        (
            {"kernel": kernel, "engine": engine, "n_components": 5},
            f"n_components=5 is a feature map, which engine='{engine}' does not",
        )
        for kernel in ("linear", "rbf")
        for engine in ("gram", "blocks")
    ]
    + [
        (
            {"kernel": kernel, "engine": engine},
            f"engine='{engine}' needs a feature map for kernel='{kernel}': set "
            r"n_components \(for example 256\)",
        )
        for kernel in ("rbf", "laplacian", "chi2", "poly")
        for engine in ("features", "binned")
    ],
)
def test_what_does_not_go_together(parameters, message):
    X = np.abs(blobs_of(20))
    gram = {"gram": X @ X.T} if parameters["kernel"] == "precomputed" else {}
    with pytest.raises(ValueError, match=message):
        Kauri(3, **parameters).fit(X, **gram)


@pytest.mark.usefixtures("whole_map")
@pytest.mark.parametrize("engine", ["features", "binned"])
def test_a_callable_has_no_features(engine):
    with pytest.raises(ValueError, match=r"needs a feature map for kernel=<function identity"):
        Kauri(3, kernel=identity, engine=engine, max_leaf_nodes=None).fit(blobs_of(20))
    model = Kauri(3, kernel=identity, engine=engine, n_components=6, max_leaf_nodes=None).fit(
        blobs_of(20)
    )
    plain = Kauri(3, engine=engine, max_leaf_nodes=None).fit(blobs_of(20))
    np.testing.assert_array_equal(model.labels_, plain.labels_)


@pytest.mark.parametrize("value", [1, 0, 256, 2.5])
def test_max_bins_out_of_range(value):
    with pytest.raises(ValueError, match="max_bins"):
        binned(2, max_bins=value).fit(blobs_of(20))


@pytest.mark.parametrize(
    ("parameters", "rows", "expected"),
    [
        ({}, 100, "features"),
        ({"kernel": "cosine"}, 100, "features"),
        ({"kernel": "rbf", "n_components": 60}, 100, "features"),
        ({}, 101, "binned"),
        ({"kernel": "cosine"}, 101, "binned"),
        ({"kernel": "rbf", "n_components": 60}, 101, "binned"),
        ({"kernel": "rbf"}, 101, "gram"),
        ({"kernel": identity}, 101, "gram"),
        ({"kernel": "precomputed"}, 101, "gram"),
    ],
)
def test_auto(monkeypatch, parameters, rows, expected):
    monkeypatch.setattr(agathis._growth.engines.choice, "EXACT_ROWS", 100)
    X = blobs_of(rows)
    gram = {"gram": X @ X.T} if parameters.get("kernel") == "precomputed" else {}
    if parameters.get("kernel") == "rbf":
        parameters = {"gamma": 0.01, **parameters}
    model = Kauri(3, max_leaf_nodes=4, **parameters).fit(X, **gram)
    assert model.engine_ == expected


def test_auto_counts_rows_of_positive_weight(monkeypatch):
    monkeypatch.setattr(agathis._growth.engines.choice, "EXACT_ROWS", 100)
    weight = np.ones(150)
    weight[:50] = 0.0
    assert (
        Kauri(3, max_leaf_nodes=None).fit(blobs_of(150), sample_weight=weight).engine_ == "features"
    )


@pytest.mark.parametrize(
    ("parameters", "rows", "width"), [({}, 9100, 4), ({"n_components": 8}, 6000, 8)]
)
def test_auto_by_memory(parameters, rows, width):
    """A megabyte holds so many rows of 13 d + 16 D bytes, and no more."""
    X = blobs_of(rows)
    fits = 2**20 // (13 * 4 + 16 * width)
    assert fits < rows
    with config_context(working_memory=1):
        kernel = {"kernel": "rbf", "gamma": 1e-5} if parameters else {}
        models = [
            Kauri(2, max_leaf_nodes=2, **kernel, **parameters).fit(X[:n]) for n in (fits, fits + 1)
        ]
    assert [model.engine_ for model in models] == ["features", "binned"]


# A fit that is cut short.


@pytest.mark.parametrize("at", [0, 1, 5])
def test_an_interrupted_fit_leaves_the_last_one(monkeypatch, at):
    X = blobs_of(300)
    model = binned(5, max_leaf_nodes=12).fit(X)
    before = {**vars(model)}
    calls = []

    def interrupt(self, done, total):
        calls.append(done)
        if len(calls) > at:
            raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "rows", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.set_params(n_clusters=7).fit(-X)
    assert len(calls) == at + 1
    after = vars(model)
    for name, value in before.items():
        if name != "n_clusters":
            assert after[name] is value or after[name] == value, name
    np.testing.assert_array_equal(model.predict(X), before["labels_"])
    monkeypatch.undo()
    assert model.fit(-X).n_clusters_ == 7


def test_an_interrupted_fit_of_other_columns_leaves_the_model(monkeypatch):
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 4))
    model = binned(3).fit(X)
    labels = model.labels_.copy()

    def interrupt(*rows):
        raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "rows", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(random.normal(size=(50, 3)))
    np.testing.assert_array_equal(model.predict(X), labels)


def test_the_limit_of_blas_threads_is_lifted_by_the_last():
    outer, inner = one_blas_thread(), one_blas_thread()
    before = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    outer.__enter__()
    inner.__enter__()
    outer.__exit__(None, None, None)
    held = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    inner.__exit__(None, None, None)
    after = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    assert set(held) == {1}
    assert after == before


@pytest.mark.parametrize("engine", ["features", "binned"])
def test_weights_that_are_too_large(engine):
    X = np.random.default_rng(0).normal(size=(40, 2))
    with pytest.raises(ValueError, match="sample_weight or X is too large"):
        Kauri(3, engine=engine, max_leaf_nodes=None).fit(X, sample_weight=np.full(40, 1e200))


def test_clusters_without_inertia():
    """Sums of many equal rows round; less than none is left of no inertia."""
    random = np.random.default_rng(0)
    X = random.normal(size=(2, 3))[random.integers(0, 2, 40_000)]
    for engine in ("features", "binned"):
        assert 0 <= Kauri(2, engine=engine, max_leaf_nodes=None).fit(X).inertia_ < 1e-9


def test_a_wide_table_is_warned_of():
    X = np.random.default_rng(0).normal(size=(60, 40))
    with (
        config_context(working_memory=1),
        pytest.warns(UserWarning, match="X has 40 columns") as seen,
    ):
        binned(3, max_leaf_nodes=20).fit(X)
    assert seen[0].filename == __file__
    assert "n_components" in str(seen[0].message)
