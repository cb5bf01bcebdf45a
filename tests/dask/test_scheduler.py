"""A scheduler that is lost, or stands still: an error that names it, and no wait without end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import warnings
from contextlib import contextmanager, suppress

import dask
import pytest
from helpers.clusters import as_array, as_list, at_query
from helpers.models import blobs_of

from agathis.dask import Kauri, TableEncoder, _timeouts, sample_rows
from agathis.dask._actors import Cluster

X = blobs_of(900)
SIZES = [200, 300, 150, 250]
#: Seconds that a wait may take, and that nothing else here comes near to.
TIMEOUT = 15


@pytest.fixture
def own():
    """A client, and a scheduler in a process of its own, which can be stopped and killed."""
    from distributed import Client
    from distributed.utils import open_port

    port = open_port()
    here = f"tcp://127.0.0.1:{port}"
    run = [sys.executable, "-m"]
    commands = (
        [*run, "distributed.cli.dask_scheduler", "--port", str(port), "--no-dashboard"],
        [*run, "distributed.cli.dask_worker", here, "--nthreads", "1", "--no-dashboard"],
    )
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    processes = [subprocess.Popen(command, start_new_session=True, **quiet) for command in commands]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Client(here, timeout=60) as client:
                client.wait_for_workers(1, timeout=60)
                yield client, processes[0]
                processes[0].send_signal(signal.SIGCONT)
    finally:
        # A worker is two processes: its nanny is a leader of both.
        for process in processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@contextmanager
def stopped(scheduler):
    scheduler.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        scheduler.send_signal(signal.SIGCONT)


@pytest.mark.slow
def test_a_scheduler_that_is_lost(own, monkeypatch):
    client, scheduler = own
    address = client.scheduler.address
    at_query(monkeypatch, 8, scheduler.kill)
    with pytest.raises(ConnectionError, match=f"scheduler {address} is lost"):
        Kauri(5, max_leaf_nodes=12, timeout=60).fit(as_array(X, SIZES), client=client)


def before(monkeypatch, name: str, act) -> None:
    """Have something happen before a method of the cluster is first called."""
    method, called = getattr(Cluster, name), []

    def disturbed(cluster, *args):
        if not called:
            called.append(name)
            act()
        return method(cluster, *args)

    monkeypatch.setattr(Cluster, name, disturbed)


@pytest.mark.slow
@pytest.mark.parametrize("step", ["_holders", "_start", "_result"])
def test_a_scheduler_that_stands_still_during_a_fit(own, monkeypatch, step):
    """Before it is asked where rows lie, while they are read, while an answer is waited for."""
    client, scheduler = own

    @dask.delayed(pure=False)
    def slow(block):
        import time

        time.sleep(2)  # so that none is read before the scheduler stands still
        return block

    Kauri(2, max_leaf_nodes=None).fit(as_array(X, SIZES))  # the worker has imported what it needs
    rows = as_array(X, SIZES).persist() if step == "_holders" else [slow(X[:450]), slow(X[450:])]
    before(monkeypatch, step, lambda: scheduler.send_signal(signal.SIGSTOP))
    message = f"scheduler {client.scheduler.address} has not answered for {TIMEOUT} s"
    try:
        with pytest.raises(TimeoutError, match=message):
            Kauri(5, timeout=TIMEOUT, max_leaf_nodes=None).fit(rows)
    finally:
        scheduler.send_signal(signal.SIGCONT)


@pytest.mark.slow
def test_a_scheduler_that_stands_still_after_a_fit(own, monkeypatch):
    client, scheduler = own
    monkeypatch.setattr(_timeouts, "LIMIT", TIMEOUT)
    model = Kauri(3, timeout=TIMEOUT, max_leaf_nodes=None).fit(as_array(X, SIZES))
    frames = as_list(X, SIZES)
    message = f"scheduler {client.scheduler.address} has not answered for {TIMEOUT} s"
    for wait in (
        lambda: float(model.score(as_array(X, SIZES))),
        lambda: model.score(as_array(X, SIZES)).compute(),
        lambda: sample_rows(as_array(X, SIZES)),
        lambda: TableEncoder().fit(frames),
    ):
        with stopped(scheduler), pytest.raises(TimeoutError, match=message):
            wait()
    found = float(model.score(as_array(X, SIZES)))
    assert found == pytest.approx(model.to_local().score(X))


@pytest.mark.slow
def test_a_scheduler_that_is_lost_after_a_fit(own):
    """While rows are read for a score, which lets the scheduler be killed and then waits."""
    client, scheduler = own
    model, pid = Kauri(3, timeout=60, max_leaf_nodes=None).fit(as_array(X, SIZES)), scheduler.pid

    @dask.delayed(pure=False)
    def last(block):
        import time

        os.kill(pid, signal.SIGKILL)
        time.sleep(600)
        return block

    with pytest.raises(ConnectionError, match=f"scheduler {client.scheduler.address} is lost"):
        model.score([last(X)]).compute()


@pytest.mark.slow
def test_workers_that_get_nowhere_are_named(own, monkeypatch):
    """While Dask's own tasks read rows; and where there are no workers at all."""
    client, _ = own
    monkeypatch.setattr(_timeouts, "LIMIT", TIMEOUT)

    @dask.delayed(pure=False)
    def stuck(block):
        import time

        time.sleep(60)
        return block

    (worker,) = client.scheduler_info(n_workers=-1)["workers"]
    with pytest.raises(TimeoutError, match=f"worker {worker} has been at the same tasks for"):
        sample_rows([stuck(X)])
    told = _timeouts._stuck({worker: []}, TIMEOUT)
    assert str(told) == f"no worker has taken a task for {TIMEOUT} s."
