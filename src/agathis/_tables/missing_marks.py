"""Texts of tables that are not what they seem: those that stand for a missing value, and truths.

Exporters write them into SQL and Python, so that a query tells what ``predict`` tells.
"""

from __future__ import annotations

#: Texts that stand for a missing value in tables, unless they are categories.
MARKS = ("", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null")
LOWER_MARKS = tuple(dict.fromkeys(mark.lower() for mark in MARKS))

#: However a truth is stored, in lower case as text it is one of these.
TRUTHS = {True: ("true", "t", "1", "1.0"), False: ("false", "f", "0", "0.0")}
