"""The cases of the golden file: fits whose trees, labels and exports must not change unnoticed.

A case is a name such as ``kauri/rbf/gram/local/categories+weights`` and a function that fits a
model. What is compared are short hashes of its parts (tree, labels, objective, each export), so
that a difference tells what changed. Only public names of the package are used: the file is to
survive a redesign of what lies beneath. Numbers that depend on the order of a sum (gains, the
objective, scaled thresholds) are rounded before they are hashed; what exports write is not.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np

import agathis
from agathis import baselines, export

#: Engines by kernel.
ENGINES = {
    "linear": ("auto", "gram", "blocks", "features", "binned"),
    "cosine": ("features", "binned"),
    "rbf": ("gram", "blocks"),
    "laplacian": ("gram",),
    "polynomial": ("gram",),
    "chi2": ("blocks",),
    "precomputed": ("gram",),
}
GAMMA = {"rbf": 0.5, "laplacian": 0.3, "polynomial": 0.2, "chi2": 0.4}
SEARCHES = ("greedy", "local", "optimal")
N_ROWS = 48
Fit = Callable[..., tuple[Any, Any]]


def digest(value: object) -> str:
    """A short hash of plain data."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:10]


def cases() -> dict[str, Fit]:
    """All cases by name; each function returns a fitted model and what it can predict.

    ``noise`` above 0 multiplies numbers by a random factor that differs from 1 in the last digits.
    """
    return {**dict(_kauri_cases()), **dict(_table_cases()), **dict(_baseline_cases())}


def groups() -> list[str]:
    """The first two parts of all names: what one test compares."""
    return sorted({group_of(name) for name in cases()})


def group_of(name: str) -> str:
    return "/".join(name.split("/")[:2])


def stable(fit: Fit, n_trials: int) -> dict[str, str]:
    """The outcome without the parts that noise in the last digits of the data changes.

    Trees of equal cost exist, most often several trees of one partition. Which of them a search
    ends with depends on rounding, and so on the processor.
    """
    kept = outcome(fit)
    for noise in range(1, n_trials + 1):
        now = outcome(fit, noise)
        if now.get("tree") != kept.get("tree"):
            kept = {name: kept[name] for name in ("labels", "objective") if name in kept}
        kept = {
            name: value
            for name, value in kept.items()
            if name not in ("labels", "objective") or now.get(name) == value
        }
    # Where everything depends on rounding, that there is a tree does not.
    return {name: value for name, value in kept.items() if name != "fitted"} or {"fitted": "yes"}


def outcome(fit: Fit, noise: int = 0) -> dict[str, str]:
    """Hashes of everything that a case gives, or the kind of error that refuses it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model, X = fit(noise=noise)
    except ValueError as error:
        return {"refused": type(error).__name__}
    out = {"fitted": "yes", "labels": digest(np.asarray(model.predict(X)).tolist())}
    estimator = model[-1] if hasattr(model, "steps") else model
    if hasattr(estimator, "objective_"):
        out["objective"] = digest(_rounded(float(estimator.objective_)))
    if hasattr(estimator, "tree_"):
        out["tree"] = digest(_plain(estimator.tree_))
        out |= {name: digest(text) for name, text in _exports(model)}
    return out


def _plain(tree: Any) -> dict[str, Any]:
    """What a tree splits on, where, and which cluster each leaf has."""
    splits = zip(tree.threshold, tree.children_left, strict=True)
    arrays = {
        "left": tree.children_left,
        "right": tree.children_right,
        "feature": tree.feature,
        "threshold": [_rounded(float(t)) if left > 0 else None for t, left in splits],
        "cluster": tree.cluster,
        "missing": tree.missing,
        "samples": tree.n_node_samples,
    }
    return {name: np.asarray(values).tolist() for name, values in arrays.items()}


def _rounded(value: Any) -> Any:
    """Numbers with eight significant digits, through lists and mappings."""
    if isinstance(value, float):
        return float(f"{value:.8g}")
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    return [_rounded(one) for one in value] if isinstance(value, list) else value


def _exports(model: Any) -> Iterator[tuple[str, Any]]:
    """Every text format; JSON without the package's version and with rounded gains."""
    record = json.loads(export.to_json(model))
    del record["agathis"]
    # A threshold must be the same to the last bit; a gain depends on the order of a sum.
    nodes = record["nodes"]
    nodes["gain"] = _rounded(nodes["gain"])
    nodes["weight"] = _rounded(nodes["weight"])
    # What is computed of rows depends on the order of sums.
    for name in ("centres", "preparation", "provenance"):
        del record[name]
    record["fitted_nodes"] = _rounded(record["fitted_nodes"])
    record["fit"] = _rounded((record["fit"] or {}).get("objective"))
    yield "json", record
    yield "python", export.to_python(model)
    yield "rules", str(export.to_rules(model))
    for dialect in ("ansi", "sqlite"):
        try:
            yield dialect, export.to_sql(model, dialect=dialect)
        except ValueError as error:
            yield dialect, type(error).__name__


