"""The tree of a cluster is that of memory, to the last bit, whatever the partitions."""

from __future__ import annotations

import cloudpickle
import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest
from helpers.clusters import KINDS, as_array, as_frame, as_list, computed
from helpers.examples import examples
from helpers.invariants import valid_tree
from helpers.models import blobs_of, same_bits
from hypothesis import given
from hypothesis import strategies as st

from agathis import Kauri as LocalKauri
from agathis.dask import Kauri

SIZES = st.lists(st.integers(0, 90), min_size=1, max_size=9).filter(lambda sizes: sum(sizes) > 40)


def same_fit(model, local) -> None:
    same_bits(model.tree_, local.tree_)
    assert model.inertia_ == local.inertia_
    assert model.objective_ == local.objective_
    assert model.n_clusters_ == local.n_clusters_


ANY = given(
    SIZES,
    st.sampled_from(sorted(KINDS)),
    st.integers(0, 2**31),
    st.sampled_from([None, "whole", "any"]),
    st.sampled_from([0.0, 0.1]),
    st.sampled_from([np.float64, np.float32]),
    st.booleans(),
)


@ANY
@examples(4)
def test_some_partitions(client, sizes, kind, seed, weights, missing, dtype, outlier):
    check_partitions(sizes, kind, seed, weights, missing, dtype, outlier)


@pytest.mark.slow
@ANY
@examples(60)
def test_any_partitions(client, sizes, kind, seed, weights, missing, dtype, outlier):
    check_partitions(sizes, kind, seed, weights, missing, dtype, outlier)


def check_partitions(sizes, kind, seed, weights, missing, dtype, outlier):
    """Sizes, kinds, weights, missing values and outliers of 10^9."""
    random = np.random.default_rng(seed)
    n = sum(sizes)
    X = (random.integers(0, 4, (n, 1)) * 3 + random.normal(size=(n, 3))).astype(dtype)
    if outlier:
        X[random.integers(n), 1] = 1e9
    X[random.random(X.shape) < missing] = np.nan
    weight = None
    if weights is not None:
        weight = random.integers(0, 3, n).astype(float) if weights == "whole" else random.random(n)
    params = {
        "n_clusters": 3,
        "max_leaf_nodes": 6,
        "subsample": int(random.choice([30, 1000])),
        "random_state": 0,
        "min_samples_leaf": random.choice([1, 0.05]).item(),
    }
    if params["min_samples_leaf"] == 1.0:
        params["min_samples_leaf"] = 1
    local = LocalKauri(**params, engine="binned").fit(X, sample_weight=weight)
    given_weight = None
    if weight is not None:
        # Dask leaves empty chunks out where it puts arrays of known sizes together.
        given_weight = (as_array if kind == "array" else as_list)(weight, sizes)
    model = Kauri(**params).fit(KINDS[kind](X, sizes), sample_weight=given_weight)
    same_fit(model, local)
    np.testing.assert_array_equal(computed(model.labels_), local.labels_)


def test_a_table_of_blobs(client):
    """Enough rows for every worker, and what the model gives of them."""
    X = blobs_of(5000).astype(np.float32)
    local = LocalKauri(7, max_leaf_nodes=20, engine="binned").fit(X)
    rows = as_array(X, [2000, 2500, 0, 499, 1])
    model = Kauri(7, max_leaf_nodes=20).fit(rows)
    same_fit(model, local)
    valid_tree(model.tree_, X, local.labels_, None, 7, max_leaf_nodes=20, midpoints=False)
    np.testing.assert_array_equal(computed(model.predict(rows)), local.predict(X))
    np.testing.assert_array_equal(computed(model.apply(rows)), local.apply(X))
    np.testing.assert_allclose(computed(model.transform(rows)), local.transform(X))
    assert float(model.score(rows)) == pytest.approx(local.score(X))
    np.testing.assert_array_equal(model.predict(X), local.labels_)


def test_what_is_lazy(client):
    """Labels, leaves, distances and scores read X when they are computed; figures are numbers."""
    X, read = blobs_of(300), []
    blocks = [
        da.from_delayed(dask.delayed(_told)(part, read), part.shape, float)
        for part in (X[:120], X[120:])
    ]
    rows = da.concatenate(blocks)
    model = Kauri(3, max_leaf_nodes=5).fit(as_array(X, [120, 180]))
    local = model.to_local()
    for figure in (model.inertia_, model.objective_):
        assert isinstance(figure, float)
    with dask.config.set(scheduler="synchronous"):
        lazy = [model.predict(rows), model.apply(rows), model.transform(rows), model.score(rows)]
        assert all(map(dask.is_dask_collection, [*lazy, model.labels_]))
        assert not read
        score, twice, better = lazy[3], lazy[3] * 2, lazy[3] > 1e9
        found = dask.compute(score, twice, better)
        assert found == (pytest.approx(local.score(X)), 2 * found[0], False)
        assert sorted(read) == [120, 180]  # once for all three
        assert float(score) == score.item() == score.compute(scheduler="sync") == found[0]
        assert cloudpickle.loads(cloudpickle.dumps(score)).compute() == found[0]


