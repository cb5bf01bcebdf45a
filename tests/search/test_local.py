"""Local search through the estimator: never worse than greedy nor than a start."""

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
from helpers.examples import examples
from helpers.invariants import same_tree, valid_tree
from helpers.search_problems import category_columns
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_wine, make_blobs
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import minmax_scale

from agathis import Kauri, Tree
from agathis._search import tree_search, tuning
from agathis._search.local.local_search import LocalSearch
from agathis._trees.tree import MOVES
from agathis._utils.progress import Progress
from agathis.baselines import IMM, RDM, ExKMC, ExShallow, KMeansTree

ENGINES = ("gram", "blocks", "features", "binned")
QUICK = {"search": "local", "search_effort": 0.05, "n_init": 1, "n_jobs": 1}


@pytest.fixture(scope="module")
def rows():
    """Rows without clear clusters: greedy trees are not the best."""
    return np.random.default_rng(0).random((150, 4))


def rounding(model, X):
    """What costs of one tree may differ by.

    Maps of float32, and means in the place of missing values of float32, are made in float32.
    """
    made = model.n_components is not None or np.isnan(X).any()
    digits = 1e-5 if X.dtype == np.float32 and made else 1e-9
    return digits * max(1.0, abs(model.objective_), model.inertia_)


def check(model, X, weight=None, kauri=False, **limits):
    """What holds for every fit with a search."""
    valid_tree(model.tree_, X, model.labels_, weight, model.n_clusters, kauri=kauri, **limits)
    assert_array_equal(model.labels_, model.predict(X))
    score = model.score(X, sample_weight=weight)
    # In bins rows of float32 are made of length one in float32, and in a score in float64: the
    # objective of a greedy tree is as far from its score.
    in_bins = X.dtype == np.float32 and (model.engine_, model.kernel) == ("binned", "cosine")
    atol = max(rounding(model, X), 1e-6 * abs(score) if in_bins else 0.0)
    assert_allclose(score, model.objective_, rtol=0, atol=atol)
    assert model.n_leaves_ == model.tree_.n_leaves
    assert model.n_clusters_ == model.tree_.n_clusters
    steps = model.search_path_
    # Shorter explanations come last, and may cost a little.
    if steps[-1].move == "simplify":
        assert steps[-1].cost <= steps[-2].cost * (1 + 1.001 * tuning.PLAIN_SHARE) + 1e-9
        steps = steps[:-1]
    assert np.all(np.diff([step.cost for step in steps]) <= 0)
    assert np.all(np.diff([step.seconds for step in model.search_path_]) >= 0)


def not_worse(better, worse, X):
    scale = rounding(worse, X)
    assert better.inertia_ <= worse.inertia_ + scale
    assert better.objective_ >= worse.objective_ - scale


def test_the_search_is_not_worse_than_trees_that_learn_its_clusterings(rows, monkeypatch):
    seen = []
    clusterings = LocalSearch._clusterings

    def watched(self, own, n_clusters):
        for labels in clusterings(self, own, n_clusters):
            seen.append((own, labels))
            yield labels

    monkeypatch.setattr(LocalSearch, "_clusterings", watched)
    model = Kauri(4, max_leaf_nodes=9, search="local", search_effort=2).fit(rows)
    assert len(seen) >= 2
    for own, labels in seen:
        X = np.ascontiguousarray(own.values.T)
        rival = KMeansTree(4, max_leaf_nodes=9).fit(X, labels=labels)
        assert model.inertia_ <= rival.inertia_ * (1 + 1e-9)


@pytest.mark.parametrize("n_leaves", [4, 12])
@pytest.mark.parametrize("seed", [0, 1])
def test_no_rival_ends_below_from_the_same_clusters(seed, n_leaves, monkeypatch):
    seen, clusterings = [], LocalSearch._clusterings

    def watched(self, own, n_clusters):
        for labels in clusterings(self, own, n_clusters):
            seen.append((own, labels))
            yield labels

    monkeypatch.setattr(LocalSearch, "_clusterings", watched)
    X = np.random.default_rng(seed).normal(size=(120, 3))
    model = Kauri(4, max_leaf_nodes=n_leaves, search="local", n_jobs=1).fit(X)
    assert seen
    for own, labels in seen:
        points = np.ascontiguousarray(own.values.T)
        centres = np.array([points[labels == k].mean(axis=0) for k in range(4)])
        others = [
            KMeansTree(4, max_leaf_nodes=n_leaves, random_state=0).fit(points, labels=labels),
            ExKMC(4, max_leaf_nodes=n_leaves, centers=centres, random_state=0).fit(points),
        ]
        others += [
            rival(4, centers=centres, random_state=0).fit(points) for rival in (IMM, ExShallow, RDM)
        ]
        for other in others:
            assert model.inertia_ <= other.inertia_ * (1 + 1e-9), other


