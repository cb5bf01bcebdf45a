"""Trees over the cells of centres, each equal to its naive twin."""

import numpy as np
import pytest
from agathis._core.centres.distances import distances
from helpers import centre_references as references
from helpers.centre_problems import is_fine, problems, quiet, same_as_reference
from helpers.examples import examples, mostly_slow
from helpers.invariants import same_tree
from helpers.models import SEEDS
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from agathis._kernels.kernel import Kernel
from agathis._trees.completion import completed
from agathis.baselines import IMM, RDM, ExKMC, ExShallow


class TestTwins:
    @given(problems())
    def test_imm(self, problem):
        X, weight, centres = problem
        share = np.ones(len(X)) if weight is None else weight
        model = quiet(IMM(len(centres), centers=centres), X, weight)
        is_fine(model, X, weight)
        used, own = references.used_centres(X, centres)
        same_as_reference(model, X, weight, references.imm(X, share, used, own)[0], used)

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
        used, own = references.used_centres(X, centres)
        sketch = references.exkmc(X, share, used, own, most, from_imm)
        same_as_reference(model, X, weight, sketch, used)

    @given(problems(most_centres=8), st.sampled_from([0, 0.03, 0.3, 5.0]))
    def test_shallow(self, problem, factor):
        X, weight, centres = problem
        share = np.ones(len(X)) if weight is None else weight
        model = ExShallow(len(centres), centers=centres, depth_factor=factor)
        quiet(model, X, weight)
        is_fine(model, X, weight)
        used, _ = references.used_centres(X, centres)
        same_as_reference(model, X, weight, references.shallow(X, share, used, factor), used)

    @given(problems(most_centres=8), st.integers(0, 2**32 - 1), st.booleans())
    def test_rdm(self, problem, seed, instance):
        """An int is the seed of the cuts; an instance goes on where it is."""
        X, weight, centres = problem
        # Places of centres that nearly coincide are the same up to rounding.
        centres = np.round(centres, 3)
        self.check_rdm(X, weight, centres, seed, instance)

    @given(SEEDS)
    @examples(30)
    def test_rdm_sides_without_rows(self, seed):
        """Rows far from their centres: nodes have centres whose rows are all elsewhere."""
        random = np.random.default_rng(seed)
        centres = np.round(random.normal(size=(40, 20)), 3)
        X = centres[random.integers(0, 40, 40)] + random.normal(size=(40, 20))
        self.check_rdm(X, None, centres, seed, False)

    def check_rdm(self, X, weight, centres, seed, instance):
        used, _ = references.used_centres(X, centres)
        source = np.random.RandomState(seed) if instance else seed
        model = quiet(RDM(len(centres), centers=centres, random_state=source), X, weight)
        random = np.random.RandomState(seed) if instance else np.random.default_rng(seed)
        sketch = references.rdm(X, used, random.uniform(size=len(used) - 1))
        share = np.ones(len(X)) if weight is None else weight
        tree, kept = completed(sketch, X, share, Kernel("linear"), 1)
        same_tree(model.tree_, tree, gains=1e-9 * max(1.0, tree.gain.max()), thresholds=1e-6)
        np.testing.assert_array_equal(model.cluster_centers_, used[kept])

    @pytest.mark.parametrize("seed", mostly_slow(range(4), 0))
    def test_more_rows_than_a_block(self, seed):
        """Some hundred rows and a dozen centres: all loops run through more than one block."""
        X, _ = make_blobs(300, 2, centers=9, cluster_std=2.0, random_state=seed)
        X = np.round(X, 1) if seed % 2 else X
        weight = np.random.default_rng(seed).integers(1, 4, len(X)) * 1.0
        centres = KMeans(9, n_init=1, random_state=seed).fit(X).cluster_centers_
        used, own = references.used_centres(X, centres)
        model = IMM(9, centers=centres).fit(X, sample_weight=weight)
        same_as_reference(model, X, weight, references.imm(X, weight, used, own)[0], used)
        model = ExShallow(9, centers=centres).fit(X, sample_weight=weight)
        same_as_reference(model, X, weight, references.shallow(X, weight, used, 0.03), used)
        model = ExKMC(9, centers=centres, max_leaf_nodes=14).fit(X, sample_weight=weight)
        same_as_reference(model, X, weight, references.exkmc(X, weight, used, own, 14, True), used)

    @pytest.mark.parametrize("n_centres", [1, 7, 8, 9, 20])
    def test_distances(self, n_centres):
        random = np.random.default_rng(0)
        X, centres = random.normal(size=(700, 5)), random.normal(size=(n_centres, 5))
        centres[0] = X[3]
        result = distances(X, centres, 2)[:, :n_centres]
        np.testing.assert_allclose(result, references.squared(X, centres), rtol=1e-12)
        assert result[3, 0] == 0.0


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
    def test_reference_implementations(self, far, method):
        X, centres = far
        used, own = references.used_centres(X, centres)
        share = np.ones(len(X))
        sketch = {
            IMM: lambda: references.imm(X, share, used, own)[0],
            ExKMC: lambda: references.exkmc(X, share, used, own, 4, True),
            ExShallow: lambda: references.shallow(X, share, used, 0.03),
        }[method]()
        same_as_reference(method(4, centers=centres).fit(X), X, None, sketch, used)
