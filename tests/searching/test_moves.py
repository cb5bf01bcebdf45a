"""Moves: each gain is the objective after less before, the limits hold, and undo is to the bit."""

import numpy as np
from agathis._core.search.leaf_cuts import LeafCuts
from agathis._core.search.move_gains import assign_gain, cut_gain
from agathis._core.search.node_cuts import node_cut_gain, node_cuts, node_prices
from agathis._core.search.part_off import offs, part_off_gain
from helpers.examples import examples
from helpers.search_problems import (
    check_draft,
    drawn_draft,
    goes_left,
    labels_of,
    objective_of,
    random_condition,
    same_arrays,
    search_problems,
    within,
)
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from agathis._searching.descent import Descent
from agathis._searching.drafts import COLUMN, CONDITION, SOURCE
from agathis._searching.kicks import Kicks
from agathis._searching.moves import Cut, PartOff, Proposal, Prune, Reassign, Resplit
from agathis._searching.pairs import PairResplit
from agathis._searching.tuning import MOST_SWEEPS


def proposals(problem, draft):
    """Every move with every change that it proposes, and assignments to all clusters."""
    limits = problem.limits
    resplit, cut = Resplit(limits), Cut(draft, limits)
    found = []
    for node in draft.nodes():
        found += [(resplit, one) for one in resplit.propose_some(draft, node, 100)]
        for move in (
            resplit,
            cut,
            Cut(draft, limits, only_found=True),
            Reassign(),
            Prune(),
            PartOff(limits),
            PairResplit(problem.rows, limits, 0.0),
        ):
            one = move.propose(draft, node)
            found += [(move, one)] if one is not None else []
    for leaf in draft.leaves():
        for cluster in range(draft.most_clusters):
            found.append(
                (Reassign(), Proposal(leaf, assign_gain(draft, leaf, cluster), (cluster,)))
            )
    return found


@examples(40)
@given(search_problems())
def test_gains_are_true_the_limits_hold_and_undo_brings_all_back(problem):
    draft = drawn_draft(problem)
    check_draft(draft)
    assert within(draft, problem.limits)
    before = objective_of(problem.rows, labels_of(draft))
    saved = draft.save()
    for move, one in proposals(problem, draft):
        move.apply(draft, one)
        after = objective_of(problem.rows, labels_of(draft))
        assert_allclose(one.gain, after - before, rtol=0, atol=problem.tolerance, err_msg=move.name)
        check_draft(draft)
        assert within(draft, problem.limits), move.name
        draft.restore(saved)
        same_arrays(draft, saved)


@examples(300)
@given(search_problems())
def test_cuts_part_no_equal_values_of_rows_elsewhere_either(problem):
    # Rows that are not in the node now may come to it later, and a tree sends equal values one way.
    draft, rows = drawn_draft(problem), problem.rows
    for move, one in proposals(problem, draft):
        if isinstance(move, (Cut, PartOff, Resplit)):
            asks = np.frombuffer(one.change[0], CONDITION)[0]
            if asks["kind"] == COLUMN:
                rank = rows.rank[asks["column"], : rows.present[asks["column"]]]
                assert asks["cut"] == np.searchsorted(rank, rank[asks["cut"]], side="right") - 1


@examples(100)
@given(search_problems())
def test_any_change_has_its_gain(problem):
    draft = drawn_draft(problem)
    saved = draft.save()
    before = objective_of(problem.rows, labels_of(draft))
    for _ in range(5):
        asks = random_condition(problem)
        nodes = draft.nodes()
        node = nodes[problem.random.randint(len(nodes))]
        if draft.is_leaf(node):
            if draft.n_leaves == draft.most_leaves or min(draft.sides(node, asks)) == 0:
                continue
            clusters = [int(k) for k in problem.random.randint(0, draft.most_clusters, 2)]
            gain = cut_gain(draft, node, asks, *clusters)
            draft.cut(node, asks, *clusters)
        else:
            swapped = bool(problem.random.randint(2))
            gain = node_cut_gain(draft, node, asks, swapped)
            cluster = draft.empty_cluster()
            room = draft.n_leaves < draft.most_leaves and cluster >= 0
            if room and problem.random.rand() < 0.5:
                gain = part_off_gain(draft, node, asks, swapped, cluster)
                if gain == -np.inf:
                    continue
                draft.part_off(node, asks, swapped, cluster)
            else:
                draft.resplit(node, asks, swapped)
        after = objective_of(problem.rows, labels_of(draft))
        assert_allclose(gain, after - before, rtol=0, atol=problem.tolerance)
        check_draft(draft)
        draft.restore(saved)


