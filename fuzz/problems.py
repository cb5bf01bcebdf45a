"""Random problems against reference implementations: ``python fuzz/problems.py --seconds 60``.

Rows of few columns with every kind of trouble (ties, scales from 1e-12 to 1e12, offsets, one row
far away, numbers near the smallest), kernels of rows and given matrices (with ties, indefinite),
weights and limits, missing values and categories. Half of the problems are searched
(``searched.py``): every tree is tried, and no search may be wrong about the best one. Of the others
two engines that take the problem grow a tree each, and

- the tree is one, and keeps its limits (``tests/helpers/invariants.py``);
- each gain that it tells is the change of the objective, no candidate would have gained more, and
  growth ends where nothing is left to gain, as far as the documentation says (``precise.py``);
- whole weights give a tree that is as good for rows that come so many times.

Of both kinds the tree as JSON, as Python and as SQL in SQLite, of some also in DuckDB, says what
``predict`` says, on the rows and beside every threshold; as a tree of scikit-learn, whose rows are
float32, on the rows, or it is refused because these cannot be told apart.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path

import numpy as np
from sklearn import config_context

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import all_trees
import precise
import searched
import searched_cases
from helpers.invariants import valid_tree

from agathis import Kauri
from agathis.export import from_json, to_json, to_python, to_sklearn, to_sql

#: What was tried, since it was last told.
COUNTED: Counter[str] = Counter()

OF_POINTS = ("gram", "blocks", "features", "binned")
ENGINES = {
    "linear": OF_POINTS,
    "cosine": OF_POINTS,
    "rbf": ("gram", "blocks"),
    "laplacian": ("gram", "blocks"),
    "precomputed": ("gram",),
}


def make(seed: int) -> dict:
    """A problem, as plain data."""
    # Not by the seed's last bit: with two processes one of them would have all searched ones.
    if np.random.default_rng([seed, 1]).random() < 0.5:
        random = np.random.default_rng([seed, 2])
        return searched_cases.make(random, _rows, _matrix, _weights)
    random = np.random.default_rng(seed)
    n = int(random.choice([2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 20]))
    d = int(random.choice([1, 1, 2, 2, 3, 4]))
    X = _rows(random, n, d)
    kernel = str(random.choice(["linear", "linear", "cosine", "rbf", "laplacian", "precomputed"]))
    case: dict = {"X": X.tolist(), "kernel": kernel, "gamma": None, "gram": None, "weight": None}
    if kernel in ("rbf", "laplacian") and random.random() < 0.7:
        spread = float(np.median(np.abs(X - np.median(X, axis=0)))) or 1.0
        power = 2 if kernel == "rbf" else 1
        gamma = float(10.0 ** random.integers(-2, 3)) / max(spread**power, 1e-200)
        case["gamma"] = gamma if 0 < gamma < 1e200 else 1.0
    if kernel == "precomputed":
        case["gram"] = _matrix(random, X, n).tolist()
    if random.random() < 0.5:
        case["weight"] = _weights(random, n).tolist()
    counted = n if case["weight"] is None else int(np.count_nonzero(case["weight"]))
    # Two engines of each problem: so many more problems.
    engines = ENGINES[kernel]
    case["engines"] = [str(e) for e in random.permutation(engines)[:2]]
    case["n_clusters"] = int(min(random.choice([1, 2, 2, 3, 3, 4, 5]), counted))
    limits = {}
    if random.random() < 0.3:
        limits = {
            "max_leaf_nodes": int(random.integers(2, 8)),
            "max_depth": int(random.integers(1, 5)),
            "min_samples_split": int(random.integers(2, 6)),
            "min_samples_leaf": int(random.integers(1, 4)),
        }
        limits = {name: value for name, value in limits.items() if random.random() < 0.5}
    # All leaves of many rows take long to follow.
    case["limits"] = {"max_leaf_nodes": 6, **limits} if n > 10 else limits
    return _with_more_kinds(case, random, X)


def _with_more_kinds(case: dict, random: np.random.Generator, X: np.ndarray) -> dict:
    """Some problems with categories, and some with missing values where engines accept these."""
    groups: list = []
    if random.random() < 0.2 and len(X) <= 10:
        X, groups = searched_cases.with_categories(random, X)
    missing = case["kernel"] in ("linear", "cosine") and random.random() < 0.2
    if missing:
        X = searched_cases.with_missing(random, X, groups)
        missing = bool(np.isnan(X).any())
    return {
        **case,
        "X": X.tolist(),
        "one_hot": groups,
        "engines": ["binned"] if missing else case["engines"],
    }


def _rows(random: np.random.Generator, n: int, d: int) -> np.ndarray:
    kind = random.choice(["normal", "whole", "rounded", "few", "heavy"])
    X = random.normal(size=(n, d))
    if kind == "whole":
        X = random.integers(-3, 4, (n, d)).astype(float)
    elif kind == "rounded":
        X = np.round(X, 1)
    elif kind == "few":
        X = X[random.integers(0, max(1, n // 2), n)]
    elif kind == "heavy":
        X = X * 10.0 ** random.integers(-6, 7, (n, d))
    if random.random() < 0.5:
        X = X * 10.0 ** random.integers(-12, 13)
    if random.random() < 0.2:
        X = X * 10.0 ** random.integers(-12, 13, d)
    if random.random() < 0.25:
        X = X + 10.0 ** random.integers(-3, 10) * (np.abs(X).max() or 1.0)
    if random.random() < 0.2:  # one row far away
        X[random.integers(n)] *= 10.0 ** random.integers(1, 13)
    if random.random() < 0.1:  # rows that are hardly there
        X[random.integers(0, n, 2)] *= 10.0 ** -random.integers(10, 320)
    if random.random() < 0.1:
        X[random.integers(n)] = 0.0
    if random.random() < 0.1:  # the smallest numbers there are
        X[:, random.integers(d)] = 5e-324 * random.integers(-3, 4, n)
    if random.random() < 0.1:
        X[:, random.integers(d)] = X[0, 0]
    return X + 0.0  # no minus zero


def _matrix(random: np.random.Generator, X: np.ndarray, n: int) -> np.ndarray:
    kind = random.choice(["ties", "indefinite", "positive", "large diagonal"])
    if kind == "ties":
        half = random.integers(-2, 3, (n, n)).astype(float)
    elif kind == "indefinite":
        half = random.normal(size=(n, n))
    else:
        half = random.normal(size=(n, n))
        half = half @ half.T / 2
    gram = np.triu(half) + np.triu(half, 1).T
    if kind == "large diagonal":
        gram[np.diag_indices(n)] += 10.0 ** random.integers(0, 8, n)
    return gram * 10.0 ** random.integers(-12, 13)


def _weights(random: np.random.Generator, n: int) -> np.ndarray:
    kind = random.choice(["whole", "zeros", "fractions", "wide"])
    choices = {"whole": [1, 2, 3], "zeros": [0, 1, 2], "fractions": [0.1, 0.3, 0.7, 1.9]}
    if kind == "wide":
        return 10.0 ** random.integers(-4, 5, n)
    weight = random.choice(choices[kind], n).astype(float)
    weight[random.integers(n)] = 1.0
    return weight


# How parameters are checked has tests of its own, which may run in this process.
@config_context(skip_parameter_validation=True)
def check(case: dict) -> str | None:
    """What is wrong with the trees of a problem."""
    if "search" in case:
        return searched.check(case, _searched_measures, _exports, COUNTED)
    X, kernel = np.array(case["X"], dtype=float), case["kernel"]
    weight = None if case["weight"] is None else np.array(case["weight"])
    gram = None if case["gram"] is None else np.array(case["gram"])
    models: dict[str, Kauri] = {}
    seen: dict[bytes, precise.Growth] = {}
    for engine in case["engines"]:
        try:
            models[engine] = _fit(case, engine, X, gram, weight)
        except Exception as error:
            return f"{kernel} {engine} raises {type(error).__name__}: {error}"
        try:
            wrong = _judge(case, models[engine], X, gram, weight, seen)
        except AssertionError as error:
            wrong = f"no valid tree: {str(error).strip()[:300]}"
        if wrong:
            return f"{kernel} {engine} {wrong}"
    first, *others = models.values()
    for model in others:
        if not np.array_equal(model.labels_, first.labels_):
            COUNTED[f"{kernel}: {first.engine_}, {model.engine_}: a tie resolved otherwise"] += 1
    whole = weight is not None and np.all(weight == np.round(weight)) and weight.sum() < 60
    if whole and kernel != "precomputed":
        often = np.repeat(np.arange(len(X)), weight.astype(int))
        engine = "binned" if np.isnan(X).any() else "gram"
        repeated = _fit(case, engine, X[often], None, None)
        wrong = _judge({**case, "weight": None}, repeated, X[often], None, None, {})
        if wrong:
            return f"{kernel} of repeated rows {wrong}"
        COUNTED["weights as repeats"] += 1
    return _exports(first, X) if len(X) % 3 == 0 else None


def _fit(case: dict, engine: str, X, gram, weight) -> Kauri:
    COUNTED[f"{case['kernel']} {engine}"] += 1
    model = Kauri(
        case["n_clusters"],
        kernel=case["kernel"],
        gamma=case["gamma"],
        engine=engine,
        one_hot=case.get("one_hot") or None,
        n_jobs=1,
        **{"max_leaf_nodes": None, **case["limits"]},
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, gram=gram, sample_weight=weight)


def _judge(
    case: dict, model: Kauri, X, gram, weight, seen: dict[bytes, precise.Growth]
) -> str | None:
    """What is wrong with a tree; ``seen`` has what was found of the trees of other engines."""
    tree, limits = model.tree_, case["limits"]
    form, counted, rounding = _measures(case, X, gram, weight)
    key = b"".join(
        part.tobytes()
        for part in (tree.children_left, tree.feature, tree.threshold, tree.cluster, model.labels_)
    )
    if key not in seen:
        exact = model.engine_ != "binned"
        clusters = case["n_clusters"]
        valid_tree(tree, X, model.labels_, weight, clusters, **limits, midpoints=exact)
        kept = X[_kept(X, weight)]
        sides = all_trees.left_sides(kept, case.get("one_hot") or ())
        seen[key] = precise.growth(tree, kept, sides, form, counted, clusters, limits, rounding)
    found = seen[key]
    said = tree.gain[np.argsort(tree.children_left, kind="stable")]
    said = said[np.sort(tree.children_left) >= 0]
    # An engine takes gains within its tolerance for ties, and none for a gain.
    for what, most, unit in (
        ("tells a wrong gain", np.abs(said - found.gained) / found.off, "what it may be off"),
        ("missed a better cut", found.missed / rounding.tolerance, "tolerances"),
        ("stops early", np.array([found.left / rounding.tolerance]), "tolerances"),
    ):
        worst = most.max(initial=0.0)
        if worst > 1:
            return f"{what}: by {worst:.3g} times {unit}"
        if worst > 0.5:
            COUNTED[f"{what} by more than half of what it may"] += 1
    return None


def _kept(X: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """The rows that count."""
    return np.ones(len(X), bool) if weight is None else weight > 1e-12 * weight.sum()


def _measures(case: dict, X, gram, weight) -> tuple[np.ndarray, np.ndarray, precise.Rounding]:
    """The kernel of the rows that count, their weights, and what is rounding."""
    kept = _kept(X, weight)
    X = precise.with_means(X, weight)
    X, weight = X[kept], np.ones(len(X))[kept] if weight is None else weight[kept]
    written = 0.0
    if gram is not None:
        gram = gram[np.ix_(kept, kept)]
        form, lost = precise.of_matrix(gram), float(weight @ np.abs(np.diag(gram)))
    else:
        form = precise.distance_form(X, case["kernel"], case["gamma"])
        # X about its mean, and that mean, are rounded as X is large.
        long = X.astype(np.longdouble)
        squares = ((long - long.mean(axis=0)) ** 2).sum(axis=1)
        lost = float(weight @ squares) if case["kernel"] == "linear" else float(weight.sum())
        for shares in (np.ones(len(X)), weight):
            mean = np.average(long, axis=0, weights=shares)
            about = np.sqrt(shares @ ((long - mean) ** 2).sum(axis=1))
            length = np.sqrt(shares @ (long * long).sum(axis=1))
            if about > 0:
                # Finite, so that no inertia times it is not a number.
                written = max(written, min(float(precise.EPS * length / about), 1e100))
    total, spread = float(weight.sum()), precise.inertia(form, weight)
    return form, weight, precise.Rounding(*X.shape, total, spread, lost, written)


def _searched_measures(case: dict, X, weight):
    """The same of a problem that is searched, whose kernel may see some columns only."""
    gram = None if case["gram"] is None else np.array(case["gram"])
    columns = case["kernel_features"]
    seen = X if columns is None or gram is not None else X[:, columns]
    return *_measures(case, seen, gram, weight), _kept(X, weight)


def _exports(model: Kauri, X: np.ndarray) -> str | None:
    """Rows, and rows beside each threshold, through the exports."""
    tree, asked = model.tree_, [X]
    for node in np.flatnonzero(tree.children_left >= 0)[:4]:
        beside = np.repeat(X[:1], 3, axis=0)
        at = tree.threshold[node]
        beside[:, tree.feature[node]] = np.nextafter(at, -np.inf), at, np.nextafter(at, np.inf)
        asked.append(beside)
    if model.engine_ == "binned":
        # A row that misses values, also where no row of the training did.
        missing = np.repeat(X[:1], X.shape[1], axis=0)
        missing[np.diag_indices(X.shape[1])] = np.nan
        asked += [missing, np.full((1, X.shape[1]), np.nan)]
    rows = np.vstack(asked)
    rows = rows[~np.isinf(rows).any(axis=1)]
    expected = model.predict(rows).tolist()
    names = [f"x{i}" for i in range(rows.shape[1])]
    if from_json(to_json(model)).predict(rows).tolist() != expected:
        return "JSON disagrees with predict"
    space: dict = {}
    exec(to_python(model, feature_names=names), space)
    if [space["cluster_of"](row) for row in rows.tolist()] != expected:
        return "Python disagrees with predict"
    with closing(sqlite3.connect(":memory:")) as database:
        columns = ", ".join(f"{name} REAL" for name in names)
        database.execute(f"CREATE TABLE t ({columns})")
        marks = ", ".join("?" * len(names))
        database.executemany(f"INSERT INTO t VALUES ({marks})", rows.tolist())
        expression = to_sql(model, feature_names=names, dialect="sqlite")
        got = [label for (label,) in database.execute(f"SELECT {expression} FROM t")]
    if got != expected:
        return "SQL disagrees with predict"
    COUNTED["rows through exports"] += len(rows)
    # A query of DuckDB takes as long as all before.
    if len(X) == 9 and _in_duckdb(model, names, rows) != expected:
        return "SQL in DuckDB disagrees with predict"
    return _as_sklearn(model, X)


@cache
def _duckdb():
    import duckdb

    return duckdb.connect(":memory:", config={"threads": 1})


def _in_duckdb(model: Kauri, names: list[str], rows: np.ndarray) -> list[int]:
    columns = ", ".join(f"{name} DOUBLE" for name in names)
    _duckdb().execute(f"CREATE OR REPLACE TABLE t ({columns}, place INTEGER)")
    marks = ", ".join([f"({', '.join('?' * (len(names) + 1))})"] * len(rows))
    rows = np.where(np.isnan(rows), None, rows)
    values = [value for i, row in enumerate(rows.tolist()) for value in (*row, i)]
    _duckdb().execute(f"INSERT INTO t VALUES {marks}", values)
    expression = to_sql(model, feature_names=names, dialect="duckdb")
    found = _duckdb().execute(f"SELECT {expression} FROM t ORDER BY place").fetchall()
    COUNTED["rows through DuckDB"] += len(rows)
    return [label for (label,) in found]


def _as_sklearn(model: Kauri, X: np.ndarray) -> str | None:
    try:
        classifier = to_sklearn(model, X)
    except ValueError as error:
        if "float32" not in str(error) and not model.tree_.has_terms:
            raise
        COUNTED["scikit-learn: refused"] += 1
        return None
    if classifier.predict(X).tolist() != model.predict(X).tolist():
        return "scikit-learn disagrees with predict"
    COUNTED["rows through scikit-learn"] += len(X)
    return None


def smaller(case: dict) -> Iterator[dict]:
    """Without some rows, columns, weights or limits, and with rounder numbers."""
    n, d = len(case["X"]), len(case["X"][0])
    for row in range(n):
        kept = [i for i in range(n) if i != row]
        if len(kept) >= max(1, case["n_clusters"]):
            out = {**case, "X": [case["X"][i] for i in kept]}
            if case["weight"]:
                out["weight"] = [case["weight"][i] for i in kept]
            if case["gram"]:
                out["gram"] = [[case["gram"][i][j] for j in kept] for i in kept]
            if out["weight"] is None or any(out["weight"]):
                yield out
    if d > 1:
        fewer = (searched_cases.without_column(case, column) for column in range(d))
        yield from (one for one in fewer if one is not None)
    yield from searched_cases.smaller(case)
    if case["weight"]:
        yield {**case, "weight": None}
    for name in case["limits"]:
        yield {**case, "limits": {k: v for k, v in case["limits"].items() if k != name}}
    if case["n_clusters"] > 1:
        yield {**case, "n_clusters": case["n_clusters"] - 1}
    for digits in (1, 3):
        rounder = [[float(f"{value:.{digits}g}") for value in row] for row in case["X"]]
        if not np.array_equal(rounder, case["X"], equal_nan=True):
            yield {**case, "X": rounder}


def pack(case: dict) -> bytes:
    return json.dumps(case).encode()


def unpack(data: bytes) -> dict:
    return json.loads(data)


if __name__ == "__main__":
    import harness

    harness.main("problems")
