"""Cells: means of rows as the paper's tables have them, and whether they agree with the print."""

import numpy as np
import pytest

from paper.experiments.plan import ANGLES, LOST_RUNS, SIZES, pieces, wanted
from paper.experiments.printed import (
    Name,
    Printed,
    printed_cells,
    printed_clusters,
    printed_curves,
)
from paper.experiments.result_cells import COLUMNS, TABLES, Cell, agreement, as_table, make_cells


def rows_of(experiment, dataset, kernel, methods, runs=4, seed=0):
    random = np.random.default_rng(seed)
    found = []
    for run in range(runs):
        reference, strong = random.uniform(1, 2, 2)
        for method in methods:
            values = random.uniform(size=4)
            found.append(
                {
                    "experiment": experiment,
                    "dataset": dataset,
                    "kernel": kernel,
                    "run": run,
                    "at": 0.0,
                    "method": method,
                    "ari": values[0],
                    "wad": 2 + values[1],
                    "waes": 1 + values[2],
                    "cost": 2 + values[3],
                    "reference": reference,
                    "strong": strong,
                }
            )
    return found


def cell_of(cells, **wanted):
    found = [c for c in cells if wanted.items() <= c.name._asdict().items()]
    assert len(found) == 1
    return found[0]


class TestMeans:
    def test_are_over_the_runs_of_a_method(self):
        rows = rows_of("small", "iris", "linear", ["kauri", "imm"])
        cells = make_cells(rows)
        for method in ("kauri", "imm"):
            values = [row["ari"] for row in rows if row["method"] == method]
            cell = cell_of(cells, method=method, metric="ari")
            assert cell.mean == pytest.approx(np.mean(values))
            assert cell.std == pytest.approx(np.std(values))
            assert (cell.runs, cell.table) == (4, "small_ari")

    def test_do_not_depend_on_the_order_of_the_rows(self):
        rows = rows_of("kernels", "wine", "rbf", ["kauri", "kmeans_dt"])
        assert make_cells(rows) == make_cells(rows[::-1])

    def test_of_waes_count_one_more_as_the_paper_does(self):
        rows = rows_of("large", "iris", "linear", ["exkmc"])
        cell = cell_of(make_cells(rows), metric="waes")
        assert cell.mean == pytest.approx(1 + np.mean([row["waes"] for row in rows]))

    def test_of_relative_scores_divide_by_what_their_name_says(self):
        rows = rows_of("kernels", "wine", "rbf", ["kauri", "kmeans_dt"])
        mine = [row for row in rows if row["method"] == "kauri"]
        least = min(row["reference"] for row in rows)
        expected = {
            "relative_kmeans": [row["cost"] / least for row in mine],
            "relative_same": [row["cost"] / row["reference"] for row in mine],
            "relative_strong": [row["cost"] / row["strong"] for row in mine],
        }
        for metric, values in expected.items():
            cell = cell_of(make_cells(rows), method="kauri", metric=metric)
            assert cell.mean == pytest.approx(np.mean(values))

    def test_of_another_set_or_kernel_stay_apart(self):
        rows = rows_of("kernels", "wine", "rbf", ["kauri"])
        others = rows_of("kernels", "wine", "chi2", ["kauri"], seed=1)
        others += rows_of("kernels", "iris", "rbf", ["kauri"], seed=2)
        for cell in make_cells(rows):
            assert cell in make_cells(rows + others)


class TestAgreement:
    @pytest.mark.parametrize(
        ("mean", "std", "ours", "agrees"),
        [
            (0.5, 0.0, 0.52, True),
            (0.5, 0.0, 0.5201, False),
            (0.5, 0.03, 0.56, True),
            (0.5, 0.03, 0.4399, False),
            (0.1, 0.01, 0.12, True),
        ],
    )
    def test_is_within_two_deviations_or_a_fiftieth(self, mean, std, ours, agrees):
        name = Name("iris", "linear", "k", "kauri", "ari")
        cell = Cell(name, "small_ari", ours, 0.1, 30, Printed("small_ari", mean, std))
        assert cell.agrees is agrees
        assert cell.as_row()["agrees"] == ("yes" if agrees else "no")
        assert cell.difference == pytest.approx(ours - mean)

    def test_is_open_where_nothing_is_printed(self):
        rows = rows_of("small", "digits", "linear", ["icot"])
        cell = cell_of(make_cells(rows), metric="ari")
        assert cell.paper == Printed("small_ari", None, None)
        assert cell.agrees is cell.difference is None
        assert cell_of(make_cells(rows), metric="wad").paper is None

    def test_is_counted_by_metric_and_method(self):
        rows = rows_of("small", "iris", "linear", ["kauri", "imm"])
        cells = make_cells(rows)
        counts = {(row["metric"], row["method"]): row for row in agreement(cells)}
        assert counts["ari", "kauri"]["of"] == 1
        assert sum(row["agree"] for row in counts.values()) == sum(c.agrees is True for c in cells)


def test_tables_have_the_columns_of_the_paper_and_more(tmp_path):
    rows = rows_of("small", "iris", "linear", ["kauri", "rdm"])
    table = as_table(make_cells(rows))
    assert tuple(table.columns) == COLUMNS
    words = {(row["table"], row["metric"]) for row in table}
    assert {("small_ari", "ari"), ("small_wad", "wad")} <= words
    assert ("small_kmeans_extended", "relative_kmeans") in words


def test_a_set_that_the_paper_leaves_out_has_a_table_too():
    rows = rows_of("large", "vowel", "linear", ["kauri"])
    assert cell_of(make_cells(rows), metric="ari").table == "large_ari_extended"


def test_a_whole_run_has_a_cell_for_each_that_is_printed():
    rows = []
    for piece in pieces():
        if piece.experiment in TABLES and piece.run == 0:
            rows += rows_of(piece.experiment, piece.dataset, piece.kernel, wanted(piece), runs=1)
    tables = {cell.name: cell.table for cell in make_cells(rows)}
    for name, paper in printed_cells().items():
        assert tables[name] == paper.table


class TestPrint:
    def test_has_all_cells(self):
        cells = printed_cells()
        assert len(cells) == 687
        assert sum(paper.mean is None for paper in cells.values()) == 14
        assert cells["iris", "linear", "k", "kauri", "ari"] == Printed("small_ari", 0.79, 0.09)

    def test_has_the_places_of_the_curves(self):
        for figure, places in (("angle", ANGLES), ("samples", SIZES)):
            for method in ("kauri", "kmeans_dt"):
                x, _ = zip(*printed_curves()[figure, method], strict=True)
                np.testing.assert_allclose(x, places, rtol=1e-4, atol=1e-6)

    def test_has_a_hundred_runs_in_each_histogram(self):
        assert len(printed_clusters()) == 4
        for bars in printed_clusters().values():
            assert sum(bars.values()) == LOST_RUNS
