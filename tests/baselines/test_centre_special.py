"""Trees over the cells of centres: what one of them has of its own."""

import numpy as np
import pytest
from helpers import centre_references as references
from helpers.centre_problems import is_fine, same_as_reference
from helpers.examples import examples
from helpers.invariants import same_tree
from helpers.models import SEEDS
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.tree import DecisionTreeClassifier

from agathis import Kauri
from agathis.baselines import IMM, RDM, ExKMC, ExShallow
from agathis.baselines._rdm import CentreGaps


class TestSpecial:
    """What one of them has of its own."""

    @pytest.fixture
    def far_pair(self):
        """Two narrow groups side by side, and above each of them one point far away."""
        random = np.random.default_rng(0)
        groups = [random.normal((x, 0.0), 0.1, (100, 2)) for x in (2.0, -2.0)]
        return np.vstack([*groups, [[-2.0, 1000.0], [2.0, 1000.0]]])

    @pytest.mark.parametrize(
        "model",
        [Kauri(3, max_leaf_nodes=None), ExKMC(3, random_state=0), IMM(3, random_state=0)],
        ids=str,
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

    def test_imm_ignores_rows_with_mistakes(self):
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
        reference_clustering = KMeans(6, n_init=1, random_state=0).fit(X)
        costs = []
        for leaves in (6, 9, 15, 40):
            model = ExKMC(6, centers=reference_clustering, max_leaf_nodes=leaves).fit(X)
            assert 6 <= model.n_leaves_ <= leaves
            costs.append(np.sum((X - model.cluster_centers_[model.labels_]) ** 2))
        assert costs == sorted(costs, reverse=True)
        assert costs[0] > costs[1] > costs[2] >= costs[3] >= reference_clustering.inertia_

    def test_exkmc_stops_without_gain(self):
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
        sketch = references.shallow(X, np.ones(len(X)), np.unique(X, axis=0), 0.03)
        same_as_reference(model, X, None, sketch, np.unique(X, axis=0))

    @pytest.mark.slow
    def test_rdm_first_cut_follows_the_density(self):
        """Cuts lie at a value as often as it is far from the nearest centre."""
        centres = np.array([[0.0, 0.0], [4.0, 1.0], [6.0, 1.0]])
        X = np.vstack([centres - 0.01, centres + 0.01])
        # Fixed seeds: shares of many draws are compared with a distribution, and one set of draws
        # in some hundred is further from it than this.
        drawn = []
        for seed in range(3000):
            tree = RDM(3, centers=centres, n_jobs=1, random_state=seed).fit(X).tree_
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

    @given(SEEDS, st.integers(1, 5))
    @examples(5)
    def test_rdm_draws_do_not_follow_kmeans(self, iris, seed, n_init):
        """The cuts of found centres are those of the same centres given."""
        result = RDM(3, n_init=n_init, random_state=seed).fit(iris)
        given_them = RDM(3, centers=result.cluster_centers_, random_state=seed).fit(iris)
        same_tree(result.tree_, given_them.tree_)

    @given(SEEDS)
    @examples(20)
    def test_rdm_centres_that_nearly_coincide(self, seed):
        centres = np.array([[0.0], [1.0], [1.0 + 1e-12]])
        X = np.vstack([centres, [[-1.0], [3.0]]])
        model = RDM(3, centers=centres, random_state=seed).fit(X)
        is_fine(model, X)
        assert model.n_clusters_ == 3

    def test_rdm_gaps_whose_squares_vanish(self):
        gaps = CentreGaps(np.array([[0.0, 5.0], [1e-200, 5.0]]))
        feature, threshold = gaps.split(np.arange(2), 0.5)
        assert feature == 0
        assert 0.0 <= threshold < 1e-200
