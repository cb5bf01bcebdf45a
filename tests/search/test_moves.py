"""Moves: each gain is the objective after less before, the limits hold, and undo is to the bit."""

import numpy as np
from agathis._core.search.leaf_splits import LeafSplits
from agathis._core.search.move_gains import assign_gain, split_gain
from agathis._core.search.node_splits import (
    node_prices,
    node_split_gain,
    node_splits,
    split_off_gain,
    split_offs,
)
from helpers.examples import examples
from helpers.search_problems import (
    check_mutable_tree,
    goes_left,
    labels_of,
    objective_of,
    random_condition,
    random_mutable_tree,
    same_arrays,
    search_problems,
    within,
)
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from agathis._search.local.improvement import LocalImprovement
from agathis._search.local.moves import Proposal, Prune, Reassign, Resplit, SplitLeaf, SplitOff
from agathis._search.local.mutable_trees import COLUMN, CONDITION, SOURCE
from agathis._search.local.oblique_splits import ObliqueResplit
from agathis._search.local.perturbations import Perturbations
from agathis._search.tuning import MAX_SWEEPS


def proposals(problem, mutable_tree):
    """Every move with every change that it proposes, and assignments to all clusters."""
    limits = problem.limits
    resplit, cut = Resplit(limits), SplitLeaf(mutable_tree, limits)
    found = []
    for node in mutable_tree.nodes():
        found += [(resplit, one) for one in resplit.propose_some(mutable_tree, node, 100)]
        for move in (
            resplit,
            cut,
            SplitLeaf(mutable_tree, limits, only_found=True),
            Reassign(limits),
            Prune(limits),
            SplitOff(limits),
            ObliqueResplit(problem.rows, limits, 0.0),
        ):
            one = move.propose(mutable_tree, node)
            found += [(move, one)] if one is not None else []
    for leaf in mutable_tree.leaves():
        for cluster in range(mutable_tree.max_clusters):
            found.append(
                (
                    Reassign(limits),
                    Proposal(leaf, assign_gain(mutable_tree, leaf, cluster), (cluster,)),
                )
            )
    return found


@examples(40)
@given(search_problems())
def test_gains_are_true_the_limits_hold_and_undo_brings_all_back(problem):
    mutable_tree = random_mutable_tree(problem)
    check_mutable_tree(mutable_tree)
    assert within(mutable_tree, problem.limits)
    before = objective_of(problem.rows, labels_of(mutable_tree))
    saved = mutable_tree.save()
    for move, one in proposals(problem, mutable_tree):
        move.apply(mutable_tree, one)
        after = objective_of(problem.rows, labels_of(mutable_tree))
        assert_allclose(one.gain, after - before, rtol=0, atol=problem.tolerance, err_msg=move.name)
        check_mutable_tree(mutable_tree)
        assert within(mutable_tree, problem.limits), move.name
        mutable_tree.restore(saved)
        same_arrays(mutable_tree, saved)


@examples(300)
@given(search_problems())
def test_cuts_part_no_equal_values_of_rows_elsewhere_either(problem):
    # Rows that are not in the node now may come to it later, and a tree sends equal values one way.
    mutable_tree, rows = random_mutable_tree(problem), problem.rows
    for move, one in proposals(problem, mutable_tree):
        if isinstance(move, (SplitLeaf, SplitOff, Resplit)):
            asks = np.frombuffer(one.change[0], CONDITION)[0]
            if asks["kind"] == COLUMN:
                rank = rows.rank[asks["column"], : rows.present[asks["column"]]]
                assert asks["cut"] == np.searchsorted(rank, rank[asks["cut"]], side="right") - 1


