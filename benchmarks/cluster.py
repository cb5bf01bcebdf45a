"""A Dask cluster of two workers beside memory, ``fit_file`` and dask-ml: ``make bench-dask``.

Each case prints its figures and its bar; all of them go to ``benchmarks/cluster.json``. Two workers
of one thread each stand for two machines. ``--rows`` changes the size, ``--only`` names cases,
``--output`` another file for the figures.
``--only large --rows 1e8`` is for 10^8 rows; ``--write --folder DIR`` writes its files beforehand.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from cluster_encoder import encoder, encoder_large
from cluster_files import beside_fit_file, ten_times, write_files
from cluster_killed import with_and_without
from data import many_blobs
from machine import describe

K, LEAVES, COLUMNS = 10, 40, 20
BLOCK = 1_000_000


def block_of(number: int, rows: int) -> np.ndarray:
    """Rows of one partition; the same each time."""
    return many_blobs(rows, COLUMNS, seed=number)


def sizes_of(n: int, block: int = BLOCK) -> list[int]:
    return [min(block, n - begin) for begin in range(0, n, block)]


def seconds_of_process() -> float:
    """Processor time of this process, all threads."""
    return time.process_time()


class Bench:
    """A cluster, and clocks that count the processors of its workers too."""

    def __init__(self, client, n: int, repeats: int, folder: str | None = None) -> None:
        self.client, self.n, self.repeats, self.folder = client, n, repeats, folder

    def cpu(self) -> float:
        return time.process_time() + sum(self.client.run(seconds_of_process).values())

    def timed(self, work) -> tuple[float, float]:
        """Seconds of the clock and of all processors."""
        cpu, start = self.cpu(), time.perf_counter()
        work()
        return time.perf_counter() - start, self.cpu() - cpu

    def alternate(self, runs: dict) -> dict[str, dict[str, float]]:
        """Medians of clock and processors of each, in turn."""
        found: dict[str, list] = {name: [] for name in runs}
        for _ in range(self.repeats):
            for name, work in runs.items():
                found[name].append(self.timed(work))
                print(f"  {name}: {found[name][-1][0]:.2f} s, cpu {found[name][-1][1]:.2f} s")
        return {
            name: {
                "seconds": statistics.median(pair[0] for pair in pairs),
                "cpu": statistics.median(pair[1] for pair in pairs),
            }
            for name, pairs in found.items()
        }

    def rows(self):
        """The table on the workers, kept there."""
        import dask.array as da

        sizes = sizes_of(self.n)
        blocks = [self.delayed(number, rows) for number, rows in enumerate(sizes)]
        parts = [
            da.from_delayed(block, (rows, COLUMNS), np.float32)
            for block, rows in zip(blocks, sizes, strict=True)
        ]
        X = da.concatenate(parts).persist()
        from distributed import wait

        wait(X)
        return X

    @staticmethod
    def delayed(number: int, rows: int):
        import dask

        return dask.delayed(block_of)(number, rows)


def memory(bench: Bench) -> dict:
    """Beside ``engine="binned"`` in this process with two threads, on the same rows."""
    from agathis import Kauri as LocalKauri
    from agathis.dask import Kauri

    X = bench.rows()
    whole = np.concatenate([block_of(i, rows) for i, rows in enumerate(sizes_of(bench.n))])
    local = LocalKauri(K, max_leaf_nodes=LEAVES, engine="binned", n_jobs=2)
    model = Kauri(K, max_leaf_nodes=LEAVES)
    local.fit(whole[:10_000])
    found = bench.alternate({"memory": lambda: local.fit(whole), "cluster": lambda: model.fit(X)})
    same = model.inertia_ == local.inertia_ and bool(
        np.array_equal(model.tree_.threshold, local.tree_.threshold)
    )
    cpu = found["cluster"]["cpu"] / found["memory"]["cpu"]
    clock = found["cluster"]["seconds"] / found["memory"]["seconds"]
    return {
        "figure": f"{cpu:.2f} times its processors, {clock:.2f} times its time, same bits: {same}",
        "bar": "at most 1.3 and 1.5 times, the same tree",
        "met": cpu <= 1.3 and clock <= 1.5 and same,
        **found,
    }


def kmeans(bench: Bench) -> dict:
    """Beside dask-ml's KMeans, as it comes (k-means||) and from random rows, 20 iterations."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from dask_ml.cluster import KMeans
    except ImportError as error:
        return {"figure": f"dask-ml cannot be imported: {error}", "bar": "10 times", "met": None}
    from agathis.dask import Kauri

    X = bench.rows()
    model = Kauri(K, max_leaf_nodes=LEAVES)
    peer = KMeans(K, max_iter=20, tol=0.0, random_state=0)
    plain = KMeans(K, init="random", max_iter=20, tol=0.0, random_state=0)
    found = bench.alternate(
        {
            "agathis": lambda: model.fit(X),
            "dask-ml": lambda: peer.fit(X),
            "dask-ml, random": lambda: plain.fit(X),
        }
    )
    own = found["agathis"]["seconds"]
    ratio, from_random = (found[name]["seconds"] / own for name in ("dask-ml", "dask-ml, random"))
    return {
        "figure": f"{ratio:.1f} times faster than dask-ml's KMeans, {from_random:.1f} times than "
        "with init='random'",
        "bar": "at least 10 times",
        "met": ratio >= 10,
        **found,
    }