def _rows(categories: bool, missing: bool, noise: int) -> tuple[np.ndarray, list[list[int]]]:
    """Three groups in three numeric columns, and two categorical features as one-hot columns."""
    random = np.random.default_rng(7)
    group = np.arange(N_ROWS) % 3
    X = random.gamma(4.0, 0.4, size=(N_ROWS, 3)) + 1.7 * (group[:, None] == np.arange(3))
    if noise:
        X *= 1 + 1e-13 * np.random.default_rng(noise).normal(size=X.shape)
    one_hot: list[list[int]] = []
    if categories:
        columns = [X]
        for size in (3, 4):
            level = np.where(random.random(N_ROWS) < 0.7, group, random.integers(0, size, N_ROWS))
            columns.append((level[:, None] == np.arange(size)).astype(float))
        X = np.hstack(columns)
        one_hot = [[3, 4, 5], [6, 7, 8, 9]]
    if missing:
        gone = random.random((N_ROWS, 3)) < 0.12
        X[:, :3][gone] = np.nan
        if categories:
            X[np.ix_(random.random(N_ROWS) < 0.1, one_hot[1])] = np.nan
    return X, one_hot


def _kauri(
    kernel: str,
    engine: str,
    search: str,
    features: frozenset[str],
    noise: int = 0,
    **settings: Any,
) -> tuple[Any, Any]:
    """A fit of one combination of kernel, engine, search and kind of data."""
    X, one_hot = _rows("categories" in features, "missing" in features, noise)
    weight = np.random.default_rng(1).choice([0.5, 1.0, 2.0, 3.5], len(X))
    gram = None
    if kernel == "precomputed":
        numbers = np.nan_to_num(X[:, :3], nan=2.0)
        gram = np.minimum(numbers[:, None, :], numbers[None, :, :]).sum(axis=2)
    leaves = {"greedy": 7, "local": 6, "optimal": None}[search]
    model = agathis.Kauri(
        **{
            "n_clusters": 3,
            "kernel": kernel,
            "gamma": GAMMA.get(kernel),
            "engine": engine,
            "search": search,
            "max_leaf_nodes": leaves,
            "one_hot": one_hot or None,
            "random_state": 0,
            "n_jobs": 1,
            **settings,
        },
    )
    weights = weight if "weights" in features else None
    return model.fit(X, gram=gram, sample_weight=weights), X


def _kauri_cases() -> Iterator[tuple[str, Fit]]:
    """Kernel x engine x search x categories x missing x weights, then one setting at a time."""
    kinds = [
        frozenset(
            kind for kind, on in zip(("categories", "missing", "weights"), some, strict=True) if on
        )
        for some in product((False, True), repeat=3)
    ]
    for kernel, engines in ENGINES.items():
        for engine, search, kind in product(engines, SEARCHES, kinds):
            # Only some engines accept missing values: one refusal of each of the others is enough.
            refused = "missing" in kind and engine not in ("auto", "binned")
            if not refused or (search == "greedy" and len(kind) == 1):
                yield _named("kauri", kernel, engine, search, kind)
    for search, kind in product(SEARCHES, kinds):
        yield _named("kauri", "rbf", "binned", search, kind, "components", {"n_components": 8})
    variants: dict[str, dict[str, Any]] = {
        "depth": {"max_depth": 2},
        "leaf": {"min_samples_leaf": 5},
        "split": {"min_samples_split": 0.3},
        "leaves": {"max_leaf_nodes": 3},
        "auto-leaves": {"max_leaf_nodes": "auto"},
        "unlimited": {"max_leaf_nodes": None},
        "bins": {"engine": "binned", "max_bins": 6},
        "features": {"max_features": 2},
        "pairs": {"split": "pair"},
        "split-features": {"split_features": [0, 2]},
        "kernel-features": {"kernel_features": [1, 2]},
        "clusters": {"n_clusters": 5},
    }
    for (name, setting), search in product(variants.items(), SEARCHES):
        yield _named("kauri", "linear", "auto", search, frozenset(), name, setting)
    setting = {"n_components": 8}
    yield _named("kauri", "rbf", "features", "greedy", frozenset(), "cholesky", setting)
    yield _named("kauri", "rbf", "binned", "local", frozenset(), "cholesky", setting)


