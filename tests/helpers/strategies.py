"""Problems for hypothesis: rows, a kernel matrix, weights, a number of clusters and limits.

Small problems are drawn entry by entry, so that a failure shrinks to a matrix one can read.
Larger ones come from a drawn seed, which is quick; they shrink in their size.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics.pairwise import cosine_similarity, rbf_kernel

from agathis import Kauri
from agathis._dataset.features import Features
from agathis._dataset.memory import InMemory
from agathis._dataset.splits import Split
from agathis._growth.engines.kernel_rows import MatrixRows
from agathis._growth.engines.pairwise import PairwiseEngine
from agathis._growth.limits import Limits
from agathis._kernels.kernel import Kernel
from agathis._utils.numbers import threshold_between
from agathis._utils.progress import Progress
from helpers import reference

POSITIVE = ("linear", "rbf")
KERNELS = (*POSITIVE, "indefinite", "ties")


@dataclass
class Problem:
    """What a tree is grown from."""

    X: np.ndarray
    gram: np.ndarray
    weight: np.ndarray | None
    n_clusters: int
    limits: dict = field(default_factory=dict)

    @property
    def tolerance(self) -> float:
        """A gain that is no larger is none."""
        weight = np.ones(len(self.X)) if self.weight is None else self.weight
        kept = weight > 0
        return reference.tolerance(self.gram[np.ix_(kept, kept)], weight[kept])

    def fit(self, **changes) -> Kauri:
        """A fitted model; ``changes`` replace parameters."""
        parameters = {"n_jobs": 1, "max_leaf_nodes": None, **self.limits, **changes}
        model = Kauri(self.n_clusters, kernel="precomputed", **parameters)
        return model.fit(self.X, gram=self.gram, sample_weight=self.weight)

    def oracle(self) -> reference.ReferenceTree:
        return reference.grow(
            self.X,
            self.gram,
            n_clusters=self.n_clusters,
            sample_weight=self.weight,
            **self.limits,
        )


def table(random: np.random.Generator, n: int, d: int, values: str) -> np.ndarray:
    """Rows of normal values, or of so few whole numbers that many are equal."""
    if values == "integer":
        return random.integers(0, 4, (n, d)).astype(np.float64)
    return random.normal(size=(n, d))


def kernel_matrix(random: np.random.Generator, X: np.ndarray, kernel: str) -> np.ndarray:
    """A symmetric matrix; the last two of ``KERNELS`` have nothing to do with X."""
    n = len(X)
    if kernel == "linear":
        return X @ X.T
    if kernel == "rbf":
        return rbf_kernel(X, gamma=0.5)
    if kernel == "indefinite":
        half = random.normal(size=(n, n))
        return half + half.T
    half = np.triu(random.integers(-2, 3, (n, n)))
    return (half + np.triu(half, 1).T).astype(np.float64)


def weights(random: np.random.Generator, n: int, kind: str | None) -> np.ndarray | None:
    """Weights that sums of halves and quarters keep exact; one at least is positive."""
    if kind is None:
        return None
    choices = {
        "whole": [1, 1, 2, 3],
        "with zeros": [0, 1, 1, 2],
        "fractions": [0.25, 0.5, 1, 1.5, 4],
    }[kind]
    weight = random.choice(choices, n).astype(np.float64)
    weight[random.integers(n)] = 1.0
    return weight


def on_a_line(upper: str, n_clusters: int) -> Problem:
    """Rows 0, 1, ... of one feature; the kernel by the rows above its diagonal of zeros."""
    rows = [[int(value) for value in row.split()] for row in upper.split("/")]
    n = len(rows) + 1
    gram = np.zeros((n, n))
    gram[np.triu_indices(n, 1)] = [value for row in rows for value in row]
    return Problem(np.arange(float(n))[:, None], gram + gram.T, None, n_clusters)


WEIGHTS = (None, "whole", "with zeros", "fractions")


def limits(max_leaves: int) -> st.SearchStrategy[dict]:
    """Limits, most of them absent most of the time: a limited tree tests little else."""
    some = st.fixed_dictionaries(
        {},
        optional={
            "max_leaf_nodes": st.integers(2, max_leaves),
            "max_depth": st.integers(1, 5),
            "min_samples_split": st.integers(2, 6),
            "min_samples_leaf": st.integers(1, 3),
        },
    )
    return st.sampled_from([0, 0, 0, 1]).flatmap(lambda any: some if any else st.just({}))


def _clusters(weight: np.ndarray | None, n: int) -> st.SearchStrategy[int]:
    counted = n if weight is None else int(np.count_nonzero(weight))
    return st.sampled_from([min(k, counted) for k in (2, 3, 4, 5, 6, 1)])


@st.composite
def small_problems(draw) -> Problem:
    """Whole numbers, entry by entry: rows, kernel and weights, full of ties."""
    n = draw(st.sampled_from([3, 4, 5, 6, 7, 1, 2]))
    d = draw(st.integers(1, 2))
    whole = {"fill": st.nothing(), "dtype": np.int8}
    X = draw(arrays(shape=(n, d), elements=st.integers(0, 6), **whole)).astype(np.float64)
    gram = np.zeros((n, n))
    pairs = np.triu_indices(n)
    gram[pairs] = draw(arrays(shape=len(pairs[0]), elements=st.integers(-3, 3), **whole))
    gram += np.triu(gram, 1).T
    weight = None
    if draw(st.booleans()):
        weight = draw(arrays(shape=n, elements=st.integers(0, 3), **whole)).astype(np.float64)
        weight[draw(st.integers(0, n - 1))] = 1.0
    return Problem(X, gram, weight, draw(_clusters(weight, n)), draw(limits(n + 2)))


@st.composite
def seeded_problems(
    draw, min_n: int = 1, max_n: int = 25, max_leaves: int | None = None, kernels=KERNELS
) -> Problem:
    """Up to ``max_n`` rows from a seed.

    ``max_leaves`` bounds the leaves always, for tests where each costs much.
    """
    n = draw(st.integers(min_n, max_n))
    d = draw(st.integers(1, 4))
    values = draw(st.sampled_from(["normal", "integer"]))
    kernel = draw(st.sampled_from(kernels))
    kind = draw(st.sampled_from(WEIGHTS))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = table(random, n, d, values)
    gram = kernel_matrix(random, X, kernel)
    weight = weights(random, n, kind)
    drawn = draw(limits(n + 2 if max_leaves is None else max_leaves))
    if max_leaves is not None:
        drawn = {"max_leaf_nodes": max_leaves, **drawn}
    return Problem(X, gram, weight, draw(_clusters(weight, n)), drawn)


def problems() -> st.SearchStrategy[Problem]:
    """Problems that the oracle solves in a moment."""
    return st.one_of(
        small_problems(),
        seeded_problems(min_n=4, max_n=10),
        seeded_problems(min_n=8, max_n=25, max_leaves=6),
    )


# Rows whose kernel has features: the linear and the cosine kernel.


@dataclass
class RowsProblem(Problem):
    """A problem whose kernel is that of the rows; ``gram`` is its matrix, for the oracle."""

    kernel: str = "linear"

    def fit(self, engine: str = "features", **changes) -> Kauri:
        parameters = {"n_jobs": 1, "max_leaf_nodes": None, **self.limits, **changes}
        model = Kauri(self.n_clusters, kernel=self.kernel, engine=engine, **parameters)
        return model.fit(self.X, sample_weight=self.weight)


def rows_problem(X, weight=None, n_clusters=3, kernel="linear", **limits) -> RowsProblem:
    """With the kernel matrix, of rows about their mean where the kernel is linear."""
    if kernel == "cosine":
        gram = cosine_similarity(X)
    else:
        about = X - np.average(X, axis=0, weights=weight)
        gram = about @ about.T
    return RowsProblem(X, gram, weight, n_clusters, limits, kernel)


@st.composite
def small_rows(draw) -> RowsProblem:
    """Whole numbers, entry by entry."""
    n, d = draw(st.sampled_from([4, 5, 6, 8, 1, 2, 3])), draw(st.integers(1, 3))
    whole = {"fill": st.nothing(), "dtype": np.int8}
    X = draw(arrays(shape=(n, d), elements=st.integers(-3, 3), **whole)).astype(np.float64)
    weight = None
    if draw(st.booleans()):
        weight = draw(arrays(shape=n, elements=st.integers(0, 3), **whole)).astype(np.float64)
        weight[draw(st.integers(0, n - 1))] = 1.0
    kernel = draw(st.sampled_from(["linear", "cosine"]))
    return rows_problem(X, weight, draw(_clusters(weight, n)), kernel, **draw(limits(n + 2)))


@st.composite
def seeded_rows(
    draw, min_n: int = 1, max_n: int = 25, max_leaves: int | None = None, kernels=None, values=None
) -> RowsProblem:
    """Rows from a seed: with ties, with equal rows, with columns that are constant or equal."""
    n, d = draw(st.integers(min_n, max_n)), draw(st.integers(1, 5))
    values = draw(st.sampled_from(values or ["normal", "integer", "rounded", "few rows"]))
    columns = draw(st.sampled_from(["free", "free", "constant", "equal", "mirrored"]))
    kernel = draw(st.sampled_from(kernels or ["linear", "linear", "cosine"]))
    kind = draw(st.sampled_from(WEIGHTS))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = table(random, n, d, "integer" if values == "integer" else "normal")
    if values == "rounded":
        X = np.round(X, 1)
    elif values == "few rows":
        X = X[random.integers(0, max(1, n // 3), n)]
    if columns == "constant":
        X[:, random.integers(d)] = 2.0
    elif columns != "free":
        X[:, -1] = X[:, 0] * (1 if columns == "equal" else -1)
    weight = weights(random, n, kind)
    drawn = draw(limits(n + 2 if max_leaves is None else max_leaves))
    if max_leaves is not None:
        drawn = {"max_leaf_nodes": max_leaves, **drawn}
    return rows_problem(X, weight, draw(_clusters(weight, n)), kernel, **drawn)


def pairwise_kernel_sums(
    problem: Problem, threads: int = 1, min_leaf: float = 0.0
) -> PairwiseEngine:
    """The stocks of a problem, opened: one leaf, one cluster."""
    data = InMemory(
        problem.X,
        Features.plain(problem.X.shape[1]),
        Kernel("precomputed"),
        matrix=problem.gram,
        weight=problem.weight,
        threads=threads,
    )
    limits = Limits(problem.n_clusters, len(problem.X), min_leaf=min_leaf)
    progress = Progress(0, None, problem.n_clusters)
    return PairwiseEngine(data, MatrixRows(problem.gram), limits, progress)


def search_anew(gain_engine: PairwiseEngine, drawn: np.ndarray | None = None) -> np.ndarray:
    """Search every leaf, whatever is known of it, and return the best gains."""
    leaf_indices = np.arange(gain_engine.state.n_leaves, dtype=np.int32)
    gain_engine.bound[leaf_indices] = np.inf
    gain_engine.search(leaf_indices, drawn, -np.inf)
    return gain_engine.gain[leaf_indices]


def random_split(
    gain_engine: PairwiseEngine, random: np.random.Generator
) -> tuple[int, Split] | None:
    """Any allowed cut of any leaf, whatever it gains; None where no leaf can be cut."""
    state = gain_engine.state
    for leaf_index in random.permutation(state.n_leaves).tolist():
        inside = gain_engine.values[:, state.samples(leaf_index)]
        for feature in random.permutation(state.n_features).tolist():
            column = np.sort(inside[feature])
            fits = np.flatnonzero(column[:-1] < column[1:])
            whole = state.is_whole_cluster(leaf_index)
            open_moves = list(
                reference.moves(
                    state.cluster_of(leaf_index), state.n_clusters, state.max_clusters, whole
                )
            )
            if len(fits) and open_moves:
                position = int(random.choice(fits))
                threshold = threshold_between(*column[position : position + 2].tolist())
                move, left, right = open_moves[random.integers(len(open_moves))]
                return leaf_index, Split(feature, threshold, np.nan, move, left, right, position)
    return None


def leaves_of(gain_engine: PairwiseEngine) -> tuple[np.ndarray, list[int]]:
    """The slot of each sample, and the cluster of each slot."""
    state = gain_engine.state
    leaf_index_of = np.full(state.n_samples, -1)
    for leaf_index in range(state.n_leaves):
        leaf_index_of[state.samples(leaf_index)] = leaf_index
    return leaf_index_of, [state.cluster_of(leaf_index) for leaf_index in range(state.n_leaves)]
