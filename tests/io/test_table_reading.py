"""Where a table is in its file: titles, headers, notes, totals rows, sheets, separators."""

from __future__ import annotations

import io
import json

import pytest

from agathis._columns.errors import BadTable
from agathis._io.read_table import read_table
from agathis._io.table_reading import ReadOptions

ROWS = [("Ann", 31, 2.5), ("Bob", 45, 1.5), ("Cem", 52, 4.0), ("Dee", 28, 3.5), ("Eva", 39, 0.5)]
NAMES = ("name", "age", "score")
BODY = "".join(f"{name},{age},{score}\n" for name, age, score in ROWS)
CSV = ",".join(NAMES) + "\n" + BODY
WHOLE = {name: [row[i] for row in ROWS] for i, name in enumerate(NAMES)}


def read(data, **options):
    data = data.encode() if isinstance(data, str) else data
    return read_table(data, ReadOptions(**options), title="t")


def workbook(sheets, hidden=()):
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
        if title in hidden:
            sheet.sheet_state = "hidden"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def excel(*rows):
    return workbook({"Sheet1": rows})


@pytest.mark.parametrize(
    "before",
    [
        "Report of 2025\n",
        "Report of 2025,,\nby Sales,,\n,,\n",
        "# made, by, hand\n# on Monday\n",
        '"A title\nin two lines"\n\n',
        "\n\n",
    ],
)
def test_titles_above_the_header(before):
    found = read(before + CSV)
    assert found.table.to_pydict() == WHOLE
    assert found.cells().column_names == list(NAMES)
    assert found.reading.header == (before.count("\n") + 1,)
    assert bool(found.reading.left_out) == bool(before.strip())
    assert not any(note.doubtful for note in found.doubts)


def test_a_comment_sign_in_front_of_the_names():
    assert read("# made by hand\n#" + CSV).table.column_names == list(NAMES)


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("Person,,Test\nname,age,score\n", ["Person / name", "Person / age", "Test / score"]),
        ("name,age,score\n,(years),(points)\n", ["name", "age (years)", "score (points)"]),
        (
            "Title\nPerson,,Test\nname,age,score\n",
            ["Person / name", "Person / age", "Test / score"],
        ),
    ],
)
def test_two_lines_of_names(header, names):
    found = read(header + BODY)
    assert found.table.column_names == names
    assert found.table.num_rows == len(ROWS)
    assert any("were joined" in str(note) for note in found.doubts)
    assert read(header + BODY, header_row=header.count("\n")).table.num_rows == len(ROWS)


def test_without_header():
    found = read(BODY)
    assert found.table.to_pydict() == {
        f"column {i + 1}": values for i, values in enumerate(WHOLE.values())
    }
    assert [note.doubtful for note in found.doubts] == [True]
    assert "header_row='1'" in str(found.doubts[0])
    assert read(BODY, header_row=1).table.num_rows == len(ROWS) - 1
    assert read(CSV, no_header=True).table.num_rows == len(ROWS) + 1


@pytest.mark.parametrize(
    "text",
    [
        "land,2019,2020\nA,3,4\nB,5,6\nC,7,8\n",  # years
        "0,1\n0.5,3\n0.25,6\n0.75,8\n",  # as pandas numbers columns
        "a,b\nx,y\nz,x\nw,u\nv,z\n",
        "a,b\n?,y\n1,x\n2,u\n3,y\n",
    ],
)
def test_names_that_are_no_values(text):
    found = read(text)
    assert found.table.column_names == text.split("\n")[0].split(",")
    assert found.doubts == []


def test_names_or_values_is_asked_where_it_is_not_clear():
    text = "7,count\n1,2\n3,4\n5,6\n9,9\n"
    with pytest.raises(BadTable, match=r"header_row='1' or no_header="):
        read(text)
    assert read(text, header_row=1).table.column_names == ["7", "count"]
    assert read(text, no_header=True).table.num_rows == 5


@pytest.mark.parametrize("word", ["Total", "Gesamt", "Summe:", "Grand total", "Somme", "Sum"])
@pytest.mark.parametrize("row", ["{},195,12.0", "{},,12.0", "{},195,"])
def test_totals_row(word, row):
    found = read(CSV + row.format(word) + "\n")
    assert found.table.to_pydict() == WHOLE
    (left,) = found.reading.left_out
    assert (left.what, left.lines) == ("totals row", (7,))
    assert "Line 7, 1 totals row" in str(found.doubts[0])
    assert found.cells().num_rows == len(ROWS)
    kept = read(CSV + row.format(word) + "\n", skip_footer=0)
    assert kept.table.num_rows == len(ROWS) + 1
    assert kept.doubts == []


def test_a_word_without_sums_is_a_row_with_a_doubt():
    found = read(CSV + "Total,20,1.0\n")
    assert found.table.num_rows == len(ROWS) + 1
    assert "begins as a totals row" in str(found.doubts[0])
    assert found.doubts[0].doubtful


