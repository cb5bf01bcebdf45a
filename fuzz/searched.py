"""Searched trees against all trees: the half of ``problems.py`` that fits with ``search``.

``search="local"`` and ``search="optimal"`` on few samples, with categories, missing values,
weights, limits, and columns that only splits or only the kernel use. The reference implementation
of ``all_trees.py`` tries every tree, so that

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
from itertools import pairwise

import all_trees
import numpy as np
import precise
from helpers.invariants import valid_tree

from agathis import Kauri
from agathis._trees.tree import MOVES
from agathis.metrics import optimality_gap

#: Trees of a problem whose lower bounds are checked.
CERTIFICATES = 3
#: Samples for which trees are tried whose leaves share clusters.
FEW = 7


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
        "n_init": case["n_init"],
        "time_limit": case["time_limit"],
        "random_state": case["seed"],
        "n_jobs": 1,
        "max_leaf_nodes": None,
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
    accepts_missing = case["engine"] == "binned" or (of_points and case["engine"] == "auto")
    if np.isnan(X).any() and not accepts_missing:
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
        self.best_without_limits: dict[int, float] = {}
        self.positive = case["kernel"] != "precomputed" or _is_positive(form, kept_weight)

    def best(self, n_leaves: int, limits: dict | None = None) -> float | None:
        """The cost of the best tree with one leaf per cluster; None where rounding decides."""
        if len(self.kept_weight) > 20:
            order = np.argsort(self.X[self.kept, self.case["split_features"][0]])
            form = self.form.astype(float)[np.ix_(order, order)]
            return all_trees.minimum_cost_of_segments(form, self.kept_weight[order], n_leaves)
        try:
            return all_trees.minimum_cost(
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
            return all_trees.minimum_cost_of_joined_leaves(
                self.form, self.kept_weight, self.sides, n_leaves, n_clusters, **self.limits
            )
        except all_trees.Borderline:
            return None

    def off(self, cost: float, labels: np.ndarray) -> float:
        """How far a cost that is reported may be off: as a gain, by the lightest cluster."""
        size = np.bincount(labels[self.kept], self.kept_weight)
        lightest = np.array(size[size > 0].min())
        # Samples that are equal once missing values are filled in cost a squared rounding unit.
        unit = (precise.EPS * np.nanmax(np.abs(self.X[self.kept]), initial=0.0)) ** 2
        equal = unit * self.X.shape[1] * self.kept_weight.sum()
        return (
            1e-12 * abs(cost) + float(self.rounding.off(lightest) + equal) + self.rounding.tolerance
        )

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
        options = {
            "midpoints": model.engine_ != "binned",
            "kauri": grown,
            "positive": self.positive,
        }
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
        # With an indefinite kernel leaves of one cluster may cost less than if each had its own.
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
        if any(later > sooner + apart for sooner, later in pairwise(costs)):
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
        if not certified or case["one_hot"]:
            return None
        # Poor trees, from which a proof has far to go.
        few = {"search": "greedy", "max_features": 1, "max_leaf_nodes": max(2, case["n_clusters"])}
        poor = (fit(case, **few, random_state=seed) for seed in range(CERTIFICATES))
        found = (self._certificate(one, counted) for one in poor)
        return next((wrong for wrong in found if wrong), None)

    def _certificate(self, poor: Kauri, counted: Counter[str]) -> str | None:
        """What is wrong with the lower bound that no tree of the size of a tree is below."""
        found = optimality_gap(poor, self.X, sample_weight=self.weight)
        labels = poor.labels_[self.kept]
        cost = -float(precise.objectives(self.form, self.kept_weight, labels[None])[0][0])
        off = self.off(cost, poor.labels_)
        apart = max(off, self.apart(cost))
        if abs(found.cost - cost) > off:
            return f"optimality_gap has a wrong cost: {found.cost!r} is {cost!r}"
        if poor.n_leaves_ > poor.n_clusters_:
            return None
        if poor.n_leaves_ not in self.best_without_limits:
            self.best_without_limits[poor.n_leaves_] = self.best(poor.n_leaves_, {})
        best = self.best_without_limits[poor.n_leaves_]
        counted["optimality_gap"] += 1
        counted["optimality_gap: above 0"] += bool(cost > best + apart)
        if found.lower_bound > best + apart or found.lower_bound < best - apart:
            return f"optimality_gap has a wrong bound: {found.lower_bound!r} beside {best!r}"
        return None
