"""Find columns that say what others say, so that a fact counts once.

Three things make a family: one number rises or falls with another (its logarithm, square, or value
in another unit, also rounded), the values of two columns correspond one to one (a country and its
code), or three and more columns have a value in exactly the same rows ("No internet service").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from agathis._columns.errors import Advice, Cells, Note
from agathis._columns.wording import listed, title_of
from agathis._encoding.relevance import relevance
from agathis._encoding.row_sample import drawn
from agathis._encoding.table_features import Feature

#: With fewer rows columns agree by chance. Of more columns no pairs are compared.
FEWEST_ROWS, MOST_COLUMNS = 20, 2000
#: The rows and values among which candidates are sought; all rows then decide.
SOME_ROWS, SOME_VALUES = 2000, 4_000_000
#: A copy keeps nearly all of the order: an age band is no copy of the age.
SAME_ORDER = 0.995
#: Values correspond one to one by chance where there are more than these, or few rows of each.
FEW_VALUES, ROWS_EACH = 50, 5
#: A value shared by so many columns, and by enough of the variance of each, makes a family.
SHARING, SHARED = 3, 0.2


@dataclass(frozen=True)
class Family:
    """Columns that say the same; the first is the original.

    Attributes
    ----------
    members : tuple of str
    value : object
        The value that they have in the same rows; None for copies.
    """

    members: tuple[str, ...]
    value: object = None


def families(X: np.ndarray, features: Sequence[Feature]) -> list[Family]:
    """Find families of columns.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features in the units of the table.
    features : sequence of Feature

    Examples
    --------
    >>> wage = np.linspace(1, 9, 30)
    >>> names = [Feature(name, name, "number") for name in ("wage", "age", "logwage")]
    >>> families(np.column_stack([wage, wage % 3, np.log(wage)]), names)
    [Family(members=('wage', 'logwage'), value=None)]
    """
    if len(X) < FEWEST_ROWS:
        return []
    numbers, categories = _by_source(features)
    if len(numbers) + len(categories) > MOST_COLUMNS:
        return []
    original = {name: name for name in (*numbers, *categories)}
    order = list(dict.fromkeys(feature.source for feature in features))

    def unite(first: str, second: str) -> None:
        a, b = sorted((original[first], original[second]), key=order.index)
        original.update({name: a for name in original if original[name] == b})

    for first, second in _same_order(X, numbers):
        unite(first, second)
    for group in _one_to_one(X, numbers, categories):
        for other in group[1:]:
            unite(group[0], other)
    members: dict[str, list[str]] = {}
    for name in order:
        if name in original:
            members.setdefault(original[name], []).append(name)
    found = [Family(tuple(names)) for names in members.values() if len(names) > 1]
    known = {name for family in found for name in family.members}
    rest = {name: places for name, places in categories.items() if name not in known}
    return found + _same_value(X, features, rest)


def copies_of(found: Sequence[Family]) -> dict[str, str]:
    """Map each copy to its original."""
    copies = [family for family in found if family.value is None]
    return {name: family.members[0] for family in copies for name in family.members[1:]}


def without_copies(names: Iterable[str], found: Sequence[Family]) -> list[str]:
    """Return the columns that are not further members: that they repeat a fact is no evidence."""
    further = {name for family in found for name in family.members[1:]}
    return [name for name in names if name not in further]


def features_within(places: Mapping[str, np.ndarray], mask: np.ndarray) -> dict[str, np.ndarray]:
    """Restrict the feature indices of each column to a mask; columns without any are left out."""
    within = {column: features[mask[features]] for column, features in places.items()}
    return {column: features for column, features in within.items() if len(features)}


def learned_weights(
    X: np.ndarray, places: Mapping[str, np.ndarray], found: Sequence[Family]
) -> dict[str, float]:
    """Compute the weight of each column from its correlation with others; a family counts once."""
    alone = without_copies(places, found)
    weights = relevance(X, [places[name] for name in alone]).tolist()
    return shared_weights(dict(zip(alone, weights, strict=True)), places, found)


def shared_weights(
    weights: Mapping[str, float], names: Iterable[str], found: Sequence[Family]
) -> dict[str, float]:
    """Divide the weight of the first member of each family among its members."""
    shares = {name: (one.members[0], len(one.members)) for one in found for name in one.members}
    both = {name: shares.get(name, (name, 1)) for name in names}
    return {name: weights.get(first, 1.0) / n for name, (first, n) in both.items()}


def notes_on_families(found: Sequence[Family], learns: bool) -> list[Note]:
    """Return a note on each family: what it is, and how it counts."""
    counts = ", so that together they count as one column" if learns else ""
    out = []
    for family in found:
        names = listed(map(title_of, family.members))
        if family.value is None:
            out.append(Note((f"{names} say the same in other words or units{counts}.",)))
            continue
        value = Cells(f"the value {family.value!r}", "one value")
        way = Advice("drop", family.members[1:]), " leaves all but one out."
        out.append(Note((f"{names} have ", value, f" in the same rows{counts}: ", *way), True))
    return out


def _by_source(features: Sequence[Feature]) -> tuple[dict[str, int], dict[str, list[int]]]:
    """Return the feature of each number or rank, and those of each category."""
    numbers: dict[str, int] = {}
    categories: dict[str, list[int]] = {}
    for f, feature in enumerate(features):
        if feature.kind == "category":
            categories.setdefault(feature.source, []).append(f)
        elif feature.when is None or feature.when.levels:
            numbers[feature.source] = f
    return numbers, categories


def _same_order(X: np.ndarray, numbers: dict[str, int]) -> list[tuple[str, str]]:
    """Pairs of numbers of which one rises or falls with the other."""
    names, places = list(numbers), list(numbers.values())
    if len(names) < 2:
        return []
    n_some = min(SOME_ROWS, max(200, SOME_VALUES // len(names)))
    some = X[drawn(len(X), n_some)][:, places]
    ranks = rankdata(some, axis=0, nan_policy="omit")
    ranks -= np.nanmean(np.where(np.isnan(some), np.nan, ranks), axis=0)
    ranks[np.isnan(some)] = 0.0
    length = np.sqrt((ranks**2).sum(axis=0))
    ranks = np.divide(ranks, length, out=np.zeros_like(ranks), where=length > 0)
    # A logarithm of 0 is missing, which changes the correlation a little.
    close = np.abs(ranks.T @ ranks) >= SAME_ORDER - 0.05
    pairs = zip(*np.nonzero(np.triu(close, 1)), strict=True)
    return [(names[i], names[j]) for i, j in pairs if _is_copy(X[:, places[i]], X[:, places[j]])]


def _is_copy(first: np.ndarray, second: np.ndarray) -> bool:
    known = np.isfinite(first) & np.isfinite(second)
    n = max(np.isfinite(first).sum(), np.isfinite(second).sum())
    if known.sum() < max(FEWEST_ROWS, 0.9 * n):
        return False
    a, b = first[known], second[known]
    ranks = [rankdata(one) for one in (a, b)]
    if min(np.ptp(one) for one in ranks) == 0:
        return False
    correlation = np.corrcoef(*ranks)[0, 1]
    if abs(correlation) < SAME_ORDER:
        return False
    b = b if correlation > 0 else -b
    ordered = b[np.lexsort((b, a))]
    # Equal up to the rounding of a computation.
    return bool((np.diff(ordered) >= -1e-9 * np.ptp(b)).all())


def _one_to_one(
    X: np.ndarray, numbers: dict[str, int], categories: dict[str, list[int]]
) -> list[list[str]]:
    """Groups of columns whose values correspond one to one."""
    codes: dict[tuple[int, ...], list[tuple[str, np.ndarray]]] = {}
    for name, places in {**{n: [f] for n, f in numbers.items()}, **categories}.items():
        if name in categories:
            inverse = np.unique(_index(X[:, places]), return_inverse=True)[1]
        else:
            inverse = np.unique(X[:, places[0]], return_inverse=True)[1]
        sizes = np.bincount(inverse)
        if 1 < len(sizes) <= min(FEW_VALUES, len(X) / ROWS_EACH):
            codes.setdefault(tuple(np.sort(sizes).tolist()), []).append((name, inverse))
    out = []
    for same in codes.values():
        while same:
            (name, first), *rest = same
            n = first.max() + 1
            equal = [other for other, code in rest if len(np.unique(first * n + code)) == n]
            out.append([name, *equal])
            same = [(other, code) for other, code in rest if other not in equal]
    return [group for group in out if len(group) > 1]


def _index(indicators: np.ndarray) -> np.ndarray:
    """The category of each row; -1 for a missing or rare one."""
    known = np.nan_to_num(indicators)
    return np.where(known.any(axis=1), known.argmax(axis=1), -1)


def _same_value(
    X: np.ndarray, features: Sequence[Feature], categories: dict[str, list[int]]
) -> list[Family]:
    """Families of columns that have one value in exactly the same rows."""
    rows: dict[bytes, list[int]] = {}
    for places in categories.values():
        if len(places) < 3:
            continue
        variance = np.nanvar(X[:, places], axis=0)
        for f, share in zip(places, variance / max(variance.sum(), 1e-300), strict=True):
            if share >= SHARED:
                rows.setdefault(np.packbits(np.nan_to_num(X[:, f]) > 0).tobytes(), []).append(f)
    out: list[Family] = []
    known: set[str] = set()
    for same in rows.values():
        names = tuple(features[f].source for f in same)
        if len(set(names)) >= SHARING and not known & set(names):
            known |= set(names)
            value = features[same[0]].category
            out.append(Family(names, "missing" if value is None else value))
    return out
