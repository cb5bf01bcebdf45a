"""Texts of tables that are not what they seem: those that stand for a missing value, and truths.

The only list: readers of files hand it to pyarrow, rows of data frames are held against it, and
exporters write it into SQL and Python, so that a query tells what ``predict`` tells.
"""

from __future__ import annotations

#: Texts that stand for a missing value in files and in data frames, unless they are categories:
#: of databases, of spreadsheets, of numbers as programs print them, and of pandas.
MARKS = (
    *("", "NA", "N/A", "n/a", "NULL", "null"),
    *("#N/A", "#NA", "#N/A N/A"),
    *("NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
    *("<NA>", "NaT"),
)
LOWER_MARKS = tuple(dict.fromkeys(mark.lower() for mark in MARKS))

#: In lower case, what is no value in a column of numbers; elsewhere "none" may be a category.
NO_NUMBERS = (*LOWER_MARKS, "none")

#: However a truth is stored, in lower case as text it is one of these.
TRUTHS = {True: ("true", "t", "1", "1.0"), False: ("false", "f", "0", "0.0")}