@examples(100)
@given(search_problems())
def test_what_a_node_may_not_ask_gains_minus_infinity(problem):
    draft, limits = drawn_draft(problem), problem.limits
    saved = draft.save()
    for node in draft.nodes():
        if draft.is_leaf(node):
            continue
        asks, swapped = random_condition(problem), bool(problem.random.randint(2))
        gain = node_cut_gain(draft, node, asks, swapped, limits.record)
        draft.resplit(node, asks, swapped)
        assert (gain > -np.inf) == within(draft, limits)
        draft.restore(saved)


@examples(70)
@given(search_problems())
def test_any_way_of_moves_and_kicks_ends_at_a_tree_within_the_limits(problem):
    draft, limits = drawn_draft(problem), problem.limits
    kicks = Kicks(draft, Resplit(limits), int(problem.random.randint(2**31)))
    for _ in range(8):
        if problem.random.rand() < 0.5:
            kicks.make()
        else:
            found = proposals(problem, draft)
            move, one = found[problem.random.randint(len(found))]
            move.apply(draft, one)
        check_draft(draft)
        assert within(draft, limits)
    # What was freed is there again: the tree can grow to its full size.
    descent = Descent(draft, limits)
    descent.run()
    check_draft(draft)
    assert within(draft, limits)


@examples(60)
@given(search_problems())
def test_kicks_of_every_kind_keep_the_limits(problem):
    draft, limits = drawn_draft(problem), problem.limits
    kicks = Kicks(draft, Resplit(limits), int(problem.random.randint(2**31)))
    saved = draft.save()
    for _, kick in kicks.kinds:
        kick()
        check_draft(draft)
        assert within(draft, limits)
        draft.restore(saved)
        same_arrays(draft, saved)


@examples(60)
@given(search_problems())
def test_what_was_restored_goes_on_as_it_would_have(problem):
    limits = problem.limits
    draft = drawn_draft(problem)
    saved = draft.save()
    other = problem.draft()
    other.restore(saved)
    Kicks(draft, Resplit(limits), int(problem.random.randint(2**31))).make()
    Descent(draft, limits).run()
    draft.restore(saved)
    for one in (draft, other):
        Descent(one, limits).run()
    assert draft.objective == other.objective
    assert draft.nodes() == other.nodes()
    np.testing.assert_array_equal(draft.labels(), other.labels())


@examples(60)
@given(search_problems())
def test_a_descent_only_betters_and_ends_where_no_move_does(problem):
    draft = drawn_draft(problem)
    descent = Descent(draft, problem.limits)
    for _ in range(MOST_SWEEPS):
        before = draft.objective
        changed = descent.sweep() | descent.grow()
        assert (draft.objective > before) == changed
        if not changed:
            break
    # What a fresh look finds: nothing was overlooked because it had been looked at before.
    again = Descent(draft, problem.limits)
    assert not again.sweep()
    assert not again.grow()


@examples(60)
@given(search_problems())
def test_leaves_that_are_spent_anywhere_only_better(problem):
    draft, limits = drawn_draft(problem), problem.limits
    descent = Descent(draft, limits, patience=3)
    before = draft.objective
    descent.run(spend=True, anywhere=True)
    assert draft.objective >= before
    check_draft(draft)
    assert within(draft, limits)
    # Nothing that gains is left to be parted off, above any node.
    descent.grow(anywhere=True)
    found = [PartOff(limits).propose(draft, node) for node in draft.nodes()]
    assert all(one.gain <= descent.tolerance for one in found if one is not None)