def _told(block, read):
    read.append(len(block))
    return block


def test_model_selection_takes_lazy_scores(client):
    from sklearn.model_selection import GridSearchCV

    X = blobs_of(240)
    splits = [(np.arange(120), np.arange(120, 240)), (np.arange(120, 240), np.arange(120))]
    search = {"param_grid": {"max_leaf_nodes": [2, 6]}, "cv": splits, "refit": False}
    found = GridSearchCV(Kauri(2, max_leaf_nodes=None), **search).fit(as_array(X, [240]))
    local = GridSearchCV(LocalKauri(2, engine="binned", max_leaf_nodes=None), **search).fit(X)
    for name in ("split0_test_score", "split1_test_score"):
        np.testing.assert_allclose(found.cv_results_[name], local.cv_results_[name])


def test_fit_and_more_in_one_call(client):
    X = blobs_of(200)
    rows = as_array(X, [80, 120])
    local = LocalKauri(3, max_leaf_nodes=5, engine="binned").fit(X)
    params = {"n_clusters": 3, "max_leaf_nodes": 5}
    np.testing.assert_array_equal(computed(Kauri(**params).fit_predict(rows)), local.labels_)
    found = Kauri(**params).fit_transform(rows)
    assert found.chunks[0] == (80, 120)
    np.testing.assert_allclose(computed(found), local.transform(X))


def test_pictures_of_a_model_of_a_cluster(client):
    """What they draw is what they draw of the same model of memory."""
    from agathis.plot import cluster_profile, gain_curve, layout_tree

    X = blobs_of(200)
    model = Kauri(3, max_leaf_nodes=5).fit(as_frame(X, [80, 120]))
    local = model.to_local()
    assert repr(layout_tree(model)) == repr(layout_tree(local))
    assert repr(gain_curve(model)) == repr(gain_curve(local))
    names = list(local.feature_names_in_)
    rows = pd.DataFrame(X, columns=names)
    assert repr(cluster_profile(model, rows)) == repr(cluster_profile(local, rows))


def test_frames_keep_names_index_and_divisions(client):
    import dask.dataframe as dd

    X = pd.DataFrame(blobs_of(300), columns=list("abcd"), index=np.arange(300) * 2)
    rows = dd.from_pandas(X, npartitions=4)
    model = Kauri(4, max_leaf_nodes=8).fit(rows)
    same_fit(model, LocalKauri(4, max_leaf_nodes=8, engine="binned").fit(X))
    assert model.feature_names_in_.tolist() == list("abcd")
    for found in (model.labels_, model.predict(rows), model.transform(rows)):
        assert found.divisions == rows.divisions
        assert found.compute().index.equals(X.index)
    assert model.predict(rows).name == "cluster"


def test_columns_that_know_what_is_missing(client):
    """Whole numbers, truths and numbers of pandas with its own sign for a gap."""
    import dask.dataframe as dd

    random = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "count": pd.array(random.integers(0, 9, 200), dtype="Int64"),
            "flag": pd.array(random.random(200) < 0.5, dtype="boolean"),
            "size": pd.array(random.normal(size=200), dtype="Float64"),
            "other": pd.array(random.normal(size=200), dtype="double[pyarrow]"),
        }
    )
    for column in table:
        table.loc[random.random(200) < 0.1, column] = pd.NA
    rows = dd.from_pandas(table, npartitions=3)
    model = Kauri(3, max_leaf_nodes=6).fit(rows)
    local = LocalKauri(3, max_leaf_nodes=6, engine="binned").fit(table)
    same_fit(model, local)
    np.testing.assert_array_equal(computed(model.labels_), local.labels_)
    np.testing.assert_array_equal(computed(model.predict(rows)), local.labels_)
    assert float(model.score(rows)) == pytest.approx(local.score(table))


