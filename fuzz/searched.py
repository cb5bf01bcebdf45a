"""Searched trees against all trees: the half of ``problems.py`` that fits with ``search``.

``search="local"`` and ``search="optimal"`` on few samples, with categories, missing values, weights,
limits, and columns that only splits or only the kernel use. The reference implementation of
``all_trees.py`` tries every tree, so that

- no tree costs less than the best one, and what a model reports of its cost is the cost;
- a proof is only claimed for the best tree, and no lower bound is above it, also where the time
  limit ended the proof, and also in ``optimality_gap``;
- a local search is no worse than the greedy tree;
- the same seed gives the same tree with any number of threads;
- a problem that is refused is refused with the error that the documentation names.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator

import all_trees
import numpy as np
import precise
from helpers.invariants import valid_tree

from agathis import Kauri
from agathis._trees.tree import MOVES
from agathis.metrics import optimality_gap

#: Samples for which trees are tried whose leaves share clusters.
FEW = 7
#: Categories of a group, "missing" and "none" counted, up to which a proof is given.
MOST_CATEGORIES = 10


def make(random: np.random.Generator, rows, matrix, weights) -> dict:
    """A problem with a search; ``rows``, ``matrix`` and ``weights`` make what these are named."""
    kind = random.choice(["few", "ordered", "subsets"], p=[0.96, 0.02, 0.02])
    if kind != "few":
        return _long_proof(random, str(kind))
    n = int(random.choice([3, 4, 5, 6, 7, 7, 8, 9, 10, 11, 12]))
    d = int(random.choice([1, 2, 2, 3, 3]))
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
        "n_starts": None if random.random() < 0.3 else int(random.integers(0, 3)),
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
    if random.random() < 0.15:
        case["split_features"] = _columns(random, X.shape[1], groups)
    if random.random() < (0.02 if kernel == "precomputed" else 0.15):
        case["kernel_features"] = _columns(random, X.shape[1], [])
    counted = n if case["weight"] is None else int(np.count_nonzero(case["weight"]))
    k = case["n_clusters"] = int(min(random.choice([1, 2, 3, 3, 3, 4, 4, 5]), counted))
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
    """Rows some values of which are missing: of a group all or none."""
    X = X.copy()
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


def _long_proof(random: np.random.Generator, kind: str) -> dict:
    """A problem whose proof takes longer than its time limit: no clusters, and many components."""
    if kind == "ordered":
        n, wide, k = int(random.integers(60, 100)), int(random.choice([8, 40])), 5
        k = int(random.integers(4, 8)) if wide == 40 else 6
        values, groups = random.permutation(n)[:, None].astype(float), []
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
        "n_starts": 0,
        "time_limit": float(random.choice([1e-9, 0.005, 0.02])),
        "seed": 0,
        "again": False,
        "one_hot": groups,
        "split_features": list(range(d)),
        "kernel_features": list(range(d, d + wide)),
        "n_clusters": k,
        "limits": {},
    }


def fit(case: dict, **other) -> Kauri:
    """The model of a problem, with some parameters other than its own."""
    params = {
        "kernel": case["kernel"],
        "gamma": case["gamma"],
        "engine": case["engine"],
        "one_hot": case["one_hot"] or None,
        "split_features": case["split_features"],
        "kernel_features": case["kernel_features"],
        "search": case["search"],
        "search_effort": case["effort"],
        "n_starts": case["n_starts"],
        "time_limit": case["time_limit"],
        "random_state": case["seed"],
        "n_jobs": 1,
        **case["limits"],
        **other,
    }
    arrays = {"gram": case["gram"], "sample_weight": case["weight"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Kauri(case["n_clusters"], **params).fit(np.array(case["X"], dtype=float), **arrays)


def refusal(case: dict, form: np.ndarray, weight: np.ndarray) -> str | None:
    """What the error says that the documentation names for a problem, if there is one."""
    X, kernel, limits = np.array(case["X"]), case["kernel"], case["limits"]
    of_points = kernel in ("linear", "cosine")
    missing = bool(np.isnan(X).any())
    if missing and not (of_points and case["engine"] in ("auto", "binned")):
        if case["engine"] != "binned":
            return "issing values"
    if kernel == "precomputed" and case["kernel_features"] is not None:
        return "kernel_features"
    if case["engine"] in ("features", "binned") and not of_points:
        return "engine="
    if case["search"] == "optimal":
        if limits.get("max_leaf_nodes") not in (None, case["n_clusters"]):
            return "max_leaf_nodes="
        if kernel == "precomputed" and not _is_positive(form, weight):
            return "indefinite"
    return None


def _is_positive(form: np.ndarray, weight: np.ndarray) -> bool:
    """Whether minus half the squared distances are those of points, but for rounding."""
    share = (weight / weight.sum()).astype(float)
    form = form.astype(float)
    mean = form @ share
    centred = form - mean[:, None] - mean + share @ mean
    values = np.linalg.eigvalsh(centred)
    return bool(values[0] >= -1e-9 * max(values[-1], 0.0))


def check(case: dict, measures, exports, counted: Counter[str]) -> str | None:
    """What is wrong with the searched tree of a problem."""
    X = np.array(case["X"], dtype=float)
    weight = None if case["weight"] is None else np.array(case["weight"])
    form, kept_weight, rounding, kept = measures(case, X, weight)
    refused = refusal(case, form, kept_weight)
    name = f"{case['search']} {case['kernel']}"
    try:
        model = fit(case)
    except ValueError as error:
        if refused is None or refused not in str(error):
            return f"{name} raises ValueError: {error}"
        counted[f"{case['search']}: refused"] += 1
        return None
    if refused is not None:
        return f"{name} is not refused: the documentation says {refused!r}"
    counted[name] += 1
    problem = Problem(case, X, weight, form, kept_weight, rounding, kept)
    try:
        wrong = problem.judge(model, counted)
    except AssertionError as error:
        wrong = f"no valid tree: {str(error).strip()[:300]}"
    wrong = wrong or problem.beside(model, counted)
    if not wrong and len(X) % 3 == 0 and len(X) < 20:
        wrong = exports(model, X)
    return f"{name} {wrong}" if wrong else None


class Problem:
    """A problem and what is true of its trees."""

    def __init__(self, case: dict, X, weight, form, kept_weight, rounding, kept) -> None:
        self.case, self.X, self.weight = case, X, weight
        self.form, self.kept_weight, self.rounding = form, kept_weight, rounding
        self.kept = kept
        self.sides = all_trees.left_sides(X[kept], case["one_hot"], case["split_features"])
        limits = dict(case["limits"])
        self.leaves = limits.pop("max_leaf_nodes", None)
        if case["search"] == "optimal":
            self.leaves = case["n_clusters"]
        self.limits = limits
        self.positive = case["kernel"] != "precomputed" or _is_positive(form, kept_weight)

    def best(self, n_leaves: int, limits: dict | None = None) -> float | None:
        """The cost of the best tree with one leaf per cluster; None where rounding decides."""
        if len(self.kept_weight) > 20:
            order = np.argsort(self.X[self.kept, self.case["split_features"][0]])
            form = self.form.astype(float)[np.ix_(order, order)]
            return all_trees.least_cost_of_segments(form, self.kept_weight[order], n_leaves)
        try:
            return all_trees.least_cost(
                self.form,
                self.kept_weight,
                self.sides,
                min(n_leaves, len(self.kept_weight)),
                **(self.limits if limits is None else limits),
            )
        except all_trees.Borderline:
            return None

    def best_joined(self, n_leaves: int, n_clusters: int) -> float | None:
        """The cost of the best tree whose leaves may share clusters, for few samples."""
        if len(self.kept_weight) > FEW or n_leaves > 5:
            return None
        try:
            return all_trees.least_cost_of_joined_leaves(
                self.form, self.kept_weight, self.sides, n_leaves, n_clusters, **self.limits
            )
        except all_trees.Borderline:
            return None

    def off(self, cost: float, labels: np.ndarray) -> float:
        """How far a cost that is reported may be off: as a gain, by the lightest cluster."""
        size = np.bincount(labels[self.kept], self.kept_weight)
        lightest = np.array(size[size > 0].min())
        return 1e-12 * abs(cost) + float(self.rounding.off(lightest)) + self.rounding.tolerance

    def apart(self, cost: float) -> float:
        """By how much a tree that counts as the best may cost more than the best one.

        Costs within 1e-9 are the same to a search, its proof leaves out 1e-12 of the inertia of
        all samples at each node, and a kernel matrix is factored up to 1e-11 of its diagonal.
        """
        about = self.kept_weight @ -self.form @ self.kept_weight / self.kept_weight.sum()
        total = float(max(abs(about), self.rounding.spread))
        out = 2e-9 * abs(cost) + 2e-11 * total + 2 * self.rounding.tolerance
        if self.case["kernel"] not in ("linear", "cosine"):
            out += 1e-11 * float(self.kept_weight.sum() * np.abs(self.form).max())
        return out

    def judge(self, model: Kauri, counted: Counter[str]) -> str | None:
        """What is wrong with a model, beside all trees."""
        case, X, tree = self.case, self.X, model.tree_
        clusters = case["n_clusters"]
        limits = {**self.limits, "max_leaf_nodes": self.leaves}
        # The greedy tree is the answer where none better was found.
        grown = tree.node_count > 1 and MOVES[tree.move[0]] != "cut"
        options = {"midpoints": model.engine_ != "binned", "kauri": grown}
        valid_tree(tree, X, model.labels_, self.weight, clusters, **limits, **options)
        if not np.array_equal(model.predict(X), model.labels_):
            return "labels_ are not those of predict"
        labels = model.labels_[self.kept]
        cost = -float(precise.objectives(self.form, self.kept_weight, labels[None])[0][0])
        off, apart = self.off(cost, model.labels_), self.apart(cost)
        if abs(model.inertia_ - cost) > off:
            return f"reports a wrong cost: {model.inertia_!r} is {cost!r}"
        wrong = self._path(model, apart)
        if wrong:
            return wrong
        # Where a kernel is indefinite, leaves of one cluster may cost less than if each had its own.
        if self.leaves is not None and self.leaves <= clusters and self.positive:
            best = self.best(self.leaves)
            if best is None:
                counted["rounding decides about limits"] += 1
                return None
            return self._beside_best(model, cost, best, max(off, apart), counted)
        if (
            self.leaves is not None
            and (best := self.best_joined(self.leaves, clusters)) is not None
        ):
            counted["leaves that share clusters: tried all"] += 1
            if cost < best - max(off, apart):
                return f"costs less than the best tree: {cost!r} < {best!r}"
            counted["leaves that share clusters: the best"] += bool(cost <= best + apart)
        return None

    def _beside_best(
        self, model: Kauri, cost: float, best: float, apart: float, counted: Counter[str]
    ) -> str | None:
        if cost < best - apart:
            return f"costs less than the best tree: {cost!r} < {best!r}"
        reached = cost <= best + apart
        if self.case["search"] == "local":
            counted["local: one leaf per cluster"] += 1
            counted["local: the best"] += bool(reached)
            return None
        bound, gap = model.lower_bound_, model.gap_
        if bound > best + apart:
            return f"has a lower bound above the best tree: {bound!r} > {best!r}"
        if model.is_optimal_:
            counted["optimal: proven"] += 1
            if not reached:
                return f"claims a proof of a tree that is not the best: {cost!r} > {best!r}"
            if bound < best - apart:
                return f"claims a proof with a lower bound below: {bound!r} < {best!r}"
        else:
            counted["optimal: the time limit ended the proof"] += 1
            if self.case["time_limit"] is None:
                return "has no proof: without a time limit"
        if bound > model.inertia_:
            return f"has a lower bound above its cost: {bound!r} > {model.inertia_!r}"
        expected = (model.inertia_ - bound) / model.inertia_ if model.inertia_ > 0 else 0.0
        if abs(gap - expected) > 1e-12:
            return f"reports a wrong gap: {gap!r} is {expected!r}"
        return None

    def _path(self, model: Kauri, apart: float) -> str | None:
        costs = [step.cost for step in model.search_path_ if step.move != "simplify"]
        if any(later > sooner + apart for sooner, later in zip(costs, costs[1:], strict=False)):
            return f"has a search path that rises: {costs}"
        return None

    def beside(self, model: Kauri, counted: Counter[str]) -> str | None:
        """What is wrong with a model beside the greedy one, itself fitted again, and its bound."""
        case = self.case
        if len(self.X) > 20:
            return None
        greedy = fit(case, search="greedy", max_leaf_nodes=self.leaves)
        apart = self.apart(greedy.inertia_)
        if model.inertia_ > greedy.inertia_ + apart:
            return f"is worse than the greedy tree: {model.inertia_!r} > {greedy.inertia_!r}"
        counted["better than greedy"] += bool(model.inertia_ < greedy.inertia_ - apart)
        if case["again"] and case["time_limit"] is None:
            counted["fitted again"] += 1
            for threads in (1, 2):
                again = fit(case, n_jobs=threads)
                if again.tree_.to_dict() != model.tree_.to_dict():
                    return f"is another tree when fitted again: with n_jobs={threads}"
        certified = case["kernel"] != "precomputed" and not np.isnan(self.X).any()
        return self._certificate(counted) if certified and not case["one_hot"] else None

    def _certificate(self, counted: Counter[str]) -> str | None:
        """What is wrong with the bound of a poor tree, which no tree of its size is below."""
        poor = fit(
            self.case, search="greedy", max_features=1, max_leaf_nodes=self.case["n_clusters"]
        )
        found = optimality_gap(poor, self.X, sample_weight=self.weight)
        labels = poor.labels_[self.kept]
        cost = -float(precise.objectives(self.form, self.kept_weight, labels[None])[0][0])
        off = self.off(cost, poor.labels_)
        apart = max(off, self.apart(cost))
        if abs(found.cost - cost) > off:
            return f"optimality_gap has a wrong cost: {found.cost!r} is {cost!r}"
        if poor.n_leaves_ > poor.n_clusters_:
            return None
        best = self.best(poor.n_leaves_, {})
        counted["optimality_gap"] += 1
        counted["optimality_gap: above 0"] += bool(cost > best + apart)
        if found.lower_bound > best + apart or found.lower_bound < best - apart:
            return f"optimality_gap has a wrong bound: {found.lower_bound!r} beside {best!r}"
        return None


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
    for name, value in {**plain, "engine": "auto", "n_starts": 0}.items():
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
