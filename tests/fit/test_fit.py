"""A dataset and a spec make the tree of the estimator; settings are checked together."""

import json

import numpy as np
import pytest
from helpers.models import same_tree

from agathis import Kauri
from agathis._dataset.fit_input import dataset_of
from agathis._fit.fit import OPTIONAL_ATTRIBUTES, fit
from agathis._model.spec import FitSpec, NotRestorable

MODELS = [
    Kauri(3, max_leaf_nodes=6),
    Kauri(3, kernel="rbf", max_leaf_nodes=None, min_samples_leaf=0.05),
    Kauri(3, max_leaf_nodes=6, max_features=2, random_state=4),
    Kauri(3, max_leaf_nodes=6, search="local", search_effort=0.1, random_state=1),
    Kauri(2, search="optimal", search_effort=0.1),
    Kauri(3, split="pair", max_leaf_nodes=4),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_the_tree_is_that_of_the_estimator(model, iris):
    spec = FitSpec.from_dict(json.loads(json.dumps(FitSpec.of(model).to_dict())))
    found = fit(dataset_of(spec.to_estimator(), iris), spec)
    model.fit(iris)
    same_tree(found.tree, model.tree_)
    np.testing.assert_array_equal(found.labels, model.labels_)
    assert found.others["objective_"] == model.objective_
    kept = {name: value for name, value in vars(model).items() if name.endswith("_")}
    kept.pop("n_features_in_")
    assert found.attributes().keys() - {"_centres"} == kept.keys()


def test_nothing_is_left_of_another_fit(iris):
    model = Kauri(3, search="optimal", search_effort=0.1).fit(iris)
    assert set(OPTIONAL_ATTRIBUTES) <= vars(model).keys()
    model.set_params(search="greedy", kernel="rbf", engine="gram").fit(iris)
    assert not set(OPTIONAL_ATTRIBUTES) & vars(model).keys()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"search": "optimal", "split": "pair"}, "for splits on single columns"),
        ({"search": "optimal", "max_leaf_nodes": 5}, "max_leaf_nodes=5 is not supported"),
        ({"kernel": "rbf", "engine": "features"}, "engine='features' needs a feature map"),
        ({"engine": "gram", "n_components": 4}, "which engine=.gram. does not use"),
    ],
)
def test_settings_that_do_not_go_together(params, message, iris):
    model = Kauri(3, **params)
    with pytest.raises(ValueError, match=message):
        fit(dataset_of(model, iris), FitSpec.of(model))


def test_a_random_state_that_is_not_known(iris):
    model = Kauri(3, random_state=np.random.RandomState(0))
    spec = FitSpec.from_dict(FitSpec.of(model).to_dict())
    assert isinstance(spec.random_state, NotRestorable)
    with pytest.raises(ValueError, match="random_state was an instance of RandomState, which a fi"):
        fit(dataset_of(model, iris), spec)
