"""Workers whose process is stopped: an error names them; one that is only busy is waited for."""

from __future__ import annotations

import math
import os
import re
import signal
import warnings
from contextlib import contextmanager

import dask
import pandas as pd
import pytest
from helpers.clusters import as_array, at_query, split
from helpers.models import blobs_of, same_bits

from agathis import Kauri as LocalKauri
from agathis.dask import Kauri, TableEncoder, sample_rows
from agathis.dask._timeouts import Heartbeats

X = blobs_of(900)
SIZES = [200, 300, 150, 250]
#: Seconds without a heartbeat, after which a worker counts as stopped.
LIMIT = 10


@contextmanager
def limited(client):
    """The limit of these tests; workers that were stopped run again afterwards."""
    pids = client.run(os.getpid)
    with dask.config.set({"agathis.worker-timeout": f"{LIMIT} s"}):
        try:
            yield pids
        finally:
            for pid in pids.values():
                os.kill(pid, signal.SIGCONT)


def named(address: str) -> str:
    return f"worker {re.escape(address)} has not answered for {LIMIT} s, nor sent a heartbeat"


@dask.delayed(pure=False)
def stopping(block, mark):
    """Stop the worker that first reads this block, and leave its address in a file."""
    from distributed import get_worker

    if not os.path.exists(mark):
        with open(mark, "w") as file:
            file.write(get_worker().address)
        os.kill(os.getpid(), signal.SIGSTOP)
    return block


def test_stopped_during_a_fit(own_client, monkeypatch):
    Kauri(2, max_leaf_nodes=None).fit(as_array(X, SIZES))  # workers have imported what they need
    with limited(own_client) as pids:
        address, pid = next(iter(pids.items()))
        at_query(monkeypatch, 8, lambda: os.kill(pid, signal.SIGSTOP))
        with pytest.raises(TimeoutError, match=named(address)):
            Kauri(5, max_leaf_nodes=12).fit(as_array(X, SIZES))
    monkeypatch.undo()
    model = Kauri(5, max_leaf_nodes=12).fit(as_array(X, SIZES))  # it runs again
    same_bits(model.tree_, LocalKauri(5, max_leaf_nodes=12, engine="binned").fit(X).tree_)


@pytest.mark.slow
def test_stopped_before_a_fit(own_client):
    with limited(own_client) as pids:
        address, pid = next(iter(pids.items()))
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(TimeoutError, match=named(address)):
            Kauri(5, max_leaf_nodes=None).fit(as_array(X, SIZES))


WAITS = {
    "fit": lambda model, rows: Kauri(5, max_leaf_nodes=None).fit(rows),
    "score": lambda model, rows: model.score(rows).compute(),
    "encoder": lambda model, rows: TableEncoder().fit(rows),
    "sample": lambda model, rows: sample_rows(rows),
}


@pytest.mark.slow
@pytest.mark.parametrize("step", WAITS)
def test_stopped_while_it_reads(own_client, tmp_path, step):
    model = Kauri(2, max_leaf_nodes=None).fit(as_array(X, SIZES))
    mark = tmp_path / "stopped"
    first, *others = map(pd.DataFrame, split(X, SIZES)) if step == "encoder" else split(X, SIZES)
    rows = [stopping(first, str(mark)), *map(dask.delayed, others)]
    with limited(own_client):
        with pytest.raises(TimeoutError) as caught:
            WAITS[step](model, rows)
        assert re.match(named(mark.read_text()), str(caught.value))


@pytest.mark.slow
def test_a_busy_worker_is_waited_for(own_client):
    """It computes for twice as long as a worker may be silent, in Python, and still is heard."""

    @dask.delayed(pure=False)
    def busy(block):
        import time

        end = time.monotonic() + 2 * LIMIT
        while time.monotonic() < end:
            sum(range(1000))
        return block

    Kauri(2, max_leaf_nodes=None).fit(as_array(X, SIZES))  # workers have imported what they need
    with limited(own_client):
        rows = [busy(block) for block in split(X, [450, 450])]
        model = Kauri(5, max_leaf_nodes=12).fit(rows)
        score = float(model.score(rows))
    local = LocalKauri(5, max_leaf_nodes=12, engine="binned").fit(X)
    same_bits(model.tree_, local.tree_)
    assert score == pytest.approx(local.score(X))


@pytest.mark.slow
def test_a_scheduler_that_drops_silent_workers_sooner(monkeypatch):
    """By its ``worker-ttl``: the worker is lost, and the fit goes on without it."""
    from distributed import Client, LocalCluster

    settings = {"distributed.scheduler.worker-ttl": "20 s"}
    with warnings.catch_warnings(), dask.config.set(settings):
        warnings.simplefilter("ignore")
        with (
            LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
            ) as cluster,
            Client(cluster) as client,
        ):

            def stop_one():
                os.kill(next(iter(client.run(os.getpid).values())), signal.SIGSTOP)

            asked = at_query(monkeypatch, 8, stop_one)
            model = Kauri(5, max_leaf_nodes=12).fit(as_array(X, SIZES))
            assert len(asked) >= 8
    same_bits(model.tree_, LocalKauri(5, max_leaf_nodes=12, engine="binned").fit(X).tree_)


def test_the_limit_is_a_setting(client):
    assert Heartbeats(client, 1.0).limit == 60
    with dask.config.set({"agathis.worker-timeout": "2 minutes"}):
        assert Heartbeats(client, 1.0).limit == 120
    with dask.config.set({"agathis.worker-timeout": None}):
        assert Heartbeats(client, 1.0).limit == math.inf
