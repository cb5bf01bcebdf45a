"""Every estimator with a tree, through everything that takes one.

A function that is added to ``agathis.export``, ``agathis.metrics`` or ``agathis.plot`` and takes a
model has to be named here: `test_nothing_is_left_out` sees to that.
"""

import re
import sqlite3
from inspect import signature

import numpy as np
import pytest
from helpers.exports import BASELINES, around
from helpers.invariants import route, valid_tree
from helpers.reference import objective
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import linear_kernel

from agathis import Kauri, export, metrics, plot

NAMES = ["sl", "sw", "pl", "pw"]
ESTIMATORS = {"Kauri": lambda k: Kauri(k, max_leaf_nodes=2 * k, n_jobs=1), **BASELINES}


@pytest.fixture(scope="module", params=ESTIMATORS)
def model(request):
    return ESTIMATORS[request.param](3).fit(load_iris().data)


@pytest.fixture(scope="module")
def rows(model, iris):
    """Rows of the fit, rows about them, and rows at the thresholds."""
    return np.vstack([iris, around(np.random.default_rng(0), model.tree_, iris, missing=False)])


@pytest.fixture(scope="module")
def clusters(model, rows):
    """The cluster of each row, by walking down the tree one condition at a time."""
    tree, out = model.tree_, []
    for row in rows:
        node = 0
        while tree.children_left[node] >= 0:
            left = row[tree.feature[node]] <= tree.threshold[node]
            node = (tree.children_left if left else tree.children_right)[node]
        out.append(tree.cluster[node])
    return np.array(out)


class TestModel:
    def test_tree(self, model, iris):
        kauri = isinstance(model, Kauri)
        valid_tree(model.tree_, iris, model.labels_, n_clusters=3, midpoints=kauri, kauri=kauri)
        assert model.n_clusters_ == model.tree_.n_clusters == len(np.unique(model.labels_)) > 1
        assert model.n_leaves_ == model.tree_.n_leaves
        assert (model.get_n_leaves(), model.get_depth()) == (model.n_leaves_, model.tree_.max_depth)

    def test_predict(self, model, iris, rows, clusters):
        np.testing.assert_array_equal(model.predict(rows), clusters)
        np.testing.assert_array_equal(model.predict(iris), model.labels_)

    def test_apply_and_decision_path(self, model, rows, clusters):
        tree, leaves = model.tree_, model.apply(rows)
        assert tree.is_leaf[leaves].all()
        np.testing.assert_array_equal(tree.cluster[leaves], clusters)
        path = model.decision_path(rows).toarray().astype(bool)
        np.testing.assert_array_equal(path, route(tree, rows))
        assert path[np.arange(len(rows)), leaves].all()
        np.testing.assert_array_equal(path.sum(axis=1), tree.depth[leaves] + 1)

    def test_score(self, model, iris, rows, clusters):
        assert model.score(rows) == pytest.approx(objective(linear_kernel(rows), clusters))
        assert model.score(iris) == pytest.approx(np.sum(iris**2) - model.inertia_)

    def test_importances(self, model):
        importances = model.feature_importances_
        assert importances.sum() == pytest.approx(1.0)
        used = set(model.tree_.feature[~model.tree_.is_leaf].tolist())
        assert set(np.flatnonzero(importances).tolist()) <= used


