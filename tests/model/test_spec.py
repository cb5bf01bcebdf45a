"""A spec holds what decides a tree, survives JSON, and refuses what is no spec."""

import json

import numpy as np
import pytest
from sklearn.cluster import KMeans

from agathis import Kauri
from agathis._methods import METHODS
from agathis._model.spec import LEFT_OUT, FitSpec, NotRestorable
from agathis.baselines import ICOT, IMM, RDM, ExKMC, ExShallow, KMeansTree

ESTIMATORS = [
    Kauri(
        4,
        kernel="poly",
        degree=2,
        coef0=0.5,
        gamma=0.1,
        max_leaf_nodes=7,
        max_depth=3,
        min_samples_leaf=0.05,
        min_samples_split=6,
        max_features="sqrt",
        n_components=20,
        max_bins=64,
        subsample=500,
        random_state=3,
    ),
    Kauri(3, search="local", search_effort=0.1, n_init=2, split="pair"),
    Kauri(3, search="optimal", engine="features"),
    KMeansTree(3, max_leaf_nodes=5, n_init=2, algorithm="lloyd", random_state=0),
    IMM(3, random_state=1),
    ExKMC(3, max_leaf_nodes=6, base_tree=None, random_state=1),
    ExShallow(3, depth_factor=0.2, random_state=1),
    RDM(3, n_init="auto", random_state=1),
    ICOT(None, criterion="dunn", n_init=2, max_depth=3, random_state=1),
]


def named(estimator):
    return type(estimator).__name__


def through_json(spec):
    return FitSpec.from_dict(json.loads(json.dumps(spec.to_dict(), allow_nan=False)))


def a_kernel(a, b):
    return float(a @ b)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=named)
def test_the_same_estimator_comes_back(estimator):
    spec = through_json(FitSpec.of(estimator))
    assert spec == FitSpec.of(estimator)
    assert spec.to_estimator().get_params() == estimator.get_params()
    assert type(spec.to_estimator()) is type(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=named)
def test_the_same_tree_comes_back(estimator, iris):
    again = through_json(FitSpec.of(estimator)).to_estimator()
    np.testing.assert_array_equal(again.fit(iris).labels_, estimator.fit(iris).labels_)
    assert FitSpec.of(estimator) == FitSpec.of(again)


@pytest.mark.parametrize("name", METHODS)
def test_every_parameter_is_in_it_or_left_out(name):
    estimator = METHODS[name].estimator_class(2)
    assert FitSpec.of(estimator).parameters.keys() == estimator.get_params().keys() - LEFT_OUT


def test_every_method_is_tried():
    assert {FitSpec.of(e).method for e in ESTIMATORS} == {
        method.key for method in METHODS.values() if method.search is None
    }


def test_groups():
    spec = FitSpec.of(ESTIMATORS[0])
    assert (spec.kernel.kernel, spec.kernel.degree) == ("poly", 2)
    assert spec.constraints.min_samples_leaf == 0.05
    assert spec.approximation.n_components == 20
    assert (spec.max_features, spec.engine, spec.random_state) == ("sqrt", "auto", 3)
    # The runs of KMeans of a baseline are no search.
    assert FitSpec.of(IMM(3, n_init=4)).options["n_init"] == 4
    assert FitSpec.of(IMM(3, n_init=4)).search.n_init is None


def test_what_is_no_part_of_it():
    spec = FitSpec.of(Kauri(3, n_jobs=1, verbose=2, time_limit=1.0))
    assert spec == FitSpec.of(Kauri(3))
    assert spec.to_estimator(n_jobs=2, max_leaf_nodes=4).get_params()["max_leaf_nodes"] == 4


def test_what_json_does_not_hold():
    estimator = Kauri(3, kernel=a_kernel, random_state=np.random.RandomState(0))
    spec = through_json(FitSpec.of(estimator))
    assert spec.not_restorable == ("kernel", "random_state")
    assert spec.kernel.kernel == NotRestorable(f"{__name__}.a_kernel")
    assert through_json(spec) == spec
    with pytest.raises(ValueError, match=r"kernel was .*a_kernel, which a file cannot store"):
        spec.to_estimator(random_state=0)
    assert spec.to_estimator(kernel=a_kernel, random_state=0).kernel is a_kernel


def test_centres(iris):
    reference_clustering = KMeans(3, n_init=1, random_state=0).fit(iris)
    spec = through_json(FitSpec.of(IMM(3, centers=reference_clustering)))
    np.testing.assert_array_equal(
        spec.to_estimator().centers, reference_clustering.cluster_centers_
    )
    unfitted = through_json(FitSpec.of(IMM(3, centers=KMeans(3))))
    assert unfitted.options["centers"] == NotRestorable("an instance of KMeans")


def test_subclasses_and_strangers():
    class Mine(Kauri):
        pass

    assert FitSpec.of(Mine(3)).method == "kauri"
    with pytest.raises(ValueError, match="KMeans is not a clustering method of agathis; meth"):
        FitSpec.of(KMeans(3))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": "cart"}, "method='cart' must be one of 'kauri', 'kmeans_dt'"),
        ({"method": 3}, "method must be a string; it is 3"),
        ({"n_clusters": 0}, "'n_clusters' parameter of FitSpec must be an int in the range"),
        ({"n_clusters": True}, "n_clusters must not be True"),
        ({"n_jobs": 1}, "n_jobs is not a setting of method='kauri'"),
        ({"search": []}, r"search must be an object; it is \[\]"),
        ({"search": {"gamma": 1}}, "search.gamma is not a setting of method='kauri'"),
        ({"options": {"depth_factor": 1}}, "options.depth_factor is not a setting"),
        ({"kernel": {"kernel": "mine"}}, "'kernel' parameter of FitSpec must be a str among"),
        ({"constraints": {"max_depth": "deep"}}, "'max_depth' parameter of FitSpec must be"),
        ({"random_state": {"not_restorable": 1}}, "not_restorable must be a string; it is 1"),
        ({"engine": None}, "'engine' parameter of FitSpec"),
    ],
)
def test_refusals(change, message):
    data = FitSpec.of(Kauri(3)).to_dict() | change
    with pytest.raises(ValueError, match=message):
        FitSpec.from_dict(data)


def test_missing_settings_and_other_data():
    data = FitSpec.of(Kauri(3)).to_dict()
    del data["search"]["split"]
    with pytest.raises(ValueError, match="a spec of method='kauri' must have split"):
        FitSpec.from_dict(data)
    for other in (None, [], "kauri", 3):
        with pytest.raises(ValueError, match="a spec must be an object"):
            FitSpec.from_dict(other)
    centres = FitSpec.of(IMM(2)).to_dict()
    for value in ("rows", [[1.0], [1.0, 2.0]], [1.0], {"a": 1}):
        centres["options"]["centers"] = value
        with pytest.raises(ValueError, match="centers must be rows of"):
            FitSpec.from_dict(centres)