@pytest.mark.slow
def test_with_much_effort_nothing_is_given_back_for_shorter_explanations(rows):
    for effort, most in ((1, tuning.PLAIN_SHARE), (10, 1e-12), (20, 1e-12)):
        model = Kauri(4, max_leaf_nodes=12, search="local", search_effort=effort).fit(rows)
        least = min(step.cost for step in model.search_path_)
        assert model.inertia_ <= least * (1 + 1.001 * most) + 1e-9


@pytest.mark.parametrize("columns", [3, 30])
def test_two_leaves_are_the_best_that_any_cut_makes(columns):
    X = np.random.default_rng(1).random((60, columns))
    model = Kauri(2, max_leaf_nodes=2, search="local", max_features=1, random_state=0).fit(X)
    best = Kauri(2, search="optimal").fit(X)
    assert_allclose(model.inertia_, best.inertia_, rtol=1e-9)


@st.composite
def fits(draw):
    """Rows, weights and parameters of a fit; with missing values, categories and roles."""
    random = np.random.RandomState(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(8, 40)), draw(st.integers(1, 3))
    X = random.normal(size=(n, d))
    if draw(st.booleans()):
        X = np.round(X, 0)
    parameters = {}
    way = draw(
        st.sampled_from(["gram", "blocks", "features", "binned", "maps", "rbf", "laplacian"])
    )
    if way == "maps":
        parameters |= {"kernel": "rbf", "n_components": 4}
    elif way in ("rbf", "laplacian"):
        parameters["kernel"] = way
    else:
        parameters["engine"] = way
        parameters["kernel"] = draw(st.sampled_from(["linear", "linear", "cosine"]))
    missing = way == "binned" and draw(st.booleans())
    if missing:
        X[random.uniform(size=X.shape) < 0.2] = np.nan
        X[:2] = random.normal(size=(2, d))
    if draw(st.booleans()):
        own = category_columns(random, n, random.randint(2, 5), missing)
        parameters["one_hot"] = [list(range(d, d + own.shape[1]))]
        X = np.hstack([X, own])
    roles = draw(st.sampled_from(["all", "all", "split", "kernel"]))
    if roles == "split":
        parameters["split_features"] = list(range(1, d)) or [0]
    elif roles == "kernel":
        parameters["kernel_features"] = [0]
    limits = {"max_leaf_nodes": draw(st.integers(2, 8))}
    limits |= draw(
        st.fixed_dictionaries(
            {},
            optional={
                "max_depth": st.integers(1, 3),
                "min_samples_leaf": st.sampled_from([2, 3, 0.1]),
                "min_samples_split": st.sampled_from([4, 0.3]),
            },
        )
    )
    weight = None
    if draw(st.booleans()):
        weight = random.choice([0.0, 0.5, 1.0, 2.0], n)
        weight[:6] = 1.0
    if draw(st.booleans()):
        X = X.astype(np.float32)
    return X, weight, parameters, limits, draw(st.integers(1, 5)), draw(st.integers(0, 3))


@pytest.mark.filterwarnings("ignore:.* leave out .* of kernel")
@examples(100)
@given(fits())
def test_never_worse_than_greedy(fit):
    X, weight, parameters, limits, n_clusters, seed = fit
    parameters = {**parameters, **limits, "random_state": seed}
    greedy = Kauri(n_clusters, n_jobs=1, **parameters).fit(X, sample_weight=weight)
    model = Kauri(n_clusters, **parameters, **QUICK).fit(X, sample_weight=weight)
    not_worse(model, greedy, X)
    tree = model.tree_
    is_greedy = bool(np.all(tree.move[~tree.is_leaf] != MOVES.index("cut")))
    check(
        model,
        X,
        weight,
        kauri=is_greedy,
        midpoints=not (is_greedy and model.engine_ == "binned"),
        **limits,
    )
    for node in np.flatnonzero(~model.tree_.is_leaf):
        assert model.roles_.split[model.tree_.feature[node]]