def test_totals_without_a_word_and_among_rows():
    numbers = "a,b\n1,2\n3,4\n5,6\n7,9\n"
    assert read(numbers + "16,21\n").table.num_rows == 4
    assert read(numbers + "16,22\n").table.num_rows == 5
    text = "shop,area,sales\n1,N,5\n2,N,6\nSubtotal,,11\n3,S,7\n4,S,8\nSubtotal,,15\nTotal,,26\n"
    found = read(text)
    assert found.table.to_pydict()["sales"] == [5, 6, 7, 8]
    assert {line for left in found.reading.left_out for line in left.lines} == {4, 7, 8}


def test_a_category_of_such_a_word_is_no_totals_row():
    rows = [("media", 1), ("print", 2), ("media", 3), ("web", 4), ("media", ""), ("web", 6)]
    text = "channel,clicks\n" + "".join(f"{a},{b}\n" for a, b in rows)
    assert read(text).table.num_rows == len(rows)


@pytest.mark.parametrize(
    "after",
    [
        "\nSource: a laboratory, own measurements\n* provisional\n",
        "Source: own\n",
        "(5 rows affected)\n",
        "\n© 2025,,\n",
        ",,\n,,\n",
    ],
)
def test_notes_below_the_table(after):
    found = read(CSV + after)
    assert found.table.to_pydict() == WHOLE
    assert found.reading.left_out


def test_rows_that_are_cut_short_are_no_notes():
    for row in ("Fay\n", "Fay,3\n", "7\n"):
        with pytest.raises(BadTable, match=r"row 7 .*skip_rows= and skip_footer="):
            read(CSV + row)
    assert read(CSV + "Fay,3\n", skip_footer=1).table.num_rows == len(ROWS)
    # A last row that misses values is a row.
    assert read(CSV + "Fay,,\n").table.num_rows == len(ROWS) + 1
    # The last lines may be those of one cell.
    text = CSV + '"Fay\n\nSource: none",3,1.0\n'
    assert read(text).table.num_rows == len(ROWS) + 1


def test_lines_that_are_left_out_on_request():
    text = "one,1,1\ntwo,2,2\n" + CSV + "last,1,1\n"
    found = read(text, skip_rows=2, skip_footer=1)
    assert found.table.to_pydict() == WHOLE
    assert [left.lines for left in found.reading.left_out] == [(1, 2), (9,)]
    assert read(text, header_row=3, skip_footer=1).table.to_pydict() == WHOLE
    for options, match in (
        ({"header_row": 90}, "line 90 of t is empty, or after its first rows: header_row="),
        ({"skip_rows": 90}, "nothing after its first 90 lines: skip_rows="),
    ):
        with pytest.raises(BadTable, match=match):
            read(text, **options)
    with pytest.raises(ValueError, match="header_row=0 must be at least 1"):
        ReadOptions(header_row=0)
    with pytest.raises(ValueError, match="contradict each other"):
        ReadOptions(header_row=1, no_header=True)


@pytest.mark.parametrize("gap", [" ", "   "])
def test_cells_between_blanks(gap):
    text = "\n".join(gap.join(map(str, row)) for row in (NAMES, *ROWS))
    assert read(text).table.to_pydict() == WHOLE
    assert read(text).reading.facts()[0] == ("Format", "text")


def test_cells_with_blanks_between_two_blanks():
    text = "city  size\nNew York  3\nLos Angeles  2\nSan Jose   5\nRome  9\n"
    assert read(text).table.to_pydict()["city"] == ["New York", "Los Angeles", "San Jose", "Rome"]
    quoted = 'city size\n"New York" 3\n"Los Angeles" 2\nRome 9\n'
    assert read(quoted).table.to_pydict()["city"] == ["New York", "Los Angeles", "Rome"]
    # A column of texts, or of times, has no separator.
    for text in ("name\nAnn Lee\nBob Ray\nCem Ak\n", "time\n2020-01-01 10:00\n2020-01-02 11:00\n"):
        assert read(text).table.num_columns == 1


def test_names_of_rows_as_r_writes_them():
    text = '"mpg" "cyl"\n"Mazda" 21 6\n"Datsun" 22.8 4\n"Hornet" 18.7 8\n'
    assert read(text).table.column_names == ["column 1", "mpg", "cyl"]


def test_title_and_totals_in_a_sheet():
    data = excel(["Report"], [], NAMES, *ROWS, ["Total", 195, 12.0], [], ["Source: CRM"])
    found = read(data)
    assert found.table.to_pydict() == WHOLE
    assert found.reading.header == (3,)
    assert [left.lines for left in found.reading.left_out] == [(1,), (9,), (11,)]
    upper = read(excel(["Person", None, "Test"], NAMES, *ROWS))
    assert upper.table.column_names == ["Person / name", "Person / age", "Test / score"]
    assert read(excel(*ROWS)).table.column_names == ["column 1", "column 2", "column 3"]
    assert read(excel(NAMES, *ROWS), na=["Ann"]).table.to_pydict()["name"][0] is None


