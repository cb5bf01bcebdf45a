"""Random problems for the searches, and simpler ones of the same kind.

Few samples, so that every tree can be tried (``all_trees.py``); and some of which the proof takes
longer than its time limit, whose best tree is known all the same.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np


def make(random: np.random.Generator, rows, matrix, weights) -> dict:
    """A problem with a search; ``rows``, ``matrix`` and ``weights`` make what these are named."""
    kind = random.choice(["few", "ordered", "plane", "subsets"], p=[0.86, 0.06, 0.06, 0.02])
    if kind != "few":
        return _hard_proof(random, str(kind))
    n = int(random.choice([3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 12]))
    d = int(random.choice([1, 2, 2, 3, 3, 4]))
    wild = random.random() < 0.25
    X = rows(random, n, d) if wild else _tame_rows(random, n, d)
    kernel = str(
        random.choice(["linear"] * 5 + ["cosine"] * 2 + ["rbf", "laplacian", "precomputed"])
    )
    case = {
        "search": str(random.choice(["local", "optimal"])),
        "kernel": kernel,
        "gamma": None,
        "gram": None,
        "weight": None,
        "engine": "auto",
        "effort": float(random.choice([0.001, 0.01, 0.1, 0.3])),
        "n_init": None if random.random() < 0.3 else int(random.integers(0, 3)),
        "time_limit": None if random.random() < 0.8 else float(random.choice([1e-9, 1e-3])),
        "seed": int(random.integers(100)),
        "again": bool(random.random() < 0.1),
        "split_features": None,
        "kernel_features": None,
    }
    X, groups = with_categories(random, X) if random.random() < 0.3 else (X, [])
    if random.random() < (0.3 if kernel in ("linear", "cosine") else 0.03):
        X = with_missing(random, X, groups)
    case |= {"X": X.tolist(), "one_hot": groups}
    if kernel in ("rbf", "laplacian") and random.random() < 0.5:
        spread = float(np.nanmedian(np.abs(X - np.nanmedian(X)))) or 1.0
        case["gamma"] = float(10.0 ** random.integers(-1, 2)) / min(max(spread, 1e-100), 1e100)
    if kernel == "precomputed":
        case["gram"] = matrix(random, X, n).tolist()
    if random.random() < 0.4:
        case["weight"] = weights(random, n).tolist()
    if random.random() < 0.3:
        case["engine"] = str(random.choice(["gram", "features", "binned"]))
    if random.random() < 0.2:
        case["split_features"] = _columns(random, X.shape[1], groups)
    if random.random() < (0.02 if kernel == "precomputed" else 0.3):
        case["kernel_features"] = _columns(random, X.shape[1], [])
    counted = n if case["weight"] is None else int(np.count_nonzero(case["weight"]))
    k = case["n_clusters"] = int(min(random.choice([1, 2, 3, 3, 4, 4, 5, 5]), counted))
    limits = {}
    if random.random() < 0.4:
        limits = {
            "max_depth": int(random.integers(1, 4)),
            "min_samples_split": int(random.integers(2, 6)),
            "min_samples_leaf": int(random.integers(1, 4)),
        }
        limits = {name: value for name, value in limits.items() if random.random() < 0.5}
    if case["search"] == "local":
        leaves = random.choice(["one each", "few", "more", "free"], p=[0.5, 0.1, 0.3, 0.1])
        if leaves != "free":
            most = {"one each": k, "few": max(2, k - 1), "more": k + int(random.integers(1, 3))}
            limits["max_leaf_nodes"] = max(2, most[str(leaves)])
    elif random.random() < 0.05:
        limits["max_leaf_nodes"] = max(2, k + int(random.integers(-1, 2)))
    return {**case, "limits": limits}


def _tame_rows(random: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Rows whose costs are not small beside their rounding, and often without clear clusters."""
    kind = random.choice(["uniform", "integer", "rounded", "copies", "other scales"])
    X = random.random((n, d))
    if kind == "integer":
        X = random.integers(0, 4, (n, d)).astype(float)
    elif kind == "rounded":
        X = np.round(random.normal(size=(n, d)), 1)
    elif kind == "copies":
        X = X[random.integers(0, max(2, 2 * n // 3), n)]
    elif kind == "other scales":
        X = X * 10.0 ** random.integers(-2, 3, d)
    return X + 0.0


def with_categories(random: np.random.Generator, X: np.ndarray) -> tuple[np.ndarray, list]:
    """Rows with one or two groups of one-hot columns beside theirs, and the groups."""
    groups, on = [], float(random.choice([1.0, 1.0, 0.5, 3.0]))
    for _ in range(int(random.choice([1, 1, 2]))):
        count = int(random.choice([1, 2, 3, 3, 4, 5]))
        category = random.integers(0, count + (random.random() < 0.5), len(X))
        part = on * (category[:, None] == np.arange(count))
        groups.append(list(range(X.shape[1], X.shape[1] + count)))
        X = np.hstack([X, part])
    return X, groups


def with_missing(random: np.random.Generator, X: np.ndarray, groups: list) -> np.ndarray:
    """Rows some values of which are missing: of a group all or none.

    Numbers near the smallest become 0: their weighted mean, which missing values count as, has no
    correct digit.
    """
    X = np.where(np.abs(X) < 1e-290, 0.0, X)
    grouped = {column for group in groups for column in group}
    features = [[column] for column in range(X.shape[1]) if column not in grouped] + groups
    for feature in features:
        if random.random() < 0.7:
            share = random.choice([0.1, 0.3, 0.6])
            X[np.ix_(random.random(len(X)) < share, feature)] = np.nan
    return X


def _columns(random: np.random.Generator, d: int, groups: list) -> list[int]:
    """Some columns; of a group all or none."""
    chosen = set(random.choice(d, int(random.integers(1, d + 1)), replace=False).tolist())
    for group in groups:
        if chosen & set(group):
            chosen |= set(group)
    return sorted(chosen)


def _hard_proof(random: np.random.Generator, kind: str) -> dict:
    """A problem without clusters: its proof is long, and may not end within its time limit."""
    limit: float | None = float(random.choice([1e-9, 0.005, 0.02, 0.1]))
    groups: list = []
    if kind == "ordered" and random.random() < 0.5:
        n, wide, k = int(random.integers(60, 100)), int(random.choice([8, 40])), 6
        values = random.permutation(n)[:, None].astype(float)
    elif kind == "ordered":
        n, wide, k, limit = int(random.integers(22, 50)), 8, int(random.integers(3, 6)), None
        values = random.permutation(n)[:, None].astype(float)
    elif kind == "plane":
        n, wide, k, limit = 16, 6, int(random.integers(3, 6)), None
        values = random.random((n, 2))
    else:
        n, wide, k = 10, 8, int(random.choice([4, 4, 5]))
        values, groups = np.eye(n - 1)[random.integers(0, n - 1, n)], [list(range(n - 1))]
        values[: n - 1] = np.eye(n - 1)
    points = np.round(random.normal(size=(n, wide)), 2)
    d = values.shape[1]
    return {
        "search": "optimal",
        "X": np.hstack([values, points]).tolist(),
        "kernel": "linear",
        "gamma": None,
        "gram": None,
        "weight": random.integers(1, 4, n).astype(float).tolist() if n % 2 else None,
        "engine": "auto",
        "effort": 0.001,
        "n_init": 0,
        "time_limit": limit,
        "seed": 0,
        "again": False,
        "one_hot": groups,
        "split_features": list(range(d)),
        "kernel_features": list(range(d, d + wide)),
        "n_clusters": k,
        "limits": {},
    }


def smaller(case: dict) -> Iterator[dict]:
    """Without missing values, groups, roles of columns and what else makes a search special."""
    X = np.array(case["X"], dtype=float)
    if np.isnan(X).any():
        yield {**case, "X": np.nan_to_num(X).tolist()}
        for row, column in np.argwhere(np.isnan(X)).tolist():
            if not any(column in group for group in case.get("one_hot") or []):
                one = X.copy()
                one[row, column] = 0.0
                yield {**case, "X": one.tolist()}
    for place in range(len(case.get("one_hot") or [])):
        yield {**case, "one_hot": case["one_hot"][:place] + case["one_hot"][place + 1 :]}
    plain = {"split_features": None, "kernel_features": None, "time_limit": None, "again": False}
    for name, value in {**plain, "engine": "auto", "n_init": 0}.items():
        if name in case and case[name] != value:
            yield {**case, name: value}


def without_column(case: dict, column: int) -> dict | None:
    """A problem without a column of X, if it can be left out."""
    out = {**case, "X": [row[:column] + row[column + 1 :] for row in case["X"]]}

    def renumbered(columns: list[int]) -> list[int]:
        return [at - (at > column) for at in columns if at != column]

    if case.get("one_hot"):
        out["one_hot"] = [group for old in case["one_hot"] if (group := renumbered(old))]
    for name in ("split_features", "kernel_features"):
        if case.get(name) is not None:
            out[name] = renumbered(case[name])
            if not out[name]:
                return None
    return out
