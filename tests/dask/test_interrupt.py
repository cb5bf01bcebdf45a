"""Ctrl-C: the workers keep nothing, and the next fit works."""

from __future__ import annotations

import signal
import time

import pytest
from helpers.clusters import as_array
from helpers.examples import mostly_slow
from helpers.models import blobs_of, same_bits

from agathis import Kauri as LocalKauri
from agathis.dask import Kauri
from agathis.dask._actors import Cluster

X = blobs_of(600)
PARAMS = {"n_clusters": 4, "max_leaf_nodes": 8}


def kept_by_workers(client) -> list[int]:
    """Actors, and values of tasks, on each worker, once what was released is gone."""

    def kept(dask_worker):
        return len(dask_worker.state.actors) + len(dask_worker.data)

    for _ in range(100):
        found = list(client.run(kept).values())
        if not any(found):
            break
        time.sleep(0.1)
    return found


@pytest.mark.parametrize(
    "method", mostly_slow(["hold", "inspect", "prepare", "root", "sums"], "hold", "sums")
)
def test_a_fit_that_is_interrupted(client, monkeypatch, method):
    """The signal comes while the client waits for the answer of a worker."""
    result, waited = Cluster._result, []

    def interrupted(cluster, group, call, what, *rest):
        if what == method:
            waited.append(what)
            signal.raise_signal(signal.SIGINT)
        return result(cluster, group, call, what, *rest)

    rows = as_array(X, [200, 250, 150])
    model = Kauri(**PARAMS)
    with monkeypatch.context() as patched:
        patched.setattr(Cluster, "_result", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.fit(rows)
    assert waited == [method]
    assert not hasattr(model, "tree_")
    assert not any(kept_by_workers(client))
    same_bits(model.fit(rows).tree_, LocalKauri(**PARAMS, engine="binned").fit(X).tree_)