@examples(100)
@given(search_problems())
def test_any_change_has_its_gain(problem):
    mutable_tree = random_mutable_tree(problem)
    saved = mutable_tree.save()
    before = objective_of(problem.rows, labels_of(mutable_tree))
    for _ in range(5):
        asks = random_condition(problem)
        nodes = mutable_tree.nodes()
        node = nodes[problem.random.randint(len(nodes))]
        if mutable_tree.is_leaf(node):
            if (
                mutable_tree.n_leaves == mutable_tree.max_leaves
                or min(mutable_tree.sides(node, asks)) == 0
            ):
                continue
            clusters = [int(k) for k in problem.random.randint(0, mutable_tree.max_clusters, 2)]
            gain = split_gain(mutable_tree, node, asks, *clusters)
            mutable_tree.cut(node, asks, *clusters)
        else:
            swapped = bool(problem.random.randint(2))
            gain = node_split_gain(mutable_tree, node, asks, swapped)
            cluster = mutable_tree.empty_cluster()
            room = mutable_tree.n_leaves < mutable_tree.max_leaves and cluster >= 0
            if room and problem.random.rand() < 0.5:
                gain = split_off_gain(mutable_tree, node, asks, swapped, cluster)
                if gain == -np.inf:
                    continue
                mutable_tree.split_off(node, asks, swapped, cluster)
            else:
                mutable_tree.resplit(node, asks, swapped)
        after = objective_of(problem.rows, labels_of(mutable_tree))
        assert_allclose(gain, after - before, rtol=0, atol=problem.tolerance)
        check_mutable_tree(mutable_tree)
        mutable_tree.restore(saved)


@examples(100)
@given(search_problems())
def test_what_a_node_may_not_ask_gains_minus_infinity(problem):
    mutable_tree, limits = random_mutable_tree(problem), problem.limits
    saved = mutable_tree.save()
    for node in mutable_tree.nodes():
        if mutable_tree.is_leaf(node):
            continue
        asks, swapped = random_condition(problem), bool(problem.random.randint(2))
        gain = node_split_gain(mutable_tree, node, asks, swapped, limits.record)
        mutable_tree.resplit(node, asks, swapped)
        assert (gain > -np.inf) == within(mutable_tree, limits)
        mutable_tree.restore(saved)


@examples(70)
@given(search_problems())
def test_any_way_of_moves_and_kicks_ends_at_a_tree_within_the_limits(problem):
    mutable_tree, limits = random_mutable_tree(problem), problem.limits
    perturbations = Perturbations(mutable_tree, Resplit(limits), int(problem.random.randint(2**31)))
    for _ in range(8):
        if problem.random.rand() < 0.5:
            perturbations.make()
        else:
            found = proposals(problem, mutable_tree)
            move, one = found[problem.random.randint(len(found))]
            move.apply(mutable_tree, one)
        check_mutable_tree(mutable_tree)
        assert within(mutable_tree, limits)
    # What was freed is there again: the tree can grow to its full size.
    improvement = LocalImprovement(mutable_tree, limits)
    improvement.run()
    check_mutable_tree(mutable_tree)
    assert within(mutable_tree, limits)


@examples(60)
@given(search_problems())
def test_kicks_of_every_kind_keep_the_limits(problem):
    mutable_tree, limits = random_mutable_tree(problem), problem.limits
    perturbations = Perturbations(mutable_tree, Resplit(limits), int(problem.random.randint(2**31)))
    saved = mutable_tree.save()
    for _, perturb in perturbations.kinds:
        perturb()
        check_mutable_tree(mutable_tree)
        assert within(mutable_tree, limits)
        mutable_tree.restore(saved)
        same_arrays(mutable_tree, saved)


@examples(60)
@given(search_problems())
def test_what_was_restored_goes_on_as_it_would_have(problem):
    limits = problem.limits
    mutable_tree = random_mutable_tree(problem)
    saved = mutable_tree.save()
    other = problem.mutable_tree()
    other.restore(saved)
    Perturbations(mutable_tree, Resplit(limits), int(problem.random.randint(2**31))).make()
    LocalImprovement(mutable_tree, limits).run()
    mutable_tree.restore(saved)
    for one in (mutable_tree, other):
        LocalImprovement(one, limits).run()
    assert mutable_tree.objective == other.objective
    assert mutable_tree.nodes() == other.nodes()
    np.testing.assert_array_equal(mutable_tree.labels(), other.labels())


