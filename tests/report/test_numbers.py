"""Every number of a report is that of an independent computation from model file and table."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from helpers.examples import examples
from helpers.recomputed import estimator_of, leaf_of, quality, raw_rows
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
    n, k = draw(st.integers(24, 60)), draw(st.integers(2, 4))
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
    model = fit_table(
        table,
        k,
        max_leaf_nodes=draw(st.sampled_from(["auto", 2 * k])),
        kernel=kernel,
        gamma=None if kernel in ("linear", "cosine") else draw(st.sampled_from([None, 0.5])),
        search=draw(st.sampled_from(["local", "greedy"])),
        scale="minmax" if kernel == "chi2" else draw(st.sampled_from(["auto", "log", "rank"])),
        no_count=draw(st.sampled_from([(), ("size",)])),
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
    summary = summarise(from_json(text), table)
    expected = quality(data, table)
    labels, X = expected["labels"], raw_rows(data, table)
    # Sizes of clusters and nodes.
    n = len(table)
    about = summary["about"]
    assert about["n_rows"] == summary["provenance"]["rows_used"] == n
    assert about["n_clusters"] == len(set(c for c in nodes["cluster"] if c is not None))
    assert about["n_leaves"] == nodes["left"].count(None)
    paths = [leaf_of(nodes, row) for row in X]
    assert about["depth"] == max(
        len(path) - 1 for path in [*paths, *(way_to(nodes, v) for v in range(len(nodes["left"])))]
    )
    for k, cluster in enumerate(summary["clusters"]):
        size = int((labels == k).sum())
        assert cluster["size"] == size
        assert cluster["share"] == pytest.approx(size / n, rel=1e-5)
    for number, node in enumerate(summary["nodes"]):
        assert node["size"] == sum(number in path for path in paths)
    assert summary["provenance"]["n_missing"] == int(np.isnan(X).any(axis=1).sum())
    # How good the clusters are.
    found = summary["quality"]
    assert found["explained"] == pytest.approx(expected["explained"], rel=1e-4, abs=1e-5)
    if found["silhouette"] is not None:
        assert found["silhouette"] == pytest.approx(expected["silhouette"], rel=1e-4, abs=1e-5)
    if found["relative_cost"] is not None:
        ratio = (1 - found["explained"]) / (1 - found["kmeans"])
        assert found["relative_cost"] == pytest.approx(ratio, rel=1e-3)
    mean, least = expected["stability"]
    assert found["stability"]["mean"] == pytest.approx(mean, rel=1e-4, abs=1e-5)
    assert found["stability"]["least"] == pytest.approx(least, rel=1e-4, abs=1e-5)
    if data["spec"]["search"]["search"] == "greedy":
        for step in found["leaves"]:
            least = min(data["spec"]["constraints"]["min_samples_leaf"], 1 / (4 * step["allowed"]))
            other = estimator_of(data, max_leaf_nodes=step["allowed"], min_samples_leaf=least).fit(
                expected["encoded"]
            )
            share = expected["share"](other.labels_)
            assert step["n_leaves"] == other.n_leaves_
            assert step["explained"] == pytest.approx(share, rel=1e-4, abs=1e-5)


def way_to(nodes, node):
    """The nodes from the root to a node, found from below."""
    path = [node]
    while path[-1] != 0:
        parent = next(
            v for v in range(path[-1]) if path[-1] in (nodes["left"][v], nodes["right"][v])
        )
        path.append(parent)
    return path
