"""Trees over the cells of centres: what holds for all four."""

from functools import partial

import numpy as np
import pytest
from helpers import centre_references as references
from helpers.centre_problems import METHODS, is_fine, problems, quiet
from helpers.invariants import same_tree
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.datasets import make_blobs
from sklearn.frozen import FrozenEstimator
from sklearn.utils.estimator_checks import check_sample_weight_equivalence_on_dense_data

from agathis import KernelKMeans
from agathis.baselines import RDM, ExKMC


class TestAlike:
    """What holds for all four."""

    @pytest.fixture(params=METHODS)
    def method(self, request):
        return request.param

    def test_iris(self, iris, method):
        model = method(3, random_state=0).fit(iris)
        is_fine(model, iris)
        assert model.n_leaves_ == model.n_clusters_ == 3
        np.testing.assert_array_equal(model.predict(iris), model.labels_)
        assert model.score(iris) == pytest.approx(np.sum(iris**2) - model.inertia_)

    @given(problem=problems(), seed=st.integers(0, 2**32 - 1))
    def test_rdm_is_fine(self, problem, seed):
        X, weight, centres = problem
        model = quiet(RDM(len(centres), centers=centres, random_state=seed), X, weight)
        is_fine(model, X, weight)

    @pytest.mark.parametrize("method", [*METHODS, partial(ExKMC, max_leaf_nodes=9)])
    @given(problem=problems(), of_estimator=st.booleans())
    def test_weights_are_repeats(self, method, problem, of_estimator):
        X, _, centres = problem
        weight = np.random.default_rng(len(X)).integers(0, 4, len(X))
        weight[0] = 2
        centres = centres[: max(1, np.count_nonzero(weight))]
        given = centres
        if of_estimator:
            given = KMeans(len(centres))
            given.cluster_centers_ = centres
        repeated = np.repeat(X, weight, axis=0)
        a = quiet(method(len(centres), centers=given, random_state=0), X, weight)
        b = quiet(method(len(centres), centers=given, random_state=0), repeated)
        same_tree(a.tree_, b.tree_, gains=1e-8, counts=False)
        assert a.inertia_ == pytest.approx(b.inertia_, abs=1e-9)
        np.testing.assert_array_equal(a.cluster_centers_, b.cluster_centers_)
        np.testing.assert_array_equal(np.repeat(a.teacher_labels_, weight), b.teacher_labels_)
        assert (a.teacher_labels_[weight == 0] == -1).all()
        np.testing.assert_array_equal(np.repeat(a.labels_, weight), b.labels_)

    @pytest.mark.filterwarnings("ignore:Only .* centres are nearest")
    def test_weights_are_repeats_to_scikit_learn_where_centres_are_given(self, method):
        # The check fits rows of 30 features.
        centres = np.random.default_rng(0).random((3, 30))
        model = method(3, centers=centres, random_state=0)
        check_sample_weight_equivalence_on_dense_data(method.__name__, model)

    def test_threads(self, method):
        X, _ = make_blobs(30_000, 5, centers=6, cluster_std=3.0, random_state=1)
        model = method(6, n_init=1, random_state=0)
        if method is ExKMC:
            model.set_params(max_leaf_nodes=20)
        one, two, three = (clone(model).set_params(n_jobs=t).fit(X) for t in (1, 2, 3))
        for other in (two, three):
            for name in ("feature", "threshold", "children_left", "cluster"):
                np.testing.assert_array_equal(
                    getattr(one.tree_, name), getattr(other.tree_, name), err_msg=name
                )

    def test_same_seed_same_tree(self, iris, method):
        a, b = (method(3, random_state=7).fit(iris) for _ in range(2))
        same_tree(a.tree_, b.tree_)
        again = a.tree_
        same_tree(a.fit(iris).tree_, again)

    def test_centres_of_an_estimator(self, iris, method):
        reference_clustering = KMeans(3, n_init=2, random_state=0).fit(iris)
        a = method(3, centers=reference_clustering, random_state=0).fit(iris)
        b = method(3, centers=reference_clustering.cluster_centers_.tolist(), random_state=0).fit(
            iris
        )
        same_tree(a.tree_, b.tree_)
        np.testing.assert_array_equal(a.teacher_labels_, reference_clustering.labels_)
        np.testing.assert_array_equal(a.cluster_centers_, reference_clustering.cluster_centers_)
        small = MiniBatchKMeans(3, n_init=1, random_state=0).fit(iris)
        is_fine(method(3, centers=small, random_state=0).fit(iris), iris)

    def test_centres_of_an_estimator_and_clones(self, iris, method):
        reference_clustering = KMeans(3, n_init=2, random_state=0).fit(iris)
        model = method(3, centers=reference_clustering, random_state=0).fit(iris)
        with pytest.raises(ValueError, match="has no cluster_centers_: fit it first"):
            clone(model).fit(iris)
        kept = clone(method(3, centers=FrozenEstimator(reference_clustering), random_state=0))
        same_tree(kept.fit(iris).tree_, model.tree_)

    @pytest.mark.parametrize("scale", [1e160, 1e300])
    def test_too_large_values(self, method, scale):
        X = np.random.default_rng(0).random((60, 3)) * scale
        with pytest.raises(ValueError, match=r"^centers or X are too large"):
            method(3, centers=X[:3]).fit(X)
        with pytest.raises(ValueError, match=r"^centers or X are too large"):
            method(3, centers=X[:3] * 1e3).fit(X / scale)

    def test_found_centres_are_those_of_kmeans(self, iris, method):
        reference_clustering = KMeans(3, n_init=4, random_state=3).fit(iris)
        model = method(3, n_init=4, random_state=3).fit(iris)
        np.testing.assert_allclose(
            model.cluster_centers_, reference_clustering.cluster_centers_, atol=1e-6
        )
        np.testing.assert_array_equal(model.teacher_labels_, reference_clustering.labels_)

    def test_rows_of_no_weight_are_no_rows_of_the_reference(self, iris, method):
        weight = np.ones(len(iris))
        weight[::3] = 0.0
        model = method(3, random_state=0).fit(iris, sample_weight=weight)
        is_fine(model, iris, weight)
        nearest = np.argmin(references.squared(iris, model.cluster_centers_), axis=1)
        np.testing.assert_array_equal(model.teacher_labels_, np.where(weight > 0, nearest, -1))
        rest = method(3, random_state=0, centers=model.cluster_centers_).fit(iris[weight > 0])
        again = method(3, random_state=0, centers=model.cluster_centers_)
        same_tree(again.fit(iris, sample_weight=weight).tree_, rest.tree_)

    def test_float32(self, iris, method):
        centres = iris[[0, 60, 120]]
        a = method(3, centers=centres, random_state=0).fit(iris.astype(np.float32))
        b = method(3, centers=centres, random_state=0).fit(iris.astype(np.float32).astype(float))
        same_tree(a.tree_, b.tree_)

    def test_all_rows_equal(self, method):
        X = np.full((9, 2), 0.1)
        with pytest.warns(UserWarning, match="Only 1 of n_clusters=3 centres"):
            model = method(3, random_state=0).fit(X)
        is_fine(model, X)
        assert (model.n_leaves_, model.n_clusters_, model.inertia_) == (1, 1, 0.0)
        np.testing.assert_allclose(model.cluster_centers_, [[0.1, 0.1]])

    def test_fewer_distinct_rows_than_clusters(self, method):
        X = np.repeat([[0.1, 0.3], [0.7, 0.3], [0.1, 0.9]], 5, axis=0)
        with pytest.warns(UserWarning, match="Only 3 of n_clusters=6 centres"):
            model = method(6, random_state=0).fit(X)
        is_fine(model, X)
        assert model.n_clusters_ == model.n_leaves_ == 3
        assert model.inertia_ == pytest.approx(0.0, abs=1e-25)

    def test_as_many_rows_as_clusters(self, method):
        X = np.random.default_rng(0).normal(size=(12, 2))
        model = method(12, random_state=0).fit(X)
        is_fine(model, X)
        assert model.n_leaves_ == 12
        assert model.inertia_ == 0.0

    def test_one_row(self, method):
        model = method(1, random_state=0).fit([[1.0, 2.0]])
        assert model.n_leaves_ == 1
        np.testing.assert_array_equal(model.cluster_centers_, [[1.0, 2.0]])

    def test_a_cluster_of_one_row(self, method):
        """A row far away is a cluster of one, and gets a leaf."""
        X = np.array([[0.0, 0.0], [0.1, 0.2], [5.0, 0.1], [5.2, 0.0], [2.0, 900.0]])
        model = method(3, random_state=0).fit(X)
        is_fine(model, X)
        assert np.count_nonzero(model.labels_ == model.labels_[4]) == 1

    def test_centres_outside_the_data(self, iris, method):
        centres = np.array([iris.min(axis=0) - 10, iris.max(axis=0) + 10])
        model = method(2, centers=centres, random_state=0).fit(iris)
        is_fine(model, iris)
        far = np.vstack([centres, centres[1] + 500])
        with pytest.warns(UserWarning, match="Only 2 of n_clusters=3 centres"):
            other = method(3, centers=far, random_state=0).fit(iris)
        is_fine(other, iris)
        assert other.n_clusters_ <= 2

    def test_equal_centres(self, iris, method):
        centres = iris[[0, 60, 120]]
        leaves = {"max_leaf_nodes": 6} if method is ExKMC else {}
        expected = method(3, centers=centres, random_state=0, **leaves).fit(iris)
        doubled = method(4, centers=centres[[0, 0, 1, 2]], random_state=0, **leaves)
        with pytest.warns(UserWarning, match="Only 3 of n_clusters=4 centres"):
            doubled.fit(iris)
        np.testing.assert_array_equal(doubled.labels_, expected.labels_)
        np.testing.assert_array_equal(doubled.cluster_centers_, expected.cluster_centers_)

    @pytest.mark.parametrize(
        ("centers", "message"),
        [
            ([[0.0, 1.0, 2.0]], r"centers must have .* \(3, 4\); it has shape \(1, 3\)"),
            ([0.0, 1.0], "centers"),
            ([[np.nan] * 4] * 3, "centers"),
            ([["a"] * 4] * 3, "centers must be numeric"),
            (KMeans(3), r"has no cluster_centers_: fit it first.*sklearn\.frozen\.FrozenEstimator"),
            (
                KernelKMeans(3, kernel="rbf").fit(np.eye(4)),
                "has no cluster_centers_",
            ),
        ],
    )
    def test_bad_centres(self, iris, method, centers, message):
        with pytest.raises(ValueError, match=message):
            method(3, centers=centers).fit(iris)

    @pytest.mark.parametrize(
        ("name", "value"), [("n_clusters", 0), ("n_init", 0), ("n_init", "many"), ("n_jobs", 1.5)]
    )
    def test_bad_parameters(self, iris, method, name, value):
        with pytest.raises(ValueError, match=f"'{name}' parameter .* must be"):
            method(**{name: value}).fit(iris)

    def test_too_few_rows(self, method):
        with pytest.raises(ValueError, match="n_samples=2 should be >= n_clusters=3"):
            method(3).fit([[0.0], [1.0]])

    def test_a_failed_fit_leaves_the_last(self, iris, method):
        model = method(3, random_state=0).fit(iris)
        tree = model.tree_
        with pytest.raises(ValueError, match="centers"):
            model.set_params(centers=[[0.0]]).fit(iris[:, :2])
        assert model.tree_ is tree
        assert model.n_features_in_ == 4

    def test_no_output(self, iris, method, capsys):
        method(3, random_state=0).fit(iris)
        assert capsys.readouterr() == ("", "")
