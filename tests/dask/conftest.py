"""A cluster of two processes, started once."""

from __future__ import annotations

import warnings

import pytest

pytest.importorskip("distributed")


@pytest.fixture(scope="session")
def cluster():
    from distributed import LocalCluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster:
            yield cluster


@pytest.fixture(scope="session")
def client(cluster):
    from distributed import Client

    with Client(cluster) as client:
        yield client


@pytest.fixture
def own_client():
    """A cluster of its own, which is thrown away."""
    from distributed import Client, LocalCluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
            ) as cluster,
            Client(cluster) as client,
        ):
            yield client
