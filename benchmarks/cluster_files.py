"""Parquet files by ``fit_file`` and by the workers of a cluster: their times, memory and trees."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path


def write_files(folder: str, sizes: list[int], block_of) -> None:
    """A file of Parquet for each block."""
    import pyarrow as pa
    from pyarrow import parquet

    for number, rows in enumerate(sizes):
        block = block_of(number, rows)
        table = pa.table({f"c{j:02}": block[:, j] for j in range(block.shape[1])})
        path = Path(folder) / f"{number:05}.parquet"
        # Floats that hardly come twice have no use for a dictionary.
        parquet.write_table(table, path, row_group_size=250_000, use_dictionary=False)


def on_cluster(folder: str, k: int, leaves: int):
    """Read and decoded partition by partition, where they are summed."""
    import dask.dataframe as dd

    from agathis.dask import Kauri

    X = dd.read_parquet(folder, aggregate_files=False)
    return Kauri(k, max_leaf_nodes=leaves).fit(X)


def beside_fit_file(bench, folder: str, k: int, leaves: int) -> dict:
    """All ways in turn."""
    from agathis import fit_file

    peaks: dict[str, float] = {}
    trees: dict[str, object] = {}

    def local(copy):
        model, peaks[f"copy={copy}"] = watched(
            lambda: fit_file(folder, k, copy=copy, max_leaf_nodes=leaves), [os.getpid()]
        )
        trees[f"copy={copy}"] = model.tree_.gain

    def cluster():
        trees["cluster"] = on_cluster(folder, k, leaves).tree_.gain

    found = bench.alternate(
        {
            "fit_file": lambda: local(True),
            "fit_file, no copy": lambda: local(False),
            "cluster": cluster,
        }
    )
    ratio = found["cluster"]["seconds"] / found["fit_file"]["seconds"]
    same = len({gain.tobytes() for gain in trees.values()}) == 1
    shown = ", ".join(f"{name} {value / 1e9:.2f} GB" for name, value in peaks.items())
    return {
        "figure": f"{ratio:.2f} times the time of fit_file; memory in no file: {shown}; "
        f"same bits: {same}",
        "bar": "at most 0.8 times; 1.5 GB (10^8 rows)",
        "met": ratio <= 0.8 and same,
        "peaks": peaks,
        **found,
    }


def ten_times(bench, folder: str, k: int, leaves: int) -> dict:
    """A tenth of the files by ``fit_file``, all of them, and all of them by the workers."""
    from agathis import fit_file

    params = {"max_leaf_nodes": leaves, "copy": True, "temp_dir": folder}
    files = sorted(Path(folder).glob("*.parquet"))
    few = str(Path(folder) / f"{'0' * (5 - len(str(len(files) // 10)) + 1)}*.parquet")
    assert len(list(Path(folder).glob(Path(few).name))) == len(files) // 10, few
    workers = list(bench.client.run(os.getpid).values())
    base = sum(map(anonymous, workers))
    found: dict[str, dict] = {}
    peaks: dict[str, float] = {}
    trees = {}

    def run(name, work, watched_processes):
        def timed():
            model, peaks[name] = watched(work, watched_processes)
            trees[name] = model.tree_.gain.tobytes()

        seconds, cpu = bench.timed(timed)
        found[name] = {"seconds": seconds, "cpu": cpu}
        print(f"  {name}: {seconds:.1f} s, cpu {cpu:.1f} s, {peaks[name] / 1e9:.2f} GB", flush=True)

    run("fit_file, a tenth", lambda: fit_file(few, k, **params), [os.getpid()])
    run("fit_file", lambda: fit_file(folder, k, **params), [os.getpid()])
    run("cluster", lambda: on_cluster(folder, k, leaves), workers)
    n, columns = bench.n, 20
    needed = n * columns * 5 + 4 * n
    memory = peaks["cluster"] / needed
    longer = found["fit_file"]["seconds"] / found["fit_file, a tenth"]["seconds"]
    ratio = found["cluster"]["seconds"] / found["fit_file"]["seconds"]
    same = trees["cluster"] == trees["fit_file"]
    return {
        "figure": f"fit_file: {longer:.1f} times a tenth of the rows, "
        f"{peaks['fit_file'] / 1e9:.2f} GB in no file; cluster: {ratio:.2f} times its time, "
        f"{memory:.2f} times rows and bins (of that {base / 1e9:.2f} GB before the fit); same "
        f"bits: {same}",
        "bar": "11 times, 1.5 GB; 0.8 times, 1.15 times rows and bins",
        "met": longer <= 11
        and peaks["fit_file"] <= 1.5e9
        and ratio <= 0.8
        and memory <= 1.15
        and same,
        "peaks": peaks,
        **found,
    }


def anonymous(process: int) -> int:
    """Memory of a process in no file."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    return 0


def watched(work, processes: list[int]):
    """What work gives, and the most memory in no file that processes had together meanwhile."""
    most, done = 0, threading.Event()

    def watch():
        nonlocal most
        while not done.is_set():
            most = max(most, sum(map(anonymous, processes)))
            time.sleep(0.02)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        return work(), most
    finally:
        done.set()
        watcher.join()
