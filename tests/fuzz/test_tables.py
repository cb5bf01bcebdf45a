"""The fuzzer of raw tables: cases that are what they claim, and answers that are falsified."""

import json
import math

import json_model
import pytest
import table_cases
import tables

import agathis.export


@pytest.fixture(scope="module")
def case():
    """Two clear groups in a number and a category, without a fit by the command."""
    group = [0] * 12 + [1] * 14
    columns = [
        {
            "name": 'say "hi"',
            "type": "float",
            "values": [g * 30 + i / 8 for i, g in enumerate(group)],
        },
        {"name": "kind", "type": "text", "values": ["it's" if g else "🌲" for g in group]},
    ]
    return {
        "seed": 0,
        "clear": True,
        "group": group,
        "columns": columns,
        "options": {"n_clusters": 2, "search": "greedy", "no_split": ["kind"]},
        "fit_by_command": "",
        "mark": "NA",
        "separator": ";",
        "twice": True,
    }


def test_answers_that_agree(case):
    tables.COUNTED.clear()
    assert tables.check(case) is None
    for route in tables.ROUTES:
        assert tables.COUNTED[f"{route}: training rows"] == len(case["group"])
        assert tables.COUNTED[f"{route}: new rows"] > 4


@pytest.mark.parametrize(
    ("export", "routes"),
    [
        ("to_python", {"python"}),
        ("to_sql", {"duckdb", "sqlite"}),
        ("to_json", {"from_json", "json"}),
    ],
)
def test_a_threshold_that_is_changed(case, monkeypatch, export, routes):
    """Each way to predict that reads the changed threshold is told to disagree."""
    write, as_json = getattr(agathis.export, export), agathis.export.to_json

    def changed(model, **options):
        record = json.loads(as_json(model))
        record["nodes"]["threshold"][0] -= 10
        other = agathis.export.from_json(json.dumps(record))
        return write(other, **options)

    monkeypatch.setattr(agathis.export, export, changed)
    everything = dict(tables.ROUTES)
    for route in routes:
        monkeypatch.setattr(tables, "ROUTES", {route: everything[route]})
        assert tables.check(case).startswith(f"{route} disagrees with predict: ")


def test_groups_that_are_not_found(case):
    """One row in the middle of the other group."""
    moved = [1 - g if i == 5 else g for i, g in enumerate(case["group"])]
    assert tables.check({**case, "group": moved}).startswith("the planted groups are not found: ")


def test_labels_of_another_fit(case, monkeypatch):
    fit = agathis.fit_table

    def relabelled(*args, **options):
        model = fit(*args, **options)
        model[-1].labels_ = 1 - model[-1].labels_
        return model

    monkeypatch.setattr(agathis, "fit_table", relabelled)
    assert tables.check(case).startswith("labels_ are not what predict gives: ")


def test_cases_hold_all_types_and_survive_their_file():
    made = [tables.make(seed) for seed in range(300)]
    assert {c["type"] for case in made for c in case["columns"]} == {*table_cases.TYPES}
    for case in made[:40]:
        again = tables.unpack(tables.pack(case))
        assert table_cases.frame_of(again["columns"]).equals(table_cases.frame_of(case["columns"]))
        assert tables.pack(again) == tables.pack(case)


def test_smaller_cases_are_smaller():
    case = tables.make(3)
    size = len(tables.pack(case))
    less = list(tables.smaller(case))
    assert {len(c["columns"]) for c in less} == {len(case["columns"]), len(case["columns"]) - 1}
    assert min(len(c["group"]) for c in less) <= len(case["group"]) // 2
    assert any(len(c["options"]) < len(case["options"]) for c in less)
    assert min(len(tables.pack(c)) for c in less) < 0.7 * size
    for simpler in less:
        names = [c["name"] for c in simpler["columns"]]
        assert all(len(c["values"]) == len(simpler["group"]) for c in simpler["columns"])
        for value in simpler["options"].values():
            assert not isinstance(value, list | dict) or {*value} <= {*names}


def test_the_independent_reader_of_models():
    """By hand: numbers, categories, date parts, sums with steps, and missing values."""
    record = {
        "version": 3,
        "feature_names": ["x", "c_a", "c_b", "when: month"],
        "one_hot": {"c": {"c_a": "a", "c_b": "b"}},
        "date_parts": {"when: month": {"column": "when", "part": "month"}},
        "nodes": {
            "left": [1, None, 3, None, 5, None, None],
            "right": [2, None, 4, None, 6, None, None],
            "feature": [0, None, 1, None, 3, None, None],
            "threshold": [1.5, None, 0.5, None, 6, None, None],
            "cluster": [0, 0, 1, 1, 2, 2, 3],
            "samples": [9, 2, 7, 3, 4, 2, 2],
            "missing": ["right", "unseen", "left", "unseen", "unseen", "unseen", "unseen"],
            "terms": [[[0, 2.0, [["fill", 1], ["subtract", 0.5]]]], *[None] * 6],
        },
    }  # fmt: skip
    row = {"x": 1.0, "c": "a", "when": "2024-06-30"}
    found = [
        json_model.cluster_of(record, {**row, **change})
        for change in (
            {},
            {"x": None},  # filled: 2 * (1 - 0.5)
            {"x": 1.25},  # at the threshold
            {"x": math.nextafter(1.25, 2)},
            {"x": 2.0, "c": "b"},
            {"x": 2.0, "c": "NA"},
            {"x": 2.0, "when": "2024-07-01 12:30"},
            {"x": 2.0, "when": None},  # as many samples on both sides: left
        )
    ]
    assert found == [0, 0, 0, 2, 1, 1, 3, 2]
    with pytest.raises(json_model.Undefined, match="date"):
        json_model.cluster_of(record, {**row, "x": 2.0, "when": "30.6.2024"})
