"""Files whose cells are as people type them: signs, units, spellings, marks for nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from reading import bases
from reading.truth import ReadingFile
from reading.writers import cells_of, rows_of, write_sheets, write_text


def cell_files() -> Iterator[ReadingFile]:
    """The files of this module."""
    yield from numbers()
    yield from units()
    yield from missing_marks()
    yield from dates()
    yield from spellings()


def _written(
    name: str,
    item: str,
    base: bases.Base,
    formats: dict[str, Callable[[float], str]],
    *,
    german: bool = False,
    any_unit: tuple[str, ...] = (),
) -> ReadingFile:
    """A text file in which some columns have a format of their own."""
    cells = cells_of(base.table, **({"decimal": ",", "dates": "%d.%m.%Y"} if german else {}))
    for column, form in formats.items():
        cells[column] = ["" if pd.isna(one) else form(one) for one in base.table[column]]

    def write(path: Path) -> None:
        write_text(path, cells, separator=";" if german else ",")

    return ReadingFile(name, item, base.table, base.kinds, write, base.groups, any_unit=any_unit)


def _swapped(number: str) -> str:
    """1,234.5 as 1.234,5."""
    return number.translate(str.maketrans(",.", ".,"))


def _accounting(number: float) -> str:
    return f"(${-number:,.2f})" if number < 0 else f"${number:,.2f}"


def numbers() -> Iterator[ReadingFile]:
    """Thousands, currencies, losses in brackets, percentages, marks of footnotes."""
    english, german = bases.customers(seed=31), bases.customers("de", seed=32)
    random = np.random.default_rng(33)
    yield _written(
        "thousands.csv", "thousands", english, {"Revenue": lambda number: f"{number:,.2f}"}
    )
    yield _written(
        "tausender.csv",
        "thousands",
        german,
        {"Umsatz": lambda number: _swapped(f"{number:,.2f}")},
        german=True,
    )
    yield _written(
        "thousands_spaces.csv",
        "thousands",
        german,
        {
            "Umsatz": lambda number: f"{number:,.2f}".replace(",", "\N{NO-BREAK SPACE}").replace(
                ".", ","
            )
        },
        german=True,
    )
    yield _written(
        "euro.csv",
        "currency",
        german,
        {"Umsatz": lambda number: f"{_swapped(f'{number:,.2f}')} €"},
        german=True,
    )
    margin = (english.groups - 0.8) * 120 + random.normal(0, 12, len(english.table))
    losses = english.add("Margin", margin.round(2), "quantity")
    yield _written("accounting.csv", "accounting negatives", losses, {"Margin": _accounting})
    yield _written(
        "trailing_minus.csv",
        "accounting negatives",
        losses,
        {"Margin": lambda number: f"{abs(number):.2f}{'-' if number < 0 else ''}"},
    )
    share = (english.groups * 20 + random.normal(15, 2, len(english.table))).round(1)
    yield _written(
        "percent.csv",
        "percent",
        english.add("Discount", share, "quantity"),
        {"Discount": lambda number: f"{number}%"},
        any_unit=("Discount",),
    )
    marks = bases.laboratory(seed=34)
    marked = set(random.choice(len(marks.table), 12, replace=False))
    masses = [
        f"{value}*" if row in marked else str(value)
        for row, value in enumerate(marks.table["mass_g"])
    ]
    cells = cells_of(marks.table).assign(mass_g=masses)
    yield _of_cells("footnote_marks.csv", "footnote marks", marks, cells)
    brackets = [
        f"[{value}]" if row in marked else str(value)
        for row, value in enumerate(marks.table["mass_g"])
    ]
    cells = cells_of(marks.table).assign(mass_g=brackets)
    yield _of_cells("square_brackets.csv", "footnote marks", marks, cells)


def _of_cells(
    name: str,
    item: str,
    base: bases.Base,
    cells: pd.DataFrame,
    separator: str = ",",
    noted: tuple[str, ...] = (),
) -> ReadingFile:
    def write(path: Path) -> None:
        write_text(path, cells, separator=separator)

    return ReadingFile(name, item, base.table, base.kinds, write, base.groups, noted=noted)


def units() -> Iterator[ReadingFile]:
    """Numbers with a unit, with k and M, and durations."""
    random = np.random.default_rng(41)
    lab, german = bases.laboratory(seed=42), bases.customers("de", seed=43)
    rows = len(lab.table)
    height = (lab.groups * 30 + 120 + random.normal(0, 3, rows)).round()
    power = (lab.groups * 500 + 700 + random.normal(0, 40, rows)).round()
    devices = lab.select("ph").add("height", height, "quantity").add("power", power, "quantity")
    yield _written(
        "units.csv",
        "units",
        devices,
        {"height": lambda number: f"{number:.0f} cm", "power": lambda number: f"{number:.0f} W"},
    )
    weight = (german.groups * 2.5 + 3 + random.normal(0, 0.3, len(german.table))).round(1)
    yield _written(
        "einheiten.csv",
        "units",
        german.add("Gewicht", weight, "quantity"),
        {"Gewicht": lambda number: f"{number:.1f} kg".replace(".", ",")},
        german=True,
    )
    followers = (10 ** (lab.groups + 2.2) * random.uniform(1, 1.4, rows)).round(-2)

    def short(number: float) -> str:
        return f"{number / 1000:.1f}k" if number >= 1000 else f"{number:.0f}"

    yield _written(
        "thousands_k.csv", "units", lab.add("followers", followers, "count|quantity"),
        {"followers": short},
    )  # fmt: skip
    minutes = (lab.groups * 90 + 40 + random.normal(0, 8, rows)).round()
    yield _written(
        "durations.csv",
        "units",
        lab.add("run time", minutes, "quantity"),
        {"run time": lambda number: f"{number // 60:.0f}h {number % 60:.0f}m"},
        any_unit=("run time",),
    )


def missing_marks() -> Iterator[ReadingFile]:
    """Words and signs where nothing is known, and errors of spreadsheets."""
    for number, (name, marks) in enumerate(
        (
            ("keine_angabe.csv", ("k.A.",)),
            ("not_available.csv", ("n/a",)),
            ("dash.csv", ("-",)),
            ("question_mark.csv", ("?",)),
            ("several_marks.csv", ("n/a", "-", "?", "unknown")),
            ("minus_999.csv", ("-999",)),
        )
    ):
        german = name == "keine_angabe.csv"
        base = bases.customers("de" if german else "en", seed=50 + number)
        column = "Umsatz" if german else "Revenue"
        random = np.random.default_rng(60 + number)
        gone = random.choice(len(base.table), len(base.table) // 12, replace=False)
        cells = cells_of(base.table, "," if german else ".", "%d.%m.%Y" if german else "%Y-%m-%d")
        cells.loc[gone, column] = random.choice(marks, len(gone))
        base.table.loc[gone, column] = np.nan
        noted = (column,) if name == "minus_999.csv" else ()
        yield _of_cells(name, "marks of missing values", base, cells, ";" if german else ",", noted)
    base = bases.customers(seed=57)
    gone = np.random.default_rng(67).choice(len(base.table), 20, replace=False)
    ratio = (base.table["Revenue"] / base.table["Age"]).round(3)
    ratio[gone] = np.nan
    base = base.add("Revenue per year", ratio, "quantity")
    rows = rows_of(base.table)
    for row in gone:
        rows[row + 1][-1] = "#DIV/0!"

    def write(path: Path) -> None:
        write_sheets(path, {"Sheet1": rows})

    yield ReadingFile(
        "errors.xlsx", "spreadsheet errors", base.table, base.kinds, write, base.groups
    )
    cells = cells_of(base.table)
    cells.loc[gone, "Revenue per year"] = "#DIV/0!"
    yield _of_cells("errors.csv", "spreadsheet errors", base, cells)


def dates() -> Iterator[ReadingFile]:
    """Dates in one form that is not ISO, and in several."""
    english, german = bases.customers(seed=71), bases.customers("de", seed=72)
    when = english.table["Customer since"]
    cells = cells_of(english.table)
    forms = ("%Y-%m-%d", "%d %b %Y", "%d.%m.%Y", "%B %d, %Y")
    cells["Customer since"] = [
        one.strftime(forms[0] if row % 20 else forms[1 + row // 20 % 3])
        for row, one in enumerate(when)
    ]
    yield _of_cells("mixed_dates.csv", "mixed dates", english, cells)
    cells = cells_of(german.table, ",", "%d.%m.%y")
    yield _of_cells("kurze_daten.csv", "dates", german, cells, ";")
    cells = cells_of(english.table, dates="%m/%d/%Y %I:%M %p")
    yield _of_cells("american_dates.csv", "dates", english, cells)


def _messy(random: np.random.Generator, value: str) -> str:
    """A name as several people type it."""
    forms = (value, value.upper(), value.lower(), f" {value}", f"{value} ", value, value, value)
    return forms[random.integers(len(forms))]


def spellings() -> Iterator[ReadingFile]:
    """Blanks and case, and the many ways to say yes."""
    random = np.random.default_rng(81)
    for name, base, column in (
        ("blanks_and_case.csv", bases.customers(seed=82), "Segment"),
        ("leerzeichen.csv", bases.customers("de", seed=83), "Land"),
    ):
        german = name == "leerzeichen.csv"
        cells = cells_of(base.table, "," if german else ".")
        cells[column] = [_messy(random, one) for one in cells[column]]
        yield _of_cells(name, "blanks and case", base, cells, ";" if german else ",")
    lab = bases.laboratory(seed=84)
    gram = lab.add("gram", random.choice(("positive", "negative"), len(lab.table)), "category")
    cells = cells_of(gram.table)
    cells["gram"] = [_messy(random, one) for one in cells["gram"]]
    yield _of_cells("gram.csv", "blanks and case", gram, cells)
    base = bases.customers(seed=85)
    newsletter = random.choice(("yes", "no"), len(base.table))
    base = base.add("Newsletter", newsletter, "category")
    cells = cells_of(base.table)
    says = {"yes": ("Yes", "Y", "yes", "y", "YES"), "no": ("No", "N", "no", "n", "NO")}
    cells["Newsletter"] = [random.choice(says[one]) for one in newsletter]
    yield _of_cells("yes_no.csv", "yes and no", base, cells)