@pytest.mark.parametrize("n_leaves", [3, 8])
@pytest.mark.parametrize("rival", [IMM, ExKMC, ExShallow, KMeansTree, RDM])
def test_never_worse_than_a_start(rival, n_leaves, rows):
    limit = {"max_leaf_nodes": n_leaves} if rival in (ExKMC, KMeansTree) else {}
    start = rival(3, random_state=0, **limit).fit(rows)
    most = max(n_leaves, start.tree_.n_leaves)
    model = Kauri(3, max_leaf_nodes=most, **QUICK)
    for given_start in (start, start.tree_):
        model.fit(rows, start=given_start)
        check(model, rows, max_leaf_nodes=most)
        assert model.inertia_ <= start.inertia_ * (1 + 1e-9)


def test_a_start_with_a_kernel_that_has_no_points(monkeypatch, rows):
    # Of more rows than are factored the search has a feature map only, and may lose its way.
    monkeypatch.setattr(tree_search, "FACTOR_ROWS", 20)
    monkeypatch.setattr("agathis._search.points.FACTOR_ROWS", 20)
    monkeypatch.setattr("agathis._search.points.MAP_COMPONENTS", 1)
    start = Kauri(3, kernel="rbf", gamma=20.0, max_leaf_nodes=6, search="greedy").fit(rows)
    best = Kauri(3, kernel="rbf", gamma=20.0, max_leaf_nodes=6)
    monkeypatch.undo()
    exact = clone(best).set_params(**QUICK).fit(rows)
    monkeypatch.setattr("agathis._search.points.FACTOR_ROWS", 20)
    monkeypatch.setattr("agathis._search.points.MAP_COMPONENTS", 1)
    model = clone(best).set_params(**QUICK).fit(rows, start=exact)
    not_worse(model, start, rows)
    not_worse(model, exact, rows)


def test_a_start_is_kept_where_a_sample_is_searched(monkeypatch, rows):
    exact = Kauri(3, max_leaf_nodes=6, **QUICK).fit(rows)
    monkeypatch.setattr(tree_search, "EXACT_ROWS", 30)
    model = Kauri(3, max_leaf_nodes=6, **QUICK).fit(rows, start=exact)
    not_worse(model, exact, rows)
    assert_array_equal(model.labels_, model.predict(rows))
    # No row misses a value, and no rule speaks of such rows.
    assert not model.tree_.missing.any()


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("parameters", [{}, {"engine": "binned"}, {"min_samples_leaf": 9}])
def test_a_sample_of_the_rows_that_may_be_searched(monkeypatch, rows, parameters, seed):
    monkeypatch.setattr(tree_search, "EXACT_ROWS", 50)
    greedy = Kauri(3, max_leaf_nodes=6, **parameters).fit(rows)
    model = Kauri(3, max_leaf_nodes=6, random_state=seed, **parameters, **QUICK).fit(rows)
    not_worse(model, greedy, rows)
    assert_array_equal(model.labels_, model.predict(rows))
    assert_allclose(model.score(rows), model.objective_, rtol=1e-9)
    least = parameters.get("min_samples_leaf", 1)
    assert np.bincount(model.apply(rows))[model.tree_.is_leaf].min() >= least


@pytest.mark.parametrize("parameters", [{}, {"min_samples_leaf": 9, "max_depth": 3}])
def test_a_sample_is_searched_and_all_rows_decide(monkeypatch, parameters):
    monkeypatch.setattr(tuning, "SAMPLE", 200)
    monkeypatch.setattr(tuning, "ROWS_PER_LEAF", 10)
    rows = np.random.default_rng(0).random((600, 4))
    greedy = Kauri(3, max_leaf_nodes=6, **parameters).fit(rows)
    # With less effort no tree of the sample is brought to all rows.
    model = Kauri(3, max_leaf_nodes=6, **parameters, **QUICK | {"search_effort": 1}).fit(rows)
    not_worse(model, greedy, rows)
    assert model.inertia_ < greedy.inertia_
    check(model, rows, max_leaf_nodes=6, **parameters)


def test_more_clusters_than_leaves(rows):
    greedy = Kauri(5, max_leaf_nodes=3).fit(rows)
    model = Kauri(5, max_leaf_nodes=3, **QUICK).fit(rows)
    not_worse(model, greedy, rows)
    check(model, rows, max_leaf_nodes=3)


