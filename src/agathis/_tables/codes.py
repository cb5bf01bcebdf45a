"""Columns whose values name things and measure nothing: identifiers, codes, running numbers, texts.

The mean of two postal codes is the code of neither. Such columns are known by their names
("zip", "customer_id"), by how they are written (zeros in front), or because each row has a value
of its own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agathis._tables.number_notation import not_numbers
from agathis._tables.typing_errors import far_off

if TYPE_CHECKING:
    from agathis._tables.column_facts import ColumnFacts

#: Texts with more values than that are no categories unless somebody says so.
FEW = 20
#: Texts of as many words on average are sentences.
WORDS = 3
#: In shorter tables numbers that go up by one may be anything.
LONG = 10
#: As many numbers that are 1, 2, 3, ... in any order name the rows.
RANKS = 50
ID_NAME = re.compile(
    r"(.*[_\-. ])?(?i:id|pid|uuid|guid|key|index|rowid|row|rownames?)|.*[a-z](Id|ID)", re.DOTALL
)
MEASURE_NAME = re.compile(r"(?i).*[^_\-. ].*[_\-. ](index|key|row)", re.DOTALL)
#: Words for numbers that measure nothing, and words that say so together with one of the last.
CODES = {
    "barcode", "cep", "ean", "fax", "fips", "gtin", "iban", "isbn", "issn", "mobile", "naics",
    "phone", "pincode", "plz", "postal", "postcode", "postleitzahl", "sic", "sku", "ssn", "tel",
    "telephone", "upc", "vin", "zip",
}  # fmt: skip
NUMBERED = CODES | {
    "account", "area", "article", "flight", "invoice", "iso", "order", "pin", "policy", "post",
    "product", "receipt", "serial", "stock", "ticket", "tracking",
}  # fmt: skip
NUMBERS = ("code", "cd", "no", "nr", "num", "number")
CODE_WORDS = CODES | {first + last for first in NUMBERED for last in NUMBERS}
#: What is between the words of a name: signs, digits at its end, or a capital letter.
_BETWEEN = re.compile(r"[\W\d_]+|(?<=[a-z])(?=[A-Z])")
#: Of things, of which several rows may have the same: a shop, a category.
THING_NAME = re.compile(r"(.*[_\-. ])(?i:id|uuid|guid)|.*[a-z](Id|ID)", re.DOTALL)
#: Digits that begin with a zero, as no quantity does.
ZERO_FIRST = re.compile(r"0[0-9]+")


def is_code_name(name: str) -> bool:
    """Whether a name speaks of codes.

    >>> is_code_name("Zip Code"), is_code_name("shippingPostalCode"), is_code_name("zipper")
    (True, True, False)
    >>> is_code_name("flight"), is_code_name("flight_no"), is_code_name("time of flight")
    (True, True, False)
    >>> is_code_name("Phone 1"), is_code_name("order_number"), is_code_name("number of orders")
    (True, True, False)
    >>> is_code_name("iso_num"), is_code_name("isolation")
    (True, False)
    """
    words = [word.lower() for word in _BETWEEN.split(name) if word]
    return words == ["flight"] or any("".join(words[-n:]) in CODE_WORDS for n in (1, 2))


def names_things(name: str) -> bool:
    """Whether a name says that whole numbers stand for things.

    >>> names_things("store_id"), names_things("shopId"), names_things("id"), names_things("humid")
    (True, True, False, False)
    """
    return THING_NAME.fullmatch(name.strip()) is not None


def are_codes(texts: list[str]) -> bool:
    """Whether texts are digits of one length, some with a zero in front.

    >>> are_codes(["01067", "80331"]), are_codes(["0", "1"]), are_codes(["80331", "10115"])
    (True, False, False)
    """
    lengths = {len(text) for text in texts}
    return (
        len(lengths) == 1
        and all(text.isascii() and text.isdigit() for text in texts)
        and any(ZERO_FIRST.fullmatch(text) for text in texts)
    )


def is_free_text(facts: ColumnFacts) -> bool:
    """Many texts, hardly one twice, of several words each."""
    if facts.n_different <= max(FEW, (facts.n_rows - facts.n_missing) / 2):
        return False
    return facts.n_words >= WORDS


def is_identifier(name: str, facts: ColumnFacts) -> bool:
    """Whether the values name the rows, by the column's name, or since each row has its own."""
    from pyarrow import types

    n, n_different = facts.n_rows - facts.n_missing, facts.n_different
    named = ID_NAME.fullmatch(name) is not None
    many = n_different == n if n <= FEW else n_different > FEW
    if named and MEASURE_NAME.fullmatch(name):
        many = n_different == n  # a body mass index is no index
    if types.is_string(facts.type):
        if named and n_different > max(FEW, n / 2):
            return True
        if n_different < n:
            return False
        # Numbers that some sign for what is missing kept from being read name no rows.
        return (named and n > 1) or (n > FEW and besides_numbers(facts.some) is None)
    if types.is_boolean(facts.type) or not facts.are_whole:
        return False
    if named and n > 1 and many:
        return True
    known = facts.numbers
    if len(known) < LONG:
        return False
    # A typing error makes no quantity of a running number.
    far = far_off(known[:, None])[:, 0]
    begin = (known - facts.places)[~far]
    if bool((begin == begin[0]).all()):
        return True
    if facts.has_missing or n_different < n or n < RANKS:
        return False
    low, high = known[~far].min(), known[~far].max()
    if facts.extent is not None:
        n, low, high = facts.extent.n_rows, facts.extent.low, facts.extent.high
    return n - far.sum() - 1 <= high - low <= n - 1


def besides_numbers(texts: list[str]) -> list[str] | None:
    """Of texts most of which are numbers, the others; None where they are not such."""
    others = not_numbers(texts)
    return others if len(others) < len(texts) / 2 else None