def test_the_sheet_that_looks_like_a_table():
    table, other = [NAMES, *ROWS], [["Read me"], ["by Sales"]]
    legend = [["column", "meaning"], ["name", "who"], ["age", "years"], ["score", "points"]]
    found = read(workbook({"About": other, "Data": table, "Legend": legend}))
    assert found.table.to_pydict() == WHOLE
    assert found.reading.sheet == "Data"
    two = workbook({"May": table, "June": table})
    with pytest.raises(BadTable, match="'May' and 'June' look like tables: sheet= names"):
        read(two)
    assert read(two, sheet="June").reading.sheet == "June"
    with pytest.raises(BadTable, match="no sheet 'July'; it has 'May' and 'June': sheet="):
        read(two, sheet="July")
    assert read(workbook({"May": table, "June": table}, hidden=["June"])).reading.sheet is None


def test_excel_files_that_are_damaged(tmp_path):
    data = excel(NAMES, *ROWS)
    for broken in (data[:2000], data[:-30], data[:100] + bytes(400) + data[500:]):
        with pytest.raises(BadTable, match=r"Excel"):
            read(broken)
    path = tmp_path / "t.xlsx"
    path.write_text(CSV)
    with pytest.raises(BadTable, match="is named as an Excel file, and is none"):
        read_table(str(path))
    with pytest.raises(BadTable, match=r"old format \(.xls\)"):
        read(b"\xd0\xcf\x11\xe0" + bytes(600))
    with pytest.raises(BadTable, match=r"when decompressed\. max_bytes="):
        read(excel(NAMES, *ROWS * 2000), max_bytes=300_000)


def test_records_in_records():
    rows = [{"id": i, "who": {"age": i, "home": {"city": "x"}}, "tags": [1]} for i in range(3)]
    names = ["id", "who.age", "who.home.city", "tags"]
    lines = "\n".join(map(json.dumps, rows))
    assert read(lines).table.column_names == names
    assert read(json.dumps(rows)).table.column_names == names
    mixed = lines.replace('"age": 1', '"age": "?"')
    assert read(mixed).table.column_names == names


def test_decisions_of_a_model_must_fit():
    titled = "Report of 2025\n" + CSV
    decided = {"from_model": read(titled).reading.decided}
    assert read(titled, **decided).table.to_pydict() == WHOLE
    with pytest.raises(BadTable, match=r"line 2 .* and line 1 of t. header_row='1' reads it so"):
        read(CSV, **decided)
    unnamed = {"format": "text", "no_header": True, "header_given": False}
    with pytest.raises(BadTable, match=r"no line .* and line 1 of t. header_row='1'"):
        read(CSV, from_model=unnamed)


def test_what_people_are_told():
    found = read("Report\n" + CSV + "Total,,12\n")
    assert dict(found.reading.facts()) == {
        "Format": "CSV",
        "Encoding": "utf-8",
        "Separator": ",",
        "Decimal mark": ".",
        "Header": "line 2",
        "First row": "line 3",
        "Rows": "5",
        "Columns": "3",
        "Left out": "line 1, 1 title; line 8, 1 totals row",
    }


def test_a_title_with_a_comma_above_semicolons():
    found = read("Report, as of May\nname;value\nA;1,5\nB;2,5\nC;3,5\n")
    assert found.table.to_pydict() == {"name": ["A", "B", "C"], "value": [1.5, 2.5, 3.5]}


def test_a_full_line_above_the_names_is_a_doubt():
    (note,) = read("Report,made,by me\nage,size,score\n1,2,3\n2,3,4\n4,5,6\n5,6,7\n").doubts
    assert note.doubtful
    assert "header_row='2' uses one line of them" in str(note)


def test_totals_rows_far_above_the_end_and_not_in_quotes():
    rows = [f"shop {i % 50},{i % 97},N\n" for i in range(9000)]
    text = (
        f"shop,sales,area\n{''.join(rows[:9])}Subtotal,36,\n{''.join(rows[9:])}\n  \nSource: us\n"
    )
    found = read(text)
    assert found.table.num_rows == len(rows)
    assert [(left.what, left.lines) for left in found.reading.left_out] == [
        ("totals row", (11,)),
        ("note", (9005,)),
    ]
    quoted = [f'a{i},{i},"two\nTotal,,3\n"\n' for i in range(5)]
    found = read(f"shop,sales,note\n{''.join(quoted)}Total,10,\n")
    assert found.table.num_rows == len(quoted)
    assert [left.lines for left in found.reading.left_out] == [(17,)]
