"""Numbers as people write them."""

from __future__ import annotations

import pytest
from helpers.awkward_tables import WRITTEN
from helpers.cli_runs import here

from agathis._io.read_table import read_table
from agathis._io.table_reading import ReadOptions


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(folder, text, as_text=(), **options):
    (folder / "t.csv").write_text(text, encoding="utf-8")
    return read_table(str(folder / "t.csv"), ReadOptions(**options), as_text)


@pytest.mark.parametrize("kind", WRITTEN)
def test_numbers_as_people_write_them(kind, place):
    cells, expected = WRITTEN[kind]
    lines = "".join(f'"{cell}"{{0}}a\n' for cell in [*cells, ""])
    for separator in (";", "\t", "|", ","):
        head = f"x{separator}y\n"
        found = read(place, head + lines.format(separator), separator=separator)
        assert found.table["x"].to_pylist() == [*expected, None]
        assert found.table["y"].to_pylist() == ["a"] * (len(cells) + 1)
        assert not any(note.doubtful for note in found.notes.values())


@pytest.mark.parametrize(
    "cells",
    [["1.2.3", "1.2.4"], ["1.264,40", "1,264.40"], ["12.34.567", "1"], ["5 €", "5 $"], ["5", "5 €"],
     ["1,23,456", "2"], ["A1", "A2"], ["€", "%"]],
)  # fmt: skip
def test_texts_that_are_no_numbers(cells, place):
    found = read(place, "x;y\n" + "".join(f"{cell};a\n" for cell in cells))
    assert found.table["x"].to_pylist() == cells
    assert found.notes == {}


def test_thousands_or_decimals(place):
    """1.200 is either: the rest of the file decides, or the separator, which is told, or a user."""
    semicolons = "Konto;Wert\n1.200;5\n12.000;50\n"
    found = read(place, semicolons)
    assert found.table["Konto"].to_pylist() == [1200, 12000]
    note = found.notes["Konto"]
    assert note.doubtful
    assert str(note).startswith("12.000 is read as 12000; decimal='.' ")
    # As the note says.
    found = read(place, semicolons, decimal=".")
    assert found.table["Konto"].to_pylist() == [1.2, 12]
    assert found.notes == {}
    assert read(place, semicolons, decimal=",").notes["Konto"].doubtful is False
    # Another column leaves no doubt.
    found = read(place, "a;b\n1.200;5.5\n12.000;50\n")
    assert found.table["a"].to_pylist() == [1.2, 12]
    found = read(place, "a;b\n1.200;5,5\n12.000;50\n")
    assert found.table["a"].to_pylist() == [1200, 12000]
    assert not found.notes["a"].doubtful
    for text, number, way in (
        ("a;b\n1,200;5\n2,300;6\n", 1.2, "."),
        ("a\tb\n1.200\t5\n2.300\t6\n", 1.2, ","),
        ("a\tb\n1,200\t5\n2,300\t6\n", 1200, ","),
    ):
        found = read(place, text)
        assert found.table["a"][0].as_py() == number
        assert f"is read as {found.table['a'].to_pylist()[0]:g}; decimal={way!r} " in (
            str(found.notes["a"])
        )
        other = read(place, text, decimal=way)
        assert {number, other.table["a"][0].as_py()} == {1.2, 1200}


def test_categories_stay_as_they_are(place):
    found = read(place, "a;b\n1.264,40;5%\n7,5;6%\n", as_text=["a", "b"])
    assert found.table.to_pydict() == {"a": ["1.264,40", "7,5"], "b": ["5%", "6%"]}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_separator_in_the_first_line(end, place):
    found = read(place, end.join(["sep=;", "a;b,c", "1,5;2", "2,5;3", ""]))
    assert found.table.to_pydict() == {"a": [1.5, 2.5], "b,c": [2, 3]}
    assert found.cells().to_pydict() == {"a": ["1,5", "2,5"], "b,c": ["2", "3"]}


def test_what_is_said_of_numbers(place, capsys):
    rows = [(i, f"{i}.264,40", f"{i} %", f"{i}.000 €") for i in (1, 5, 9, 2, 7)]
    lines = [";".join(map(str, row)) for row in [("a", "b", "c", "d"), *rows]]
    (place / "t.csv").write_text("\n".join(lines), encoding="utf-8")
    done = here(capsys, "fit", "t.csv", "-k", 2, "--drop", "d", "-o", "m.json")
    assert done.code == 4, done.err  # five rows are too few to show groups
    assert "In b 1.264,40 is read as 1264.4.\n" in done.err
    assert "In c 1 % is read as 1.\n" in done.err
    assert "In d" not in done.err
    (place / "new.csv").write_text("a;b;c\n1;1.264,40;1 %\n9;9.264,40;9 %\n")
    done = here(capsys, "predict", "m.json", "new.csv", "--quiet")
    assert (done.code, done.err) == (0, "")
    assert len(set(done.out.split()[1:])) == 2
    (place / "new.csv").write_text("a;b;c\n1;1.264;1\n9;9.264;9\n")
    done = here(capsys, "predict", "m.json", "new.csv", "--quiet")
    # The decimal comma of the training file decides what is ambiguous.
    assert (done.code, done.err) == (0, "")
    done = here(capsys, "inspect", "new.csv")
    assert "Note: In b 1.264 is read as 1264; --decimal . takes" in done.err
    done = here(capsys, "suggest", "new.csv", "--decimal", ";")
    assert done.code == 2