@examples(60)
@given(search_problems())
def test_a_descent_only_betters_and_ends_where_no_move_does(problem):
    mutable_tree = random_mutable_tree(problem)
    improvement = LocalImprovement(mutable_tree, problem.limits)
    for _ in range(MAX_SWEEPS):
        before = mutable_tree.objective
        changed = improvement.sweep() | improvement.grow()
        assert (mutable_tree.objective > before) == changed
        if not changed:
            break
    # What a fresh look finds: nothing was overlooked because it had been looked at before.
    again = LocalImprovement(mutable_tree, problem.limits)
    assert not again.sweep()
    assert not again.grow()


@examples(60)
@given(search_problems())
def test_leaves_that_are_spent_anywhere_only_better(problem):
    mutable_tree, limits = random_mutable_tree(problem), problem.limits
    improvement = LocalImprovement(mutable_tree, limits, patience=3)
    before = mutable_tree.objective
    improvement.run(resplit_elsewhere=True, anywhere=True)
    assert mutable_tree.objective >= before
    check_mutable_tree(mutable_tree)
    assert within(mutable_tree, limits)
    # Nothing that gains is left to be parted off, above any node.
    improvement.grow(anywhere=True)
    found = [SplitOff(limits).propose(mutable_tree, node) for node in mutable_tree.nodes()]
    assert all(one.gain <= improvement.tolerance for one in found if one is not None)


def worth(mutable_tree, ids, change, asks, swapped):
    """What a question costs with the centres held: of rows in the left subtree what left costs
    more than right.
    """
    left = goes_left(asks, mutable_tree.rows)[ids] != swapped
    return change[left].sum()


def all_cuts(rows, ids):
    """Every question about a column that parts these rows."""
    for column in range(rows.n_columns):
        values = rows.values[column]
        known = np.sort(values[~np.isnan(values)])
        for cut in np.flatnonzero(np.diff(known, append=np.inf) > 0):
            for missing_left in (0, 1):
                asks = np.zeros((), CONDITION)
                asks["kind"], asks["column"], asks["cut"] = COLUMN, column, cut
                asks["missing_left"] = missing_left
                if 0 < goes_left(asks.tobytes(), rows)[ids].sum() < len(ids):
                    yield asks.tobytes()


@examples(100)
@given(search_problems(limited=False))
def test_the_first_proposal_is_the_best_with_the_centres_held(problem):
    mutable_tree, rows = random_mutable_tree(problem), problem.rows
    for node in mutable_tree.nodes():
        if mutable_tree.is_leaf(node):
            continue
        ids, change = node_prices(mutable_tree, node)
        np.testing.assert_array_equal(ids, mutable_tree.leaf_rows(node))
        check_prices(mutable_tree, node, ids, change)
        least = min(
            (
                worth(mutable_tree, ids, change, asks, swapped)
                for asks in all_cuts(rows, ids)
                for swapped in (False, True)
            ),
            default=np.inf,
        )
        found = node_splits(mutable_tree, node, 1)
        every = node_splits(mutable_tree, node, 100)
        assert len(every) <= 2 * rows.n_columns + rows.n_category_groups
        gains = [gain for gain, _, _ in every]
        assert gains == sorted(gains, reverse=True)
        worths = [worth(mutable_tree, ids, change, asks, swapped) for _, asks, swapped in every]
        if found:
            ((_, asks, swapped),) = found
            first = worth(mutable_tree, ids, change, asks, swapped)
            assert_allclose(first, min(worths), rtol=0, atol=problem.tolerance)
        of_columns = [
            one
            for one, (_, asks, _) in zip(worths, every, strict=True)
            if np.frombuffer(asks, CONDITION)[0]["kind"] == COLUMN
        ]
        assert_allclose(min(of_columns, default=np.inf), least, rtol=0, atol=problem.tolerance)


