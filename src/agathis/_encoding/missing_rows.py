"""Select the rows to use, given the option for missing values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from agathis._columns.errors import Advice, BadTable, Note, Ways
from agathis._columns.wording import count, listed, title_of

if TYPE_CHECKING:
    from agathis._encoding.table_encoder import TableEncoder


def usable_rows(
    encoder: TableEncoder, X: np.ndarray, missing: str
) -> tuple[np.ndarray, list[Note]]:
    """Return which rows can be used, and notes on the others.

    Parameters
    ----------
    encoder : TableEncoder
        Fitted.
    X : ndarray
        Its encoded rows.
    missing : {"error", "drop", "tree"}
        Reject rows with missing values, leave them out, or keep them and let the tree learn a
        direction for them.
    """
    every = np.arange(len(X))
    is_missing = np.zeros(len(X), dtype=bool)
    n_missing: dict[str, int] = {}
    for name, features in encoder.places().items():
        none = [i for i in features if encoder.features_[i].category is None]
        of_category = none and encoder.features_[features[0]].kind == "category"
        lacks = X[:, none[0]] > 0 if of_category else np.isnan(X[:, features[0]])
        is_missing |= lacks
        n_missing[name] = int(lacks.sum())
    lacking = [f"{title_of(name)} ({_share(n, len(X))})" for name, n in n_missing.items() if n]
    if not lacking:
        return every, []
    complete = np.flatnonzero(~is_missing)
    dropped = len(X) - len(complete)
    if missing == "error":
        ways = (
            (Advice("missing", "drop"), "leaves these rows out"),
            (Advice("missing", "tree"), "keeps them: each split learns where they go"),
            (Advice("drop", (max(n_missing, key=n_missing.__getitem__),)), "leaves a column out"),
        )
        raise BadTable(
            f"{encoder.title} has missing values in {listed(lacking)}; {dropped:,} of {len(X):,} "
            "rows miss one.",
            Ways(ways),
        )
    if missing == "tree":
        text = f"Missing values in {listed(lacking)}: each split learns where they go."
        return every, [Note((text,))]
    if not len(complete):
        way = Advice("missing", "drop")
        raise BadTable(way, f" leaves no row of {encoder.title}: each misses a value.")
    text = (
        f"Left out: {count(dropped, 'row')} with missing values, in {listed(lacking)}. "
        f"That leaves {count(len(complete), 'row')}."
    )
    return complete, [Note((text,))]


def _share(n: int, total: int) -> str:
    share = 100 * n / total
    return f"{share:.0f} %" if share >= 1 else f"{n:,}"