class TestMetrics:
    def test_depth(self, model, rows):
        depth = model.tree_.depth[model.apply(rows)]
        assert metrics.weighted_average_depth(model, rows) == pytest.approx(depth.mean() + 1)

    def test_explanation_size(self, model, rows):
        tree, sizes = model.tree_, []
        for row in rows:
            node, asked = 0, set()
            while tree.children_left[node] >= 0:
                feature = tree.feature[node]
                left = bool(row[feature] <= tree.threshold[node])
                asked.add((feature, left))
                node = (tree.children_left if left else tree.children_right)[node]
            sizes.append(len(asked))
        found = metrics.weighted_average_explanation_size(model, rows)
        assert found == pytest.approx(np.mean(sizes))

    def test_table(self, model, rows, clusters):
        table = metrics.explanation_table(model, rows, feature_names=NAMES)
        assert len(table) == model.n_leaves_
        leaves = model.apply(rows)
        for row in table:
            assert row["size"] == np.sum(leaves == row["leaf"])
            assert row["cluster"] == model.tree_.cluster[row["leaf"]]
        assert sum(table["size"]) == len(clusters)

    def test_optimality_gap(self, model, iris):
        found = metrics.optimality_gap(model, iris, time_limit=2.0)
        assert found.cost == pytest.approx(model.inertia_)
        assert 0 <= found.lower_bound <= found.cost
        assert found.gap == pytest.approx(1 - found.lower_bound / found.cost)

    def test_relative_cost(self, model, iris):
        found = metrics.relative_kmeans_score(iris, model, reference=2.0)
        assert found == pytest.approx(model.inertia_ / 2)
        assert metrics.kernel_kmeans_score(iris, model.labels_) == pytest.approx(model.inertia_)


class TestExport:
    def test_text(self, model):
        lines = export.to_text(model, feature_names=NAMES).splitlines()
        leaves = [line for line in lines if "cluster" in line]
        assert len(leaves) == model.n_leaves_
        assert len(lines) - len(leaves) == 2 * (model.n_leaves_ - 1)
        sizes = [int(re.search(r"\((\d+) sample", line)[1]) for line in leaves]
        assert sum(sizes) == 150

    def test_rules(self, model, iris, rows, clusters):
        """As conditions of Python the rules are true of the rows of their cluster alone."""
        rules = export.to_rules(model, feature_names=NAMES, digits=17)
        assert rules["size"] == np.bincount(model.labels_).tolist()
        for row in rules:
            code = compile(row["rule"], "rule", "eval")
            found = [eval(code, {}, dict(zip(NAMES, values, strict=True))) for values in rows]
            np.testing.assert_array_equal(found, clusters == row["cluster"])
        counted = export.to_rules(model, iris, load_iris().target, feature_names=NAMES)
        assert all(1 / 3 <= row["purity"] <= 1 for row in counted)

    def test_sql(self, model, rows, clusters):
        query = export.to_sql(model, dialect="sqlite", table="flowers", feature_names=NAMES)
        connection = sqlite3.connect(":memory:")
        try:
            connection.execute(f"CREATE TABLE flowers ({', '.join(f'{n} DOUBLE' for n in NAMES)})")
            connection.executemany("INSERT INTO flowers VALUES (?, ?, ?, ?)", rows.tolist())
            found = [row[-1] for row in connection.execute(query).fetchall()]
        finally:
            connection.close()
        np.testing.assert_array_equal(found, clusters)

    def test_json(self, model, rows, clusters):
        text = export.to_json(model, feature_names=NAMES)
        loaded = export.from_json(text)
        assert isinstance(loaded, export.FittedModel)
        assert loaded.method == type(model).__name__
        np.testing.assert_array_equal(loaded.predict(rows), clusters)
        np.testing.assert_array_equal(loaded.apply(rows), model.apply(rows))
        assert export.to_json(loaded) == text
        named = export.renamed(model, {0: "first"})
        assert named.cluster_names_[0] == "first"
        np.testing.assert_array_equal(named.predict(rows), clusters)

    def test_python(self, model, rows, clusters):
        names = {}
        exec(export.to_python(model, feature_names=NAMES), names)
        function = names["cluster_of"]
        np.testing.assert_array_equal([function(row) for row in rows.tolist()], clusters)
        named = [function(dict(zip(NAMES, row, strict=True))) for row in rows.tolist()]
        np.testing.assert_array_equal(named, clusters)

    def test_dot(self, model):
        text, tree = export.to_dot(model, feature_names=NAMES), model.tree_
        edges = {tuple(map(int, edge)) for edge in re.findall(r"(\d+) -> (\d+)", text)}
        inner = np.flatnonzero(~tree.is_leaf)
        assert edges == {
            (node, child)
            for node in inner
            for child in (tree.children_left[node], tree.children_right[node])
        }
        assert text.count("[label=") == tree.node_count + len(edges)

    def test_sklearn(self, model, iris):
        classifier = export.to_sklearn(model, iris, feature_names=None)
        np.testing.assert_array_equal(classifier.predict(iris), model.labels_)
        np.testing.assert_array_equal(classifier.apply(iris), model.apply(iris))

    def test_onnx(self, model, iris):
        pytest.importorskip("skl2onnx")
        runtime = pytest.importorskip("onnxruntime")
        data = export.to_onnx(model, X=iris)
        session = runtime.InferenceSession(data, providers=["CPUExecutionProvider"])
        labels, shares = session.run(None, {"X": iris.astype(np.float32)})
        np.testing.assert_array_equal(labels, model.labels_)
        np.testing.assert_array_equal(shares.argmax(axis=1), model.labels_)


