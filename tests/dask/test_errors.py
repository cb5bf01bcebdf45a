"""What is wrong is said with the partition, the argument or the worker, and never waited for."""

from __future__ import annotations

import dask
import numpy as np
import pytest
from helpers.clusters import as_array, as_frame, as_list
from helpers.models import blobs_of, same_bits

from agathis.dask import Kauri, TableEncoder

X = blobs_of(60)


def bad(value):
    out = X.copy()
    out[40, 1] = value
    return as_array(out, [30, 30])


@pytest.mark.parametrize(
    ("params", "rows", "message"),
    [
        ({"engine": "gram"}, None, "engine='gram' needs all rows in one place"),
        ({"kernel": "precomputed"}, None, "kernel='precomputed'"),
        ({"search": "local"}, None, "search='local' needs all rows in one place"),
        ({"keep_training_data": True}, None, "keep_training_data=True"),
        ({"kernel": "rbf"}, None, "n_components"),
        ({"timeout": 0}, None, "timeout"),
        ({"n_clusters": 61}, None, "n_samples=60 should be >= n_clusters=61"),
        ({}, lambda: bad(np.inf), "X, partition 1: X has inf in its row 10, column 1"),
        ({}, lambda: as_array(X[:0], [0]), "X has no rows"),
        ({}, lambda: [*as_list(X, [60]), dask.delayed(X[:, :2])], "partition 1: it has 2 columns"),
        ({}, lambda: [dask.delayed(np.array([["a", "b"]]))], "partition 0: X must be numeric"),
    ],
)
def test_values_are_told(client, params, rows, message):
    rows = as_array(X, [30, 30]) if rows is None else rows()
    with pytest.raises(ValueError, match=message):
        Kauri(**{"n_clusters": 3, "max_leaf_nodes": None, **params}).fit(rows)


def test_tables_in_memory_are_for_the_other_class(client):
    with pytest.raises(TypeError, match=r"agathis\.Kauri takes tables in memory"):
        Kauri(max_leaf_nodes=None).fit(X)


def test_weights(client):
    rows = as_array(X, [30, 30])
    with pytest.raises(ValueError, match="must not be negative; its smallest value is -1"):
        Kauri(3, max_leaf_nodes=None).fit(
            rows, sample_weight=as_array(np.r_[np.ones(59), -1.0], [30, 30])
        )
    with pytest.raises(ValueError, match="zero for every row"):
        Kauri(3, max_leaf_nodes=None).fit(rows, sample_weight=as_array(np.zeros(60), [30, 30]))
    with pytest.raises(ValueError, match="partitions of X, 2; it has 1"):
        Kauri(3, max_leaf_nodes=None).fit(rows, sample_weight=as_array(np.ones(60), [60]))
    with pytest.raises(ValueError, match="20 values for its 30 rows"):
        Kauri(3, max_leaf_nodes=None).fit(rows, sample_weight=as_array(np.ones(60), [20, 40]))
    with pytest.raises(TypeError, match="sample_weight must be a collection"):
        Kauri(3, max_leaf_nodes=None).fit(rows, sample_weight=np.ones(60))


def test_weights_of_a_score(client):
    rows = as_array(X, [30, 30])
    model = Kauri(3, max_leaf_nodes=None).fit(rows)
    for weight, sizes, message in (
        (np.r_[np.ones(59), -1.0], [30, 30], "partition 1: .* must not be negative; .* is -1"),
        (np.r_[np.nan, np.ones(59)], [30, 30], "partition 0: .* missing or infinite"),
        (np.zeros(60), [30, 30], "zero for every row"),
        (np.ones(60), [60], "partitions of X, 2; it has 1"),
        (np.ones(60), [20, 40], "partition [01]: .* [24]0 values for its 30 rows"),
    ):
        with pytest.raises(ValueError, match=message):
            float(model.score(rows, sample_weight=as_array(weight, sizes)))
    weight = np.arange(60) % 3 + 0.5
    found = float(model.score(rows, sample_weight=as_array(weight, [30, 30])))
    assert found == pytest.approx(model.to_local().score(X, sample_weight=weight))


