"""Sums that workers add up among themselves are those that the client would add up."""

from __future__ import annotations

import os
import signal
import warnings

import pytest
from helpers.clusters import as_array
from helpers.models import blobs_of, same_bits
from hypothesis import given
from hypothesis import strategies as st

import agathis.dask._actors as transport
from agathis import Kauri as LocalKauri
from agathis.dask import Kauri
from agathis.dask._actors import Cluster
from agathis.dask._tree_reduction import forest

X = blobs_of(1200)
PARAMS = {"n_clusters": 5, "max_leaf_nodes": 12}


@given(st.lists(st.integers(0, 30), max_size=60), st.integers(1, 9))
def test_all_actors_are_asked_once_and_never_below_their_own_worker(workers, most):
    actors = [(f"actor {i}", f"worker {number}") for i, number in enumerate(workers)]
    trees = forest(actors, most)
    asked = [branch for tree in trees for branch in (tree, *tree.all_below())]
    assert sorted(branch[:2] for branch in asked) == sorted(actors)
    n_workers, roots = len(set(workers)), [tree for tree in trees if tree.below]
    assert len(roots) <= most
    assert len(trees) <= most + len(actors) - n_workers
    for branch in asked:
        assert len(branch.below) <= most
        assert all(one.address != branch.address for one in branch.all_below())


def test_one_worker_asks_the_other(client, monkeypatch):
    """A chain of the two that there are."""
    asked = []
    plain = Cluster._ask_summed

    def seen(cluster, waiting, *rest):
        asked.append(len(waiting))
        return plain(cluster, waiting, *rest)

    monkeypatch.setattr(Cluster, "_ask_summed", seen)
    monkeypatch.setattr(transport, "AT_ONCE", 1)
    model = Kauri(**PARAMS).fit(as_array(X, [300, 400, 0, 500]))
    local = LocalKauri(**PARAMS, engine="binned").fit(X)
    same_bits(model.tree_, local.tree_)
    assert model.inertia_ == local.inertia_
    assert asked
    assert set(asked) == {2}


@pytest.fixture(scope="module")
def ten():
    from distributed import Client, LocalCluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            LocalCluster(
                n_workers=10, threads_per_worker=1, processes=True, dashboard_address=":0"
            ) as cluster,
            Client(cluster) as client,
        ):
            yield client


@pytest.mark.slow
@pytest.mark.parametrize("most", [8, 2])
def test_ten_workers(ten, monkeypatch, most):
    """With eight at a time there are two levels, with two four."""
    monkeypatch.setattr(transport, "AT_ONCE", most)
    local = LocalKauri(**PARAMS, engine="binned").fit(X)
    model = Kauri(**PARAMS).fit(as_array(X, [60] * 20), client=ten)
    same_bits(model.tree_, local.tree_)
    assert model.inertia_ == local.inertia_


@pytest.mark.slow
def test_two_fits_at_once_on_ten_workers(ten, monkeypatch):
    """Each has a forest of its own on the same workers."""
    from concurrent.futures import ThreadPoolExecutor

    monkeypatch.setattr(transport, "AT_ONCE", 1)
    tables = [blobs_of(700, seed=seed) for seed in (1, 2)]

    def fit(table):
        return Kauri(**PARAMS).fit(as_array(table, [70] * 10), client=ten)

    with ThreadPoolExecutor(2) as both:
        for table, model in zip(tables, both.map(fit, tables), strict=True):
            local = LocalKauri(**PARAMS, engine="binned").fit(table)
            same_bits(model.tree_, local.tree_)


@pytest.mark.slow
@pytest.mark.parametrize("question", [6, 9])
def test_a_worker_in_the_middle_is_killed(ten, monkeypatch, question):
    """What is below it is asked again, and its partitions are read again elsewhere."""
    monkeypatch.setattr(transport, "AT_ONCE", 2)
    asked = []
    ask = Cluster.ask

    def disturbed(cluster, method, *args, **kwargs):
        asked.append(method)
        if len(asked) == question:
            branches = forest([(str(i), g.worker) for i, g in enumerate(cluster.groups)], 2)
            victim = branches[0].below[0].address
            pids = ten.run(os.getpid)
            os.kill(pids[victim], signal.SIGKILL)
        return ask(cluster, method, *args, **kwargs)

    monkeypatch.setattr(Cluster, "ask", disturbed)
    model = Kauri(**PARAMS).fit(as_array(X, [60] * 20), client=ten)
    assert len(asked) >= question
    same_bits(model.tree_, LocalKauri(**PARAMS, engine="binned").fit(X).tree_)
    ten.wait_for_workers(10, timeout=60)
