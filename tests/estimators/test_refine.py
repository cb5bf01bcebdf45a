"""A better tree than the one that is there: `agathis.refine`."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from agathis import Kauri, fit_table, refine
from agathis.baselines import IMM, RDM, ExKMC, ExShallow, KMeansTree
from agathis.export import from_json, to_json, to_rules, to_sql
from agathis.metrics import optimality_gap

MODELS = (
    Kauri(3, max_leaf_nodes=6),
    Kauri(3, kernel="rbf", max_leaf_nodes=5),
    IMM(3, random_state=0),
    ExKMC(3, max_leaf_nodes=6, random_state=0),
    ExShallow(3, random_state=0),
    RDM(3, random_state=0),
    KMeansTree(3, kernel="laplacian", max_leaf_nodes=4, random_state=0),
)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_never_worse_and_no_larger(model, iris):
    model.fit(iris)
    tree = model.tree_
    better = refine(model, iris)
    assert better.inertia_ <= model.inertia_ * (1 + 1e-9)
    assert better.n_leaves_ <= model.n_leaves_
    assert better.n_clusters_ <= model.n_clusters_
    assert model.tree_ is tree
    if hasattr(model, "kernel"):
        assert better.kernel == model.kernel


def test_weights_and_a_given_matrix(iris):
    gram = iris @ iris.T
    model = Kauri(3, kernel="precomputed", max_leaf_nodes=4).fit(iris, gram=gram)
    better = refine(model, iris, gram=gram, sample_weight=np.ones(len(iris)))
    assert better.inertia_ <= model.inertia_ * (1 + 1e-9)


def test_what_has_no_tree_is_named(iris):
    with pytest.raises(TypeError, match="it is a KMeans, without tree_"):
        refine(KMeans(2, n_init=1).fit(iris), iris)
    with pytest.raises(NotFittedError, match="not fitted"):
        refine(Kauri(2, max_leaf_nodes=None), iris)
    with pytest.raises(ValueError, match="start is a tree of 4 features, and X has 2"):
        refine(Kauri(2, max_leaf_nodes=None).fit(iris), iris[:, :2])


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_model_from_a_file_is_searched_as_the_fitted_one(kernel):
    random = np.random.default_rng(0)
    table = pd.DataFrame(random.normal(size=(90, 2)), columns=["size", "age"])
    table["color"] = random.choice(["red", "green", "blue"], 90)
    table.loc[::9, "age"] = np.nan
    fitted = fit_table(table, 3, kernel=kernel, search="greedy", scale="rank")
    loaded = from_json(to_json(fitted))
    better, same = (refine(each, table, random_state=0) for each in (loaded, fitted))
    np.testing.assert_array_equal(better.predict(table), same.predict(table))
    assert better[-1].inertia_ == same[-1].inertia_ <= fitted[-1].inertia_ * (1 + 1e-9)
    assert better[-1].kernel == kernel
    # Rules are in raw columns, and once more from a file.
    assert '"color"' in to_sql(better) or '"size" <=' in to_sql(better)
    again = from_json(to_json(better))
    np.testing.assert_array_equal(again.encode(table), loaded.encode(table))
    np.testing.assert_array_equal(again.predict(table), same.predict(table))


def test_a_model_without_its_settings_is_not_searched(iris):
    tree = Kauri(3).fit(iris).tree_
    with pytest.raises(ValueError, match="rows cannot be encoded: a tree does"):
        refine(from_json(to_json(tree)), iris)


def test_a_tree_alone(iris):
    model = IMM(3, random_state=0).fit(iris)
    assert refine(model.tree_, iris).inertia_ <= model.inertia_ * (1 + 1e-9)


def test_growth_goes_on_from_a_start(iris):
    small = Kauri(3, max_leaf_nodes=3).fit(iris)
    large = Kauri(3, max_leaf_nodes=8).fit(iris)
    grown = Kauri(3, max_leaf_nodes=8).fit(iris, start=small)
    np.testing.assert_array_equal(grown.labels_, large.labels_)
    with pytest.raises(ValueError, match="start is a list; it must be a Tree"):
        Kauri(3, max_leaf_nodes=None).fit(iris, start=[1])


def test_pipelines(iris):
    """Of a raw table: the steps before the tree stay, and its rules are in raw units."""
    pipeline = make_pipeline(MinMaxScaler(), IMM(3, random_state=0)).fit(iris)
    better = refine(pipeline, iris)
    assert better[0] is pipeline[0]
    assert better[-1].inertia_ <= pipeline[-1].inertia_ * (1 + 1e-9)
    np.testing.assert_array_equal(better.predict(iris), better[-1].labels_)
    alone = refine(pipeline[-1], pipeline[0].transform(iris))
    np.testing.assert_array_equal(better[-1].labels_, alone.labels_)
    found = optimality_gap(better, iris)
    assert found == optimality_gap(better[-1], pipeline[0].transform(iris))
    frame = pd.DataFrame(iris, columns=["a", "b", "c", "d"])
    frame["kind"] = np.where(iris[:, 2] > 3, "long", "short")
    table = fit_table(frame, 3, search="greedy")
    better = refine(table, frame)
    assert better[-1].inertia_ <= table[-1].inertia_ * (1 + 1e-9)
    assert "x[" not in to_rules(better)


def test_a_loaded_model_keeps_its_kernel(iris):
    fitted = Kauri(3, kernel="rbf", gamma=0.5, max_leaf_nodes=5).fit(iris)
    better = refine(from_json(to_json(fitted)), iris, random_state=0)[-1]
    assert (better.kernel, better.gamma) == ("rbf", 0.5)
    assert better.inertia_ <= fitted.inertia_ * (1 + 1e-9)
    assert better.inertia_ == refine(fitted, iris, random_state=0).inertia_


def test_a_file_does_not_decide_how_long_a_search_takes(iris):
    fitted = Kauri(3, max_leaf_nodes=3, search="local", n_init=1, random_state=0).fit(iris)
    data = json.loads(to_json(fitted))
    data["spec"]["search"]["n_init"] = 10**300
    better = refine(from_json(json.dumps(data)), iris, random_state=0)[-1]
    assert better.n_init is None
    assert better.inertia_ <= fitted.inertia_ * (1 + 1e-9)
