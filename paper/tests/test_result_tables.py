"""Tables of cells: what is in them, what is best, how they are written, and why cells differ."""

import re

import pytest

from paper.experiments.labels import METRICS, decimals
from paper.experiments.output_files import escaped, latex, markdown
from paper.experiments.plan import RUNS
from paper.experiments.printed import Name, Printed, printed_cells
from paper.experiments.reasons import UNKNOWN, find_reasons, reason
from paper.experiments.result_cells import Cell, make_cells
from paper.experiments.result_tables import make_tables
from paper.experiments.summary import Count, counts, headlines, progress
from paper.tests.helpers.experiment_rows import row, some_rows


@pytest.fixture(scope="module")
def cells():
    return make_cells(some_rows())


@pytest.fixture(scope="module")
def result_tables(cells):
    return make_tables(cells)


def made(method, mean, printed, *, std=0.01, metric="relative_kmeans", kernel="linear", runs=RUNS):
    name = Name("target", kernel, "k" if kernel == "linear" else "4k", method, metric)
    return Cell(name, "a table", mean, 0.02, runs, Printed("a table", printed, std))


class TestSheets:
    def test_every_cell_is_in_one_sheet(self, cells, result_tables):
        shown = [entry.cell.name for sheet in result_tables for entry in sheet.entries()]
        assert sorted(shown) == sorted(cell.name for cell in cells)

    def test_a_sheet_has_one_kernel_and_one_number_of_leaves(self, result_tables):
        for sheet in result_tables:
            names = [entry.cell.name for entry in sheet.entries()]
            assert len({(name.kernel, name.leaves) for name in names}) == 1
            assert {name.metric for name in names} == set(sheet.metrics)

    def test_entries_stand_under_their_method_and_beside_their_set(self, result_tables):
        for sheet in result_tables:
            for dataset, entries in sheet.rows:
                for column, entry in zip(sheet.columns, entries, strict=True):
                    name = entry.cell.name
                    assert (name.dataset, name.method, name.metric) == (
                        dataset,
                        column.method,
                        column.metric,
                    )

    def test_best_by_definition(self, result_tables):
        for sheet in result_tables:
            for _, entries in sheet.rows:
                for entry in entries:
                    metric = entry.cell.name.metric
                    sign = 1 if METRICS[metric].larger else -1
                    baselines = [e.cell for e in entries if e.cell.name.metric == metric]
                    own = sign * round(entry.cell.mean, 2)
                    assert entry.best == all(sign * round(c.mean, 2) <= own for c in baselines)
                    if entry.cell.agrees is None:
                        assert not entry.paper_best
                        continue
                    printed = [c.paper.mean for c in baselines if c.agrees is not None]
                    own = sign * entry.cell.paper.mean
                    assert entry.paper_best == all(sign * value <= own for value in printed)

    def test_equals_are_all_best(self):
        rows = [row("small", "iris", m, ari=v) for m, v in
                (("kauri", 0.801), ("kmeans_dt", 0.799), ("imm", 0.79))]  # fmt: skip
        ari = make_tables(make_cells(rows))[0]
        assert [entry.best for entry in ari.rows[0][1]] == [True, True, False]

    def test_references_stand_side_by_side(self, result_tables):
        (sheet,) = [s for s in result_tables if s.key == "kernels-relative_strong-rbf"]
        assert [(c.method, c.metric) for c in sheet.columns] == [
            (method, metric)
            for metric in ("relative_same", "relative_strong")
            for method in ("kauri", "kmeans_dt", "kmeans_dt_strong")
        ]
        assert not sheet.is_printed

    def test_titles_say_what_is_better(self, result_tables):
        for sheet in result_tables:
            way = "larger" if METRICS[sheet.metrics[0]].larger else "smaller"
            assert f"({way} is better)" in sheet.title
        waes = next(sheet for sheet in result_tables if sheet.metrics == ("waes",))
        assert "plus 1" in waes.note
        assert "3 runs" in waes.note

    def test_a_method_without_rows_has_no_column(self):
        result_tables = make_tables(make_cells([row("small", "iris", "imm")]))
        assert all([c.method for c in sheet.columns] == ["imm"] for sheet in result_tables)

    def test_nothing(self):
        assert make_tables([]) == []


class TestMarkdown:
    def test_numbers_can_be_read_back(self, result_tables):
        tables = re.findall(r"(?:^\|.*\|\n)+", markdown(result_tables), re.M)
        assert len(tables) == len(result_tables)
        for table, sheet in zip(tables, result_tables, strict=True):
            lines = [line.strip("| ").split(" | ") for line in table.splitlines()]
            assert {len(line) for line in lines} == {len(sheet.columns) + 1}
            for line, (_, entries) in zip(lines[2:], sheet.rows, strict=True):
                for text, entry in zip(line[1:], entries, strict=True):
                    assert text.replace("*", "").startswith(decimals(entry.cell.mean))
                    assert text.startswith("**") == entry.best
                    assert ("★" in text) == entry.paper_best
                    assert ("✗" in text) == (entry.cell.agrees is False)

    def test_what_the_paper_did_not_run(self):
        assert printed_cells()["digits", "linear", "k", "icot", "ari"].mean is None
        text = markdown(make_tables(make_cells([row("small", "digits", "icot")])))
        assert "[X]" in text

    def test_signs_of_markdown_are_escaped(self):
        text = markdown(make_tables(make_cells([row("small", "a|b*c", "kauri")])))
        assert "| a\\|b\\*c |" in text


