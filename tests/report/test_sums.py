"""Cuts of sums of two columns on the page: said, drawn, counted, and followed row by row."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import opened
from helpers.pair_trees import pair_model
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from agathis import report
from agathis._trees.builder import TreeBuilder

NAMES = ["petal length", "petal width"]
X = load_iris().data[:, 2:]


def model_of(*before):
    steps = make_pipeline(*before).fit(X)
    Z = steps.transform(X)
    builder = TreeBuilder()
    _, right = builder.cut(0, 0, -0.9, terms=((0, 1.0), (1, 0.5)))
    left, last = builder.cut(right, 0, -0.2, terms=((0, -1.0), (1, -1.0)))
    builder.cluster[left], builder.cluster[last] = 1, 2
    return make_pipeline(steps, pair_model(Z, builder))


@pytest.fixture(scope="module")
def summary():
    return report.summarise(model_of(StandardScaler()), X, feature_names=NAMES, rows=True)


def test_rules(summary):
    assert summary["nodes"][1]["rule"] == [[["", "petal length + 1.158 × petal width", " ≤ 3.563"]]]
    assert summary["nodes"][3]["condition"].startswith("≥ ")
    assert summary["clusters"][0]["name"] == "petal length + 1.158 × petal width ≤ 3.563"
    assert summary["nodes"][0]["feature"] is None
    assert summary["nodes"][0]["summed"] == [0, 1]
    assert summary["nodes"][1]["summed"] is None


def test_histograms_are_of_the_sums_in_words(summary):
    """Bins, threshold and counts are in the units of the sentence."""
    found = summary["nodes"][0]["histogram"]
    told = X @ [1.0, 1.158]
    assert found["threshold"] == 3.563
    first, step, count = found["scale"]
    assert first <= np.quantile(told, 0.005)
    assert first + step * count >= np.quantile(told, 0.995)
    assert [sum(side) for side in found["counts"]] == [50, 100]
    assert (told <= 3.563).sum() == 50


def test_regions_have_lines(summary):
    regions = summary["plane"]["regions"]
    assert [len(region[5]) for region in regions] == [1, 2, 2]
    for k, *_, lines in regions:
        own = [(a * X[:, 0] + b * X[:, 1] <= c) for a, b, c in lines]
        assert np.all(own, axis=0).sum() == summary["clusters"][k]["size"]


def test_a_step_that_is_no_arithmetic_is_told():
    found = report.summarise(
        model_of(FunctionTransformer(np.log), StandardScaler()), X, feature_names=NAMES
    )
    assert "stands in a sum as 'log of petal length'" in found["code"]["sql"]["ansi"]["error"]
    assert "log of petal length" in found["nodes"][0]["name"]
    assert found["plane"]["regions"] is None


@pytest.mark.slow
def test_page(browser, tmp_path):
    model = model_of(StandardScaler())
    with opened(browser, tmp_path, model, X, feature_names=NAMES, rows=True) as found:
        assert "petal length + 1.158 × petal width ≤ 3.563" in found.texts(".cluster")[0]
        polygons = found.page.locator("#plane polygon.region")
        assert polygons.count() == 3
        boxes = [polygons.nth(i).bounding_box() for i in range(3)]
        assert all(box["width"] > 20 and box["height"] > 20 for box in boxes)
        way = found.texts("#path li")
        assert "(petal length is 1.4, petal width is 0.2)" in way[1]