class TestPlotData:
    def test_layout(self, model):
        layout = plot.layout_tree(model, feature_names=NAMES)
        assert len(layout.nodes) == model.tree_.node_count
        assert layout.n_clusters == model.n_clusters_
        leaves = [node for node in layout.nodes if node.kind == "leaf"]
        assert [n.cluster for n in leaves] == [model.tree_.cluster[n.node] for n in leaves]
        assert sum(node.size for node in leaves) == 150

    def test_points(self, model, iris):
        points = plot.cluster_points(model, iris, feature_names=NAMES, features=("pl", "pw"))
        np.testing.assert_array_equal(points.cluster, model.labels_)
        np.testing.assert_array_equal(points.points, iris[:, 2:])

    def test_profile(self, model, iris):
        profile = plot.cluster_profile(model, iris, feature_names=NAMES)
        np.testing.assert_array_equal(profile.sizes, np.bincount(model.labels_))
        for k in range(model.n_clusters_):
            mean = iris[model.labels_ == k].mean(axis=0)
            np.testing.assert_allclose(profile.means[k], mean[profile.features])

    def test_gains(self, model, iris):
        """All gains together are what clusters, or leaves, take off the cost of one cluster."""
        curve = plot.gain_curve(model)
        assert curve.n_leaves[-1] == model.n_leaves_
        assert curve.n_clusters[-1] == model.n_clusters_
        parts = model.labels_ if isinstance(model, Kauri) else model.apply(iris)
        taken = metrics.kernel_kmeans_score(iris, np.zeros(150)) - metrics.kernel_kmeans_score(
            iris, parts
        )
        assert curve.cumulative[-1] == pytest.approx(taken)
        if isinstance(model, Kauri):
            assert curve.objective[-1] == pytest.approx(model.objective_)
        else:
            assert curve.objective is None


@pytest.mark.slow
@pytest.mark.parametrize("draw", ["plot_clusters", "plot_gains", "plot_profile", "plot_tree"])
def test_pictures(model, iris, draw):
    figures = pytest.importorskip("matplotlib.figure")
    figure = figures.Figure()
    ax = figure.add_subplot()
    data = [iris] if "X" in signature(getattr(plot, draw)).parameters else []
    assert getattr(plot, draw)(model, *data, ax=ax) is ax
    figure.canvas.draw()
    if draw == "plot_tree":
        assert {f"cluster {k}" for k in range(model.n_clusters_)} <= {
            text.get_text() for text in ax.texts
        }


def test_nothing_is_left_out():
    with open(__file__, encoding="utf-8") as file:
        source = file.read()
    for module in (export, metrics, plot):
        for name in module.__all__:
            given = signature(getattr(module, name)).parameters
            # Measures of labels take a model in their place, where they do.
            if "model" in given or name in ("from_json", "FittedModel", "relative_kmeans_score"):
                assert name in source, f"{module.__name__}.{name} is not tried"
