"""ICOT-style trees: the estimator."""

import inspect
import os
import re
import signal
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest
from helpers import separation as naive
from helpers.invariants import same_tree, valid_tree
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, silhouette_score

from agathis.baselines import ICOT

criteria = pytest.mark.parametrize("criterion", list(naive.CRITERIA))


@pytest.fixture(scope="module")
def grid():
    """Five groups that a tree of depth 4 parts, and their classes."""
    centres = [[0, 0, 0], [10, 0, 0], [0, 10, 0], [10, 10, 0], [20, 20, 0]]
    return make_blobs(200, 3, centers=centres, cluster_std=0.7, random_state=0)


class TestFit:
    @criteria
    @pytest.mark.parametrize("n_clusters", [5, 8, None])
    def test_planted(self, grid, criterion, n_clusters):
        X, y = grid
        model = ICOT(n_clusters, criterion=criterion, random_state=0).fit(X)
        valid_tree(model.tree_, X, model.labels_, n_clusters=n_clusters, max_depth=5, kauri=False)
        assert adjusted_rand_score(y, model.labels_) == 1.0
        assert model.n_clusters_ == model.n_leaves_ == 5
        assert set(model.tree_.feature[model.tree_.feature >= 0]) <= {0, 1}

    def test_value_is_the_silhouette_of_scikit_learn(self, iris):
        model = ICOT(3, random_state=0).fit(iris)
        assert model.criterion_value_ == pytest.approx(silhouette_score(iris, model.labels_))

    def test_value_is_the_dunn_index(self, iris):
        model = ICOT(3, criterion="dunn", random_state=0).fit(iris)
        assert model.criterion_value_ == pytest.approx(naive.dunn(iris, model.labels_))

    @criteria
    def test_more_restarts_are_never_worse(self, criterion):
        X = np.random.default_rng(0).normal(size=(60, 3))
        values = [
            ICOT(6, criterion=criterion, n_init=n, random_state=3).fit(X).criterion_value_
            for n in (1, 4, 12)
        ]
        assert values == sorted(values)

    @criteria
    @pytest.mark.parametrize(
        "limits",
        [
            {"max_depth": 1},
            {"max_depth": 2},
            {"max_depth": None},
            {"n_clusters": 3},
            {"n_clusters": 1},
            {"min_samples_leaf": 45},
            {"min_samples_leaf": 0.3},
            {"max_candidates": 1},
        ],
        ids=str,
    )
    def test_limits(self, grid, criterion, limits):
        X, _ = grid
        model = ICOT(criterion=criterion, n_init=6, random_state=0, **limits).fit(X)
        kept = {k: v for k, v in limits.items() if k != "max_candidates"}
        valid_tree(model.tree_, X, model.labels_, kauri=False, **kept)
        if limits.get("n_clusters") == 1:
            assert model.n_leaves_ == 1
            assert model.criterion_value_ == 0.0
        else:
            assert model.n_leaves_ > 1

    @criteria
    def test_weights_are_repeats(self, criterion):
        random = np.random.default_rng(1)
        X = np.round(random.normal(size=(40, 2)), 1)
        weight = random.integers(0, 4, 40)
        given = {"criterion": criterion, "min_samples_leaf": 4, "random_state": 0}
        weighted = ICOT(4, **given).fit(X, sample_weight=weight)
        repeated = ICOT(4, **given).fit(np.repeat(X, weight, axis=0))
        same_tree(weighted.tree_, repeated.tree_, gains=1e-9, counts=False)
        assert weighted.criterion_value_ == repeated.criterion_value_
        np.testing.assert_array_equal(np.repeat(weighted.labels_, weight), repeated.labels_)
        valid_tree(weighted.tree_, X, weighted.labels_, weight, min_samples_leaf=4, kauri=False)

    @criteria
    def test_equal_weights_are_none(self, iris, criterion):
        given = {"criterion": criterion, "n_init": 5, "random_state": 0}
        expected = ICOT(5, **given).fit(iris)
        assert expected.n_clusters_ > 1
        for scale in (1e-200, 1e-8, 1 / 150, 0.04, 1e8):
            model = ICOT(5, **given).fit(iris, sample_weight=np.full(150, scale))
            np.testing.assert_array_equal(model.labels_, expected.labels_, err_msg=str(scale))

    def test_the_unit_of_fractional_weights_does_not_matter(self, iris):
        weight = np.random.default_rng(0).random(150) + 0.2
        given = {"n_init": 5, "random_state": 0}
        expected = ICOT(5, **given).fit(iris, sample_weight=weight)
        for scale in (1e-200, 1e-8, 1 / 150, 1e200):
            model = ICOT(5, **given).fit(iris, sample_weight=scale * weight)
            np.testing.assert_array_equal(model.labels_, expected.labels_, err_msg=str(scale))
            assert model.criterion_value_ == pytest.approx(expected.criterion_value_)
            assert model.inertia_ == pytest.approx(scale * expected.inertia_)
            assert model.score(iris, sample_weight=scale * weight) == pytest.approx(
                scale * expected.score(iris, sample_weight=weight)
            )
            np.testing.assert_allclose(
                model.feature_importances_, expected.feature_importances_, atol=1e-9
            )

    @criteria
    def test_threads_and_seeds(self, criterion):
        X = np.random.default_rng(0).normal(size=(80, 3))
        given = {"criterion": criterion, "random_state": 5}
        one, two, again = (ICOT(6, n_jobs=jobs, **given).fit(X) for jobs in (1, 2, 2))
        for other in (two, again):
            same_tree(one.tree_, other.tree_)
            assert other.criterion_value_ == one.criterion_value_
            assert other.n_iter_ == one.n_iter_

    def test_order_of_the_rows_does_not_matter(self, iris):
        shuffled = np.random.default_rng(0).permutation(len(iris))
        model = ICOT(4, random_state=0).fit(iris)
        other = ICOT(4, random_state=0).fit(iris[shuffled])
        same_tree(model.tree_, other.tree_, gains=1e-9)
        np.testing.assert_array_equal(model.labels_[shuffled], other.labels_)

    def test_a_random_state_is_drawn_from_once(self, iris):
        state = np.random.RandomState(0)
        first = ICOT(4, random_state=state).fit(iris)
        same_tree(first.tree_, ICOT(4, random_state=np.random.RandomState(0)).fit(iris).tree_)
        expected = np.random.RandomState(0)
        expected.randint(np.iinfo(np.int32).max, size=20)
        assert state.randint(1000) == expected.randint(1000)

    def test_a_few_far_rows_are_not_a_cluster(self):
        # By the silhouette three far rows against all others are better than the two groups.
        X = np.concatenate([np.linspace(0, 1, 50), np.linspace(2, 3, 50), [8, 8.5, 9]])[:, None]
        model = ICOT(2, random_state=0).fit(X)
        np.testing.assert_array_equal(model.labels_, np.repeat([0, 1], [50, 53]))
        model = ICOT(2, min_samples_leaf=1, random_state=0).fit(X)
        np.testing.assert_array_equal(model.labels_, np.repeat([0, 1], [100, 3]))

    def test_far_from_the_origin(self, grid):
        X, y = grid
        assert adjusted_rand_score(y, ICOT(random_state=0).fit(X + 1e6).labels_) == 1.0

    def test_float32(self, grid):
        X, y = grid
        model = ICOT(random_state=0).fit(X.astype(np.float32))
        assert adjusted_rand_score(y, model.labels_) == 1.0
        np.testing.assert_array_equal(model.predict(X.astype(np.float32)), model.labels_)

    def test_names_of_columns(self, grid):
        model = ICOT(random_state=0).fit(pd.DataFrame(grid[0], columns=list("abc")))
        assert model.feature_names_in_.tolist() == ["a", "b", "c"]
        assert model.feature_importances_.sum() == pytest.approx(1.0)