def check_prices(mutable_tree, node, ids, change):
    """A row costs on either way its squared distance to the centre it would come to."""
    rows, saved = mutable_tree.rows, mutable_tree.save()
    labels = labels_of(mutable_tree)
    centres = {
        k: np.average(rows.points[labels == k], axis=0, weights=rows.weight[labels == k])
        for k in np.unique(labels)
    }
    asks = np.zeros((), CONDITION)
    asks["kind"], asks["column"] = COLUMN, 0
    cost = []
    for place in (rows.n, -1):
        # All rows left, or all right; missing ones too.
        asks["cut"], asks["missing_left"] = place, place >= 0
        mutable_tree.resplit(node, asks.tobytes(), False)
        # A cluster that has no row is at the origin, to a draft.
        to = [centres.get(k, np.zeros(rows.points.shape[1])) for k in mutable_tree.labels()[ids]]
        cost.append(rows.weight[ids] * ((rows.points[ids] - to) ** 2).sum(axis=1))
        mutable_tree.restore(saved)
    assert_allclose(change, cost[0] - cost[1], rtol=0, atol=1e-9)


def all_sets(rows, ids):
    """Every question about a source that parts these rows, with rows that have none on the left."""
    for source in range(rows.n_category_groups):
        codes = int(rows.n_categories[source]) - 1
        for chosen in range(2**codes):
            for missing_left in (0, 1):
                asks = np.zeros((), CONDITION)
                asks["kind"], asks["column"] = SOURCE, source
                asks["right"][0], asks["missing_left"] = chosen, missing_left
                if 0 < goes_left(asks.tobytes(), rows)[ids].sum() < len(ids):
                    yield asks.tobytes()


def parted_worth(mutable_tree, ids, side):
    """What some rows of a node gain as a cluster, where all others keep their centres."""
    rows, labels = mutable_tree.rows, labels_of(mutable_tree)
    cost = 0.0
    for k in np.unique(labels):
        own = labels == k
        centre = np.average(rows.points[own], axis=0, weights=rows.weight[own])
        here = np.isin(ids, np.flatnonzero(own)) & side
        apart = rows.points[ids[here]] - centre
        cost += rows.weight[ids[here]] @ (apart**2).sum(axis=1)
    some = ids[side]
    centre = np.average(rows.points[some], axis=0, weights=rows.weight[some])
    return cost - rows.weight[some] @ ((rows.points[some] - centre) ** 2).sum(axis=1)


@examples(100)
@given(search_problems(limited=False))
def test_what_is_parted_off_first_is_the_best_with_the_centres_held(problem):
    mutable_tree, rows = random_mutable_tree(problem), problem.rows
    columns = np.arange(rows.n_columns, dtype=np.int32)
    cluster = mutable_tree.empty_cluster()
    if cluster < 0:
        return
    for node in mutable_tree.nodes():
        if mutable_tree.is_leaf(node):
            continue
        ids = mutable_tree.leaf_rows(node)
        found = split_offs(mutable_tree, node, columns, 100, cluster)
        assert len(found) <= rows.n_columns + rows.n_category_groups
        worths = []
        for gain, asks, leaf_left in found:
            side = goes_left(asks, rows)[ids] == leaf_left
            worths.append(parted_worth(mutable_tree, ids, side))
            # Rows that stay are no worse off when their centres move.
            assert gain >= worths[-1] - problem.tolerance
            assert gain == split_off_gain(mutable_tree, node, asks, leaf_left, cluster)
        first = split_offs(mutable_tree, node, columns, 1, cluster)
        assert len(first) == min(1, len(found))
        best = -np.inf
        for asks in all_cuts(rows, ids):
            left = goes_left(asks, rows)[ids]
            missing = np.isnan(rows.values[np.frombuffer(asks, CONDITION)[0]["column"]][ids])
            for side in (left & ~missing, ~left & ~missing):
                # Rows that miss the column stay.
                if side.any() and (~missing & ~side).any():
                    best = max(best, parted_worth(mutable_tree, ids, side))
        for source in range(rows.n_category_groups):
            for code in np.unique(rows.category[source][ids]):
                side = rows.category[source][ids] == code
                if code >= 0 and not side.all():
                    best = max(best, parted_worth(mutable_tree, ids, side))
        assert_allclose(max(worths, default=-np.inf), best, rtol=0, atol=problem.tolerance)