def test_few_columns_of_many_files(client, tmp_path):
    """Dask would read several of them as one: weights have the partitions of X all the same."""
    import dask.dataframe as dd

    X = blobs_of(300)
    table = pd.DataFrame(X, columns=list("abcd"))
    table["w"] = np.arange(300) % 3 + 1.0
    for column in range(20):
        table[f"more {column}"] = 0.5
    for place in range(6):
        table.iloc[50 * place : 50 * place + 50].to_parquet(tmp_path / f"{place}.parquet")
    rows = dd.read_parquet(tmp_path)
    model = Kauri(4, max_leaf_nodes=8).fit(rows[list("abcd")], sample_weight=rows["w"])
    local = LocalKauri(4, max_leaf_nodes=8, engine="binned")
    same_fit(model, local.fit(table[list("abcd")], sample_weight=table["w"]))
    np.testing.assert_array_equal(computed(model.labels_), local.labels_)


@pytest.mark.parametrize("kind", ["array", "frame", "list"])
def test_rows_that_lie_on_a_worker_stay_there(client, kind):
    import dask

    from agathis.dask._actors import Cluster
    from agathis.dask._partitions import partitions_of

    X, sizes = blobs_of(600), [100] * 6
    rows = KINDS[kind](X, sizes)
    workers = sorted(client.nthreads())
    if kind == "list":
        rows = [
            client.persist(block, workers=[workers[place // 3]]) for place, block in enumerate(rows)
        ]
    else:
        rows = client.persist(rows, workers=[workers[1]])
    from distributed import wait

    wait(rows)
    with Cluster(client, 60) as cluster:
        cluster.partitions = partitions_of(rows)
        assigned = cluster._assigned(list(range(6)), workers)
    expected = {workers[0]: [0, 1, 2], workers[1]: [3, 4, 5]}
    assert assigned == (expected if kind == "list" else {workers[1]: list(range(6))})
    assert dask.is_dask_collection(rows) or kind == "list"


def test_a_feature_map(client):
    """Found from the sample that memory draws; points are those of memory but for rounding."""
    X = blobs_of(600)
    params = {"kernel": "rbf", "n_components": 20, "gamma": 0.001, "max_leaf_nodes": 6}
    params["random_state"] = 0
    local = LocalKauri(4, engine="binned", **params).fit(X)
    model = Kauri(4, **params).fit(as_frame(X, [100, 300, 200]))
    np.testing.assert_array_equal(model.tree_.threshold, local.tree_.threshold)
    assert model.inertia_ == pytest.approx(local.inertia_, rel=1e-9)


def test_groups_of_categories(client):
    random = np.random.default_rng(0)
    codes = random.integers(0, 4, 400)
    X = np.column_stack([random.normal(size=400) + codes, 2.0 * np.eye(4)[codes]])
    params = {"one_hot": [[1, 2, 3, 4]], "max_leaf_nodes": 6}
    local = LocalKauri(3, engine="binned", **params).fit(X)
    same_fit(Kauri(3, **params).fit(as_array(X, [150, 0, 250])), local)


def test_growth_goes_on_from_a_tree(client):
    X = blobs_of(400)
    rows = as_array(X, [150, 250])
    first = LocalKauri(4, max_leaf_nodes=3, engine="binned").fit(X)
    local = LocalKauri(4, max_leaf_nodes=9, engine="binned").fit(X, start=first)
    same_fit(Kauri(4, max_leaf_nodes=9).fit(rows, start=first), local)


def test_the_local_model(client):
    """It predicts, is exported and pickled as any other."""
    import pickle

    from agathis.export import to_rules, to_sql, to_text

    X = blobs_of(200)
    model = Kauri(3, max_leaf_nodes=5).fit(as_frame(X, [80, 120]))
    local = pickle.loads(pickle.dumps(model.to_local()))
    assert type(local) is LocalKauri
    np.testing.assert_array_equal(local.tree_.predict(X), computed(model.labels_))
    for export in (to_text, to_rules, to_sql):
        assert export(local) == export(model)
    again = pickle.loads(pickle.dumps(model))
    same_bits(again.tree_, model.tree_)


def test_two_fits_at_once(client):
    """On one cluster, from two threads."""
    from concurrent.futures import ThreadPoolExecutor

    tables = [blobs_of(700, seed=seed) for seed in (1, 2)]

    def fit(X):
        return Kauri(5, max_leaf_nodes=12).fit(as_array(X, [200, 500]), client=client)

    with ThreadPoolExecutor(2) as both:
        for X, model in zip(tables, both.map(fit, tables), strict=True):
            same_fit(model, LocalKauri(5, max_leaf_nodes=12, engine="binned").fit(X))


def test_nothing_is_left_on_the_workers(client):
    Kauri(3, max_leaf_nodes=None).fit(as_array(blobs_of(100), [50, 50]))

    def actors(dask_worker):
        return len(dask_worker.state.actors)

    import time

    for _ in range(100):
        if not any(client.run(actors).values()):
            break
        time.sleep(0.1)
    assert not any(client.run(actors).values())
