"""Workers that die, join or hang: the same tree, or an error that names them."""

from __future__ import annotations

import os
import signal
import threading
import warnings

import dask
import numpy as np
import pytest
from helpers.clusters import as_array, at_query, split
from helpers.examples import mostly_slow
from helpers.models import blobs_of, same_bits

from agathis import Kauri as LocalKauri
from agathis.dask import Kauri
from agathis.dask._actors import Cluster

X = blobs_of(900)
SIZES = [200, 300, 150, 250]


def kill_one(client, signal_number=signal.SIGKILL) -> None:
    """End a worker that the next question goes to."""
    pids = client.run(os.getpid)
    os.kill(next(iter(pids.values())), signal_number)


QUESTIONS = [1, 2, 3, 4, 5, 6, 7, 9, 12, 15]


@pytest.mark.parametrize("question", mostly_slow(QUESTIONS, 7))
def test_a_worker_is_killed(own_client, monkeypatch, question):
    """Before the first look, the sample, the preparation, the root or any cut."""
    local = LocalKauri(5, max_leaf_nodes=12, engine="binned").fit(X)
    rows = as_array(X, SIZES)
    asked = at_query(monkeypatch, question, lambda: kill_one(own_client))
    model = Kauri(5, max_leaf_nodes=12).fit(rows)
    assert len(asked) >= question
    same_bits(model.tree_, local.tree_)
    assert model.inertia_ == local.inertia_


def killing(pids, waits: list[str], place: int, delay: float):
    """``Cluster._result`` that kills the worker so long after the wait of that place began."""
    result = Cluster._result

    def disturbed(cluster, group, call, what, *rest):
        waits.append(what)
        if len(waits) != place:
            return result(cluster, group, call, what, *rest)
        killer = threading.Timer(delay, os.kill, (pids[group.worker], signal.SIGKILL))
        killer.start()
        try:
            return result(cluster, group, call, what, *rest)
        finally:
            killer.join()

    return disturbed


@pytest.mark.slow
@pytest.mark.parametrize("time", range(10))
def test_a_worker_is_killed_at_any_moment(own_client, monkeypatch, time):
    """By a thread, while its answer is awaited: before it has begun, on the way, or just after."""
    local = LocalKauri(5, max_leaf_nodes=12, engine="binned").fit(X)
    random = np.random.default_rng()
    # A fit waits for two workers at each of at least fifteen questions.
    place, delay = int(random.integers(1, 29)), float(random.uniform(0, 0.02))
    pids, waits = own_client.run(os.getpid), []
    monkeypatch.setattr(Cluster, "_result", killing(pids, waits, place, delay))
    try:
        model = Kauri(5, max_leaf_nodes=12).fit(as_array(X, SIZES))
        same_bits(model.tree_, local.tree_)
        assert model.inertia_ == local.inertia_
        assert len(waits) >= place
    except Exception as error:
        told = f"killed {delay:.6f} s after wait {place} began, of {waits}: {error}"
        raise AssertionError(told) from error


@pytest.mark.slow
def test_a_worker_joins_late_and_another_dies(own_client, monkeypatch):
    local = LocalKauri(5, max_leaf_nodes=12, engine="binned").fit(X)

    def disturb():
        own_client.cluster.scale(3)
        own_client.wait_for_workers(3, timeout=60)
        kill_one(own_client)

    at_query(monkeypatch, 8, disturb)
    model = Kauri(5, max_leaf_nodes=12).fit(as_array(X, SIZES))
    same_bits(model.tree_, local.tree_)