class TestSubsample:
    @criteria
    def test_tree_of_some_rows_for_all(self, grid, criterion):
        X, y = grid
        model = ICOT(criterion=criterion, subsample=80, random_state=0).fit(X)
        valid_tree(model.tree_, X, model.labels_, kauri=False, midpoints=False)
        assert adjusted_rand_score(y, model.labels_) == 1.0
        assert model.tree_.n_node_samples[0] == len(X)

    def test_no_sample_if_all_rows_fit(self, grid):
        X, _ = grid
        given = {"n_init": 3, "random_state": 0}
        same_tree(
            ICOT(subsample=200, **given).fit(X).tree_, ICOT(subsample=9999, **given).fit(X).tree_
        )

    def test_least_samples_are_scaled(self):
        # 10 of 100 rows lie apart: about 4 of the 40 drawn, which a limit of 10 must not forbid.
        X = np.concatenate([np.linspace(0, 1, 90), np.linspace(9, 10, 10)])[:, None]
        result = [
            ICOT(subsample=40, min_samples_leaf=8, n_init=2, random_state=s).fit(X).n_leaves_
            for s in range(5)
        ]
        assert max(result) > 1


class TestEdges:
    @criteria
    @pytest.mark.parametrize("weight", [None, [1.0, 2, 3, 4, 5]])
    def test_all_rows_equal(self, criterion, weight):
        X = np.full((5, 2), 3.0)
        model = ICOT(3, criterion=criterion).fit(X, sample_weight=weight)
        valid_tree(model.tree_, X, model.labels_, weight, kauri=False)
        assert model.n_leaves_ == 1
        assert model.criterion_value_ == 0.0
        assert model.n_iter_ == 0

    @criteria
    @pytest.mark.parametrize("n_clusters", [1, None])
    def test_one_row(self, criterion, n_clusters):
        model = ICOT(n_clusters, criterion=criterion).fit([[1.0, 2.0]])
        assert model.labels_.tolist() == [0]
        assert model.criterion_value_ == 0.0

    def test_two_rows(self):
        # Rows alone in their clusters have silhouette 0, no more than both together.
        model = ICOT(2).fit([[0.0], [1.0]])
        assert model.labels_.tolist() == [0, 0]
        model = ICOT(2, criterion="dunn").fit([[0.0], [1.0]])
        assert model.labels_.tolist() == [0, 1]
        assert model.criterion_value_ == np.inf

    @criteria
    def test_few_distinct_rows(self, criterion):
        X = np.repeat([[0.0], [1.0], [5.0]], 4, axis=0)
        model = ICOT(8, criterion=criterion, random_state=0).fit(X)
        assert model.labels_.tolist() == np.repeat([0, 1, 2], 4).tolist()
        assert model.criterion_value_ == (1.0 if criterion == "silhouette" else np.inf)

    def test_rows_of_weight_0_do_not_count(self):
        X = np.array([[0.0], [0.1], [5.0], [5.1], [99.0]])
        model = ICOT(3, random_state=0).fit(X, sample_weight=[1, 1, 1, 1, 0])
        assert model.labels_.tolist() == [0, 0, 1, 1, 1]
        assert model.tree_.threshold[0] == 2.55

    def test_minus_zero_is_zero(self):
        X = np.array([[0.0], [-0.0], [0.0], [4.0], [4.1]])
        model = ICOT(3, random_state=0).fit(X)
        assert model.labels_.tolist() == [0, 0, 0, 1, 1]

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("n_clusters", 0),
            ("n_clusters", 2.5),
            ("criterion", "gini"),
            ("max_depth", 0),
            ("min_samples_leaf", 0),
            ("min_samples_leaf", 1.0),
            ("n_init", 0),
            ("max_candidates", 0),
            ("subsample", 1),
            ("n_jobs", "all"),
            ("random_state", "x"),
        ],
    )
    def test_bad_parameters(self, iris, name, value):
        with pytest.raises(ValueError, match=rf"'{name}' parameter of ICOT .* Got {value!r}"):
            ICOT(**{name: value}).fit(iris)

    def test_bad_data(self, iris):
        with pytest.raises(ValueError, match="Input X contains NaN"):
            ICOT().fit([[np.nan], [1.0]])
        with pytest.raises(ValueError, match="n_samples=3 should be >= n_clusters=8"):
            ICOT().fit(iris[:3])
        with pytest.raises(ValueError, match="sample_weight must not be negative"):
            ICOT().fit(iris, sample_weight=np.full(len(iris), -1.0))

    def test_every_parameter_and_attribute_is_documented(self, iris):
        model = ICOT(3, n_init=1).fit(pd.DataFrame(iris, columns=list("abcd")))
        public = [name for name in vars(model) if name.endswith("_")]
        for name in [*model.get_params(), *public, "feature_importances_"]:
            assert re.search(rf"^{name} : ", inspect.getdoc(ICOT), re.MULTILINE), name


SCRIPT = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np
from agathis.baselines import ICOT
X = np.random.default_rng(0).normal(size=(4000, 40))
model = ICOT(subsample=4000, criterion="{criterion}", n_jobs={jobs}, n_init=50)
print("ready", flush=True)
try:
    model.fit(X)
except KeyboardInterrupt:
    print("stopped", hasattr(model, "tree_"), flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for a child process")
@pytest.mark.parametrize(
    ("criterion", "jobs"),
    [("silhouette", 2), ("dunn", 1), ("silhouette", 1), ("dunn", 2)],
)
def test_interrupt(criterion, jobs):
    script = SCRIPT.format(criterion=criterion, jobs=jobs)
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
    ) as process:
        watchdog = threading.Timer(120.0, process.kill)
        watchdog.start()
        try:
            assert process.stdout.readline().strip() == "ready"
            timer = threading.Timer(0.5, os.kill, (process.pid, signal.SIGINT))
            timer.start()
            # The promise is one second; a loaded machine is given ten.
            rest, _ = process.communicate(timeout=14.0)
        finally:
            watchdog.cancel()
            process.kill()
    assert rest.strip() == "stopped False"