def _named(
    area: str,
    kernel: str,
    engine: str,
    search: str,
    kind: frozenset[str],
    more: str = "",
    setting: dict[str, Any] | None = None,
) -> tuple[str, Fit]:
    features = "+".join(sorted(kind)) or "plain"
    name = "/".join(filter(None, (area, kernel, engine, search, features, more)))
    given = {"engine": engine, **(setting or {})}
    return name, partial(_kauri, kernel, search=search, features=kind, **given)


@cache
def _table() -> Any:
    """A raw table with every type of column, some missing values and one outlier."""
    import pandas as pd

    random = np.random.default_rng(3)
    n = 60
    group = np.arange(n) % 3
    plan = np.array(["basic", "plus", "pro"])
    visits = random.poisson(3 + 5 * group).astype(float)
    visits[random.random(n) < 0.08] = np.nan
    spend = np.round(random.gamma(3.0, 12.0, n) + 90.0 * (group == 2), 2)
    spend[5] = 99_999.0
    return pd.DataFrame(
        {
            "customer id": [f"C{1000 + 7 * i}" for i in range(n)],
            "plan": plan[np.where(random.random(n) < 0.8, group, random.integers(0, 3, n))],
            "spend (EUR)": spend,
            "visits": visits,
            "member": group > 0,
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 1500, n), "D"),
            "age": random.integers(18, 80, n),
        }
    )


def _fit_table(drop: tuple[str, ...] = (), noise: int = 0, **settings: Any) -> tuple[Any, Any]:
    """A fit of the raw table; its numbers have few digits, so there is no noise in them."""
    table = _table().drop(columns=list(drop))
    return agathis.fit_table(table, 3, n_jobs=1, random_state=0, **settings), table


def _table_cases() -> Iterator[tuple[str, Fit]]:
    """Raw tables, by search and by one option of reading or scaling at a time."""
    options: dict[str, dict[str, Any]] = {
        "default": {},
        "leaves": {"max_leaf_nodes": 6},
        "numbers": {"drop": ("plan", "member", "since")},
        "categories": {"drop": ("spend (EUR)", "visits", "age", "since")},
        "complete": {"missing": "drop"},
        "dates": {"dates": "parts", "max_leaf_nodes": 5},
        "minmax": {"scale": "minmax"},
        "equal": {"weight": "equal"},
        "rbf": {"kernel": "rbf", "gamma": 0.3, "missing": "drop"},
        "no-split": {"no_split": ["spend (EUR)"]},
        "target": {"target": "plan"},
    }
    for (name, option), search in product(options.items(), SEARCHES):
        effort = {"search_effort": 1.0} if search == "local" else {}
        yield f"table/{search}/{name}", partial(_fit_table, search=search, **effort, **option)


def _baseline(name: str, weighted: bool, noise: int = 0, **settings: Any) -> tuple[Any, Any]:
    X, _ = _rows(categories=False, missing=False, noise=noise)
    weight = np.random.default_rng(1).choice([0.5, 1.0, 2.0, 3.5], len(X)) if weighted else None
    kind = getattr(agathis if name == "KernelKMeans" else baselines, name)
    return kind(3, n_jobs=1, random_state=0, **settings).fit(X, sample_weight=weight), X


def _baseline_cases() -> Iterator[tuple[str, Fit]]:
    """The compared methods, and KMeans with a kernel, which has no tree."""
    methods: dict[str, dict[str, Any]] = {
        "IMM": {},
        "RDM": {},
        "ExKMC": {"max_leaf_nodes": 6},
        "ExShallow": {},
        "KMeansTree": {"max_leaf_nodes": 5},
        "ICOT": {"n_init": 3},
        "KernelKMeans": {"kernel": "rbf", "gamma": 0.5},
    }
    for (name, settings), weighted in product(methods.items(), (False, True)):
        kind = "weights" if weighted else "plain"
        yield f"baselines/{name}/{kind}", partial(_baseline, name, weighted, **settings)
    for name, leaves in product(("ExKMC", "KMeansTree"), ("auto", None)):
        setting = {"max_leaf_nodes": leaves}
        yield (
            f"baselines/{name}/{leaves or 'unlimited'}",
            partial(_baseline, name, False, **setting),
        )
    for kernel in ("linear", "laplacian", "cosine"):
        setting = {"kernel": kernel, "gamma": GAMMA.get(kernel)}
        yield (
            f"baselines/KernelKMeans/{kernel}",
            partial(_baseline, "KernelKMeans", False, **setting),
        )