@pytest.mark.slow
def test_a_partition_that_changed_is_told(own_client, monkeypatch, tmp_path):
    @dask.delayed(pure=False)
    def drawn(block, path):
        mark = os.path.join(path, "again")
        again = os.path.exists(mark)
        with open(mark, "w"):
            pass
        return block + again

    blocks = split(X, [450, 450])
    rows = [drawn(block, str(tmp_path / str(i))) for i, block in enumerate(blocks)]
    for i in range(2):
        (tmp_path / str(i)).mkdir()
    at_query(monkeypatch, 9, lambda: kill_one(own_client))
    with pytest.raises(RuntimeError, match=r"partition \d of X was read again .* has changed"):
        Kauri(5, max_leaf_nodes=12).fit(rows)


@pytest.mark.slow
def test_a_worker_that_hangs_is_named(own_client, monkeypatch):
    Kauri(2, max_leaf_nodes=None).fit(as_array(X, SIZES))  # workers have imported what they need
    pids = own_client.run(os.getpid)
    address, pid = next(iter(pids.items()))
    at_query(monkeypatch, 8, lambda: os.kill(pid, signal.SIGSTOP))
    try:
        with pytest.raises(TimeoutError, match=f"worker {address} has not answered for 15 s"):
            Kauri(5, max_leaf_nodes=12, timeout=15).fit(as_array(X, SIZES))
    finally:
        os.kill(pid, signal.SIGCONT)


@pytest.mark.slow
def test_a_worker_that_hangs_while_it_reads_is_named(own_client, monkeypatch):
    Kauri(2, max_leaf_nodes=None).fit(as_array(X, SIZES))  # workers have imported what they need
    started = []
    start = Cluster._start

    def stopped(cluster, worker, *rest):
        group = start(cluster, worker, *rest)
        if not started:
            started.append(worker)
            os.kill(own_client.run(os.getpid, workers=[worker])[worker], signal.SIGSTOP)
        return group

    @dask.delayed(pure=False)
    def slow(block):
        import time

        time.sleep(2)  # so that none is read before the worker stands still
        return block

    pids = own_client.run(os.getpid)
    monkeypatch.setattr(Cluster, "_start", stopped)
    try:
        with pytest.raises(TimeoutError, match="has not answered for 15 s: reading its partition"):
            Kauri(5, timeout=15, max_leaf_nodes=None).fit(
                [slow(block) for block in split(X, [450, 450])]
            )
    finally:
        os.kill(pids[started[0]], signal.SIGCONT)


@pytest.mark.slow
@pytest.mark.parametrize("step", ["hold", "inspect", "count", "prepare", "root"])
def test_a_worker_is_lost_while_it_replays(own_client, monkeypatch, step):
    """One is killed, and the one that takes its partitions over, at any step on the way."""
    own_client.cluster.scale(3)
    own_client.wait_for_workers(3, timeout=60)
    local = LocalKauri(5, max_leaf_nodes=12, engine="binned").fit(X)
    asked = at_query(monkeypatch, 9, lambda: kill_one(own_client))
    killed = []
    call = Cluster._call

    def disturbed(cluster, group, method, *args):
        if cluster.losses and not killed and method == step:
            pids = own_client.run(os.getpid)
            killed.append(group.worker)
            os.kill(pids[group.worker], signal.SIGKILL)
        return call(cluster, group, method, *args)

    monkeypatch.setattr(Cluster, "_call", disturbed)
    model = Kauri(5, max_leaf_nodes=12).fit(as_array(X, SIZES))
    assert len(asked) >= 9
    assert killed
    same_bits(model.tree_, local.tree_)
    assert model.inertia_ == local.inertia_


@pytest.mark.slow
def test_workers_without_memory_for_the_rows():
    """They are lost one after the other, and the fit says why."""
    from distributed import Client, LocalCluster

    @dask.delayed(pure=False)
    def large():
        return np.ones((100_000_000, 4))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            LocalCluster(
                n_workers=1,
                threads_per_worker=1,
                processes=True,
                memory_limit="600MB",
                dashboard_address=":0",
            ) as cluster,
            Client(cluster) as client,
            pytest.raises(MemoryError, match="their memory is full"),
        ):
            Kauri(3, max_leaf_nodes=None).fit([large()], client=client)
