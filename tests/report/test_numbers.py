"""Every number of a report is that of an independent computation from model file and table."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from helpers.examples import examples
from helpers.recomputed import N_HALVES, more_leaves, quality
from helpers.recomputed_values import check_clusters, check_nodes, check_profile, check_rows
from hypothesis import assume, given
from hypothesis import strategies as st

from agathis import fit_table
from agathis._kernels.names import KERNELS
from agathis.export import from_json, to_json
from agathis.report import summarise

NAMED = [name for name, traits in KERNELS.items() if traits.command]


@st.composite
def fitted_tables(draw):
    """A small table with categories and missing values, and a pipeline that was fitted to it."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    # Of numbers alone the best tree is looked for by trying all splits, so they are fewer.
    only_numbers = draw(st.booleans())
    n, k = draw(st.integers(24, 30 if only_numbers else 60)), draw(st.integers(2, 4))
    group = random.integers(0, k, n)
    table = pd.DataFrame(
        {
            "size": (random.normal(size=n) + 3 * group).round(2),
            "age": random.integers(20, 60, n) + 9.0 * group,
            "color": np.array(["red", "green", "blue", "grey"])[
                (group + (random.random(n) < 0.3)) % 4
            ],
        }
    )
    kernel = draw(st.sampled_from(NAMED))
    # No feature map has its inner product, which rows that miss values need.
    if draw(st.booleans()) and kernel != "sigmoid":
        table.loc[random.random(n) < 0.1, "age"] = np.nan
        table.loc[random.random(n) < 0.1, "color"] = None
    if only_numbers:
        table = table.drop(columns="color")
    # The cosine of one column is a sign, and rounding decides that of a mean of 0.
    no_count = [()] if only_numbers and kernel == "cosine" else [(), ("size",)]
    model = fit_table(
        table,
        k,
        max_leaf_nodes=draw(st.sampled_from(["auto", 2 * k])),
        kernel=kernel,
        gamma=None if kernel in ("linear", "cosine") else draw(st.sampled_from([None, 0.5])),
        search=draw(st.sampled_from(["local", "greedy"])),
        scale="minmax" if kernel == "chi2" else draw(st.sampled_from(["auto", "log", "rank"])),
        no_count=draw(st.sampled_from(no_count)),
        n_jobs=1,
    )
    return model, table


@examples(25)
@given(fitted_tables())
def test_every_number_is_recomputed(made):
    model, table = made
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(model, table)


def check(model, table):
    text = to_json(model)
    data, nodes = json.loads(text), json.loads(text)["nodes"]
    assume(data["n_clusters"] > 1)
    loaded = from_json(text)
    summary = summarise(loaded, table, ids=range(len(table)))
    expected = quality(data, table)
    n, about = len(table), summary["about"]
    assert about["n_rows"] == summary["provenance"]["rows_used"] == n
    assert about["n_clusters"] == len(set(c for c in nodes["cluster"] if c is not None))
    assert about["n_leaves"] == nodes["left"].count(None)
    assert about["n_features"] == about["n_told"] == table.shape[1]
    assert about["depth"] == max(len(way_to(nodes, v)) - 1 for v in range(len(nodes["left"])))
    assert summary["provenance"]["n_missing"] == np.isnan(expected["raw"]).any(axis=1).sum()
    check_nodes(summary, data, expected)
    check_clusters(summary, data, expected)
    check_profile(summary, table, expected)
    check_rows(summary, expected)
    # How good the clusters are.
    found = summary["quality"]
    assert found["n_rows"] == found["n_sampled"] == n
    expected |= kmeans_of(found["kmeans"], expected)
    for name in ("explained", "kmeans", "relative_cost", "silhouette", "gap"):
        assert (found[name] is None) == (expected[name] is None), name
        if found[name] is not None:
            assert found[name] == pytest.approx(expected[name], rel=1e-4, abs=1e-5), name
    assert found["n_silhouette"] == (0 if found["silhouette"] is None else n)
    mean, least = expected["stability"]
    assert found["stability"]["mean"] == pytest.approx(mean, rel=1e-4, abs=1e-5)
    assert found["stability"]["least"] == pytest.approx(least, rel=1e-4, abs=1e-5)
    assert (found["stability"]["n_trees"], found["stability"]["n_rows"]) == (N_HALVES, n // 2)
    allowed = [times * data["n_clusters"] for times in (1, 2, 4)]
    allowed = [leaves for leaves in allowed if leaves <= n // 2]
    own = loaded.tree_ if loaded.fitted_tree is None else loaded.fitted_tree
    trees = more_leaves(data, expected["encoded"], own, allowed, expected["share"])
    for step, tree in zip(found["leaves"], trees, strict=True):
        assert step == {**tree, "explained": pytest.approx(tree["explained"], rel=1e-4, abs=1e-5)}


def kmeans_of(found, expected):
    """The explained variance of KMeans and the ratio of costs, at the optimum of the page."""
    total = expected["total"]
    for cost in expected["kmeans_costs"]:
        if 1 - cost / total == pytest.approx(found, rel=1e-4, abs=1e-5):
            ratio = expected["cost"] / cost if cost > 1e-9 * total else None
            return {"kmeans": 1 - cost / total, "relative_cost": ratio}
    return {"kmeans": None, "relative_cost": None}


def way_to(nodes, node):
    """The nodes from the root to a node, listed from below."""
    path = [node]
    while path[-1] != 0:
        parent = next(
            v for v in range(path[-1]) if path[-1] in (nodes["left"][v], nodes["right"][v])
        )
        path.append(parent)
    return path