def round_trip(bench: Bench) -> dict:
    """What a split takes that is not summing: rows are few, tables are as large as ever."""
    import dask.array as da

    from agathis.dask import Kauri

    X = da.from_array(block_of(0, 2_000), chunks=(1_000, COLUMNS)).persist()
    few, many = Kauri(2, max_leaf_nodes=2), Kauri(K, max_leaf_nodes=LEAVES)
    few.fit(X)
    found = bench.alternate({"2 leaves": lambda: few.fit(X), "40 leaves": lambda: many.fit(X)})
    splits = many.n_leaves_ - 2
    each = 1000 * (found["40 leaves"]["seconds"] - found["2 leaves"]["seconds"]) / splits
    return {
        "rows": X.shape[0],
        "figure": f"{each:.1f} ms a split",
        "bar": "at most 20 ms, machine idle",
        "met": each <= 20,
        **found,
    }


def partitions(bench: Bench) -> dict:
    """Trees of the same rows in 1, 2, 7 and 64 partitions."""
    import dask.array as da

    from agathis import Kauri as LocalKauri
    from agathis.dask import Kauri

    X = block_of(0, min(bench.n, BLOCK))
    local = LocalKauri(K, max_leaf_nodes=LEAVES, engine="binned").fit(X)
    same = {}
    for count in (1, 2, 7, 64):
        rows = da.from_array(X, chunks=(-(-len(X) // count), COLUMNS))
        model = Kauri(K, max_leaf_nodes=LEAVES).fit(rows)
        same[count] = bool(
            np.array_equal(model.tree_.threshold, local.tree_.threshold)
            and np.array_equal(model.tree_.gain, local.tree_.gain)
            and model.inertia_ == local.inertia_
        )
    met = all(same.values())
    return {"rows": len(X), "figure": f"bit-equal: {same}", "bar": "all", "met": met}


def files(bench: Bench) -> dict:
    """From a folder of Parquet files, beside ``fit_file``, copied and read again."""
    with tempfile.TemporaryDirectory() as folder:
        write_files(folder, sizes_of(bench.n), block_of)
        return beside_fit_file(bench, folder, K, LEAVES)


def killed(bench: Bench) -> dict:
    """A worker killed in the middle of a fit: what that costs."""
    blocks = [bench.delayed(number, rows) for number, rows in enumerate(sizes_of(bench.n))]
    return with_and_without(bench, blocks, K, LEAVES, _imports)


def large(bench: Bench) -> dict:
    """``fit_file`` and the workers, each once, beside ``fit_file`` with a tenth of the files."""
    with tempfile.TemporaryDirectory() as made:
        folder = bench.folder or made
        if not any(Path(folder).iterdir()):
            write_files(folder, sizes_of(bench.n), block_of)
        return ten_times(bench, folder, K, LEAVES)


CASES = {
    case.__name__: case
    for case in (
        round_trip,
        partitions,
        memory,
        kmeans,
        files,
        large,
        killed,
        encoder,
        encoder_large,
    )
}
#: Take long, and the first 16 GB of disk and 12 GB of memory: only where they are named.
NAMED = ("large", "encoder_large")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e7)
    parser.add_argument("--repeats", type=int, default=3)
    usual = [name for name in CASES if name not in NAMED]
    parser.add_argument("--only", nargs="*", choices=list(CASES), default=usual)
    parser.add_argument("--folder", help="of Parquet files that are kept, for large")
    path = Path(__file__).with_name("cluster.json")
    parser.add_argument("--output", type=Path, default=path, help="of the figures, as JSON")
    parser.add_argument("--write", action="store_true", help="write these files, and end")
    options = parser.parse_args()
    if options.write:
        write_files(options.folder, sizes_of(int(options.rows)), block_of)
        return
    from distributed import Client, LocalCluster

    path = options.output
    known = json.loads(path.read_text()) if path.exists() else {}
    for name in options.only:
        warnings.simplefilter("ignore")
        with (
            LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
            ) as cluster,
            Client(cluster) as client,
        ):
            client.run(_imports)
            print(f"{name}, {options.rows:.0e} rows")
            found = CASES[name](Bench(client, int(options.rows), options.repeats, options.folder))
        print(f"  {found['figure']} (bar: {found['bar']}; met: {found['met']})", flush=True)
        # Some cases have rows of their own, or no more than so many.
        known[f"{name}, {found.pop('rows', options.rows):.0e} rows"] = {
            **found,
            "machine": describe(),
            "repeats": options.repeats,
        }
        path.write_text(json.dumps(known, indent=1) + "\n")


def _imports() -> None:
    """So that no worker imports while it is timed."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    import agathis.dask._worker  # noqa: F401


if __name__ == "__main__":
    main()