def worth(draft, ids, change, asks, swapped):
    """What a question costs with the centres held: of rows in the left subtree what left costs
    more than right.
    """
    left = goes_left(asks, draft.rows)[ids] != swapped
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
    draft, rows = drawn_draft(problem), problem.rows
    for node in draft.nodes():
        if draft.is_leaf(node):
            continue
        ids, change = node_prices(draft, node)
        np.testing.assert_array_equal(ids, draft.leaf_rows(node))
        check_prices(draft, node, ids, change)
        least = min(
            (
                worth(draft, ids, change, asks, swapped)
                for asks in all_cuts(rows, ids)
                for swapped in (False, True)
            ),
            default=np.inf,
        )
        found = node_cuts(draft, node, 1)
        every = node_cuts(draft, node, 100)
        assert len(every) <= 2 * rows.n_columns + rows.n_sources
        gains = [gain for gain, _, _ in every]
        assert gains == sorted(gains, reverse=True)
        worths = [worth(draft, ids, change, asks, swapped) for _, asks, swapped in every]
        if found:
            ((_, asks, swapped),) = found
            first = worth(draft, ids, change, asks, swapped)
            assert_allclose(first, min(worths), rtol=0, atol=problem.tolerance)
        of_columns = [
            one
            for one, (_, asks, _) in zip(worths, every, strict=True)
            if np.frombuffer(asks, CONDITION)[0]["kind"] == COLUMN
        ]
        assert_allclose(min(of_columns, default=np.inf), least, rtol=0, atol=problem.tolerance)


def check_prices(draft, node, ids, change):
    """A row costs on either way its squared distance to the centre it would come to."""
    rows, saved = draft.rows, draft.save()
    labels = labels_of(draft)
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
        draft.resplit(node, asks.tobytes(), False)
        # A cluster that has no row is at the origin, to a draft.
        to = [centres.get(k, np.zeros(rows.points.shape[1])) for k in draft.labels()[ids]]
        cost.append(rows.weight[ids] * ((rows.points[ids] - to) ** 2).sum(axis=1))
        draft.restore(saved)
    assert_allclose(change, cost[0] - cost[1], rtol=0, atol=1e-9)


def all_sets(rows, ids):
    """Every question about a source that parts these rows, with rows that have none on the left."""
    for source in range(rows.n_sources):
        codes = int(rows.n_codes[source]) - 1
        for chosen in range(2**codes):
            for missing_left in (0, 1):
                asks = np.zeros((), CONDITION)
                asks["kind"], asks["column"] = SOURCE, source
                asks["right"][0], asks["missing_left"] = chosen, missing_left
                if 0 < goes_left(asks.tobytes(), rows)[ids].sum() < len(ids):
                    yield asks.tobytes()