@pytest.mark.parametrize(
    "X",
    [np.ones((5, 2)), np.eye(2), np.arange(6.0)[:, None], np.array([[0.0], [0.0], [1.0]])],
    ids=["equal", "two", "line", "ties"],
)
@pytest.mark.parametrize("n_clusters", [1, 2])
def test_tiny_data(X, n_clusters):
    model = Kauri(n_clusters, max_leaf_nodes=None, **QUICK).fit(X)
    not_worse(model, Kauri(n_clusters, max_leaf_nodes=None).fit(X), X)
    assert_array_equal(model.labels_, model.predict(X))


def test_too_many_categories_are_a_message():
    X = np.vstack([np.eye(300), np.eye(300)])
    group = [list(range(300))]
    with pytest.raises(ValueError, match="one_hot has a categorical feature with 300 categories"):
        Kauri(3, engine="gram", one_hot=group, max_leaf_nodes=4, **QUICK).fit(X)


@pytest.mark.parametrize("n_leaves", [2, 3, 4])
@pytest.mark.parametrize("data", ["iris", "wine"])
def test_the_optimum_of_few_leaves_is_found(data, n_leaves, iris):
    X = minmax_scale(iris if data == "iris" else load_wine().data)
    model = Kauri(n_leaves, max_leaf_nodes=n_leaves, search="local", random_state=0).fit(X)
    best = Kauri(n_leaves, search="optimal").fit(X)
    assert best.is_optimal_
    assert_allclose(model.inertia_, best.inertia_, rtol=1e-9)


def test_one_seed_one_tree(rows):
    greedy = Kauri(4, max_leaf_nodes=12).fit(rows)
    for seed in (0, 1, 2):
        parameters = {**QUICK, "search_effort": 0.3, "random_state": seed, "max_leaf_nodes": 12}
        first = Kauri(4, **parameters).fit(rows)
        not_worse(first, greedy, rows)
        same_tree(first.tree_, Kauri(4, **parameters).fit(rows).tree_)
        same_tree(first.tree_, Kauri(4, **{**parameters, "n_jobs": 2}).fit(rows).tree_)


def test_without_a_seed_numpy_draws(rows):
    """As in scikit-learn: the global state, so that fits differ, and repeat after its seed."""
    model = Kauri(4, max_leaf_nodes=12, **QUICK)
    states = [np.random.get_state()[2]]  # noqa: NPY002
    first = clone(model).fit(rows)
    states.append(np.random.get_state()[2])  # noqa: NPY002
    assert states[0] != states[1]
    np.random.seed(0)  # noqa: NPY002
    again = clone(model).fit(rows)
    same_tree(first.tree_, again.tree_)
    same_tree(first.tree_, clone(model).set_params(random_state=0).fit(rows).tree_)


@pytest.mark.slow
def test_threads_do_not_matter_where_they_are_used():
    X = make_blobs(6000, 40, centers=30, cluster_std=3.0, random_state=0)[0]
    trees = [
        Kauri(12, max_leaf_nodes=16, **{**QUICK, "n_jobs": jobs, "random_state": 0}).fit(X).tree_
        for jobs in (1, 2)
    ]
    same_tree(*trees)


def test_weights_count(rows):
    heavy = np.where(rows[:, 0] > 0.7, 20.0, 1.0)
    model = Kauri(3, max_leaf_nodes=4, **QUICK).fit(rows, sample_weight=heavy)
    check(model, rows, heavy, max_leaf_nodes=4)
    plain = Kauri(3, max_leaf_nodes=4, **QUICK).fit(rows)
    assert model.score(rows, sample_weight=heavy) > plain.score(rows, sample_weight=heavy)


def test_it_does_better_than_greedy_and_says_how(rows):
    greedy = Kauri(4, max_leaf_nodes=8).fit(rows)
    model = Kauri(4, max_leaf_nodes=8, search="local").fit(rows)
    assert model.inertia_ < 0.99 * greedy.inertia_
    assert model.search_path_[0].move == "start"
    assert_allclose(model.search_path_[0].cost, greedy.inertia_, rtol=1e-9)
    assert_allclose(model.search_path_[-1].cost, model.inertia_, rtol=1e-9)
    assert len(model.search_path_) > 1


def test_more_effort_is_no_worse_from_the_same_starts(rows):
    costs = [
        Kauri(4, max_leaf_nodes=8, search="local", n_init=2, search_effort=effort, random_state=0)
        .fit(rows)
        .inertia_
        for effort in (0.01, 0.3)
    ]
    assert costs[1] <= costs[0] * (1 + 1e-9)


