"""scikit-learn's own checks, for every estimator and each of its ways through the code."""

import pytest
from helpers.sklearn_checks import EXPECTED, run_check
from sklearn.utils.estimator_checks import parametrize_with_checks

from agathis import Kauri, KernelKMeans
from agathis.baselines import ICOT, IMM, RDM, ExKMC, ExShallow, KMeansTree

#: Of Kauri's ways through the code those that most fits take, and one of each kind of rival.
CONFIGURATIONS = [
    Kauri(max_leaf_nodes=None),
    Kauri(search="local", search_effort=0.1, max_leaf_nodes=12),
    KernelKMeans(),
    IMM(),
]
MORE = [
    Kauri(engine="binned", max_leaf_nodes=None),
    Kauri(kernel="rbf", keep_training_data=True, max_leaf_nodes=None),
    KMeansTree(max_leaf_nodes=None),
    ExKMC(),
    ExShallow(),
    RDM(),
    ICOT(),
    Kauri(kernel="chi2", keep_training_data=True, max_leaf_nodes=None),
    Kauri(max_features=1, max_leaf_nodes=None),
    Kauri(engine="blocks", max_leaf_nodes=None),
    Kauri(kernel="rbf", n_components=8, max_leaf_nodes=None),
    Kauri(
        kernel="rbf",
        keep_training_data=True,
        search="local",
        search_effort=0.1,
        split="pair",
        max_leaf_nodes=None,
    ),
    Kauri(2, search="optimal", time_limit=5),
    KernelKMeans(kernel="chi2"),
    KernelKMeans(algorithm="lloyd", kernel="rbf"),
    KernelKMeans(algorithm="similarity"),
    KMeansTree(kernel="chi2", max_leaf_nodes=None),
    KMeansTree(algorithm="lloyd", max_leaf_nodes=None),
    ExKMC(base_tree=None),
    ICOT(None, criterion="dunn", n_init=4),
]
# Some checks ask for one or two components, whatever that leaves out, or have fewer distinct rows
# than the default number of clusters.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.* leave out .* of kernel"),
    pytest.mark.filterwarnings("ignore:Number of distinct clusters"),
    pytest.mark.filterwarnings("ignore:Only .* centres are nearest"),
]


@parametrize_with_checks(CONFIGURATIONS)
def test_check(estimator, check):
    run_check(estimator, check)


@pytest.mark.slow
@parametrize_with_checks(MORE)
def test_check_of_other_parameters(estimator, check):
    run_check(estimator, check)


@pytest.mark.parametrize("failure", EXPECTED, ids=lambda one: f"{one.estimator}-{one.check}")
def test_expected_failures_are_of_estimators_that_are_checked(failure):
    assert any(failure.is_of(estimator) for estimator in [*CONFIGURATIONS, *MORE])
