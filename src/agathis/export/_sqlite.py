"""Conditions for SQLite, whose columns may hold numbers and booleans as text.

``.import`` of a CSV file makes every column TEXT, and to SQLite a text is larger than any number.
So numbers are cast before they are compared, which does not change a REAL or an INTEGER. The cast
of a text without digits would be 0: these are missing values, as the empty cell is. Booleans are
compared as the strings that people and programs write for them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from agathis._columns.missing_values import BOOLEANS, LOWER_MARKS, MARKS
from agathis._rules.columns import Column, Indicator
from agathis.export._dialects import text_literal
from agathis.export._sql_columns import SqlColumns, is_in


class SqliteColumns(SqlColumns):
    """Expressions and conditions on columns without types."""

    def at_most(
        self, value: str, bound: str | None, missing: bool, names: list[str], numbers: list[str]
    ) -> str:
        if missing:
            absent = [f"{name} NOT GLOB '*[0-9]*'" for name in numbers]
            absent += [f"{name} IS NULL" for name in names]
            return f"({' OR '.join([f'{value} <= {bound}', *absent])})"
        known = [f"{name} GLOB '*[0-9]*'" for name in numbers]
        if bound is not None:
            known.append(f"{value} <= {bound}")
        return " AND ".join(known or [f"{name} IS NOT NULL" for name in names] or ["TRUE"])

    def one_of(self, name: str, categories: Sequence[object]) -> list[str]:
        out = []
        booleans = [form for c in categories if isinstance(c, bool) for form in BOOLEANS[c]]
        if booleans:
            out.append(is_in(f"lower(trim({name}))", map(text_literal, booleans)))
        strings = [self.literal(c) for c in categories if isinstance(c, str)]
        if strings:
            out.append(is_in(name, strings))
        numbers = [self.literal(c) for c in categories if not isinstance(c, (bool, str))]
        if numbers:
            # The cast of a text with other characters would be the number it begins with.
            number = f"{name} GLOB '*[0-9]*' AND {name} NOT GLOB '*[^0-9.eE+-]*'"
            out.append(f"({number} AND {is_in(f'CAST({name} AS NUMERIC)', numbers)})")
        return out

    def is_missing(self, name: str, categories: Collection[object]) -> list[str]:
        """As in other dialects; also strings for missing values, unless they are categories."""
        if categories and all(isinstance(category, bool) for category in categories):
            column, marks = f"lower(trim({name}))", list(LOWER_MARKS)
        else:
            column, marks = name, [mark for mark in MARKS if mark not in categories]
        return [is_in(column, map(text_literal, marks)), f"{name} IS NULL"]

    def number(self, column: Column) -> str:
        value = super().number(column)
        return f"CAST({value} AS REAL)" if _is_plain(column) else value

    def double(self, column: Column, filled: bool) -> str:
        if not _is_plain(column):
            return super().double(column, filled)
        value, name = self.number(column), self.dialect.name(column.name)
        return f"CASE WHEN {name} GLOB '*[0-9]*' THEN {value} END" if filled else value


def _is_plain(column: Column) -> bool:
    """Whether a number is a column of the table, not a date part."""
    return not isinstance(column, Indicator) and column.when is None
