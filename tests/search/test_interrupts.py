"""Ctrl-C at any moment after the greedy tree: the fit ends with a whole model."""

import inspect
import sys
from functools import cache

import numpy as np
import pytest
from helpers.examples import examples
from helpers.invariants import valid_tree
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from agathis import Kauri
from agathis._fit import fit as fit_module
from agathis._search.tree_search import improved_tree
from agathis.baselines import IMM

SEARCHES = (
    {"search": "local"},
    {"search": "local", "split": "pair"},
    {"search": "greedy", "split": "pair"},
    {"search": "optimal"},
    {"search": "local", "kernel": "rbf"},
)
X = np.random.default_rng(4).random((60, 3))


class Interrupts:
    """Stands for Ctrl-C at the calls of so many functions of the package, counted from 0."""

    def __init__(self, *places):
        self.places, self.calls = places, 0

    def __call__(self, frame, event, argument):
        code = frame.f_code
        # What is raised while a generator is closed Python itself throws away.
        closing = code.co_flags & inspect.CO_GENERATOR
        if "agathis" not in code.co_filename or closing or code is improved_tree.__code__:
            return
        self.calls += 1
        if self.calls - 1 in self.places:
            # Python stops tracing when a tracer raises.
            sys.settrace(self)
            raise KeyboardInterrupt

    def improved_tree(self, *arguments):
        before = sys.gettrace()
        sys.settrace(self)
        try:
            return improved_tree(*arguments)
        finally:
            sys.settrace(before)


def fitted(parameters, interrupts, **more):
    most = {} if parameters["search"] == "optimal" else {"max_leaf_nodes": 4}
    model = Kauri(4, search_effort=0.01, n_init=1, n_jobs=1, random_state=0, **most, **parameters)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fit_module, "improved_tree", interrupts.improved_tree)
        return model.fit(X, **more)


@cache
def in_peace(which, given_start):
    """The greedy tree, the tree that is found, a start and how many calls there are to it."""
    parameters, first, counted = SEARCHES[which], Interrupts(), Interrupts()
    start = IMM(4, random_state=0).fit(X) if given_start else None
    greedy = Kauri(4, max_leaf_nodes=4, kernel=parameters.get("kernel", "linear")).fit(X)
    # What a process imports late is called in the first fit alone.
    fitted(parameters, first, start=start)
    return greedy, fitted(parameters, counted, start=start), start, counted.calls


def whole(model, greedy, midpoints=True):
    is_greedy = np.array_equal(model.tree_.move, greedy.tree_.move)
    limits = {"midpoints": midpoints, "max_leaf_nodes": 4}
    valid_tree(model.tree_, X, model.labels_, None, 4, kauri=is_greedy, **limits)
    assert_array_equal(model.labels_, model.predict(X))
    assert model.inertia_ <= greedy.inertia_ * (1 + 1e-9)
    assert model.score(X) == pytest.approx(model.objective_)


@pytest.mark.parametrize("which", range(len(SEARCHES)))
@examples(40)
@given(place=st.floats(0, 1, exclude_max=True), given_start=st.booleans())
def test_an_interrupt_at_any_moment_leaves_a_whole_model(which, place, given_start):
    greedy, free, start, calls = in_peace(which, given_start)
    parameters, interrupts = SEARCHES[which], Interrupts(min(int(place * calls), calls - 1))
    with pytest.warns(UserWarning, match="interrupted: the tree is the best so far"):
        model = fitted(parameters, interrupts, start=start)
    assert (model.search_interrupted_, free.search_interrupted_) == (True, False)
    # A start that is the best so far has thresholds of its own.
    whole(model, greedy, midpoints=not given_start)
    if parameters["search"] == "optimal":
        assert model.lower_bound_ <= free.inertia_ * (1 + 1e-9)
        assert 0 <= model.gap_ <= 1
        if model.is_optimal_:
            assert model.inertia_ == pytest.approx(free.inertia_)


def test_what_was_found_outlasts_an_interrupt_while_it_is_judged(monkeypatch):
    free = Kauri(4, max_leaf_nodes=4, search="local", random_state=0).fit(X)
    assert free.inertia_ < Kauri(4, max_leaf_nodes=4).fit(X).inertia_
    from agathis._search import tree_search

    completed, calls = tree_search._completed, []

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return completed(*arguments)

    monkeypatch.setattr(tree_search, "_completed", interrupted)
    with pytest.warns(UserWarning, match="interrupted"):
        model = Kauri(4, max_leaf_nodes=4, search="local", random_state=0).fit(X)
    assert model.inertia_ == free.inertia_


def test_two_interrupts_while_it_is_judged_leave_the_greedy_tree(monkeypatch):
    greedy = Kauri(4, max_leaf_nodes=4).fit(X)

    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("agathis._search.tree_search._completed", interrupted)
    for search in ("local", "optimal"):
        most = {"max_leaf_nodes": 4} if search == "local" else {}
        with pytest.warns(UserWarning, match="interrupted"):
            model = Kauri(4, search=search, **most).fit(X)
        assert_array_equal(model.labels_, greedy.labels_)
        assert model.inertia_ == greedy.inertia_
        whole(model, greedy)
    assert not model.is_optimal_
    assert (model.lower_bound_, model.gap_) == (0.0, 1.0)
