"""What a worker that is killed costs: ``killed`` of ``cluster.py``."""

from __future__ import annotations

import os
import signal
import statistics
import time
from contextlib import contextmanager

import numpy as np


class Watch:
    """A fit that is looked at: whether a worker was killed, and how long was read and replayed."""

    def __init__(self) -> None:
        self.asked, self.again = 0, 0.0


@contextmanager
def watched(client, at: int | None):
    """Kill a worker before the sums of so many leaves were asked for; ``None`` is never."""
    from agathis.dask._actors import Cluster

    watch, ask, load = Watch(), Cluster.ask, Cluster._load

    def asking(cluster, method, *args, **kwargs):
        if method == "sums":
            watch.asked += 1
            if watch.asked == at:
                os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)
        return ask(cluster, method, *args, **kwargs)

    def loading(cluster, numbers):
        started = time.perf_counter()
        load(cluster, numbers)
        if watch.asked:
            watch.again += time.perf_counter() - started

    Cluster.ask, Cluster._load = asking, loading
    try:
        yield watch
    finally:
        Cluster.ask, Cluster._load = ask, load


def with_and_without(bench, blocks, n_clusters: int, leaves: int, imports) -> dict:
    """Seconds of a fit with all workers and of one that loses one half way, in turn.

    Processors are not told: what the killed worker had used is lost with it.
    """
    from agathis.dask import Kauri

    seconds: dict[str, list[float]] = {"whole": [], "killed": []}
    again, trees = [], []
    for _ in range(bench.repeats):
        for name, at in (("whole", None), ("killed", leaves // 2)):
            # The one that was killed is started again.
            bench.client.wait_for_workers(2, timeout=600)
            bench.client.run(imports)
            with watched(bench.client, at) as watch:
                started = time.perf_counter()
                model = Kauri(n_clusters, max_leaf_nodes=leaves).fit(blocks)
                seconds[name].append(time.perf_counter() - started)
            trees.append(model.tree_)
            if at is not None:
                assert watch.again, "no worker was lost"
                again.append(watch.again)
            print(f"  {name}: {seconds[name][-1]:.2f} s, of that again {watch.again:.2f} s")
    same = all(
        np.array_equal(getattr(tree, name), getattr(trees[0], name))
        for tree in trees
        for name in ("feature", "threshold", "gain")
    )
    whole, killed = (statistics.median(seconds[name]) for name in ("whole", "killed"))
    replayed = statistics.median(again)
    return {
        "figure": f"{whole:.1f} s, with a worker killed after half of the leaves {killed:.1f} s; "
        f"of that reading and replaying {replayed:.1f} s; same bits: {same}",
        "bar": "the same tree",
        "met": same,
        "whole": {"seconds": whole},
        "killed": {"seconds": killed, "again": replayed},
    }
