"""Pieces of work and their fits: what is drawn, what is shared, what is measured."""

import numpy as np
import pytest
from helpers.invariants import valid_tree
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import pairwise_kernels

from agathis import _methods as methods
from agathis.metrics import kernel_kmeans_score
from paper.datasets import available, load
from paper.experiments.fits import Case, fits, rows_of
from paper.experiments.plan import (
    EXPERIMENTS,
    KERNELS,
    METHODS,
    QUICK_SETS,
    RUNS,
    Piece,
    pieces,
    wanted,
)
from paper.experiments.store import key_of

IRIS = Piece("small", "iris", "linear", 2)


class TestPlan:
    def test_has_every_set_kernel_and_run_of_the_tables(self):
        plan = pieces()
        assert len(set(plan)) == len(plan)
        for name in ("small", "large"):
            found = {(p.dataset, p.run) for p in plan if p.experiment == name}
            assert found == {(s, run) for s in available() for run in range(RUNS)}
        found = {(p.dataset, p.kernel, p.run) for p in plan if p.experiment == "kernels"}
        assert found == {(s, k, run) for s in available() for k in KERNELS for run in range(RUNS)}
        assert sum(p.experiment == "lost" for p in plan) == 400
        assert {p.experiment for p in plan} == set(EXPERIMENTS)

    def test_of_a_quick_run_is_part_of_the_whole(self):
        quick = pieces(quick=True)
        assert set(quick) <= set(pieces())
        assert {p.dataset for p in quick if p.experiment == "kernels"} == set(QUICK_SETS)
        assert {p.experiment for p in quick} == set(EXPERIMENTS)

    def test_begins_with_what_is_short(self):
        effort = [p.effort() for p in pieces()]
        assert effort == sorted(effort)

    def test_draws_the_same_rows_for_every_experiment_and_other_ones_in_every_run(self):
        X, y, k = rows_of(IRIS, None)
        assert (X.shape, k) == ((120, 4), 3)
        again, classes, _ = rows_of(Piece("kernels", "iris", "rbf", 2), None)
        np.testing.assert_array_equal(X, again)
        np.testing.assert_array_equal(y, classes)
        other, _, _ = rows_of(Piece("small", "iris", "linear", 3), None)
        assert not np.array_equal(X, other)

    def test_scales_before_it_draws(self):
        whole = load("iris", scaled=True)
        X, _, _ = rows_of(IRIS, None)
        rows = {tuple(row) for row in whole.data}
        assert all(tuple(row) in rows for row in X)

    def test_counts_lost_clusters_on_all_rows(self):
        X, _, k = rows_of(Piece("lost", "iris", "polynomial", 5), None)
        assert (X.shape, k) == ((150, 4), 3)

    def test_turns_and_sizes_the_gaussians(self):
        X, _, k = rows_of(Piece("samples", "gaussians", "linear", 0, 37.0), None)
        assert (X.shape, k) == ((37, 2), 3)
        X, y, _ = rows_of(Piece("angle", "gaussians", "linear", 0, 0.0), None)
        assert X.shape == (300, 2)
        middles = [X[y == c].mean(axis=0) for c in range(3)]
        assert np.abs(np.array(middles)[:, 1]).max() < 0.3


class TestFits:
    @pytest.mark.parametrize(
        "piece",
        [
            IRIS,
            Piece("large", "iris", "linear", 0),
            Piece("kernels", "iris", "chi2", 0),
            Piece("angle", "gaussians", "linear", 0, 0.5),
            Piece("samples", "gaussians", "linear", 0, 10.0),
            Piece("lost", "iris", "polynomial", 0),
        ],
        ids=lambda piece: piece.experiment,
    )
    def test_give_a_row_each_and_the_same_again(self, piece):
        found = list(fits(None, (piece, wanted(piece))))
        assert [key_of(row) for row in found] == [piece.key(method) for method in wanted(piece)]
        again = list(fits(None, (piece, wanted(piece)[-1:])))
        for row in (*found, *again):
            assert row.pop("seconds") >= 0
            assert all(np.isfinite(v) for v in row.values() if isinstance(v, float))
        assert found[-1:] == again

    def test_measure_what_the_model_gives(self):
        case = Case(IRIS, None)
        for row in fits(None, (IRIS, METHODS["small"])):
            model, kauri = case.fit(row["method"]), row["method"] == "kauri"
            valid_tree(model.tree_, case.X, model.labels_, None, 3, kauri=kauri, midpoints=kauri)
            assert row["ari"] == adjusted_rand_score(case.y, model.labels_)
            assert row["cost"] == pytest.approx(kernel_kmeans_score(case.X, model.labels_))
            assert row["leaves"] <= 3
            reference = KMeans(3, n_init=10, random_state=IRIS.seed).fit(case.X).inertia_
            assert row["reference"] == pytest.approx(reference)

    def test_with_a_kernel_are_judged_by_it(self):
        piece = Piece("kernels", "wine", "laplacian", 1)
        case = Case(piece, None)
        gram = pairwise_kernels(case.X, metric="laplacian")
        for row in fits(None, (piece, METHODS["kernels"])):
            labels = case.fit(row["method"]).labels_
            cost = kernel_kmeans_score(gram, labels, kernel="precomputed")
            assert row["cost"] == pytest.approx(cost)
            assert row["leaves"] <= 12
            # The strong one has the lowest cost that is known.
            assert row["strong"] <= row["reference"] + 1e-9
            assert row["strong"] <= row["cost"] + 1e-9

    def test_of_many_rows_take_points_for_the_strong_reference(self, monkeypatch):
        piece = Piece("kernels", "wine", "rbf", 1)
        exact = Case(piece, None)
        monkeypatch.setattr("paper.experiments.fits.EXACT_ROWS", 10)
        mapped = Case(piece, None)
        # 256 points of 142 rows leave nothing out.
        assert mapped.references["strong"] == pytest.approx(exact.references["strong"], rel=0.02)


def test_every_method_without_search_is_fitted():
    fitted = {key for keys in METHODS.values() for key in keys}
    assert fitted - {"kmeans_dt_strong", "kernel_kmeans"} == {
        method.key for method in methods.METHODS.values() if method.search is None
    }