def test_an_interrupt_gives_the_best_tree_so_far(rows):
    greedy = Kauri(4, max_leaf_nodes=8).fit(rows)
    full = Kauri(4, max_leaf_nodes=8, search="local", random_state=0).fit(rows)

    def interrupted_after(rounds):
        calls = []

        def interrupt(self, *_):
            calls.append(1)
            if len(calls) == rounds:
                raise KeyboardInterrupt

        return interrupt

    for rounds in (1, 5):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Progress, "search", interrupted_after(rounds))
            with pytest.warns(UserWarning, match="interrupted: the tree is the best so far"):
                model = Kauri(4, max_leaf_nodes=8, search="local", random_state=0).fit(rows)
        not_worse(model, greedy, rows)
        assert model.inertia_ >= full.inertia_ * (1 - 1e-9)
        assert_array_equal(model.labels_, model.predict(rows))


def test_an_interrupt_before_the_proof_ends_that_too(monkeypatch):
    X = np.random.default_rng(0).random((2000, 6))
    calls = []

    def interrupt(self, *_):
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "search", interrupt)
    with pytest.warns(UserWarning, match="interrupted"):
        # Without an end this proof takes hours.
        model = Kauri(8, search="optimal", search_effort=0.01, n_jobs=1).fit(X)
    assert not model.is_optimal_
    assert model.lower_bound_ <= model.inertia_
    assert_array_equal(model.labels_, model.predict(X))


