"""The tables from which files are made: customers, a survey, staff, products, orders, a laboratory.

Each has a seed, so that a file is the same in every run. Groups, where there are any, lie some six
standard deviations apart in several columns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd


class Base(NamedTuple):
    """A table, the kinds of its columns, and the group of each row if there are groups."""

    table: pd.DataFrame
    kinds: dict[str, str]
    groups: np.ndarray | None

    def select(self, *columns: str) -> Base:
        """Only these columns."""
        kinds = {name: self.kinds[name] for name in columns}
        return Base(self.table[list(columns)].copy(), kinds, self.groups)

    def head(self, rows: int) -> Base:
        """Only the first rows."""
        groups = None if self.groups is None else self.groups[:rows]
        return Base(self.table.head(rows).copy(), self.kinds, groups)

    def add(self, name: str, values: object, kind: str) -> Base:
        """A further column."""
        return Base(self.table.assign(**{name: values}), {**self.kinds, name: kind}, self.groups)


CUSTOMER_COLUMNS = {
    "en": ("Customer ID", "Segment", "Age", "Revenue", "Orders", "Country", "Customer since"),
    "de": ("Kundennummer", "Segment", "Alter", "Umsatz", "Bestellungen", "Land", "Kunde seit"),
}
SEGMENTS = {
    "en": ("Retail", "Wholesale", "Public", "Online"),
    "de": ("Einzelhandel", "Großhandel", "Behörde", "Online"),
}
COUNTRIES = {"en": ("France", "Spain", "Germany"), "de": ("Österreich", "Schweiz", "Deutschland")}


def customers(language: str = "en", rows: int = 240, seed: int = 1) -> Base:
    """Customers in three groups by age, revenue and orders, like an export of a CRM."""
    random = np.random.default_rng(seed)
    group = random.permutation(np.arange(rows) % 3)
    values = (
        100_000 + random.permutation(rows * 4)[:rows],
        random.choice(SEGMENTS[language], rows),
        np.round(random.normal(np.array([24, 45, 68])[group], 3)).astype(int),
        np.round(random.normal(np.array([1400, 5200, 2900])[group], 260), 2),
        random.poisson(np.array([4, 60, 22])[group]),
        random.choice(COUNTRIES[language], rows, p=(0.5, 0.3, 0.2)),
        pd.Timestamp("2015-01-01") + pd.to_timedelta(random.integers(0, 3600, rows), "D"),
    )
    kinds = ("identifier", "category", "quantity|count", "quantity", "count", "category", "date")
    names = CUSTOMER_COLUMNS[language]
    table = pd.DataFrame(dict(zip(names, values, strict=True)))
    return Base(table, dict(zip(names, kinds, strict=True)), group)


LIKERT = {
    "en": ("Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"),
    "de": ("trifft gar nicht zu", "trifft eher nicht zu", "teils/teils", "trifft eher zu",
           "trifft voll zu"),
}  # fmt: skip
TOPICS = {
    "en": ("price", "quality", "delivery", "support", "website"),
    "de": ("Preis", "Qualität", "Lieferung", "Beratung", "Webseite"),
}
PREFIX = {
    "en": "How much do you agree: I am satisfied with the",
    "de": "Wie sehr stimmen Sie zu: Ich bin zufrieden mit",
}
BANDS = ("18-25", "26-35", "36-50", "51-65", "66+")
REMARKS = (
    "The parcel came late", "Everything went well", "I would like to pay by invoice",
    "Nobody answered my mail", "The colours differ from the picture", "A very friendly team",
    "The new shop is hard to use", "Please offer more sizes", "Good value", "It broke after a week",
)  # fmt: skip


def survey(language: str = "en", rows: int = 220, seed: int = 2) -> Base:
    """Answers to five statements by satisfied and by dissatisfied people, and who they are."""
    random = np.random.default_rng(seed)
    group = random.permutation(np.arange(rows) % 2)
    table, kinds = {}, {}
    for topic in TOPICS[language]:
        level = np.clip(np.round(random.normal(np.array([0.6, 3.4])[group], 0.45)), 0, 4)
        name = f"{PREFIX[language]} [{topic}]"
        table[name], kinds[name] = np.array(LIKERT[language])[level.astype(int)], "ordered"
    age, gender, remark = ("Altersgruppe", "Geschlecht", "Bemerkung") if language == "de" else (
        "Age group", "Gender", "Remark"
    )  # fmt: skip
    table[age], kinds[age] = random.choice(BANDS, rows), "ordered"
    sexes = ("weiblich", "männlich") if language == "de" else ("female", "male")
    table[gender], kinds[gender] = random.choice(sexes, rows), "category"
    texts = np.array([f"{one}. {other}." for one in REMARKS for other in REMARKS])
    numbered = [f"{texts[i]} ({number} days)" for number, i in enumerate(random.choice(90, rows))]
    table[remark], kinds[remark] = numbered, "free text"
    return Base(pd.DataFrame(table), kinds, group)


def staff(rows: int = 300, seed: int = 3) -> Base:
    """Employees: pay, education, rating, and whether they left."""
    random = np.random.default_rng(seed)
    years = random.gamma(2, 4, rows).round().astype(int)
    education = random.integers(0, 4, rows)
    table = {
        "Employee": [f"E{number:05d}" for number in random.permutation(rows) + 1],
        "Department": random.choice(("Sales", "IT", "Finance", "Production", "Service"), rows),
        "Education": np.array(("Primary", "Secondary", "Bachelor", "Master"))[education],
        "Salary": (28_000 + 900 * years + 6_000 * education + random.normal(0, 2500, rows)).round(),
        "Years": years,
        "Rating": random.integers(1, 6, rows),
        "Status": np.where(random.random(rows) < 0.25, "left", "active"),
    }
    kinds = {
        "Employee": "identifier",
        "Department": "category",
        "Education": "ordered",
        "Salary": "quantity",
        "Years": "quantity|count",
        "Rating": "ordered",
        "Status": "outcome-like",
    }
    return Base(pd.DataFrame(table), kinds, None)


SIZES = ("XS", "S", "M", "L", "XL")


def products(rows: int = 150, seed: int = 4) -> Base:
    """Articles of a shop, with German names of columns."""
    random = np.random.default_rng(seed)
    things = ("Hemd", "Hose", "Jacke", "Mantel", "Pullover", "Schal")
    colours = ("blau", "rot", "schwarz", "weiß", "grün")
    table = {
        "Artikelnummer": [f"{n // 1000}-{n % 1000:03d}" for n in 40_000 + random.permutation(rows)],
        "Ware": random.choice(things, rows),
        "Farbe": random.choice(colours, rows),
        "Größe": np.array(SIZES)[np.clip(random.normal(2, 1, rows).round(), 0, 4).astype(int)],
        "Preis": random.lognormal(3.6, 0.5, rows).round(2),
        "Gewicht": (random.gamma(5, 0.12, rows) + 0.05).round(3),
        "Bestand": random.poisson(30, rows),
    }
    kinds = {
        "Artikelnummer": "identifier",
        "Ware": "category",
        "Farbe": "category",
        "Größe": "ordered",
        "Preis": "quantity",
        "Gewicht": "quantity",
        "Bestand": "count",
    }
    return Base(pd.DataFrame(table), kinds, None)


def orders(rows: int = 2400, people: int = 280, seed: int = 5) -> Base:
    """A row per purchase, several for each customer."""
    random = np.random.default_rng(seed)
    quantity = random.poisson(1.5, rows) + 1
    table = {
        "order_no": 700_000 + np.arange(rows),
        "customer_no": 5_000 + random.integers(0, people, rows),
        "ordered": pd.Timestamp("2024-01-01")
        + pd.to_timedelta(np.sort(random.integers(0, 365, rows)), "D"),
        "product": random.choice(("coffee", "tea", "cocoa", "cups", "filters"), rows),
        "items": quantity,
        "amount": (quantity * random.uniform(4, 18, rows)).round(2),
    }
    kinds = {
        "order_no": "identifier|code",
        "customer_no": "identifier|code",
        "ordered": "date",
        "product": "category",
        "items": "count",
        "amount": "quantity",
    }
    return Base(pd.DataFrame(table), kinds, None)


def laboratory(rows: int = 180, seed: int = 6) -> Base:
    """Measurements of three kinds of samples."""
    random = np.random.default_rng(seed)
    group = random.permutation(np.arange(rows) % 3)
    centres = {
        "length_mm": (12.0, 18.0, 24.0),
        "width_mm": (4.0, 7.5, 6.0),
        "mass_g": (1.2, 3.9, 2.5),
        "ph": (5.1, 6.4, 7.7),
    }
    table = {}
    for name, centre in centres.items():
        spread = (max(centre) - min(centre)) / 12
        table[name] = random.normal(np.array(centre)[group], spread).round(3)
    table["temperature_c"] = random.normal(21, 1.5, rows).round(1)
    return Base(pd.DataFrame(table), dict.fromkeys(table, "quantity"), group)