@examples(100)
@given(search_problems())
def test_what_is_parted_off_may_be_asked_of_a_tree(problem):
    mutable_tree, rows = random_mutable_tree(problem), problem.rows
    for node in mutable_tree.nodes():
        for one in SplitOff(problem.limits).propose_some(
            mutable_tree, node, np.arange(rows.n_columns)
        ):
            asks = np.frombuffer(one.change[0], CONDITION)[0]
            if asks["kind"] == SOURCE:
                # Rows in which no column is on always go left: no tree can send them right.
                none = int(rows.n_categories[asks["column"]]) - 1
                assert not int(asks["right"][none >> 6]) >> (none & 63) & 1


def best_found(problem, mutable_tree, leaf, questions):
    """The most that a question gains whose one side founds a cluster, by trying both."""
    rows, before = problem.rows, objective_of(problem.rows, labels_of(mutable_tree))
    here, best = mutable_tree.leaf_rows(leaf), -np.inf
    for asks in questions:
        left = here[goes_left(asks, rows)[here]]
        for side in (left, np.setdiff1d(here, left)):
            weight = rows.weight[side].sum()
            other = rows.weight[here].sum() - weight
            if min(weight, other) >= problem.limits.min_leaf:
                labels = labels_of(mutable_tree)
                labels[side] = -1
                best = max(best, objective_of(rows, labels) - before)
    return best


@examples(100)
@given(search_problems(sources=False))
def test_the_best_cut_that_founds_a_cluster_is_found(problem):
    mutable_tree = random_mutable_tree(problem)
    for leaf in mutable_tree.leaves():
        found = LeafSplits(mutable_tree).best(mutable_tree, leaf, problem.limits.record, True)
        if mutable_tree.n_clusters == mutable_tree.max_clusters:
            assert found is None
            continue
        best = best_found(
            problem, mutable_tree, leaf, all_cuts(problem.rows, mutable_tree.leaf_rows(leaf))
        )
        gain = -np.inf if found is None else found[0]
        assert_allclose(gain, best, rtol=0, atol=problem.tolerance)


@examples(60)
@given(search_problems(max_n=16))
def test_cuts_of_sources_are_no_better_than_the_best(problem):
    mutable_tree = random_mutable_tree(problem)
    for leaf in mutable_tree.leaves():
        found = LeafSplits(mutable_tree).best(mutable_tree, leaf, problem.limits.record, True)
        ids = mutable_tree.leaf_rows(leaf)
        questions = [*all_cuts(problem.rows, ids), *all_sets(problem.rows, ids)]
        best = best_found(problem, mutable_tree, leaf, questions)
        if found is not None:
            assert found[0] <= best + problem.tolerance


@examples(40)
@given(search_problems(limited=False), st.integers(0, 5))
def test_cuts_look_at_the_clusters_that_pull(problem, seed):
    # With few clusters all are targets: no assignment of the sides is better than what is found.
    mutable_tree = random_mutable_tree(problem)
    cut = SplitLeaf(mutable_tree, problem.limits)
    for leaf in mutable_tree.leaves():
        found = cut.propose(mutable_tree, leaf)
        only = SplitLeaf(mutable_tree, problem.limits, only_found=True).propose(mutable_tree, leaf)
        if only is not None:
            assert found is not None
            assert found.gain >= only.gain - problem.tolerance
