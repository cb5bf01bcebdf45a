"""Names of 100 kB through every export, and exports that go wrong and have to be noticed."""

import harness
import names
import pytest
from helpers.examples import mostly_slow

import agathis.export

PLAIN = {
    "columns": ["width", "height"],
    "source": "kind",
    "categories": ["round", "square", "oval"],
    "clusters": ["small", "large", "odd"],
    "page": False,
}
LONG = "'x" * 50_000


@pytest.mark.slow
@pytest.mark.parametrize("key", ["columns", "categories", "clusters"])
def test_long_names(key):
    case = {**PLAIN, key: [name + LONG for name in PLAIN[key]], "page": True}
    # In a process of its own, with which its servers and its browser end.
    assert harness.verdict("names", names.pack(case)) is None


@pytest.mark.parametrize("key", mostly_slow(["columns", "categories", "clusters"], "columns"))
def test_long_names_are_refused_nowhere(key, monkeypatch):
    """What a form refuses is nothing wrong to ``check``."""
    here = {name: test for name, test in names.TESTS.items() if name not in ("servers", "page")}
    monkeypatch.setattr(names, "TESTS", here)
    names.COUNTED.clear()
    assert names.check({**PLAIN, key: [name + LONG for name in PLAIN[key]]}) is None
    parsed = {f"{dialect}: parsed" for dialect in names.PARSED}
    assert {what for what, count in names.COUNTED.items() if count} == {*here, *parsed}


def test_every_dialect_is_parsed():
    from agathis.export._dialects import DIALECTS

    assert set(names.PARSED) == set(DIALECTS)


@pytest.mark.parametrize(
    ("export", "test", "old", "new", "told"),
    [
        ("to_sql", "parsed sql", "small", "sma11", "ansi has other texts: ['sma11'] for ['small']"),
        ("to_sql", "parsed sql", "square", "oval", "ansi has other texts: ['oval'] for ['square']"),
        ("to_sql", "parsed sql", "width", "height", "ansi has other columns: ['height'] for"),
        ("to_sql", "parsed sql", "END", "END FROM t; SELECT 1", "ansi is 2 statements"),
        ("to_dot", "dot", "digraph tree {", "digraph tree { 77 [];", "8 nodes and 6 edges of 7"),
        (
            "to_dot",
            "dot",
            "digraph tree {",
            "digraph tree { 5 -> 6 [];",
            "7 nodes and 7 edges of 7",
        ),
        ("to_dot", "dot", "digraph tree {", "digraph tree {{", "brackets are open"),
    ],
)
def test_an_export_that_goes_wrong(monkeypatch, export, test, old, new, told):
    write = getattr(agathis.export, export)
    monkeypatch.setattr(names, "TESTS", {test: names.TESTS[test]})
    assert names.check(PLAIN) is None  # and what is right with plain names is known from here on
    monkeypatch.setattr(
        agathis.export, export, lambda *args, **words: write(*args, **words).replace(old, new)
    )
    assert names.check(PLAIN).startswith(f"{test}: {told}")
