"""Counts, means and quartiles of a report from the raw rows, written from the definitions."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pandas as pd
import pytest

#: Fewer values than these are only counted.
FEW, RARE = 5, "a rare value"


def near(value: float) -> Any:
    """A number of the page, which has six significant digits."""
    return pytest.approx(value, rel=1e-5, abs=1e-9)


def check_spread(found: dict[str, Any], values: np.ndarray, is_category: bool) -> None:
    """Mean, quartiles and missing values; categories are shares of all rows."""
    missing = np.isnan(values)
    assert found["missing"] == missing.sum()
    known = np.nan_to_num(values) if is_category else values[~missing]
    if len(known) < FEW:
        assert (found["mean"], found["quartiles"]) == (None, None)
        return
    assert found["mean"] == near(known.mean())
    assert found["quartiles"] == [near(private_quantile(known, q)) for q in (0.25, 0.5, 0.75)]


def private_quantile(values: np.ndarray, q: float) -> float:
    """The mean of the five values around a quantile, so that it is that of no row."""
    first = min(max(round(q * (len(values) - 1)) - FEW // 2, 0), len(values) - FEW)
    return float(np.sort(values)[first : first + FEW].mean())


def check_nodes(summary: dict[str, Any], data: dict[str, Any], expected: dict[str, Any]) -> None:
    """Sizes, shares, gains, clusters, values and histograms of each node."""
    nodes, features = data["nodes"], summary["features"]
    X, labels, paths = expected["raw"], expected["labels"], expected["paths"]
    gains = np.maximum(nodes["gain"], 0)
    rows_of = [np.array([number in path for path in paths]) for number in range(len(nodes["left"]))]
    for number, node in enumerate(summary["nodes"]):
        mine = rows_of[number]
        assert node["size"] == mine.sum()
        assert node["share"] == near(mine.mean())
        assert node["gain"] == near(gains[number] / (gains.sum() or 1))
        assert node["mix"] == [((labels == k) & mine).sum() for k in range(data["n_clusters"])]
        for one in node["telling"]:
            f = one["feature"]
            check_spread(one, X[mine, f], features[f]["kind"] == "indicator")
        children = [nodes[side][number] for side in ("left", "right")]
        assert node["children"] == [child for child in children if child is not None]
        assert node["n_leaves"] == len(leaves_below(nodes, number))
        if node["histogram"] is not None:
            h = node["histogram"]
            parts = zip(children, h["counts"], h["missing"], strict=True)
            for child, counts, missing in parts:
                assert sum(counts) + missing == rows_of[child].sum()
                scale, f = node["histogram"].get("scale"), node["feature"]
                if scale is not None and f is not None:
                    values = X[rows_of[child], f]
                    assert counts == in_bins(values, scale)
                    assert missing == np.isnan(values).sum()


def leaves_below(nodes: dict[str, Any], number: int) -> list[int]:
    """The leaves of a subtree."""
    left, right = nodes["left"][number], nodes["right"][number]
    if left is None:
        return [number]
    return leaves_below(nodes, left) + leaves_below(nodes, right)


def in_bins(values: np.ndarray, scale: list[float]) -> list[int]:
    """Counts in bins closed on the right; what is beyond the ends is in the last one there."""
    first, step, count = scale
    edges = [first + step * i for i in range(count + 1)]
    counts = [0] * count
    for value in values[~np.isnan(values)]:
        above = sum(edge < value for edge in edges)
        counts[min(max(above - 1, 0), count - 1)] += 1
    return counts


def check_clusters(summary: dict[str, Any], data: dict[str, Any], expected: dict[str, Any]) -> None:
    """Sizes of clusters and of their rules, and what is typical of them."""
    X, labels = expected["raw"], expected["labels"]
    for k, cluster in enumerate(summary["clusters"]):
        mine = labels == k
        assert cluster["size"] == sum(cluster["rule_sizes"]) == mine.sum()
        assert cluster["share"] == near(mine.mean())
        leaves = zip(data["nodes"]["left"], data["nodes"]["cluster"], strict=True)
        assert cluster["n_leaves"] == sum(left is None and c == k for left, c in leaves)
        for one in cluster["typical"]:
            values = X[:, one["feature"]]
            if summary["features"][one["feature"]]["kind"] == "indicator":
                values = np.nan_to_num(values)
            mean, overall = np.nanmean(values[mine]), np.nanmean(values)
            assert one["mean"] == near(mean)
            assert one["overall"] == near(overall)
            middle, apart = middle_of(values, labels, k)
            if summary["features"][one["feature"]]["kind"] == "indicator":
                middle, apart = mean, (mean - overall) / np.nanstd(values)
            assert one["middle"] == near(middle)
            assert one["apart"] == near(apart)


def middle_of(values: np.ndarray, labels: np.ndarray, k: int) -> tuple[float, float]:
    """The mean of a cluster, or its median where means mislead, and its distance from all rows."""

    def deviation(part):
        low, high = np.percentile(part, [25, 75])
        return (high - low) / 1.349 or part.std()

    known = values[~np.isnan(values)]
    groups = [values[(labels == c) & ~np.isnan(values)] for c in np.unique(labels)]
    groups = [part for part in groups if len(part) >= FEW]

    def skew(part):
        away = abs(part.mean() - np.median(part)) / deviation(part) if part.std() else 0
        return away - 1 / np.sqrt(len(part))

    skews = [len(part) * skew(part) for part in groups]
    mine = values[(labels == k) & ~np.isnan(values)]
    if not groups or (sum(skews) / sum(map(len, groups)) <= 0.2 and skew(known) <= 0.4):
        return mine.mean(), (mine.mean() - known.mean()) / known.std()
    middle = private_quantile(mine, 0.5)
    return middle, (middle - private_quantile(known, 0.5)) / deviation(known)


def check_profile(summary: dict[str, Any], table: pd.DataFrame, expected: dict[str, Any]) -> None:
    """Each column in bins, of all rows and of those of each cluster."""
    X, labels = expected["raw"], expected["labels"]
    for item in summary["profile"]:
        column = table[item["name"]]
        values = X[:, item["features"][0]]
        groups = [(np.ones(len(X), bool), item), *((labels == k, one) for k, one in
                  enumerate(item["clusters"]))]  # fmt: skip
        for mine, found in groups:
            known = column[mine].notna().sum()
            if found is None or found["counts"] is None:
                assert known < FEW
                continue
            assert known >= FEW
            assert found["missing"] == mine.sum() - known
            if item["labels"] is not None:
                named = column[mine].where(column.map(column.value_counts()) >= FEW, RARE)
                named = named[column[mine].notna()]
                assert found["counts"] == [(named == one).sum() for one in item["labels"]]
                continue
            assert found["counts"] == in_bins(values[mine], item["scale"])
            assert found["mean"] == near(np.nanmean(values[mine]))
            if "apart" in found:
                k = item["clusters"].index(found)
                middle, apart = middle_of(values, labels, k)
                assert found["middle"] == near(middle)
                assert found["apart"] == near(apart)
    for f, feature in enumerate(summary["features"]):
        check_spread(feature, X[:, f], feature["kind"] == "indicator")


def check_rows(summary: dict[str, Any], expected: dict[str, Any]) -> None:
    """The leaf of each row, and the rows in the plane."""
    labels, lookup, plane = expected["labels"], summary["lookup"], summary["plane"]
    numbers = np.frombuffer(base64.b64decode(lookup["data"]), f"<u{lookup['bytes']}")
    assert [lookup["leaves"][i] for i in numbers] == [path[-1] for path in expected["paths"]]
    n = plane["n_rows"] - plane["n_missing"]
    assert plane["n_rows"] == len(labels)
    assert sum(rows for _, _, rows, _, _ in plane["cells"]) == n
    for _, _, rows, k, share in plane["cells"]:
        assert 0 < round(share * rows) <= (labels == k).sum()
    if plane["kind"] == "components":
        assert plane["n_missing"] == 0
        assert plane["explained"] == pytest.approx(list(expected["components"]), abs=1e-5)
