"""Real databases that tests of SQL ask."""

from __future__ import annotations

import sqlite3

import pytest

#: Rows that are put into a table at once.
SOME = 200


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
        rows = [[*row, i] for i, row in enumerate(rows)]
        # To DuckDB a row at a time is a transaction each.
        for begin in range(0, len(rows), SOME):
            some = rows[begin : begin + SOME]
            values = ", ".join([f"({marks})"] * len(some))
            self.connection.execute(
                f"INSERT INTO {table} VALUES {values}", [value for row in some for value in row]
            )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def ask(self, query: str) -> list:
        return self.connection.execute(query).fetchall()

    def labels(self, expression: str) -> list:
        return [row[0] for row in self.ask(f"SELECT {expression} FROM t ORDER BY place")]
