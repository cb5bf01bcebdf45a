"""Files whose columns are easily mistaken: ordered answers, codes, results, copies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from reading import bases
from reading.truth import ReadingFile
from reading.writers import cells_of, rows_of, write_sheets, write_text


def role_files() -> Iterator[ReadingFile]:
    """The files of this module."""
    yield from ordered()
    yield from codes_and_names()
    yield from results()
    yield from copies()
    yield from shapes()


def _csv(
    name: str,
    item: str,
    base: bases.Base,
    exact: tuple[str, ...] = (),
    *,
    noted: tuple[str, ...] = (),
    german: bool = False,
) -> ReadingFile:
    cells = cells_of(base.table, **({"decimal": ",", "dates": "%d.%m.%Y"} if german else {}))

    def write(path: Path) -> None:
        write_text(path, cells, separator=";" if german else ",")

    return ReadingFile(
        name, item, base.table, base.kinds, write, base.groups, exact=exact, noted=noted
    )


def _ordered_columns(base: bases.Base) -> tuple[str, ...]:
    return tuple(name for name, kind in base.kinds.items() if kind == "ordered")


def ordered() -> Iterator[ReadingFile]:
    """Answers, sizes, bands and grades."""
    for name, base, german in (
        ("likert.csv", bases.survey(), False),
        ("likert_de.csv", bases.survey("de", seed=91), True),
        ("sizes.csv", bases.products(), True),
    ):
        yield _csv(name, "ordered", base, _ordered_columns(base), german=german)
    random = np.random.default_rng(92)
    base = bases.customers(seed=93)
    rows = len(base.table)
    for name, column, levels, p in (
        ("age_bands.csv", "Age band", ("18-25", "26-35", "36-50", "51-65", "66+"), None),
        ("low_medium_high.csv", "Risk", ("low", "medium", "high"), (0.5, 0.3, 0.2)),
        ("school_grades.csv", "Grade", ("A", "B", "C", "D", "E", "F"), None),
        ("income_bands.csv", "Income", ("under 10,000", "10,000 to 24,999", "25,000 to 49,999",
                                        "50,000 and more"), None),
        ("ratings.csv", "Rating", ("1", "2", "3", "4", "5"), None),
    ):  # fmt: skip
        values = random.choice(levels, rows, p=p)
        values = values.astype(int) if name == "ratings.csv" else values
        yield _csv(name, "ordered", base.add(column, values, "ordered"), (column,))
    notes = base.add("Note", random.integers(1, 7, rows), "ordered")
    yield _csv("schulnoten.csv", "ordered", notes, ("Note",))
    levels = ["basic", "plus", "premium"]
    typed = pd.Categorical(random.choice(levels, rows), levels, ordered=True)
    plans = base.add("Plan", typed, "ordered")
    yield ReadingFile(
        "categorical.parquet",
        "ordered",
        plans.table,
        plans.kinds,
        lambda path: plans.table.to_parquet(path, index=False),
        plans.groups,
        exact=("Plan",),
    )


def codes_and_names() -> Iterator[ReadingFile]:
    """Numbers that stand for something, postcodes, and addresses of people."""
    random = np.random.default_rng(101)
    base, german = bases.customers(seed=102), bases.customers("de", seed=103)
    rows = len(base.table)
    regions = base.add("region_id", random.choice((3, 7, 11, 14, 22, 31), rows), "code|category")
    yield _csv("region_id.csv", "codes", regions, ("region_id",))
    types = base.add("MOSTYPE", random.integers(1, 42, rows), "code")
    yield _csv("mostype.csv", "codes", types, ("MOSTYPE",))
    branch = base.add(
        "branch_code", random.choice((1010, 1020, 2030, 4110, 9990), rows), "code|category"
    )
    yield _csv("branch_code.csv", "codes", branch, ("branch_code",))
    towns = np.array([f"{n:05d}" for n in random.integers(1000, 99999, 40)])
    postal = german.add("PLZ", random.choice(towns, rows), "code|category")
    yield _csv("plz.csv", "codes", postal, ("PLZ",), german=True)
    first = random.choice(("ana", "ben", "carla", "deniz", "eva", "finn", "gül", "hugo"), rows)
    mails = [f"{one}.{number:03d}@example.org" for number, one in enumerate(first)]
    people = base.add("E-mail", mails, "identifier")
    yield _csv("crm_email.csv", "personal data", people, ("E-mail",))
    phones = [f"+49 30 {n}" for n in 1_000_000 + random.permutation(rows) * 7]
    contacts = german.add("Telefon", phones, "identifier")
    yield _csv("crm_telefon.csv", "personal data", contacts, ("Telefon",), german=True)


def results() -> Iterator[ReadingFile]:
    """Columns that say how it ended."""
    base = bases.staff()
    yield _csv("hr_status.csv", "outcome", base, ("Status",))
    random = np.random.default_rng(111)
    rows = 400
    sex, travels = random.choice(("female", "male"), rows), random.integers(1, 4, rows)
    lived = random.random(rows) < np.where(sex == "female", 0.75, 0.2)
    table = {
        "survived": lived.astype(int),
        "class": travels,
        "sex": sex,
        "age": random.integers(1, 70, rows),
        "fare": random.gamma(2, 40 / travels).round(2),
    }
    kinds = ("outcome-like", "ordered|category|code", "category", "quantity|count", "quantity")
    base = bases.Base(pd.DataFrame(table), dict(zip(table, kinds, strict=True)), None)
    yield _csv("survived.csv", "outcome", base, ("survived",))
    usage = bases.customers(seed=112).select("Customer ID", "Age", "Revenue", "Orders")
    churn = usage.add("Churn", random.choice(("No", "Yes"), 240, p=(0.7, 0.3)), "outcome-like")
    yield _csv("churn.csv", "outcome", churn, ("Churn",))


def copies() -> Iterator[ReadingFile]:
    """Columns that say the same as another one."""
    base = bases.customers(seed=121)
    random = np.random.default_rng(122)
    rows = len(base.table)
    logs = base.add("log_revenue", np.log(base.table["Revenue"]).round(5), "copy-of")
    yield _csv("log_revenue.csv", "copies", logs, ("log_revenue",))
    net = bases.laboratory(seed=123)
    inches = net.add("length_in", (net.table["length_mm"] / 25.4).round(3), "copy-of")
    yield _csv("two_units.csv", "copies", inches, ("length_in",))
    online = random.random(rows) < 0.7
    services = base
    for name in ("security", "backup", "protection", "support", "streaming"):
        answer = np.where(online, random.choice(("Yes", "No"), rows), "No internet service")
        services = services.add(f"online {name}", answer, "category")
    yield _csv("no_internet_service.csv", "copies", services, noted=("online security",))
    short = {"France": "FR", "Spain": "ES", "Germany": "DE"}
    coded = base.add("Country code", base.table["Country"].map(short), "copy-of")
    yield _csv("country_twice.csv", "copies", coded, ("Country code",))


def shapes() -> Iterator[ReadingFile]:
    """Nested records, a row per purchase, shared prefixes, a column with hardly a value."""
    base = bases.customers(seed=131)
    table = base.table

    def write(path: Path) -> None:
        lines = [
            json.dumps(
                {
                    "id": int(row["Customer ID"]),
                    "person": {"age": int(row["Age"]), "country": row["Country"]},
                    "sales": {"revenue": row["Revenue"], "orders": int(row["Orders"])},
                }
            )
            for _, row in table.iterrows()
        ]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    names = ("id", "person.age", "person.country", "sales.revenue", "sales.orders")
    flat = base.select("Customer ID", "Age", "Country", "Revenue", "Orders")
    kinds = dict(zip(names, flat.kinds.values(), strict=True))
    yield ReadingFile(
        "nested.jsonl", "nested", flat.table.set_axis(names, axis=1), kinds, write, base.groups
    )
    yield _csv("transactions.csv", "transactions", bases.orders(), noted=("customer_no",))
    answers = bases.survey("de", seed=132)
    yield ReadingFile(
        "fragebogen.xlsx",
        "shared prefixes",
        answers.table,
        answers.kinds,
        lambda path: write_sheets(path, {"Antworten": rows_of(answers.table)}),
        answers.groups,
        exact=_ordered_columns(answers),
    )
    note = np.full(len(table), None, dtype=object)
    note[[5, 90]] = "called back"
    # Any kind is right for a column without values, as long as that is said.
    anything = "category|free text|identifier|outcome-like"
    yield _csv(
        "almost_empty.csv", "99 % missing", base.add("Remark", note, anything), noted=("Remark",)
    )
    days = (pd.Timestamp("2025-01-01") - table["Customer since"]).dt.days
    since = base.select("Customer ID", "Age", "Revenue", "Orders").add(
        "Days since last order", days, "quantity|count"
    )
    yield _csv("days_since.csv", "days since", since)