def test_frames_of_other_columns(client):
    import dask.dataframe as dd
    import pandas as pd

    frames = [pd.DataFrame({"a": [1.0, 2.0], "b": 1.0}), pd.DataFrame({"a": [1.0], "c": 1.0})]
    rows = dd.from_delayed(
        [dask.delayed(frame) for frame in frames], meta=frames[0].iloc[:0], verify_meta=False
    )
    with pytest.raises(ValueError, match=r"partition 1: it has the columns \['a', 'c'\]"):
        Kauri(2, max_leaf_nodes=None).fit(rows)


def test_delayed_frames_of_other_columns(client):
    """Lists have no names of their own: those of the blocks are compared, and kept."""
    import pandas as pd

    first = pd.DataFrame(X[:30, :3], columns=list("abc"))
    rest = pd.DataFrame(X[30:, :3], columns=list("abc"))
    blocks = [first, first.iloc[:0, :2], rest]
    model = Kauri(3, max_leaf_nodes=None).fit([dask.delayed(block) for block in blocks])
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    for other, told in (
        (rest[["c", "b", "a"]], r"has the columns \['c', 'b', 'a'\]"),
        (rest.rename(columns={"b": "z"}), r"has the columns \['a', 'z', 'c'\]"),
        (rest.to_numpy(), "has columns without names"),
    ):
        message = rf"X, partition 1: it {told}, and partition 0 has the columns \['a', 'b', 'c'\];"
        with pytest.raises(ValueError, match=message):
            Kauri(3, max_leaf_nodes=None).fit([dask.delayed(first), dask.delayed(other)])
        if isinstance(other, pd.DataFrame):
            with pytest.raises(ValueError, match="feature names"):
                dask.compute(*model.predict([dask.delayed(other)]))


def test_names_that_are_numbers_are_compared_too(client):
    import pandas as pd

    frame = pd.DataFrame(X[:, :3])
    assert not hasattr(
        Kauri(3, max_leaf_nodes=None).fit([dask.delayed(frame)]), "feature_names_in_"
    )
    Kauri(3, max_leaf_nodes=None).fit([dask.delayed(frame), dask.delayed(frame.to_numpy())])
    with pytest.raises(ValueError, match=r"partition 1: it has the columns \[2, 1, 0\]"):
        Kauri(3, max_leaf_nodes=None).fit([dask.delayed(frame), dask.delayed(frame[[2, 1, 0]])])


def test_a_partition_that_cannot_be_read(client):
    @dask.delayed
    def broken():
        raise OSError("the disk is on fire")

    with pytest.raises(RuntimeError, match=r"partition 1 of X cannot be read .* disk is on fire"):
        Kauri(3, max_leaf_nodes=None).fit([*as_list(X, [60]), broken()])


def test_blocks_of_two_precisions_are_those_of_the_wider(client):
    from agathis import Kauri as LocalKauri

    narrow = X.astype(np.float32)
    both = np.concatenate([narrow[:30].astype(np.float64), X[30:]])
    model = Kauri(3, max_leaf_nodes=None).fit([dask.delayed(narrow[:30]), dask.delayed(X[30:])])
    same_bits(model.tree_, LocalKauri(3, engine="binned", max_leaf_nodes=None).fit(both).tree_)


def test_inside_a_task_it_is_refused(client):
    def fit():
        try:
            Kauri(3, max_leaf_nodes=None).fit(as_array(X, [60]))
        except RuntimeError as error:
            return str(error)
        return "fitted"

    assert "inside a task" in client.submit(fit, pure=False).result(timeout=60)


def test_other_versions_are_told(client, monkeypatch):
    import agathis.dask._workers as transport

    monkeypatch.setattr(
        transport, "versions", lambda: {"agathis": "0.0.1", "numpy": "1.0", "python": "2.7"}
    )
    message = r"worker .* has agathis .*, and the client 0\.0\.1"
    with pytest.raises(RuntimeError, match=message):
        Kauri(3, max_leaf_nodes=None).fit(as_array(X, [60]))
    with pytest.raises(RuntimeError, match=message):
        TableEncoder().fit(as_frame(X, [60]))


def test_a_fit_that_fails_leaves_the_last_one(client):
    model = Kauri(3, max_leaf_nodes=None).fit(as_array(X, [60]))
    tree = model.tree_
    with pytest.raises(ValueError, match="inf"):
        model.fit(bad(np.inf))
    assert model.tree_ is tree
    assert model.n_features_in_ == X.shape[1]
