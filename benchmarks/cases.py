"""The cases: each measures one claim and says whether its bar is met.

A case takes a :class:`Run` (how often, how large, whom to tell) and returns a :class:`Result`.
The bars are meant for the full size on two cores.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
from baselines import BASELINES
from case import Result, SkipCase
from commands import COMMANDS
from data import blobs
from scale import SCALE
from sklearn.datasets import load_digits, load_iris
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from timing import alternate, alternate_imports, in_words, medians

from agathis import Kauri

try:
    from gemclus.tree import Kauri as Peer
except ImportError:
    Peer = None


def rbf_10(run):
    return rbf_beside_peer(run, run.size(4000, 800), 10)


def rbf_50(run):
    return rbf_beside_peer(run, run.size(4000, 800), 50)


def rbf_beside_peer(run, n, d):
    X = blobs(n, d)
    work = f"rbf matrix, n = {n}, d = {d}, K = 10, 40 leaves"
    return beside_peer(run, work, X, rbf_kernel(X), 40, same_objective=True)


def digits(run):
    X = load_digits().data[: run.size(1797, 400)]
    work = f"digits, linear as a matrix, n = {len(X)}, d = 64, K = 10, any leaves"
    # Pixels tie at every step and the peer has no mixed move, so the trees may part.
    return beside_peer(run, work, X, linear_kernel(X), None, same_objective=False)


def beside_peer(run, work, X, gram, leaves, *, same_objective):
    """Agathis and gemclus on the same kernel matrix."""
    if Peer is None:
        raise SkipCase("gemclus is not installed")
    ours = Kauri(n_clusters=10, max_leaf_nodes=leaves, kernel="precomputed")
    peer = Peer(
        max_clusters=10,
        max_leaves=leaves,
        kernel="precomputed",
        random_state=0,
    )
    runs = {"agathis": lambda: ours.fit(X, gram=gram), "gemclus": lambda: peer.fit(X, y=gram)}
    seconds, _ = alternate(runs, run.repeats, run.tell)
    median = medians(seconds)
    ratio = median["gemclus"] / median["agathis"]
    peer_objective = objective_of(gram, peer.labels_)
    difference = (ours.objective_ - peer_objective) / abs(peer_objective)
    return Result(
        work=work,
        figure=f"{ratio:.0f} times faster, objective {difference:+.1e}",
        bar="at least 60" + (", within 1e-9" if same_objective else ""),
        met=ratio >= 60 and (abs(difference) <= 1e-9 or not same_objective),
        seconds=seconds,
        figures={
            "ratio": ratio,
            "objective_agathis": float(ours.objective_),
            "objective_gemclus": peer_objective,
            "objective_relative_difference": difference,
            "leaves_agathis": int(ours.n_leaves_),
            "leaves_gemclus": len(np.unique(peer.leaves_)),
        },
    )


def objective_of(gram, labels):
    """Sum over clusters of their kernel values over their size."""
    clusters = (np.flatnonzero(labels == k) for k in np.unique(labels))
    return float(sum(gram[np.ix_(rows, rows)].sum() / len(rows) for rows in clusters))


def growth(run):
    n = run.size(4000, 800)
    X = blobs(n, 10)
    gram = rbf_kernel(X)
    model = Kauri(n_clusters=10, kernel="precomputed", max_leaf_nodes=None)
    forty = Kauri(n_clusters=10, kernel="precomputed", max_leaf_nodes=40)
    runs = {
        "any leaves": lambda: model.fit(X, gram=gram),
        "40 leaves": lambda: forty.fit(X, gram=gram),
    }
    seconds, _ = alternate(runs, run.repeats, run.tell)
    median = medians(seconds)
    ratio = median["any leaves"] / median["40 leaves"]
    return Result(
        work=f"growth with leaves, rbf matrix, n = {n}, d = 10, K = 10",
        figure=f"{ratio:.2f} times the time for {model.n_leaves_} leaves",
        bar="at most 5",
        met=ratio <= 5,
        seconds=seconds,
        figures={"ratio": ratio, "leaves": int(model.n_leaves_)},
    )


def blocks(run):
    n = run.size(20_000, 4000)
    script = Path(__file__).with_name("peak_memory.py")
    command = [sys.executable, str(script), str(n)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout)
    seconds = found.pop("seconds")
    run.tell(f"1 of 1, agathis: {in_words(seconds)}")
    peak, matrix = found["peak_above_mb"], found["kernel_matrix_mb"]
    return Result(
        work=f"kernel in blocks, rbf, n = {n}, d = 10, K = 10, 48 leaves",
        figure=f"{peak:.0f} MB above the data (the matrix: {matrix:.0f} MB)",
        bar="under 600 MB",
        met=peak < 600,
        seconds={"agathis": [seconds]},
        figures=found,
    )


def iris(run):
    X = load_iris().data
    models = {
        kernel: Kauri(n_clusters=3, max_leaf_nodes=12, kernel=kernel).fit(X)
        for kernel in ("linear", "rbf")
    }
    runs = {kernel: lambda model=model: model.fit(X) for kernel, model in models.items()}
    seconds, _ = alternate(runs, 50)
    slower = max(medians(seconds).values())
    return Result(
        work="iris, K = 3, 12 leaves, warm",
        figure=in_words(slower) + ", the slower kernel",
        bar="under 2 ms",
        met=slower < 2e-3,
        seconds=seconds,
        figures={"slower_median_ms": slower * 1e3},
    )


def imports(run):
    statements = {
        "sklearn.cluster": "import sklearn.cluster",
        "agathis": "import agathis",
        "Kauri": "from agathis import Kauri",
    }
    seconds = alternate_imports(statements, run.size(7, 2))
    median = medians(seconds)
    ratio = median["agathis"] / median["sklearn.cluster"]
    ratio_estimator = median["Kauri"] / median["sklearn.cluster"]
    return Result(
        work="import in a fresh process",
        figure=f"{ratio:.2f} times; with Kauri {ratio_estimator:.2f} times",
        bar="at most 1.3",
        met=ratio <= 1.3,
        seconds=seconds,
        figures={"ratio": ratio, "ratio_with_estimator": ratio_estimator},
    )


CASES = {
    "rbf-10": rbf_10,
    "rbf-50": rbf_50,
    "digits": digits,
    "growth": growth,
    "blocks": blocks,
    "iris": iris,
    "import": imports,
    **COMMANDS,
    **SCALE,
    **BASELINES,
}
