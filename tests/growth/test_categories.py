"""Splits on subsets of categories, and columns that are not split on or that the kernel ignores."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from helpers import reference
from helpers.examples import mostly_slow
from helpers.invariants import replay, same_tree, valid_tree
from helpers.strategies import WEIGHTS, kernel_matrix, limits, weights
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

from agathis import Kauri
from agathis._checks.one_hot import check_one_hot
from agathis._checks.roles import EncodedRows, roles_of
from agathis._dataset.features import Features
from agathis._dataset.memory import InMemory
from agathis._growth.approximation import Approximation
from agathis._growth.engines.choice import build
from agathis._growth.grower import Grower
from agathis._growth.limits import Limits
from agathis._kernels.kernel import Kernel
from agathis._trees.tree import DTYPES, TERM_DTYPES
from agathis._utils.progress import Clocks, Progress

ENGINES = ("gram", "blocks", "features", "binned")


@dataclass
class Table:
    """Numbers and sources of categories, one after another in columns that are mixed."""

    X: np.ndarray
    groups: list[list[int]]
    numbers: list[int]
    weight: np.ndarray | None
    n_clusters: int
    limits: dict

    def model(self, **changes) -> Kauri:
        given = {"one_hot": self.groups, "n_jobs": 1, "max_leaf_nodes": None}
        given |= {**self.limits, **changes}
        return Kauri(self.n_clusters, **given)

    def fit(self, **changes) -> Kauri:
        return self.model(**changes).fit(self.X, sample_weight=self.weight)

    def oracle(self, gram, **changes) -> reference.ReferenceTree:
        return reference.grow(
            self.X,
            gram,
            n_clusters=self.n_clusters,
            sample_weight=self.weight,
            one_hot=sorted(self.groups, key=min),
            **self.limits,
            **changes,
        )


def make_table(random, n, n_numbers, sizes, *, none=0.1, on=1.0, weight=None):
    """Rows of whole numbers and of categories that have something to do with these."""
    d = n_numbers + sum(sizes)
    places = random.permutation(d)
    X = np.zeros((n, d))
    numbers = places[:n_numbers].tolist()
    X[:, numbers] = random.integers(0, 6, (n, n_numbers))
    groups, begin = [], n_numbers
    for size in sizes:
        columns = places[begin : begin + size]
        code = random.integers(0, size, n)
        there = random.random(n) >= none
        X[np.flatnonzero(there), columns[code[there]]] = on
        groups.append(columns.tolist())
        begin += size
    return X, groups, numbers, weights(random, n, weight)


@st.composite
def tables(draw, max_n=14, max_size=4, max_numbers=2):
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sizes = draw(st.lists(st.integers(1, max_size), min_size=1, max_size=2))
    made = make_table(
        random,
        draw(st.integers(2, max_n)),
        draw(st.integers(0, max_numbers)),
        sizes,
        none=draw(st.sampled_from([0.0, 0.0, 0.2])),
        on=draw(st.sampled_from([1.0, 0.5])),
        weight=draw(st.sampled_from(WEIGHTS)),
    )
    counted = len(made[0]) if made[3] is None else int((made[3] > 0).sum())
    n_clusters = draw(st.integers(1, min(4, counted)))
    return Table(*made, n_clusters, draw(limits(8))), random


def subsets_of(tree) -> list[tuple[int, ...]]:
    return [tuple(column for column, _ in tree.terms(node)) for node in range(tree.node_count)]


def is_the_oracles(model, oracle, table, gram):
    """The tree of the slow twin: the same splits, and gains but for rounding."""
    kept = slice(None) if table.weight is None else table.weight > 0
    weight = None if table.weight is None else table.weight[kept]
    scale = 1 + 100 * reference.tolerance(gram[kept][:, kept], weight)
    same_tree(model.tree_, oracle, gains=1e-9 * scale + 1e-9 * abs(oracle.gain).max())
    assert subsets_of(model.tree_) == oracle.subset
    np.testing.assert_array_equal(model.labels_, oracle.labels)
    np.testing.assert_array_equal(model.predict(table.X), model.labels_)
    valid_tree(model.tree_, table.X, model.labels_, table.weight, table.n_clusters, **table.limits)


@given(tables(), st.sampled_from(["linear", "rbf", "indefinite", "ties"]))
def test_any_kernel(problem, kernel):
    table, random = problem
    gram = kernel_matrix(random, table.X, kernel)
    model = table.model(kernel="precomputed").fit(table.X, gram=gram, sample_weight=table.weight)
    is_the_oracles(model, table.oracle(gram), table, gram)


@given(tables(), st.sampled_from(ENGINES))
def test_engines(problem, engine):
    table, _ = problem
    gram = linear_kernel(table.X)
    is_the_oracles(table.fit(engine=engine), table.oracle(gram), table, gram)


@given(tables(), st.sampled_from(ENGINES), st.data())
def test_roles_of_all_kinds(problem, engine, data):
    """Some columns are split on, others are seen by the kernel."""
    table, _ = problem
    d = table.X.shape[1]
    sources = [[column] for column in table.numbers] + table.groups
    some = data.draw(st.lists(st.sampled_from(range(len(sources))), min_size=1, unique=True))
    split = sorted(column for place in some for column in sources[place])
    seen = sorted(data.draw(st.lists(st.integers(0, d - 1), min_size=1, unique=True)))
    gram = linear_kernel(table.X[:, seen])
    model = table.fit(engine=engine, split_features=split, kernel_features=seen)
    is_the_oracles(model, table.oracle(gram, split_features=split), table, gram)
    assert model.score(table.X, sample_weight=table.weight) == pytest.approx(
        model.objective_, rel=1e-9, abs=1e-9
    )


def mixed(seed=0, n=300, sizes=(8, 5), n_clusters=5, none=0.05, **limits):
    random = np.random.default_rng(seed)
    X, groups, numbers, _ = make_table(random, n, 3, sizes, none=none)
    X[:, numbers] = random.normal(size=(n, 3)) + X[:, groups[0][:3]] * 2
    return Table(X, groups, numbers, None, n_clusters, limits)


def gains_are_changes(model, table, gram):
    weight = table.weight
    for node, before, after in replay(model.tree_, table.X):
        change = reference.objective(gram, after, weight) - reference.objective(
            gram, before, weight
        )
        assert model.tree_.gain[node] == pytest.approx(change, rel=1e-6, abs=1e-8 * np.trace(gram))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("sizes", mostly_slow([(8, 5), (15, 3), (40,)], (15, 3)))
def test_larger(engine, sizes):
    """Of many categories too: each gain is the change of the objective, and engines agree."""
    table = mixed(sizes=sizes, max_leaf_nodes=25)
    gram = linear_kernel(table.X)
    model = table.fit(engine=engine)
    assert model.tree_.has_terms
    valid_tree(model.tree_, table.X, model.labels_, None, 5, midpoints=engine != "binned")
    gains_are_changes(model, table, gram)
    if engine != "binned":
        other = table.model(kernel="precomputed").fit(table.X, gram=gram)
        same_tree(model.tree_, other.tree_, gains=1e-9 * np.trace(gram))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("sizes", mostly_slow([(6, 5), (14,)], (6, 5)))
def test_rows_in_any_order_and_any_threads(engine, sizes):
    table = mixed(seed=3, n=400, sizes=sizes, max_leaf_nodes=20)
    tree = table.fit(engine=engine).tree_
    random = np.random.default_rng(1)
    for n_jobs in (1, 3):
        order = random.permutation(len(table.X))
        model = table.model(engine=engine, n_jobs=n_jobs).fit(table.X[order])
        same_tree(model.tree_, tree, gains=1e-8 * tree.gain.max())
        assert subsets_of(model.tree_) == subsets_of(tree)


@given(tables(max_n=12), st.sampled_from(ENGINES))
def test_weight_two_is_the_row_twice(problem, engine):
    table, random = problem
    times = random.integers(1, 3, len(table.X))
    twice = np.repeat(table.X, times, axis=0)
    one = table.model(engine=engine).fit(table.X, sample_weight=times.astype(float))
    other = table.model(engine=engine).fit(twice)
    same_tree(one.tree_, other.tree_, gains=1e-9 * (1 + other.tree_.gain.max()), counts=False)
    assert subsets_of(one.tree_) == subsets_of(other.tree_)


@pytest.mark.parametrize("engine", ENGINES)
def test_two_categories_are_one_column(engine):
    """Of two categories there is one way to part them, as a cut of either column does."""
    random = np.random.default_rng(5)
    X, groups, numbers, _ = make_table(random, 200, 3, (2, 2, 2), none=0.0)
    X[:, numbers] = random.normal(size=(200, 3)) + X[:, [columns[0] for columns in groups]]
    table = Table(X, groups, numbers, None, 4, {"max_leaf_nodes": 12})
    with_groups, without = table.fit(engine=engine), table.fit(engine=engine, one_hot=None)
    assert adjusted_rand_score(with_groups.labels_, without.labels_) == 1.0
    np.testing.assert_allclose(
        with_groups.tree_.gain, without.tree_.gain, atol=1e-9 * without.tree_.gain.max()
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_planted_subset(engine):
    """Clusters that only a set of categories tells apart are found by one split."""
    random = np.random.default_rng(2)
    code = random.integers(0, 6, 400)
    X = np.zeros((400, 8))
    X[np.arange(400), 2 + code] = 1.0
    X[:, :2] = random.normal(size=(400, 2)) + 10.0 * np.isin(code, [1, 2, 5])[:, None]
    model = Kauri(
        2,
        engine=engine,
        one_hot=[range(2, 8)],
        split_features=range(2, 8),
        n_jobs=1,
        max_leaf_nodes=None,
    ).fit(X)
    assert model.tree_.node_count == 3
    chosen = {column - 2 for column, _ in model.tree_.terms(0)}
    assert chosen in ({1, 2, 5}, {0, 3, 4})
    unseen = np.zeros((1, 8))
    larger = np.argmax(model.tree_.n_node_samples[1:])
    assert model.predict(unseen)[0] == model.tree_.cluster[1 + larger]


class TestMissing:
    """A missing category is one more, that may go either way."""

    @pytest.fixture(params=[0, 1, 2, 3])
    def table(self, request):
        random = np.random.default_rng(request.param)
        X, groups, numbers, _ = make_table(random, 250, 2, (5,), none=0.0)
        X[:, numbers] = random.normal(size=(250, 2)) + 2 * X[:, groups[0][:2]]
        X[np.ix_(random.random(250) < 0.15, groups[0])] = np.nan
        return Table(X, groups, numbers, None, 4, {"max_leaf_nodes": 14})

    def test_as_a_category_of_its_own(self, table):
        model = table.fit(engine="binned", kernel_features=table.numbers)
        assert model.engine_ == "binned"
        known = np.hstack([table.X, np.isnan(table.X[:, table.groups[0][:1]])])
        known = np.nan_to_num(known)
        columns = [*table.groups[0], table.X.shape[1]]
        other = table.model(engine="binned", kernel_features=table.numbers, one_hot=[columns]).fit(
            known
        )
        np.testing.assert_allclose(np.sort(model.tree_.gain), np.sort(other.tree_.gain), atol=1e-9)
        assert adjusted_rand_score(model.labels_, other.labels_) == 1.0
        valid_tree(model.tree_, table.X, model.labels_, None, 4, midpoints=False)

    def test_mapped(self, table, tmp_path):
        table.X.tofile(tmp_path / "rows")
        rows = np.memmap(tmp_path / "rows", dtype=np.float64, mode="r", shape=table.X.shape)
        model, mapped = table.fit(engine="binned"), table.model(engine="binned").fit(rows)
        same_tree(model.tree_, mapped.tree_)
        assert subsets_of(model.tree_) == subsets_of(mapped.tree_)
        np.testing.assert_array_equal(mapped.predict(rows), mapped.labels_)


class TestKernelFeatures:
    @pytest.mark.parametrize(
        "parameters",
        [
            {"kernel": "linear", "engine": "gram"},
            {"kernel": "linear", "engine": "features"},
            {"kernel": "linear", "engine": "binned"},
            {"kernel": "cosine"},
            {"kernel": "rbf", "gamma": 0.3, "keep_training_data": True},
            {"kernel": "laplacian", "engine": "blocks", "keep_training_data": True},
            {"kernel": "rbf", "n_components": 80, "random_state": 0},
            {"kernel": "rbf", "n_components": 80, "engine": "binned", "random_state": 0},
            {"kernel": "chi2", "keep_training_data": True},
        ],
    )
    def test_as_if_the_others_were_not_there(self, parameters):
        random = np.random.default_rng(4)
        X = random.normal(size=(120, 5)) + 4 * (random.random((120, 1)) < 0.5)
        if parameters["kernel"] == "chi2":
            X = np.abs(X)
        X[:, 1] *= -1000.0  # what no chi2 kernel takes
        seen = [0, 2, 4]
        alone = Kauri(3, max_leaf_nodes=6, **parameters).fit(X[:, seen])
        model = Kauri(
            3, max_leaf_nodes=6, kernel_features=seen, split_features=seen, **parameters
        ).fit(X)
        np.testing.assert_array_equal(model.labels_, alone.labels_)
        assert model.objective_ == pytest.approx(alone.objective_)
        assert model.score(X) == pytest.approx(alone.score(X[:, seen]))
        np.testing.assert_allclose(model.transform(X), alone.transform(X[:, seen]), atol=1e-9)
        assert not model.feature_importances_[[1, 3]].any()

    def test_columns_that_only_conditions_see(self):
        random = np.random.default_rng(0)
        month = random.integers(1, 13, 300).astype(float)
        X = np.column_stack([month, np.sin(month / 12 * 2 * np.pi), np.cos(month / 12 * 2 * np.pi)])
        model = Kauri(3, split_features=[0], kernel_features=[1, 2], max_leaf_nodes=None).fit(X)
        assert set(model.tree_.feature[~model.tree_.is_leaf]) == {0}
        assert model.n_clusters_ == 3
        assert model.score(X) == pytest.approx(model.objective_)

    def test_not_with_a_given_matrix(self):
        X = np.eye(3)
        with pytest.raises(ValueError, match=r"kernel_features=\[0\] .*'precomputed' gives it"):
            Kauri(2, kernel="precomputed", kernel_features=[0], max_leaf_nodes=None).fit(X, gram=X)
        Kauri(2, kernel="precomputed", kernel_features=None, max_leaf_nodes=None).fit(X, gram=X)


class TestParameters:
    def test_rows_that_tell_their_roles(self):
        table = mixed(max_leaf_nodes=10)
        roles = roles_of(None, n_features=table.X.shape[1], one_hot=table.groups)
        told = Kauri(5, max_leaf_nodes=10).fit(EncodedRows.of(table.X, roles))
        same_tree(told.tree_, table.fit().tree_)
        assert [columns.tolist() for columns in told.roles_.one_hot] == [
            sorted(columns) for columns in table.groups
        ]
        plain = Kauri(5, max_leaf_nodes=10, one_hot=None).fit(EncodedRows.of(table.X, roles))
        assert not plain.tree_.has_terms
        assert plain.roles_.is_plain

    def test_names(self):
        pd = pytest.importorskip("pandas")
        table = mixed(max_leaf_nodes=10)
        frame = pd.DataFrame(table.X, columns=[f"c{j}" for j in range(table.X.shape[1])])
        groups = {str(g): [f"c{j}" for j in columns] for g, columns in enumerate(table.groups)}
        model = table.model(
            one_hot=groups,
            split_features=[name for names in groups.values() for name in names],
            kernel_features=[f"c{table.numbers[0]}"],
        ).fit(frame)
        assert model.tree_.has_terms
        assert model.roles_.kernel_columns.tolist() == [table.numbers[0]]

    def test_rows_that_are_not_one_hot(self):
        with pytest.raises(ValueError, match=r"row 1 of X has \[1.0, 1.0\] there"):
            Kauri(2, one_hot=[[0, 1]], max_leaf_nodes=None).fit([[0.0, 1.0], [1.0, 1.0]])

    def test_max_features_counts_a_source_as_one(self):
        table = mixed(max_leaf_nodes=8, sizes=(5,))
        model = table.fit(max_features=1, random_state=0)
        valid_tree(model.tree_, table.X, model.labels_, None, 5)
        all_of_them = table.fit(max_features=4, random_state=0)
        same_tree(all_of_them.tree_, table.fit().tree_, gains=1e-9)

    @pytest.mark.parametrize("engine", ENGINES)
    def test_only_categories(self, engine):
        random = np.random.default_rng(0)
        X, groups, _, _ = make_table(random, 100, 0, (4, 3), none=0.0)
        model = Kauri(4, one_hot=groups, engine=engine, max_leaf_nodes=None).fit(X)
        valid_tree(model.tree_, X, model.labels_, None, 4)
        assert model.n_clusters_ == 4
        Kauri(
            2, one_hot=groups, engine=engine, max_features=1, random_state=0, max_leaf_nodes=None
        ).fit(X)

    def test_too_many_categories_of_one_source(self):
        X = np.eye(260)
        with pytest.raises(ValueError, match=r"feature with 260 categories; .* take up to 254"):
            Kauri(2, one_hot=[range(260)], engine="features", max_leaf_nodes=None).fit(X)
        tree = Kauri(2, one_hot=[range(260)], engine="gram", max_leaf_nodes=None).fit(X).tree_
        assert tree.has_terms

    def test_a_source_of_one_category_everywhere(self):
        X = np.column_stack([np.arange(6.0), np.ones(6), np.zeros(6)])
        model = Kauri(2, one_hot=[[1, 2]], max_leaf_nodes=None).fit(X)
        assert not model.tree_.has_terms

    @pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
    def test_another_kernel(self, kernel):
        table = mixed(seed=7, n=120, max_leaf_nodes=12)
        gram = rbf_kernel(table.X, gamma=0.2)
        if kernel == "laplacian":
            gram = np.exp(-0.2 * np.abs(table.X[:, None] - table.X[None]).sum(axis=2))
        model = table.fit(kernel=kernel, gamma=0.2)
        assert model.engine_ == "gram"
        gains_are_changes(model, table, gram)
        blocks = table.fit(kernel=kernel, gamma=0.2, engine="blocks")
        same_tree(model.tree_, blocks.tree_, gains=1e-9)


class TestResume:
    """Growth goes on from a tree with splits on categories, as if it had never stopped."""

    @pytest.mark.parametrize("engine", ENGINES)
    @pytest.mark.parametrize("sizes", [(6, 4), (13,)])
    def test_goes_on_alike(self, engine, sizes):
        table = mixed(seed=11, n=200, sizes=sizes)
        table.X[:, table.numbers] *= 0.3
        start, whole = (self.grow(table, engine, most) for most in (6, 16))
        assert start.has_terms
        resumed = self.grow(table, engine, 16, start)
        for name in (*DTYPES, *TERM_DTYPES):
            np.testing.assert_array_equal(getattr(resumed, name), getattr(whole, name))

    @pytest.mark.parametrize("engine", ENGINES)
    def test_from_cuts_that_are_not_searched(self, engine):
        """From a tree of single columns to one of subsets, and the other way round."""
        table = mixed(seed=12, n=200, sizes=(5,))
        plain = replace(table, groups=[])
        for before, after in ((plain, table), (table, plain)):
            start = self.grow(before, engine, 6)
            tree = self.grow(after, engine, 10, start)
            assert tree.n_leaves == 10
            np.testing.assert_array_equal(
                tree.feature[: start.node_count][~start.is_leaf], start.feature[~start.is_leaf]
            )
            labels = tree.predict(table.X)
            valid_tree(tree, table.X, labels, None, 5, midpoints=engine != "binned")

    @staticmethod
    def grow(table, engine, most, start=None):
        roles = roles_of(None, n_features=table.X.shape[1], one_hot=table.groups)
        on = check_one_hot(table.X, roles.groups)
        data = InMemory(table.X, Features(roles, on), Kernel("linear"))
        limits, progress = Limits(5, most), Progress(0, None, 5)
        gain_engine = build(engine, data, limits, Approximation(), progress).gain_engine
        return Grower(gain_engine, limits, progress, Clocks(), start=start).grow()
