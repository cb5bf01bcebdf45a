"""Strings that stand for missing values and booleans.

They are defined only here: file readers pass them to pyarrow, rows of data frames are compared with
them, and exporters write them into SQL and Python, so that queries agree with ``predict``.
"""

from __future__ import annotations

#: Missing values in files and data frames, unless they are categories: as written by databases,
#: spreadsheets, programs that print numbers, and pandas.
MARKS = (
    *("", "NA", "N/A", "n/a", "NULL", "null"),
    *("#N/A", "#NA", "#N/A N/A"),
    *("NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
    *("<NA>", "NaT"),
)
LOWER_MARKS = tuple(dict.fromkeys(mark.lower() for mark in MARKS))

#: Missing values of numeric columns only, in lower case; elsewhere "none" may be a category: words
#: and signs of people, and errors of spreadsheets.
NO_NUMBERS = (
    *LOWER_MARKS,
    *("none", "-", "--", "\u2013", "\u2014", "?", ".", "n.a.", "n. a.", "n.a", "not available"),
    *("refused", "declined", "don't know", "dk", "no response", "prefer not to say"),
    *("missing", "unknown", "no answer", "not applicable", "k.a.", "k. a.", "keine angabe"),
    *("unbekannt", "fehlt", "weiß nicht", "inconnu", "sans r\u00e9ponse", "desconocido", "nil"),
    *("#div/0!", "#ref!", "#value!", "#name?", "#num!", "#null!", "#wert!", "#bezug!", "#zahl!"),
)

#: Strings of booleans, in lower case.
BOOLEANS = {True: ("true", "t", "1", "1.0"), False: ("false", "f", "0", "0.0")}
