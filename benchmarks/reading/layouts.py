"""Files with something around the table: titles, totals, footers, sheets, other text formats."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from reading import bases
from reading.truth import ReadingFile
from reading.writers import cells_of, joined, rows_of, write_sheets, write_text


def layout_files() -> Iterator[ReadingFile]:
    """The files of this module."""
    yield from titles()
    yield from headers()
    yield from totals_and_footers()
    yield from sheets()
    yield from text_formats()


def _text(name: str, item: str, base: bases.Base, cells: pd.DataFrame, **how: Any) -> ReadingFile:
    rest = {key: how.pop(key) for key in ("also", "has_names") if key in how}
    if how.get("header") is False:
        rest["has_names"] = False

    def write(path: Path) -> None:
        write_text(path, cells, **how)

    return ReadingFile(name, item, base.table, base.kinds, write, base.groups, **rest)


def _sheets(
    name: str, item: str, base: bases.Base, sheets: dict[str, list[list[object]]], **how: Any
) -> ReadingFile:
    rest = {key: how.pop(key) for key in ("also", "has_names") if key in how}

    def write(path: Path) -> None:
        write_sheets(path, sheets, **how)

    return ReadingFile(name, item, base.table, base.kinds, write, base.groups, **rest)


def titles() -> Iterator[ReadingFile]:
    """Lines of title above the header."""
    english, german, lab = bases.customers(), bases.customers("de"), bases.laboratory()
    title = [["Customer Report Q1 2025"], ["Created by Sales Controlling on 2025-04-02"]]
    yield _sheets(
        "title_rows.xlsx", "title rows", english, {"Report": [*title, *rows_of(english.table)]}
    )
    yield _sheets(
        "title_rows_and_blank.xlsx",
        "title rows",
        lab,
        {"Messwerte": [["Laboratory 3"], [], *rows_of(lab.table)]},
    )
    yield _text(
        "title_rows.csv",
        "title rows",
        english,
        cells_of(english.table),
        before=("Customer Report Q1 2025", "Created by Sales Controlling on 2025-04-02"),
    )
    yield _text(
        "titelzeilen.csv",
        "title rows",
        german,
        cells_of(german.table, ",", "%d.%m.%Y"),
        separator=";",
        before=("Kundenbericht 1. Quartal 2025;;;;;;", "Stand: 02.04.2025;;;;;;", ";;;;;;"),
    )
    yield _text(
        "comment_lines.csv",
        "title rows",
        lab,
        cells_of(lab.table),
        before=("# instrument: XR-200", "# operator: none", "# values are means of three runs"),
    )


def headers() -> Iterator[ReadingFile]:
    """Two lines of names, or none."""
    base = bases.customers().select("Customer ID", "Age", "Revenue", "Orders")
    kinds = dict(zip(("ID", "Age", "Revenue", "Orders"), base.kinds.values(), strict=True))
    base = bases.Base(base.table.set_axis(list(kinds), axis=1), kinds, base.groups)
    also = {
        "ID": ("Customer ID",),
        "Age": ("Customer Age",),
        "Revenue": ("Money Revenue",),
        "Orders": ("Money Orders",),
    }
    upper = ["Customer", None, "Money", None]
    yield _sheets(
        "merged_header.xlsx",
        "merged header",
        base,
        {"Sheet1": [upper, *rows_of(base.table)]},
        merged=("A1:B1", "C1:D1"),
        also=also,
    )
    yield _text(
        "merged_header.csv",
        "merged header",
        base,
        cells_of(base.table),
        before=("Customer,,Money,",),
        also=also,
    )
    lab, customers = bases.laboratory(), bases.customers(seed=11)
    yield _text("headerless.csv", "headerless", lab, cells_of(lab.table), header=False)
    yield _text(
        "headerless_mixed.csv", "headerless", customers, cells_of(customers.table), header=False
    )
    rows = {"Sheet1": rows_of(lab.table)[1:]}
    yield _sheets("headerless.xlsx", "headerless", lab, rows, has_names=False)


def _total(base: bases.Base, word: str, columns: tuple[str, ...]) -> dict[str, object]:
    first = next(iter(base.table))
    sums = {name: round(float(base.table[name].sum()), 2) for name in columns}
    return {name: sums.get(name) for name in base.table} | {first: word}


def totals_and_footers() -> Iterator[ReadingFile]:
    """A line of sums below the rows, sources, and signs of the end."""
    english, german = bases.customers(seed=12), bases.customers("de", seed=13)
    for name, word, base, columns, german_signs in (
        ("total.csv", "Total", english, ("Age", "Revenue", "Orders"), False),
        ("gesamt.csv", "Gesamt", german, ("Alter", "Umsatz", "Bestellungen"), True),
        ("summe.csv", "Summe:", german, ("Umsatz", "Bestellungen"), True),
        ("grand_total.csv", "Grand Total", english, ("Revenue", "Orders"), False),
    ):
        how = {"decimal": ",", "dates": "%d.%m.%Y"} if german_signs else {}
        cells = cells_of(base.table, **how)
        total = cells_of(pd.DataFrame([_total(base, word, columns)], dtype=object), **how)
        separator = ";" if german_signs else ","
        last = joined(list(total.iloc[0]), separator)
        yield _text(name, "totals", base, cells, separator=separator, after=(last,))
    last = list(_total(german, "Gesamt", ("Umsatz", "Bestellungen")).values())
    yield _sheets("gesamt.xlsx", "totals", german, {"Kunden": [*rows_of(german.table), last]})

    lab = bases.laboratory(seed=14)
    yield _text(
        "source_note.csv",
        "footer",
        lab,
        cells_of(lab.table),
        after=("", "Source: Laboratory 3, own measurements", "* provisional values"),
    )
    note = [[], ["Quelle: Statistisches Amt, eigene Berechnung"], ["© 2025"]]
    yield _sheets("quelle.xlsx", "footer", german, {"Tabelle1": [*rows_of(german.table), *note]})
    yield _text(
        "rows_selected.txt",
        "footer",
        lab,
        cells_of(lab.table),
        separator="|",
        after=("", f"({len(lab.table)} rows affected)"),
    )
    head = [["Kundenbericht 2025"], ["Alle Angaben ohne Gewähr"], []]
    rows = [*head, *rows_of(german.table), last, [], ["Quelle: CRM"]]
    yield _sheets("everything.xlsx", "title rows, totals, footer", german, {"Bericht": rows})


def sheets() -> Iterator[ReadingFile]:
    """Workbooks with more than the table, and tables that do not start in the first cell."""
    english, german, lab = (
        bases.customers(seed=15),
        bases.customers("de", seed=16),
        bases.laboratory(seed=17),
    )
    notes = [["This workbook was made by the export tool."], ["Contact: the data team"]]
    lists = [["Country"], ["France"], ["Spain"], ["Germany"]]
    yield _sheets(
        "sheets_data_second.xlsx",
        "several sheets",
        english,
        {"Read me": notes, "Data": rows_of(english.table), "Lists": lists},
    )
    yield _sheets(
        "deckblatt.xlsx",
        "several sheets",
        german,
        {"Deckblatt": [["Auswertung"], ["Februar 2025"]], "Daten": rows_of(german.table)},
    )
    yield _sheets(
        "sheets_data_first.xlsx",
        "several sheets",
        lab,
        {"Data": rows_of(lab.table), "Legend": [["column", "unit"], ["mass_g", "gram"]]},
    )
    shifted = [[], [], *([None, None, *row] for row in rows_of(english.table))]
    yield _sheets("leading_columns.xlsx", "leading empty columns", english, {"Sheet1": shifted})
    yield _text(
        "leading_columns.csv",
        "leading empty columns",
        lab,
        cells_of(lab.table),
        empty_columns=2,
        before=("," * 6,),
    )


def text_formats() -> Iterator[ReadingFile]:
    """Separators and encodings."""
    german, lab, english = (
        bases.customers("de", seed=18),
        bases.laboratory(seed=19),
        bases.customers(seed=20),
    )
    cells, plain = cells_of(german.table, ",", "%d.%m.%Y"), cells_of(lab.table)
    for name, item, base, written, how in (
        ("semicolon_comma.csv", "semicolons", german, cells, {"separator": ";"}),
        ("tab.txt", "tabs", english, cells_of(english.table), {"separator": "\t"}),
        ("whitespace.txt", "whitespace", lab, plain, {"separator": "   "}),
        ("pipe.csv", "pipes", lab, plain, {"separator": "|"}),
        ("latin1.csv", "encoding", german, cells, {"separator": ";", "encoding": "latin-1"}),
        ("utf16.csv", "encoding", german, cells, {"separator": ";", "encoding": "utf-16"}),
        ("utf8_bom.csv", "encoding", german, cells, {"separator": ";", "encoding": "utf-8-sig"}),
        ("sep_line.csv", "sep line", german, cells, {"separator": ";", "before": ("sep=;",)}),
    ):
        yield _text(name, item, base, written, **how)
    aligned = pd.DataFrame({name: plain[name].str.rjust(14) for name in plain})
    aligned.columns = [name.rjust(14) for name in plain]
    yield _text("aligned.txt", "whitespace", lab, aligned, separator="")
