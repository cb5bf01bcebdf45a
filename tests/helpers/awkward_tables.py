"""Text files as people's programs write them, and what they mean: to hold readers against."""

from __future__ import annotations

import datetime
import gzip

#: Stands for a column of dates, whatever they are made into.
DATES = "dates"

#: Cells of a column, and the numbers that they are.
WRITTEN = {
    "German": (["1.264,40", "7,5", "12.000.000", "-3"], [1264.4, 7.5, 12e6, -3]),
    "English": (["1,264.40", "7.5", "12,000,000", "-3"], [1264.4, 7.5, 12e6, -3]),
    "French": (["1\u202f264,40", "12 000,5", "1\u00a0000,1"], [1264.4, 12000.5, 1000.1]),
    "Swiss": (["1'264.40", "12\u2019000.5"], [1264.4, 12000.5]),
    "small": (["0.125", "1.250", "12.500"], [0.125, 1.25, 12.5]),
    "small German": (["0,125", "1,250", "12,500"], [0.125, 1.25, 12.5]),
    "euros": (["€ 319.69", "€ 1,319.00", "-€ 2.00"], [319.69, 1319, -2]),
    "euros behind": (["319,69 €", "1.319,00 €", "-2,00€"], [319.69, 1319, -2]),
    "per cent": (["78%", "5 %", "12.5%"], [78, 5, 12.5]),
    "codes": (["EUR 78", "EUR 5"], [78, 5]),
}

_SAME = {
    "commas": "a,b\n1.5,x\n2.5,y\n",
    "semicolons, points": "a;b\n1.5;x\n2.5;y\n",
    "semicolons, commas": "a;b\n1,5;x\n2,5;y\n",
    "tabs, commas": "a\tb\n1,5\tx\n2,5\ty\n",
    "bars": "a|b\n1.5|x\n2.5|y",
    "mark, Windows": "\ufeffa,b\r\n1.5,x\r\n2.5,y\r\n",
    "lines of old Macs": "a,b\r1.5,x\r2.5,y\r",
    "spaces, empty lines": " a , b\n1.5,x\n\n2.5,y\n\n",
    "quotes": '"a","b"\n"1.5","x"\n"2.5","y"\n',
    "sep line": "sep=;\na;b\n1,5;x\n2,5;y\n",
}
_LETTERS = "größe,b\n1,ä\n2,ö\n"
_OF_LETTERS = {"größe": [1, 2], "b": ["ä", "ö"]}

#: For each file its bytes, and its columns as they are meant.
FILES: dict[str, tuple[bytes, dict[str, object]]] = {
    **{k: (text.encode(), {"a": [1.5, 2.5], "b": ["x", "y"]}) for k, text in _SAME.items()},
    "gzip": (gzip.compress(_SAME["commas"].encode(), mtime=0), {"a": [1.5, 2.5], "b": ["x", "y"]}),
    "latin-1": (_LETTERS.encode("latin-1"), _OF_LETTERS),
    "utf-16": (_LETTERS.encode("utf-16"), _OF_LETTERS),
    "lines in quotes": (
        b'a,b\n1,"x\ny"\n2,"u\nv"\n3,z\n', {"a": [1, 2, 3], "b": ["x\ny", "u\nv", "z"]}
    ),
    "separators in quotes": (
        b'"a;,",b\n"1,5;x",2\n"3,5;y",4\n', {"a;,": ["1,5;x", "3,5;y"], "b": [2, 4]}
    ),
    "signs for gaps": (
        b"a,b\nNA,\n1,null\n2,u\n", {"a": [None, 1, 2], "b": [None, None, "u"]}
    ),
    "German dates": (
        b"a;d\n1,5;27.05.2019\n2,5;28.05.2019\n", {"a": [1.5, 2.5], "d": DATES}
    ),
    "American dates": (
        b"a,d\n1.5,5/27/2019\n2.5,5/28/2019\n", {"a": [1.5, 2.5], "d": DATES}
    ),
    "versions": (
        b"a,d\n1.5,1.2.10\n2.5,1.3.10\n", {"a": [1.5, 2.5], "d": ["1.2.10", "1.3.10"]}
    ),
    "thousands": (
        b"Konto;Wert\n1.200;5,5\n12.000;50\n", {"Konto": [1200, 12000], "Wert": [5.5, 50]}
    ),
    "zeros in front": (b"zip,x\n01234,1\n00501,2\n", {"zip": ["01234", "00501"], "x": [1, 2]}),
    **{
        f"{k} between {mark}": (
            (f"x{mark}y\n" + "".join(f'"{cell}"{mark}a\n' for cell in cells)).encode(),
            {"x": numbers, "y": ["a"] * len(cells)},
        )
        for k, (cells, numbers) in WRITTEN.items()
        for mark in ";,"
    },
}  # fmt: skip


def means(found: dict[str, list], expected: dict[str, object]) -> bool:
    """Whether the columns that a reader found are those that are meant."""
    return list(found) == list(expected) and all(
        _same(found[name], expected[name]) for name in expected
    )


def _same(found: list, expected: object) -> bool:
    if expected == DATES:
        return all(isinstance(value, datetime.date) for value in found)
    if len(found) != len(expected):
        return False
    return all(
        isinstance(value, (int, float)) and abs(value - meant) <= 1e-12 * abs(meant)
        if isinstance(meant, (int, float))
        else value == meant
        for value, meant in zip(found, expected, strict=True)
    )
