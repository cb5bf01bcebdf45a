"""Trees for tests of exports: small, of every method, with ties, missing values, awkward names."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from agathis import Kauri
from agathis._trees.tree import DTYPES, Tree
from agathis.baselines import ICOT, IMM, RDM, ExKMC, ExShallow, KMeansTree

SEEDS = st.integers(0, 2**32 - 1)

BASELINES = {
    "ICOT": lambda k: ICOT(k, n_init=2, random_state=0, n_jobs=1),
    "IMM": lambda k: IMM(k, n_init=1, random_state=0, n_jobs=1),
    "RDM": lambda k: RDM(k, n_init=1, random_state=0, n_jobs=1),
    "ExKMC": lambda k: ExKMC(k, n_init=1, max_leaf_nodes=2 * k, random_state=0, n_jobs=1),
    "ExShallow": lambda k: ExShallow(k, n_init=1, random_state=0, n_jobs=1),
    "KMeansTree": lambda k: KMeansTree(k, max_leaf_nodes=2 * k, random_state=0, n_jobs=1),
}

SCALERS = {
    "minmax": lambda: MinMaxScaler((-1, 3)),
    "standard": StandardScaler,
    "maxabs": MaxAbsScaler,
    "robust": RobustScaler,
    "clipped": lambda: MinMaxScaler(clip=True),
}

# No two are one column to a database that does not tell "a" from "A".
AWKWARD = [
    "drop table t; --",
    'say "hello"',
    "it's",
    "a`b``c",
    "naïve 名前 🌲",
    "  spaces  ",
    "[x] ]",
    "back\\slash\\n",
    "select",
    "line\nbreak",
    "100%s {0} $1",
    "*/ /*",
]


def rows_of(random: np.random.Generator, n: int, d: int, kind: str) -> np.ndarray:
    """Values of full precision, of two decimals with ties, or large ones that are close."""
    X = random.normal(size=(n, d)) * 10.0 ** random.integers(-3, 4, d)
    if kind == "ties":
        return np.round(random.normal(size=(n, d)), 1)
    if kind == "close":
        return 1e6 + random.integers(0, 9, (n, d)) * 2.0**-32
    return X


@st.composite
def trees(draw, missing: bool = True, max_d: int = 4, kinds=("normal", "ties", "close")):
    """A fitted Kauri, its rows, and rows to come; some miss values where ``missing`` allows it."""
    random = np.random.default_rng(draw(SEEDS))
    n, d = draw(st.integers(2, 40)), draw(st.integers(1, max_d))
    X = rows_of(random, n, d, draw(st.sampled_from(kinds)))
    gaps = missing and draw(st.booleans())
    if gaps:
        X[random.random(X.shape) < draw(st.sampled_from([0.1, 0.5]))] = np.nan
    k = draw(st.integers(1, min(n, 4)))
    leaves = draw(st.integers(max(2, k), 12))
    engine = "binned" if gaps or draw(st.booleans()) else "auto"
    model = Kauri(k, max_leaf_nodes=leaves, engine=engine, n_jobs=1).fit(X)
    return model, X, around(random, model.tree_, X, missing and engine == "binned")


def around(random, tree, X: np.ndarray, missing: bool) -> np.ndarray:
    """Rows about those of X, at the very thresholds and beside them too."""
    centre = np.nan_to_num(np.nanmean(np.vstack([X, np.zeros((1, X.shape[1]))]), axis=0))
    out = np.where(np.isnan(X), centre, X) + random.normal(size=X.shape)
    out = np.repeat(out, 4, axis=0)
    for node in np.flatnonzero(~tree.is_leaf & np.isfinite(tree.threshold)):
        t = tree.threshold[node]
        some = random.integers(len(out), size=6)
        out[some, tree.feature[node]] = [
            t, t, np.nextafter(t, np.inf), np.nextafter(t, np.inf), np.nextafter(t, -np.inf), t
        ]  # fmt: skip
    if missing:
        out[random.random(out.shape) < 0.15] = np.nan
    return out


def names_for(d: int) -> list[str]:
    return AWKWARD[:d]


def with_none(row) -> list:
    """A row for a database: None in the place of NaN."""
    return [None if value != value else float(value) for value in row]


def same_arrays(a: Tree, b: Tree) -> None:
    """Two trees are the same, bit by bit."""
    for name in DTYPES:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)
        assert getattr(a, name).dtype == getattr(b, name).dtype
    assert a.n_features == b.n_features
