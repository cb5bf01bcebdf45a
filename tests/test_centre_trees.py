"""Trees over the cells of centres: each equal to its naive twin, and what they share."""

import warnings

import centre_twins as twins
import numpy as np
import pytest
from agathis._core.centre_cuts import distances
from hypothesis import given
from hypothesis import strategies as st
from invariants import equal_trees, same_tree, valid_tree
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.datasets import make_blobs
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import adjusted_rand_score
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import weights

from agathis import Kauri, KernelKMeans
from agathis._kernels import Kernel
from agathis._partition import kernel_cost
from agathis.rivals import IMM, RDM, ExKMC, ExShallow
from agathis.rivals.rdm import Gaps

METHODS = (IMM, ExKMC, ExShallow, RDM)


def quiet(model, X, weight=None):
    """Fit where centres without rows are part of the game."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".* centres are used")
        return model.fit(X, sample_weight=weight)


@st.composite
def problems(draw, most_rows=14, most_centres=5):
    """Rows, weights and centres; many ties, centres among the rows or outside them."""
    seed = draw(st.integers(0, 2**32 - 1))
    n, d = draw(st.integers(1, most_rows)), draw(st.integers(1, 3))
    k = draw(st.integers(1, min(most_centres, n)))
    kind = draw(st.sampled_from(["integer", "normal", "few rows"]))
    place = draw(st.sampled_from(["rows", "anywhere", "means"]))
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) if kind == "normal" else random.integers(0, 5, (n, d)) * 1.0
    if kind == "few rows":
        X = X[random.integers(0, max(1, n // 2), n)]
    if place == "rows":
        centres = X[random.choice(n, k, replace=False)]
    elif place == "anywhere":
        centres = random.integers(-2, 13, (k, d)) / 2
    else:
        parts = np.arange(n) % k
        centres = np.stack([X[parts == j].mean(axis=0) for j in range(k)])
    weight = weights(random, n, draw(st.sampled_from([None, "whole", "fractions"])))
    return X, weight, centres


def same_as_twin(model, X, weight, sketch, centres):
    share = np.ones(len(X)) if weight is None else weight
    tree, kept = sketch.tree(X, share, Kernel("linear"), 1)
    equal_trees(model.tree_, tree)
    np.testing.assert_array_equal(model.cluster_centers_, centres[kept])


def is_fine(model, X, weight=None):
    valid_tree(
        model.tree_, X, model.labels_, weight, model.n_clusters, midpoints=False, kauri=False
    )
    assert model.cluster_centers_.shape == (model.n_clusters_, X.shape[1])
    assert model.teacher_labels_.shape == (len(X),)
    assert model.inertia_ == pytest.approx(
        kernel_cost(Kernel("linear"), X, model.labels_, weight, 1)
    )


class TestTwins:
    @given(problems())
    def test_imm(self, problem):
        X, weight, centres = problem
        share = np.ones(len(X)) if weight is None else weight
        model = quiet(IMM(len(centres), centers=centres), X, weight)
        is_fine(model, X, weight)
        used, own = twins.used_centres(X, centres)
        same_as_twin(model, X, weight, twins.imm(X, share, used, own)[0], used)

    @given(problems(), st.integers(2, 8), st.booleans())
    def test_exkmc(self, problem, leaves, from_imm):
        X, weight, centres = problem
        share = np.ones(len(X)) if weight is None else weight
        most = max(leaves, len(centres))
        base = "imm" if from_imm else None
        model = ExKMC(len(centres), centers=centres, max_leaf_nodes=most, base_tree=base)
        quiet(model, X, weight)
        is_fine(model, X, weight)
        assert model.n_leaves_ <= most
        used, own = twins.used_centres(X, centres)
        sketch = twins.exkmc(X, share, used, own, most, from_imm)
        same_as_twin(model, X, weight, sketch, used)

    @given(problems(most_centres=8), st.sampled_from([0, 0.03, 0.3, 5.0]))
    def test_shallow(self, problem, factor):
        X, weight, centres = problem
        share = np.ones(len(X)) if weight is None else weight
        model = ExShallow(len(centres), centers=centres, depth_factor=factor)
        quiet(model, X, weight)
        is_fine(model, X, weight)
        used, _ = twins.used_centres(X, centres)
        same_as_twin(model, X, weight, twins.shallow(X, share, used, factor), used)

    @given(problems(most_centres=8), st.integers(0, 2**32 - 1), st.booleans())
    def test_rdm(self, problem, seed, instance):
        """An int is the seed of the cuts; an instance goes on where it is."""
        X, weight, centres = problem
        # Places of centres that nearly coincide are the same up to rounding.
        centres = np.round(centres, 3)
        self.check_rdm(X, weight, centres, seed, instance)

    @pytest.mark.parametrize("seed", range(30))
    def test_rdm_sides_without_rows(self, seed):
        """Rows far from their centres: nodes have centres whose rows are all elsewhere."""
        random = np.random.default_rng(seed)
        centres = np.round(random.normal(size=(40, 20)), 3)
        X = centres[random.integers(0, 40, 40)] + random.normal(size=(40, 20))
        self.check_rdm(X, None, centres, seed, False)

    def check_rdm(self, X, weight, centres, seed, instance):
        used, _ = twins.used_centres(X, centres)
        source = np.random.RandomState(seed) if instance else seed
        model = quiet(RDM(len(centres), centers=centres, random_state=source), X, weight)
        random = np.random.RandomState(seed) if instance else np.random.default_rng(seed)
        sketch = twins.rdm(X, used, random.uniform(size=len(used) - 1))
        share = np.ones(len(X)) if weight is None else weight
        tree, kept = sketch.tree(X, share, Kernel("linear"), 1)
        same_tree(model.tree_, tree, gains=1e-9 * max(1.0, tree.gain.max()), thresholds=1e-6)
        np.testing.assert_array_equal(model.cluster_centers_, used[kept])

    @pytest.mark.parametrize("seed", range(4))
    def test_more_rows_than_a_block(self, seed):
        """Some hundred rows and a dozen centres: all loops run through more than one block."""
        X, _ = make_blobs(300, 2, centers=9, cluster_std=2.0, random_state=seed)
        X = np.round(X, 1) if seed % 2 else X
        weight = np.random.default_rng(seed).integers(1, 4, len(X)) * 1.0
        centres = KMeans(9, n_init=1, random_state=seed).fit(X).cluster_centers_
        used, own = twins.used_centres(X, centres)
        model = IMM(9, centers=centres).fit(X, sample_weight=weight)
        same_as_twin(model, X, weight, twins.imm(X, weight, used, own)[0], used)
        model = ExShallow(9, centers=centres).fit(X, sample_weight=weight)
        same_as_twin(model, X, weight, twins.shallow(X, weight, used, 0.03), used)
        model = ExKMC(9, centers=centres, max_leaf_nodes=14).fit(X, sample_weight=weight)
        same_as_twin(model, X, weight, twins.exkmc(X, weight, used, own, 14, True), used)

    @pytest.mark.parametrize("n_centres", [1, 7, 8, 9, 20])
    def test_distances(self, n_centres):
        random = np.random.default_rng(0)
        X, centres = random.normal(size=(700, 5)), random.normal(size=(n_centres, 5))
        centres[0] = X[3]
        found = distances(X, centres, 2)[:, :n_centres]
        np.testing.assert_allclose(found, twins.squared(X, centres), rtol=1e-12)
        assert found[3, 0] == 0.0


class TestFarRows:
    """A row far away has a centre of its own, and changes nothing for the others."""

    FAR = (1e3, 1e4, 1e5, 1e6, 1e7, 1e9)

    @pytest.fixture(params=FAR)
    def far(self, iris, request):
        X = np.vstack([iris, np.full((1, 4), request.param)])
        parts = (slice(50), slice(50, 100), slice(100, 150), slice(150, 151))
        return X, np.stack([X[part].mean(axis=0) for part in parts])

    def near_only(self, iris, far, method, **settings):
        return method(3, centers=far[1][:3], **settings).fit(iris)

    def test_imm_and_exkmc_of_as_many_leaves(self, iris, far):
        X, centres = far
        imm, exkmc = (method(4, centers=centres).fit(X) for method in (IMM, ExKMC))
        np.testing.assert_array_equal(imm.labels_, exkmc.labels_)
        alone = self.near_only(iris, far, IMM)
        assert exkmc.inertia_ == pytest.approx(alone.inertia_)
        np.testing.assert_array_equal(exkmc.labels_[:-1], alone.labels_)

    @pytest.mark.parametrize("base", ["imm", None])
    def test_exkmc_of_more_leaves(self, iris, far, base):
        X, centres = far
        model = ExKMC(4, centers=centres, max_leaf_nodes=8, base_tree=base).fit(X)
        alone = self.near_only(iris, far, ExKMC, max_leaf_nodes=7, base_tree=base)
        assert model.n_leaves_ == alone.n_leaves_ + 1
        np.testing.assert_array_equal(model.labels_[:-1], alone.labels_)
        assert model.inertia_ == pytest.approx(alone.inertia_)

    def test_shallow(self, iris, far):
        X, centres = far
        model = ExShallow(4, centers=centres, depth_factor=0).fit(X)
        alone = self.near_only(iris, far, ExShallow, depth_factor=0)
        np.testing.assert_array_equal(model.labels_[:-1], alone.labels_)
        assert model.inertia_ == pytest.approx(alone.inertia_)

    @pytest.mark.parametrize("method", [IMM, ExKMC, ExShallow])
    def test_twins(self, far, method):
        X, centres = far
        used, own = twins.used_centres(X, centres)
        share = np.ones(len(X))
        sketch = {
            IMM: lambda: twins.imm(X, share, used, own)[0],
            ExKMC: lambda: twins.exkmc(X, share, used, own, 4, True),
            ExShallow: lambda: twins.shallow(X, share, used, 0.03),
        }[method]()
        same_as_twin(method(4, centers=centres).fit(X), X, None, sketch, used)


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

    @given(problem=problems(), method=st.sampled_from(METHODS))
    def test_weights_are_repeats(self, problem, method):
        X, _, centres = problem
        weight = np.random.default_rng(len(X)).integers(0, 4, len(X)) * 1.0
        weight[0] = 2.0
        centres = centres[: max(1, np.count_nonzero(weight))]
        model = method(len(centres), centers=centres, random_state=0)
        repeated = np.repeat(X, weight.astype(int), axis=0)
        a, b = quiet(model, X, weight), quiet(clone(model), repeated)
        same_tree(a.tree_, b.tree_, gains=1e-8, counts=False)
        assert a.inertia_ == pytest.approx(b.inertia_, abs=1e-9)
        np.testing.assert_array_equal(a.cluster_centers_, b.cluster_centers_)
        np.testing.assert_array_equal(
            np.repeat(a.teacher_labels_, weight.astype(int)), b.teacher_labels_
        )

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
        teacher = KMeans(3, n_init=2, random_state=0).fit(iris)
        a = method(3, centers=teacher, random_state=0).fit(iris)
        b = method(3, centers=teacher.cluster_centers_.tolist(), random_state=0).fit(iris)
        same_tree(a.tree_, b.tree_)
        np.testing.assert_array_equal(a.teacher_labels_, teacher.labels_)
        np.testing.assert_array_equal(a.cluster_centers_, teacher.cluster_centers_)
        small = MiniBatchKMeans(3, n_init=1, random_state=0).fit(iris)
        is_fine(method(3, centers=small, random_state=0).fit(iris), iris)

    def test_centres_of_an_estimator_and_clones(self, iris, method):
        teacher = KMeans(3, n_init=2, random_state=0).fit(iris)
        model = method(3, centers=teacher, random_state=0).fit(iris)
        with pytest.raises(ValueError, match="A clone of an estimator has clones"):
            clone(model).fit(iris)
        kept = clone(method(3, centers=FrozenEstimator(teacher), random_state=0))
        same_tree(kept.fit(iris).tree_, model.tree_)

    @pytest.mark.parametrize("scale", [1e153, 1e160, 1e300])
    def test_too_large_values(self, method, scale):
        X = np.random.default_rng(0).random((60, 3)) * scale
        with pytest.raises(ValueError, match=r"^X is too large: .* the largest value is 9"):
            method(3, random_state=0).fit(X)
        with pytest.raises(ValueError, match=r"^X is too large"):
            method(3, centers=X[:3]).fit(X)
        with pytest.raises(ValueError, match=r"^centers or X are too large"):
            method(3, centers=X[:3] * 1e3).fit(X / scale)

    @pytest.mark.parametrize("scale", [1e-150, 1e-160, 1e-200, 1e-300])
    def test_tiny_values(self, iris, method, scale):
        weight = np.arange(150) % 4.0
        expected = method(3, random_state=0).fit(iris, sample_weight=weight)
        for centers in (None, expected.cluster_centers_ * scale):
            model = method(3, centers=centers, random_state=0)
            model.fit(iris * scale, sample_weight=weight)
            assert model.n_clusters_ == 3
            assert adjusted_rand_score(model.labels_, expected.labels_) == 1.0
            near = cdist(iris, model.cluster_centers_ / scale).argmin(axis=1)
            np.testing.assert_array_equal(model.teacher_labels_, near)
            np.testing.assert_array_equal(model.predict(iris * scale), model.labels_)

    def test_found_centres_are_those_of_kmeans(self, iris, method):
        teacher = KMeans(3, n_init=4, random_state=3).fit(iris)
        model = method(3, n_init=4, random_state=3).fit(iris)
        np.testing.assert_allclose(model.cluster_centers_, teacher.cluster_centers_, atol=1e-6)
        np.testing.assert_array_equal(model.teacher_labels_, teacher.labels_)

    def test_rows_of_no_weight_have_a_teacher_label(self, iris, method):
        weight = np.ones(len(iris))
        weight[::3] = 0.0
        model = method(3, random_state=0).fit(iris, sample_weight=weight)
        is_fine(model, iris, weight)
        nearest = np.argmin(twins.squared(iris, model.cluster_centers_), axis=1)
        np.testing.assert_array_equal(model.teacher_labels_, nearest)
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
        with pytest.warns(UserWarning, match="1 of n_clusters=3 centres are used: X has too few"):
            model = method(3, random_state=0).fit(X)
        is_fine(model, X)
        assert (model.n_leaves_, model.n_clusters_, model.inertia_) == (1, 1, 0.0)
        np.testing.assert_allclose(model.cluster_centers_, [[0.1, 0.1]])

    def test_fewer_distinct_rows_than_clusters(self, method):
        X = np.repeat([[0.1, 0.3], [0.7, 0.3], [0.1, 0.9]], 5, axis=0)
        with pytest.warns(UserWarning, match="3 of n_clusters=6 centres are used"):
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

    def test_one_row_of_its_own(self, method):
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
        with pytest.warns(UserWarning, match="2 of n_clusters=3 centres are used: no row is nea"):
            other = method(3, centers=far, random_state=0).fit(iris)
        is_fine(other, iris)
        assert other.n_clusters_ <= 2

    def test_equal_centres(self, iris, method):
        centres = iris[[0, 60, 120]]
        leaves = {"max_leaf_nodes": 6} if method is ExKMC else {}
        expected = method(3, centers=centres, random_state=0, **leaves).fit(iris)
        doubled = method(4, centers=centres[[0, 0, 1, 2]], random_state=0, **leaves)
        with pytest.warns(UserWarning, match="no row is nearest .* 1 of which are equal"):
            doubled.fit(iris)
        np.testing.assert_array_equal(doubled.labels_, expected.labels_)
        np.testing.assert_array_equal(doubled.cluster_centers_, expected.cluster_centers_)

    @pytest.mark.parametrize(
        ("centers", "message"),
        [
            ([[0.0, 1.0, 2.0]], r"centers must have .* \(3, 4\); it has shape \(1, 3\)"),
            ([0.0, 1.0], "centers"),
            ([[np.nan] * 4] * 3, "centers"),
            ([["a"] * 4] * 3, "centers must hold numbers"),
            (KMeans(3), r"is not fitted: fit it first.*sklearn\.frozen\.FrozenEstimator"),
            (
                KernelKMeans(3, kernel="rbf").fit(np.eye(4)),
                "is fitted, but has no cluster_centers_",
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

    def test_no_word_of_it(self, iris, method, capsys):
        method(3, random_state=0).fit(iris)
        assert capsys.readouterr() == ("", "")


# Some checks have fewer distinct rows than the default number of clusters.
@pytest.mark.filterwarnings("ignore:.* centres are used")
class TestScikitLearnChecks:
    @parametrize_with_checks(
        [IMM(), ExKMC(), ExKMC(base_tree=None), ExShallow(), RDM(), IMM(centers=None, n_init=1)]
    )
    def test_check(self, estimator, check):
        if check.func.__name__ == "check_sample_weight_equivalence_on_dense_data":
            pytest.xfail("KMeans draws its first centres, and others where rows are repeated")
        check(estimator)


class TestSpecial:
    """What one of them has of its own."""

    @pytest.fixture
    def far_pair(self):
        """Two narrow groups side by side, and above each of them one point far away."""
        random = np.random.default_rng(0)
        groups = [random.normal((x, 0.0), 0.1, (100, 2)) for x in (2.0, -2.0)]
        return np.vstack([*groups, [[-2.0, 1000.0], [2.0, 1000.0]]])

    @pytest.mark.parametrize(
        "model", [Kauri(3), ExKMC(3, random_state=0), IMM(3, random_state=0)], ids=str
    )
    def test_the_far_axis_is_cut_first(self, far_pair, model):
        tree = model.fit(far_pair).tree_
        assert tree.feature[0] == 1
        assert tree.n_leaves == 3
        assert len(np.unique(model.labels_[-2:])) == 1

    def test_a_classifier_of_kmeans_cuts_the_other_axis(self, far_pair):
        labels = KMeans(3, n_init=10, random_state=0).fit(far_pair).labels_
        tree = DecisionTreeClassifier(random_state=0).fit(far_pair, labels).tree_
        assert tree.feature[0] == 0

    def test_imm_makes_no_mistake_where_none_is_needed(self):
        X, y = make_blobs(400, 3, centers=5, cluster_std=0.3, random_state=5)
        model = IMM(5, random_state=0).fit(X)
        np.testing.assert_array_equal(model.labels_, model.teacher_labels_)
        assert len(set(zip(y, model.labels_, strict=True))) == 5

    def test_imm_forgets_mistaken_rows(self):
        """The last row is of the third centre, left of the first cut: it does not move the next."""
        left = [[0.0, y] for y in (0.0, 0.2, 0.4, 5.0, 5.2, 5.4)]
        right = [[4.0, y] for y in (-1.0, 0.0, 2.6, 5.0, 6.0)]
        X = np.array([*left, *right, [0.0, 2.6]])
        centres = np.array([[0.0, 0.2], [0.0, 5.2], [2.0, 2.6]])
        model = IMM(3, centers=centres).fit(X)
        assert model.teacher_labels_[-1] == 2
        assert model.labels_[-1] == 0
        np.testing.assert_array_equal(model.tree_.feature[:2], [0, 1])
        np.testing.assert_allclose(model.tree_.threshold[:2], [1.0, 2.7])

    def test_exkmc_costs_less_with_more_leaves(self):
        X, _ = make_blobs(500, 4, centers=6, cluster_std=3.0, random_state=2)
        teacher = KMeans(6, n_init=1, random_state=0).fit(X)
        costs = []
        for leaves in (6, 9, 15, 40):
            model = ExKMC(6, centers=teacher, max_leaf_nodes=leaves).fit(X)
            assert 6 <= model.n_leaves_ <= leaves
            costs.append(np.sum((X - model.cluster_centers_[model.labels_]) ** 2))
        assert costs == sorted(costs, reverse=True)
        assert costs[0] > costs[1] > costs[2] >= costs[3] >= teacher.inertia_

    def test_exkmc_stops_where_nothing_is_gained(self):
        X, _ = make_blobs(200, 2, centers=3, cluster_std=0.1, random_state=0)
        model = ExKMC(3, max_leaf_nodes=50, random_state=0).fit(X)
        assert model.n_leaves_ == 3
        np.testing.assert_array_equal(model.labels_, model.teacher_labels_)

    def test_exkmc_ends_at_the_cells_of_the_centres_on_a_line(self):
        X = np.random.default_rng(0).normal(size=(200, 1))
        model = ExKMC(9, max_leaf_nodes=200, base_tree=None, random_state=0).fit(X)
        np.testing.assert_array_equal(model.labels_, model.teacher_labels_)

    def test_exkmc_cannot_start_from_more_leaves_than_it_may_have(self, iris):
        with pytest.raises(ValueError, match="max_leaf_nodes=2 is less than n_clusters=3"):
            ExKMC(3, max_leaf_nodes=2).fit(iris)
        assert ExKMC(3, max_leaf_nodes=2, base_tree=None).fit(iris).n_leaves_ == 2

    def test_exkmc_leaves_out_clusters_that_no_leaf_has(self, iris):
        model = ExKMC(8, max_leaf_nodes=4, base_tree=None, random_state=0).fit(iris)
        is_fine(model, iris)
        assert model.n_clusters_ <= 4
        assert set(model.labels_) == set(range(model.n_clusters_))
        assert model.teacher_labels_.max() == 7

    @pytest.mark.parametrize(("parameter", "value"), [("max_leaf_nodes", 1), ("base_tree", "cart")])
    def test_exkmc_bad_parameters(self, iris, parameter, value):
        with pytest.raises(ValueError, match=f"'{parameter}' parameter of ExKMC must be"):
            ExKMC(3, **{parameter: value}).fit(iris)

    @pytest.mark.parametrize("value", [-0.1, "deep"])
    def test_shallow_bad_depth_factor(self, iris, value):
        with pytest.raises(ValueError, match="'depth_factor' parameter of ExShallow must be"):
            ExShallow(3, depth_factor=value).fit(iris)

    def test_shallow_trees_are_shallower(self):
        """Eight groups on a line, the rows on their centres: every cut is free of cost."""
        X = np.repeat(np.arange(8.0)[:, None], 3, axis=0)
        centres = np.arange(8.0)[:, None]
        flat = ExShallow(8, centers=centres).fit(X)
        assert flat.tree_.max_depth == 3
        greedy = ExShallow(8, centers=centres, depth_factor=0).fit(X)
        assert greedy.tree_.max_depth == 7
        for model in (flat, greedy):
            is_fine(model, X)
            assert model.inertia_ == 0.0

    def test_shallow_prefers_conditions_that_it_has(self):
        """Both features part the last two centres alike; the one on the path adds no condition."""
        X = np.repeat([[0.0, 0.0], [0.0, 4.0], [4.0, 8.0]], 4, axis=0)
        X = np.vstack([X, np.repeat([[8.0, 12.0]], 4, axis=0)])
        model = ExShallow(4, centers=np.unique(X, axis=0)).fit(X)
        sketch = twins.shallow(X, np.ones(len(X)), np.unique(X, axis=0), 0.03)
        same_as_twin(model, X, None, sketch, np.unique(X, axis=0))

    def test_rdm_first_cut_follows_the_density(self):
        """Cuts lie at a value as often as it is far from the nearest centre."""
        centres = np.array([[0.0, 0.0], [4.0, 1.0], [6.0, 1.0]])
        X = np.vstack([centres - 0.01, centres + 0.01])
        drawn = []
        for seed in range(3000):
            tree = RDM(3, centers=centres, random_state=seed).fit(X).tree_
            drawn.append((tree.feature[0], tree.threshold[0]))
        feature, value = np.array(drawn).T
        # Masses of the gaps are gap^2 / 2: 8 and 2 along the first feature, 0.5 along the other.
        assert np.mean(feature == 0) == pytest.approx(10 / 10.5, abs=0.02)
        first = value[feature == 0]
        assert np.mean(first < 4) == pytest.approx(0.8, abs=0.03)
        # Within a gap the distance to the nearer end, over half the gap, has density 2 u.
        within = first[first < 4]
        share = np.sort(np.minimum(within, 4 - within) / 2)
        grid = (np.arange(len(share)) + 0.5) / len(share)
        assert np.abs(grid - share**2).max() < 1.63 / np.sqrt(len(share))
        assert np.mean(within < 2) == pytest.approx(0.5, abs=0.03)

    def test_rdm_draws_follow_the_seed(self, iris):
        centres = iris[[0, 60, 120]]
        trees = [RDM(3, centers=centres, random_state=s).fit(iris).tree_ for s in range(20)]
        assert len({float(t.threshold[0]) for t in trees}) == 20

    def test_rdm_draws_do_not_follow_kmeans(self, iris):
        """The cuts of found centres are those of the same centres given."""
        for seed in range(5):
            found = RDM(3, n_init=1 + seed, random_state=seed).fit(iris)
            given_them = RDM(3, centers=found.cluster_centers_, random_state=seed).fit(iris)
            same_tree(found.tree_, given_them.tree_)

    def test_rdm_centres_that_nearly_coincide(self):
        centres = np.array([[0.0], [1.0], [1.0 + 1e-12]])
        X = np.vstack([centres, [[-1.0], [3.0]]])
        for seed in range(20):
            model = RDM(3, centers=centres, random_state=seed).fit(X)
            is_fine(model, X)
            assert model.n_clusters_ == 3

    def test_rdm_gaps_whose_squares_vanish(self):
        gaps = Gaps(np.array([[0.0, 5.0], [1e-200, 5.0]]))
        feature, threshold = gaps.cut(np.arange(2), 0.5)
        assert feature == 0
        assert 0.0 <= threshold < 1e-200