class TestLatex:
    def test_environments_and_braces_match(self, result_tables):
        text = latex(result_tables)
        for word in ("table", "tabular"):
            assert (
                text.count(f"\\begin{{{word}}}")
                == text.count(f"\\end{{{word}}}")
                == len(result_tables)
            )
        body = re.sub(r"\\[{}\\]", "", text)
        assert body.count("{") == body.count("}")

    def test_lines_have_a_field_for_each_column(self, result_tables):
        for sheet in result_tables:
            lines = [s for s in latex([sheet]).splitlines() if s.endswith("\\\\")]
            for line in lines:
                groups = re.findall(r"\\multicolumn\{(\d+)\}", line)
                fields = line.count(" & ") + 1 + sum(int(n) - 1 for n in groups)
                assert fields == len(sheet.columns) + 1

    def test_only_what_latex_knows(self, result_tables):
        assert latex(result_tables).isascii()
        assert not re.search(
            r"(?<!\\)[%_#]", re.sub(r"^%.*$", "", latex(result_tables), flags=re.M)
        )

    def test_marks(self):
        cell = make_cells([row("small", "iris", "kauri", ari=0.2)])[:1]
        text = latex(make_tables(cell))
        assert r"\textbf{0.20}" in text
        assert r"\underline{0.79}" in text
        assert "$-0.59^{*}$" in text

    def test_escaping(self):
        assert escaped(r"a_b & 5 % \ {x} ~^#$") == (
            r"a\_b \& 5 \% \textbackslash{} \{x\} \textasciitilde{}\textasciicircum{}\#\$"
        )


def test_the_depth_of_icot_is_not_ranked():
    """With fewer clusters than asked for a tree is not as deep."""
    cells = [made("icot", 2.0, 2.0, metric="wad"), made("kauri", 2.6, 2.6, metric="wad")]
    (sheet,) = make_tables(cells)
    assert {entry.cell.name.method: entry.best for entry in sheet.entries()} == {
        "icot": False,
        "kauri": True,
    }


class TestReasons:
    def test_what_agrees_needs_none(self):
        assert find_reasons([made("kauri", 1.0, 1.01)]) == []

    def test_a_factor_that_all_methods_share(self):
        cells = [made("kauri", 0.9, 1.0), made("imm", 1.08, 1.2), made("rdm", 1.8, 2.0)]
        found = find_reasons(cells)
        assert {each.rule for each in found} == {"another reference"}
        assert "0.900 to 0.900 times" in found[0].text

    def test_a_cell_that_moved_otherwise_is_not_explained_by_the_factor(self):
        cells = [made("kauri", 0.8, 1.0), made("imm", 1.08, 1.2), made("rdm", 1.8, 2.0)]
        assert reason(cells[0], {cell.name: cell for cell in cells}) is None
        assert find_reasons(cells)[0].text == UNKNOWN

    def test_another_kernel_is_not_asked(self):
        cells = [made("kauri", 0.9, 1.0), made("kmeans_dt", 1.08, 1.2, kernel="rbf")]
        assert find_reasons(cells)[0].rule == UNKNOWN

    def test_few_runs_come_first(self):
        assert find_reasons([made("icot", 0.5, 1.0, runs=RUNS - 1)])[0].rule == "few runs"

    def test_few_runs_do_not_excuse_what_is_far_away(self):
        near, far = (made("kauri", x, 0.5, metric="ari", runs=5) for x in (0.53, 0.9))
        assert [find_reasons([cell])[0].rule for cell in (near, far)] == ["few runs", UNKNOWN]

    def test_ari_that_agrees_points_at_the_reference(self):
        cells = [made("kauri", 0.8, 1.0), made("kauri", 0.5, 0.5, metric="ari")]
        (found,) = find_reasons(cells)
        assert found.rule == "probably another reference"

    @pytest.mark.parametrize(
        ("method", "metric", "kernel", "rule"),
        [
            ("icot", "ari", "linear", "another search"),
            ("rdm", "wad", "linear", UNKNOWN),
            ("kmeans_dt", "ari", "rbf", "random teacher"),
            ("kmeans_dt", "ari", "linear", UNKNOWN),
            ("kauri", "ari", "rbf", UNKNOWN),
            ("exkmc", "waes", "linear", "cuts that gain nothing"),
        ],
    )
    def test_rules(self, method, metric, kernel, rule):
        (found,) = find_reasons([made(method, 0.5, 1.0, metric=metric, kernel=kernel)])
        assert found.rule == rule

    def test_exkmc_that_is_larger_is_not_explained(self):
        assert find_reasons([made("exkmc", 2.0, 1.0, metric="waes")])[0].rule == UNKNOWN


class TestSummary:
    def test_counts_by_definition(self, cells):
        found = counts(cells)
        for (metric, kernel), methods in found.items():
            for method, count in methods.items():
                known = [
                    cell.agrees
                    for cell in cells
                    if cell.agrees is not None
                    and (cell.name.metric, cell.name.method) == (metric, method)
                    and (cell.name.kernel == "linear") == (kernel == "linear")
                ]
                assert (count.agree, count.of) == (sum(known), len(known))

    def test_headlines_add_up(self, cells):
        lines = headlines(counts(cells))
        known = [cell for cell in cells if cell.agrees is not None]
        assert lines[0][1] == Count(sum(cell.agrees for cell in known), len(known))
        kauri = [c for c in known if c.name[1:] in (("chi2", "4k", "kauri", "ari"),
                                                    ("rbf", "4k", "kauri", "ari"))]  # fmt: skip
        assert lines[-1][1] == Count(sum(cell.agrees for cell in kauri), len(kauri))

    def test_nothing_to_compare(self):
        assert headlines({}) == []

    def test_progress(self):
        found = progress([row("small", "iris", "kauri", run) for run in range(2)], quick=True)
        assert (found[0].done, found[0].runs) == (2, "2 runs")
        assert found[0].planned == 7 * 5 * 6
        assert all(each.done == 0 < each.planned for each in found[1:])