def parted_worth(draft, ids, side):
    """What some rows of a node gain as a cluster, where all others keep their centres."""
    rows, labels = draft.rows, labels_of(draft)
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
    draft, rows = drawn_draft(problem), problem.rows
    columns = np.arange(rows.n_columns, dtype=np.int32)
    cluster = draft.empty_cluster()
    if cluster < 0:
        return
    for node in draft.nodes():
        if draft.is_leaf(node):
            continue
        ids = draft.leaf_rows(node)
        found = offs(draft, node, columns, 100, cluster)
        assert len(found) <= rows.n_columns + rows.n_sources
        worths = []
        for gain, asks, leaf_left in found:
            side = goes_left(asks, rows)[ids] == leaf_left
            worths.append(parted_worth(draft, ids, side))
            # Rows that stay are no worse off when their centres move.
            assert gain >= worths[-1] - problem.tolerance
            assert gain == part_off_gain(draft, node, asks, leaf_left, cluster)
        first = offs(draft, node, columns, 1, cluster)
        assert len(first) == min(1, len(found))
        best = -np.inf
        for asks in all_cuts(rows, ids):
            left = goes_left(asks, rows)[ids]
            missing = np.isnan(rows.values[np.frombuffer(asks, CONDITION)[0]["column"]][ids])
            for side in (left & ~missing, ~left & ~missing):
                # Rows that miss the column stay.
                if side.any() and (~missing & ~side).any():
                    best = max(best, parted_worth(draft, ids, side))
        for source in range(rows.n_sources):
            for code in np.unique(rows.category[source][ids]):
                side = rows.category[source][ids] == code
                if code >= 0 and not side.all():
                    best = max(best, parted_worth(draft, ids, side))
        assert_allclose(max(worths, default=-np.inf), best, rtol=0, atol=problem.tolerance)


@examples(100)
@given(search_problems())
def test_what_is_parted_off_may_be_asked_of_a_tree(problem):
    draft, rows = drawn_draft(problem), problem.rows
    for node in draft.nodes():
        for one in PartOff(problem.limits).propose_some(draft, node, np.arange(rows.n_columns)):
            asks = np.frombuffer(one.change[0], CONDITION)[0]
            if asks["kind"] == SOURCE:
                # Rows in which no column is on always go left: no tree can send them right.
                none = int(rows.n_codes[asks["column"]]) - 1
                assert not int(asks["right"][none >> 6]) >> (none & 63) & 1


def best_found(problem, draft, leaf, questions):
    """The most that a question gains whose one side founds a cluster, by trying both."""
    rows, before = problem.rows, objective_of(problem.rows, labels_of(draft))
    here, best = draft.leaf_rows(leaf), -np.inf
    for asks in questions:
        left = here[goes_left(asks, rows)[here]]
        for side in (left, np.setdiff1d(here, left)):
            weight = rows.weight[side].sum()
            other = rows.weight[here].sum() - weight
            if min(weight, other) >= problem.limits.min_leaf:
                labels = labels_of(draft)
                labels[side] = -1
                best = max(best, objective_of(rows, labels) - before)
    return best


@examples(100)
@given(search_problems(sources=False))
def test_the_best_cut_that_founds_a_cluster_is_found(problem):
    draft = drawn_draft(problem)
    for leaf in draft.leaves():
        found = LeafCuts(draft).best(draft, leaf, problem.limits.record, True)
        if draft.n_clusters == draft.most_clusters:
            assert found is None
            continue
        best = best_found(problem, draft, leaf, all_cuts(problem.rows, draft.leaf_rows(leaf)))
        gain = -np.inf if found is None else found[0]
        assert_allclose(gain, best, rtol=0, atol=problem.tolerance)


@examples(60)
@given(search_problems(max_n=16))
def test_cuts_of_sources_are_no_better_than_the_best(problem):
    draft = drawn_draft(problem)
    for leaf in draft.leaves():
        found = LeafCuts(draft).best(draft, leaf, problem.limits.record, True)
        ids = draft.leaf_rows(leaf)
        questions = [*all_cuts(problem.rows, ids), *all_sets(problem.rows, ids)]
        best = best_found(problem, draft, leaf, questions)
        if found is not None:
            assert found[0] <= best + problem.tolerance


@examples(40)
@given(search_problems(limited=False), st.integers(0, 5))
def test_cuts_look_at_the_clusters_that_pull(problem, seed):
    # With few clusters all are targets: no assignment of the sides is better than what is found.
    draft = drawn_draft(problem)
    cut = Cut(draft, problem.limits)
    for leaf in draft.leaves():
        found = cut.propose(draft, leaf)
        only = Cut(draft, problem.limits, only_found=True).propose(draft, leaf)
        if only is not None:
            assert found is not None
            assert found.gain >= only.gain - problem.tolerance