INTERRUPTED = """
import os, signal, sys, threading, warnings
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np
from agathis import Kauri
from agathis._search.local.local_search import LocalSearch
X = np.random.default_rng(0).random((4000, 8))
greedy = Kauri(8, max_leaf_nodes=30).fit(X)
say, begun = LocalSearch._say, threading.Event()
def told(self):
    begun.set()
    say(self)
LocalSearch._say = told
def interrupt():
    begun.wait(60)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model = Kauri(8, max_leaf_nodes=30, search="local", search_effort=1000).fit(X)
assert any("interrupted" in str(one.message) for one in caught)
assert model.inertia_ <= greedy.inertia_
assert (model.labels_ == model.predict(X)).all()
assert model.n_leaves_ <= 30 and model.n_clusters_ <= 8
print("whole")
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for a child process")
def test_ctrl_c():
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=120
    )
    assert done.stdout.split() == ["whole"], done.stderr


def test_what_progress_raises_is_raised(rows):
    def fail(cost, done):
        raise ZeroDivisionError

    data = tree_search.SearchRows.of(rows, rows, np.ones(len(rows)), np.arange(4))
    greedy = Kauri(3, max_leaf_nodes=4).fit(rows)
    search = LocalSearch(
        data, tree_search.Limits(3, 4), 0.1, 1, np.random.RandomState(0), on_progress=fail
    )
    with pytest.raises(ZeroDivisionError):
        search.run([greedy.tree_])


def test_progress_is_told(monkeypatch, capsys, rows):
    monkeypatch.setattr(Progress, "interval", 0)
    Kauri(3, max_leaf_nodes=6, verbose=1, **QUICK).fit(rows)
    told = [
        line for line in capsys.readouterr().out.splitlines() if "search:" in line and "%" in line
    ]
    assert told
    costs = [float(line.split("cost ")[1].split(",")[0]) for line in told]
    assert np.all(np.diff(costs) <= 0)
    assert all("at the start" in line for line in told)


def test_later_fits_leave_nothing_of_a_search(iris):
    model = Kauri(3, search="optimal").fit(iris)
    assert model.is_optimal_
    assert model.gap_ <= 1e-9
    assert model.lower_bound_ <= model.inertia_ * (1 + 1e-12)
    assert isinstance(model.search_path_, list)
    model.set_params(search="greedy").fit(iris)
    for name in ("search_path_", "lower_bound_", "gap_", "is_optimal_"):
        assert not hasattr(model, name)
    model.set_params(**QUICK).fit(iris)
    assert hasattr(model, "search_path_")
    assert not hasattr(model, "gap_")


def test_time_ends_a_proof(rows):
    X = np.random.default_rng(1).random((400, 5))
    model = Kauri(6, search="optimal", search_effort=0.1, time_limit=0.05).fit(X)
    assert not model.is_optimal_
    assert 0 < model.gap_ <= 1
    assert model.lower_bound_ < model.inertia_
    assert_allclose(model.gap_, 1 - model.lower_bound_ / model.inertia_, rtol=1e-9)
    not_worse(model, Kauri(6, max_leaf_nodes=6).fit(X), X)


def test_where_no_proof_can_be_given_it_is_told(monkeypatch, rows):
    hot = np.hstack([rows, np.eye(11)[np.arange(150) % 11]])
    with pytest.raises(ValueError, match=r"feature with 11 categories.*up to 10\. Merge rare"):
        Kauri(3, search="optimal", one_hot=[list(range(4, 15))]).fit(hot)
    with pytest.raises(ValueError, match="split='pair' is not supported by search='optimal'"):
        Kauri(3, search="optimal", split="pair").fit(rows)
    with pytest.raises(ValueError, match=r"max_leaf_nodes=5 is not supported .*n_clusters=3"):
        Kauri(3, search="optimal", max_leaf_nodes=5).fit(rows)
    monkeypatch.setattr(tree_search, "FACTOR_ROWS", 100)
    with pytest.raises(ValueError, match=r"rbf.* has no points, and X has more than 100 rows"):
        Kauri(3, search="optimal", kernel="rbf").fit(rows)
    monkeypatch.setattr(tree_search, "EXACT_ROWS", 100)
    with pytest.raises(ValueError, match="X has 150 rows, more than 100"):
        Kauri(3, search="optimal").fit(rows)


@pytest.mark.parametrize("kernel", ["linear", "cosine", "rbf", "laplacian", "precomputed"])
def test_the_optimum_of_any_kernel_is_no_worse_than_local(kernel, rows):
    X = rows[:60]
    gram = {"gram": rbf_kernel(X)} if kernel == "precomputed" else {}
    best = Kauri(3, kernel=kernel, search="optimal").fit(X, **gram)
    found = Kauri(3, kernel=kernel, max_leaf_nodes=3, **QUICK).fit(X, **gram)
    greedy = Kauri(3, kernel=kernel, max_leaf_nodes=3).fit(X, **gram)
    assert best.is_optimal_
    not_worse(best, found, X)
    not_worse(found, greedy, X)
    assert_array_equal(best.labels_, best.predict(X))


def test_what_may_not_be_a_start_is_told(rows):
    with pytest.raises(ValueError, match="start is a str; it must be a Tree"):
        Kauri(3, max_leaf_nodes=None, **QUICK).fit(rows, start="greedy")
    other = Kauri(3, max_leaf_nodes=3).fit(rows[:, :2])
    with pytest.raises(ValueError, match="start is a tree of 2 features, and X has 4"):
        Kauri(3, max_leaf_nodes=None, **QUICK).fit(rows, start=other)
    large = Kauri(3, max_leaf_nodes=9).fit(rows)
    with pytest.raises(ValueError, match="more leaves than max_leaf_nodes=4"):
        Kauri(3, max_leaf_nodes=4, **QUICK).fit(rows, start=large)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("search", "best"),
        ("search_effort", 0),
        ("search_effort", -1.0),
        ("n_init", -1),
        ("time_limit", -1),
        ("split", "three"),
    ],
)
def test_parameters_that_are_refused(name, value, rows):
    with pytest.raises(ValueError, match=f"'{name}' parameter of Kauri"):
        Kauri(3, **{name: value}).fit(rows)


def test_parameters_are_kept(rows):
    parameters = {
        "search": "local",
        "search_effort": 0.1,
        "n_init": 2,
        "time_limit": 3.0,
        "split": "pair",
    }
    model = Kauri(3, max_leaf_nodes=4, **parameters)
    for copy in (model, clone(model), pickle.loads(pickle.dumps(model))):
        assert parameters.items() <= copy.get_params().items()
    model.fit(rows)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict(rows), model.labels_)
    assert again.search_path_ == model.search_path_
    assert isinstance(again.tree_, Tree)
    same_tree(clone(model).fit(rows).tree_, model.tree_)


def test_no_starts_of_kmeans(rows):
    model = Kauri(3, max_leaf_nodes=6, search="local", search_effort=0.05, n_init=0).fit(rows)
    not_worse(model, Kauri(3, max_leaf_nodes=6).fit(rows), rows)
    assert all(step.move != "kmeans" for step in model.search_path_)


def test_nothing_is_warned_of(rows):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Kauri(3, max_leaf_nodes=6, **QUICK).fit(rows)


def test_kept_rows_and_distances(rows):
    model = Kauri(3, kernel="rbf", max_leaf_nodes=6, keep_training_data=True, **QUICK).fit(rows)
    apart = model.transform(rows)
    assert_allclose((apart[np.arange(150), model.labels_] ** 2).sum(), model.inertia_, rtol=1e-6)
