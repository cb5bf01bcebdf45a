"""Detect identifier columns: identifiers, codes, running numbers, free text.

The mean of two postal codes means nothing. Such columns are recognised by name ("zip",
"customer_id"), by leading zeros, or because nearly every value is unique.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agathis._columns.datetimes import RATES
from agathis._columns.number_notation import not_numbers
from agathis._columns.outliers import outliers
from agathis._columns.wording import word_set

if TYPE_CHECKING:
    from agathis._columns.column_facts import ColumnFacts

#: String columns with more distinct values than this become categories only on request.
FEW = 20
#: Strings with this many words on average are free text.
WORDS = 3
#: Shorter tables may contain consecutive numbers by chance.
LONG = 10
#: At least this many numbers that are 1, 2, 3, ... in any order are row numbers.
RANKS = 50
ID_NAME = re.compile(
    r"(.*[_\-. ])?(?i:id|id_str|idno|uid|pid|uuid|guid|key|index|rowid|row|rownames?)"
    r"|.*[a-z](Id|ID)",
    re.DOTALL,
)
MEASURE_NAME = re.compile(r"(?i).*[^_\-. ].*[_\-. ](index|key|row)", re.DOTALL)
#: Words that mark a code alone, and words that do so together with one of the last set.
CODES = {
    "barcode", "cep", "ean", "fax", "fips", "gtin", "iban", "isbn", "issn", "mobile", "naics",
    "phone", "pincode", "plz", "postal", "postcode", "postleitzahl", "sic", "sku", "ssn", "tel",
    "telefon", "telephone", "upc", "vin", "zip",
}  # fmt: skip
NUMBERED = CODES | {
    "account", "area", "article", "flight", "invoice", "iso", "order", "pin", "policy", "post",
    "product", "receipt", "serial", "stock", "ticket", "tracking", "customer", "client", "user",
    "member", "patient", "employee", "student", "person", "contract", "case", "item", "bestell",
    "kunden", "artikel", "auftrags", "rechnungs", "personal", "mitglieds", "vertrags", "patienten",
    "konto", "beleg", "vorgangs", "proband", "mitarbeiter",
}  # fmt: skip
NUMBERS = ("code", "cd", "no", "nr", "num", "number", "nummer")
IDENTIFIER_WORDS = CODES | {first + last for first in NUMBERED for last in NUMBERS}
#: Numbers in columns of these names, or names that end so, stand for something.
NUMBERED_THINGS = word_set(
    "type typ kind code mode region district county state province country branch school store "
    "shop station team club plot block site zone sector department dept ward prof hospital center "
    "centre category cat segment cluster group gruppe filiale kreis bezirk abteilung kostenstelle "
    "color colour farbe sex gender geschlecht race ethnicity religion nationality occupation "
    "industry"
)
#: Unique integers in a column of such a name are no quantities.
NUMBERED_ONCE = word_set("account serial ticket invoice receipt contract")
#: Those to whom several rows may belong.
WHO = word_set(
    "customer client user member patient person employee student account household subject "
    "participant kunde kunden kundennummer patienten mitglied mitglieds nutzer"
)
#: Separators of the words in a name: punctuation, digits at the end, or a capital letter.
_BETWEEN = re.compile(r"[\W\d_]+|(?<=[a-z])(?=[A-Z])")
#: Identifiers that several rows may share: of a shop, of a category.
THING_NAME = re.compile(r"(.*[_\-. ])(?i:id|uuid|guid)|.*[a-z](Id|ID)", re.DOTALL)
#: Digits with a leading zero, as no quantity has.
ZERO_FIRST = re.compile(r"0[0-9]+")


def is_identifier_name(name: str) -> bool:
    """Whether a column name denotes codes.

    >>> [is_identifier_name(name) for name in ("Zip Code", "shippingPostalCode", "zipper")]
    [True, True, False]
    >>> [is_identifier_name(name) for name in ("flight", "flight_no", "time of flight")]
    [True, True, False]
    >>> [is_identifier_name(name) for name in ("Phone 1", "order_number", "number of orders")]
    [True, True, False]
    >>> is_identifier_name("Matrikelnummer"), is_identifier_name("Steuer-Nr.")
    (True, True)
    >>> is_identifier_name("iso_num"), is_identifier_name("isolation")
    (True, False)
    """
    words = [word.lower() for word in _BETWEEN.split(name) if word]
    if words and words[-1].endswith(("nummer", "nr")):
        return True
    return words == ["flight"] or any("".join(words[-n:]) in IDENTIFIER_WORDS for n in (1, 2))


def names_things(name: str) -> bool:
    """Whether a column name denotes identifiers of entities, such as "store_id".

    >>> names_things("store_id"), names_things("shopId"), names_things("id"), names_things("humid")
    (True, True, False, False)
    """
    return THING_NAME.fullmatch(name.strip()) is not None


def names_codes(name: str) -> bool:
    """Whether integers in a column of this name stand for something: "region", "MOSTYPE".

    >>> names_codes("branch_code"), names_codes("MOSTYPE"), names_codes("statement")
    (True, True, False)
    """
    words = [word.lower() for word in _BETWEEN.split(name) if word]
    if RATES.intersection(words[:-1]):
        return False  # "days in hospital"
    return bool(words) and (words[-1] in NUMBERED_THINGS or words[-1].endswith(("type", "code")))


def names_who(name: str) -> bool:
    """Whether a column names people, or others to whom several rows may belong.

    >>> names_who("customer_no"), names_who("Kundennummer"), names_who("order_no")
    (True, True, False)
    """
    return any(word.lower() in WHO for word in _BETWEEN.split(name))


def are_identifiers(strings: list[str]) -> bool:
    """Whether strings are digits of equal length, some with a leading zero.

    >>> are_identifiers(["01067", "80331"]), are_identifiers(["0", "1"]), are_identifiers(["80331",
    ...     "10115"])
    (True, False, False)
    """
    lengths = {len(string) for string in strings}
    return (
        len(lengths) == 1
        and all(string.isascii() and string.isdigit() for string in strings)
        and any(ZERO_FIRST.fullmatch(string) for string in strings)
    )


def is_free_text(facts: ColumnFacts) -> bool:
    """Whether strings are free text: many, mostly unique, of several words each."""
    if facts.n_different <= max(FEW, (facts.n_rows - facts.n_missing) / 2):
        return False
    return facts.n_words >= WORDS


def is_identifier(name: str, facts: ColumnFacts) -> bool:
    """Whether values identify rows, by the column's name or because they are unique."""
    from pyarrow import types

    n, n_different = facts.n_rows - facts.n_missing, facts.n_different
    named = ID_NAME.fullmatch(name) is not None
    many = n_different == n if n <= FEW else n_different > FEW
    once = [word.lower() for word in _BETWEEN.split(name) if word][-1:]
    if NUMBERED_ONCE.intersection(once) or (named and MEASURE_NAME.fullmatch(name)):
        named = True
        many = n_different == n  # a body mass index is no index
    if types.is_string(facts.type):
        if named and n_different > max(FEW, n / 2):
            return True
        if n_different < n:
            return False
        # Missing-value marks had made these numbers strings; they do not identify rows.
        return (named and n > 1) or (n > FEW and besides_numbers(facts.some) is None)
    if types.is_boolean(facts.type) or not facts.are_integers:
        return False
    if named and n > 1 and many:
        return True
    known = facts.numbers
    if len(known) < LONG:
        return False
    # An outlier must not turn a running number into a quantity.
    far = outliers(known[:, None])[:, 0]
    begin = (known - facts.places)[~far]
    if bool((begin == begin[0]).all()):
        return True
    if facts.has_missing or n_different < n or n < RANKS:
        return False
    low, high = known[~far].min(), known[~far].max()
    if facts.extent is not None:
        n, low, high = facts.extent.n_rows, facts.extent.low, facts.extent.high
    return n - far.sum() - 1 <= high - low <= n - 1


def besides_numbers(strings: list[str]) -> list[str] | None:
    """Return the strings that are no numbers if most are numbers, else None."""
    others = not_numbers(strings)
    return others if len(others) < len(strings) / 2 else None
