"""Real databases that tests of SQL ask."""

from __future__ import annotations

import sqlite3

import pytest


class Database:
    """Rows in a table of an engine, in their order."""

    def __init__(self, engine: str, names, rows, types=None, table="t") -> None:
        self.engine = engine
        module = sqlite3 if engine == "sqlite" else pytest.importorskip("duckdb")
        self.connection = module.connect(":memory:")
        quote = {"sqlite": "`", "duckdb": '"'}[engine]
        types = types or ["DOUBLE"] * len(names)
        columns = [
            f"{quote}{name.replace(quote, 2 * quote)}{quote} {kind}"
            for name, kind in zip(names, types, strict=True)
        ]
        self.connection.execute(f"CREATE TABLE {table} ({', '.join(columns)}, place INTEGER)")
        marks = ", ".join("?" * (len(names) + 1))
        self.connection.executemany(
            f"INSERT INTO {table} VALUES ({marks})", [[*row, i] for i, row in enumerate(rows)]
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def ask(self, query: str) -> list:
        return self.connection.execute(query).fetchall()

    def labels(self, expression: str) -> list:
        return [row[0] for row in self.ask(f"SELECT {expression} FROM t ORDER BY place")]
